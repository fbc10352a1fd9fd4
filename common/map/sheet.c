#include "map/sheet.h"

#include "base/bytes.h"
#include "num/convert.h"

#include <string.h>

static const float quad_tx[4] = {0.0f, 0.0f, 1.0f, 1.0f}, quad_ty[4] = {0.0f, 1.0f, 1.0f, 0.0f};
static const uint16_t quad_split[6] = {0, 1, 3, 1, 2, 3}, quad_plain[6] = {0, 1, 2, 0, 2, 3};

void stn_quad_of(int x, int y, bool split, stn_quad *out)
{
    uint32_t ul = stn_ground_vertex(x, y);

    out->v[0] = ul;
    out->v[1] = ul + STN_GROUND_SIDE;
    out->v[2] = ul + STN_GROUND_SIDE + 1;
    out->v[3] = ul + 1;
    out->part = (stn_part){.x = (uint8_t)x,
                           .y = (uint8_t)y,
                           .nv = 4,
                           .nf = 6,
                           .v = out->v,
                           .tx = quad_tx,
                           .ty = quad_ty,
                           .f = split ? quad_split : quad_plain};
}

static const stn_part *part_at(const stn_laid *laid, int x, int y, stn_quad *quad)
{
    const stn_part *own = laid->parts ? laid->parts[x + STN_CUT_TILES * y] : NULL;
    if (own)
        return own;
    stn_quad_of(x, y, laid->split[stn_ring_tile(x, y)], quad);
    return &quad->part;
}

/* No tiler lays more over one tile. */
#define PART_MAX 256

/* Little-endian machines only, as everywhere: floats are written as they lie in memory. */
static void put_pos(stn_buf *b, const stn_vec3 *v)
{
    stn_buf_put(b, v, 12);
}

static void put_f32(uint8_t *out, float v)
{
    stn_st32(out, stn_bits_of_f32(v));
}

static stn_status too_many(stn_err *err, const char *what)
{
    return stn_fail(err, STN_TOO_BIG, "too many vertices in %s: indices have 16 bits", what);
}

stn_status stn_sheet_vertices(const stn_laid *laid, stn_buf *vertices, uint16_t *number, stn_err *err)
{
    stn_quad quad;
    uint32_t next = 0;

    memset(number, 0xff, laid->nv * sizeof *number);
    for (int y = 0; y < STN_CUT_TILES; y++)
        for (int x = 0; x < STN_CUT_TILES; x++) {
            const stn_part *p = part_at(laid, x, y, &quad);
            for (unsigned i = 0; i < p->nv; i++) {
                uint32_t v = p->v[i];
                if (number[v] != STN_SHEET_NONE)
                    continue;
                if (next >= STN_SHEET_NONE)
                    return too_many(err, "an overlay sheet");
                number[v] = (uint16_t)next++;
                put_pos(vertices, &laid->pos[v]);
                const int8_t n[4] = {stn_snorm8(laid->nrm[v].x), stn_snorm8(laid->nrm[v].y),
                                     stn_snorm8(laid->nrm[v].z), 0};
                stn_buf_put(vertices, n, 4);
            }
        }
    return vertices->failed ? stn_fail(err, STN_NO_MEMORY, "overlay sheet") : STN_OK;
}

void stn_sheet_fill(const stn_laid *laid, const uint16_t *number, const uint8_t *mask, stn_buf *indices)
{
    stn_quad quad;

    for (int y = 0; y < STN_CUT_TILES; y++)
        for (int x = 0; x < STN_CUT_TILES; x++) {
            if (!mask[stn_ring_tile(x, y)])
                continue;
            const stn_part *p = part_at(laid, x, y, &quad);
            for (unsigned i = 0; i < p->nf; i++)
                stn_buf_u16(indices, number[p->v[p->f[i]]]);
        }
}

/* On which sides of its tile a part vertex lies: N 1, E 2, S 4, W 8. */
static unsigned sides_of(const stn_part *p, unsigned i)
{
    return (p->ty[i] == 0.0f) | (unsigned)(p->tx[i] == 1.0f) << 1 | (unsigned)(p->ty[i] == 1.0f) << 2 |
           (unsigned)(p->tx[i] == 0.0f) << 3;
}

void stn_sheet_outline(const stn_laid *laid, const uint16_t *number, const uint8_t *mask, stn_buf *indices)
{
    stn_quad quad;

    for (int y = 0; y < STN_CUT_TILES; y++)
        for (int x = 0; x < STN_CUT_TILES; x++) {
            const uint8_t *m = mask + stn_ring_tile(x, y);
            unsigned open = (unsigned)!m[-STN_GROUND_SPLITS] | (unsigned)!m[1] << 1 |
                            (unsigned)!m[STN_GROUND_SPLITS] << 2 | (unsigned)!m[-1] << 3;
            if (!*m || !open)
                continue;
            const stn_part *p = part_at(laid, x, y, &quad);
            for (unsigned i = 0; i < p->nf; i++) {
                unsigned a = p->f[i], b = p->f[i % 3 == 2 ? i - 2 : i + 1];
                if (sides_of(p, a) & sides_of(p, b) & open) {
                    stn_buf_u16(indices, number[p->v[a]]);
                    stn_buf_u16(indices, number[p->v[b]]);
                }
            }
        }
}

stn_status stn_grid_lines(const stn_laid *laid, stn_buf *positions, stn_buf *indices, stn_err *err)
{
    stn_quad quad;
    uint32_t next = 0;

    for (int y = 0; y < STN_CUT_TILES; y++)
        for (int x = 0; x < STN_CUT_TILES; x++) {
            const stn_part *p = part_at(laid, x, y, &quad);
            uint16_t number[PART_MAX];
            if (p->nv > PART_MAX)
                return stn_fail(err, STN_TOO_BIG, "grid lines: a part of %u vertices, at most %d", p->nv,
                                PART_MAX);
            memset(number, 0xff, sizeof number);
            for (unsigned i = 0; i < p->nf; i++) {
                unsigned ends[2] = {p->f[i], p->f[i % 3 == 2 ? i - 2 : i + 1]};
                if (!(sides_of(p, ends[0]) & sides_of(p, ends[1])))
                    continue;
                for (int k = 0; k < 2; k++) {
                    uint16_t *n = &number[ends[k]];
                    if (*n == STN_SHEET_NONE) {
                        if (next >= STN_SHEET_NONE)
                            return too_many(err, "grid lines");
                        *n = (uint16_t)next++;
                        put_pos(positions, &laid->pos[p->v[ends[k]]]);
                    }
                    stn_buf_u16(indices, *n);
                }
            }
        }
    return positions->failed || indices->failed ? stn_fail(err, STN_NO_MEMORY, "grid lines") : STN_OK;
}

stn_status stn_click_mesh(const stn_laid *laid, const uint8_t *buckets, uint8_t bucket, stn_buf *pos,
                          stn_buf *loc, stn_buf *indices, stn_err *err)
{
    const float tp = 1.0f / (float)STN_CUT_TILES;
    stn_quad quad;
    uint32_t base = 0;

    for (int y = 0; y < STN_CUT_TILES; y++)
        for (int x = 0; x < STN_CUT_TILES; x++) {
            size_t tile = (size_t)(x + STN_CUT_TILES * y);
            if (buckets && buckets[tile] != bucket)
                continue;
            const stn_part *p = part_at(laid, x, y, &quad);
            const stn_part *wall = laid->walls ? laid->walls[tile] : NULL;
            for (; p; p = p == wall ? NULL : wall) {
                if (base + p->nv > 65536)
                    return too_many(err, "the click mesh");
                uint8_t *at = stn_buf_add(pos, 12u * p->nv), *l = stn_buf_add(loc, 8u * p->nv);
                uint8_t *idx = stn_buf_add(indices, 2u * p->nf);
                if (!at || !l || !idx)
                    return stn_fail(err, STN_NO_MEMORY, "click mesh");
                for (unsigned i = 0; i < p->nv; i++) {
                    memcpy(at + 12 * i, &laid->pos[p->v[i]], 12);
                    put_f32(l + 8 * i, (float)x / (float)STN_CUT_TILES + p->tx[i] * tp);
                    put_f32(l + 8 * i + 4, (float)y / (float)STN_CUT_TILES + p->ty[i] * tp);
                }
                for (unsigned i = 0; i < p->nf; i++)
                    stn_st16(idx + 2 * i, (uint16_t)(base + p->f[i]));
                base += p->nv;
            }
        }
    return pos->failed || loc->failed || indices->failed ? stn_fail(err, STN_NO_MEMORY, "click mesh")
                                                         : STN_OK;
}
