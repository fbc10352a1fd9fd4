#include "map/product.h"

#include "base/bytes.h"
#include "num/small_float.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UV (1.0f / 32768.0f)
#define TILE (1.0f / 2048.0f)

#define XY_GRID                                                                                              \
    {STN_USE_XY, STN_TYPE_U8, 2, 0, false, 1},                                                               \
    {                                                                                                        \
        STN_USE_TILE, STN_TYPE_U8, 2, 0, false, 1                                                            \
    }
#define ALPHA_GRID                                                                                           \
    {                                                                                                        \
        STN_USE_ALPHA, STN_TYPE_U8, 1, 2, true, 1                                                            \
    }
#define Z_GRID                                                                                               \
    {STN_USE_Z, STN_TYPE_F32, 1, 4, false, 1},                                                               \
    {                                                                                                        \
        STN_USE_NORMAL, STN_TYPE_S10X3, 3, 8, true, 1                                                        \
    }
#define XYZ_FREE                                                                                             \
    {STN_USE_XY, STN_TYPE_F32, 2, 0, false, 1},                                                              \
    {                                                                                                        \
        STN_USE_Z, STN_TYPE_F32, 1, 8, false, 1                                                              \
    }
#define NORMAL_FREE                                                                                          \
    {                                                                                                        \
        STN_USE_NORMAL, STN_TYPE_S10X3, 3, 12, true, 1                                                       \
    }

static const stn_vertex_layout layouts[STN_VERTEX_FORMATS] = {
    [STN_VERTEX_GRID] = {"grid", 12, 5, 11, -11, {XY_GRID, ALPHA_GRID, Z_GRID}},
    [STN_VERTEX_MASKED] = {"masked",
                           16,
                           6,
                           11,
                           -11,
                           {XY_GRID, ALPHA_GRID, Z_GRID, {STN_USE_ATLAS, STN_TYPE_U16, 2, 12, false, UV}}},
    [STN_VERTEX_BED] = {"bed",
                        20,
                        7,
                        11,
                        -11,
                        {XY_GRID,
                         ALPHA_GRID,
                         Z_GRID,
                         {STN_USE_ATLAS, STN_TYPE_U16, 2, 12, false, UV},
                         {STN_USE_DEPTH, STN_TYPE_F32, 1, 16, false, 1}}},
    [STN_VERTEX_FREE] = {"free",
                         28,
                         6,
                         1,
                         1,
                         {XYZ_FREE,
                          NORMAL_FREE,
                          {STN_USE_TILE, STN_TYPE_U16, 2, 16, false, TILE},
                          {STN_USE_ATLAS, STN_TYPE_U16, 2, 20, false, UV},
                          {STN_USE_ALPHA, STN_TYPE_U8, 1, 24, true, 1}}},
    [STN_VERTEX_WALL] =
        {"wall", 24, 4, 1, 1, {XYZ_FREE, NORMAL_FREE, {STN_USE_TEX, STN_TYPE_F32, 2, 16, false, 1}}},
    [STN_VERTEX_FOAM] = {"foam",
                         28,
                         9,
                         11,
                         -11,
                         {{STN_USE_XY, STN_TYPE_U8, 2, 0, false, 1},
                          {STN_USE_CORNER, STN_TYPE_U8, 2, 2, false, 1},
                          Z_GRID,
                          {STN_USE_FLOW0, STN_TYPE_F16, 2, 12, false, 1},
                          {STN_USE_FLOW1, STN_TYPE_F16, 2, 16, false, 1},
                          {STN_USE_FLOW2, STN_TYPE_F16, 2, 20, false, 1},
                          {STN_USE_FLOW3, STN_TYPE_F16, 2, 24, false, 1}}},
};

const stn_vertex_layout *stn_vertex_layout_of(unsigned format)
{
    return format < STN_VERTEX_FORMATS && layouts[format].stride ? &layouts[format] : NULL;
}

static float s10(uint32_t v, unsigned at)
{
    int32_t i = (int32_t)(v << (22 - at)) >> 22;
    float f = (float)i / 511.0f;
    return f < -1.0f ? -1.0f : f;
}

unsigned stn_vertex_read(const stn_vertex_layout *l, const uint8_t *vertex, stn_vertex_use use, float out[3])
{
    for (unsigned i = 0; i < l->nattrs; i++) {
        const stn_vertex_attr *a = &l->attr[i];
        const uint8_t *p = vertex + a->offset;
        if (a->use != use)
            continue;
        for (unsigned k = 0; k < a->components; k++) {
            switch (a->type) {
            case STN_TYPE_U8:
                out[k] = (float)p[k] / (a->normalised ? 255.0f : 1.0f);
                break;
            case STN_TYPE_U16:
                out[k] = (float)stn_ld16(p + 2 * k);
                break;
            case STN_TYPE_F16:
                out[k] = stn_f32_of_f16(stn_ld16(p + 2 * k));
                break;
            case STN_TYPE_F32:
                out[k] = stn_f32_of_bits(stn_ld32(p + 4 * k));
                break;
            default:
                out[k] = s10(stn_ld32(p), 10 * k);
                break;
            }
            out[k] *= a->scale;
        }
        return a->components;
    }
    return 0;
}

static uint32_t part10(float v)
{
    if (!(v > -1.0f)) /* also NaN */
        v = v != v ? 0.0f : -1.0f;
    if (v > 1.0f)
        v = 1.0f;
    return (uint32_t)(int32_t)lrintf(v * 511.0f) & 1023;
}

uint32_t stn_product_pack_normal(float x, float y, float z)
{
    return part10(x) | part10(y) << 10 | part10(z) << 20;
}

/* ---- writing */

static uint32_t up16(uint32_t v)
{
    return (v + 15) & ~15u;
}

void stn_product_lay_out(stn_product_plan *p)
{
    uint32_t at = STN_PRODUCT_HEADER;

    p->at_names = at;
    at = up16(at + p->name_bytes);
    p->at_meshes = at;
    at = up16(at + p->nmeshes * STN_PRODUCT_MESH);
    p->at_vertices = at;
    at = up16(at + p->vertex_bytes);
    p->at_indices = at;
    at = up16(at + 2 * p->nindices);
    p->at_clicks = at;
    at = up16(at + STN_PRODUCT_CLICK_BYTES);
    p->at_shapes = at;
    if (p->shaped)
        at = up16(at + 4 * 676 + p->nextra * STN_PRODUCT_EXTRA + p->part_bytes);
    p->total = at;
}

/* Header: magic, format u16, flags u16 (1 = shaped), total, counts and offsets, then the bounds. */
void stn_product_put_header(uint8_t *out, const stn_product_plan *p, float z_min, float z_max)
{
    const uint32_t words[16] = {
        STN_PRODUCT_MAGIC,
        STN_PRODUCT_FORMAT | (uint32_t)p->shaped << 16,
        p->total,
        p->nnames | p->nmeshes << 16,
        p->at_names,
        p->at_meshes,
        p->at_vertices,
        p->vertex_bytes,
        p->at_indices,
        p->nindices,
        p->at_clicks,
        p->at_shapes,
        p->nextra,
        p->nparts,
        stn_bits_of_f32(z_min),
        stn_bits_of_f32(z_max),
    };
    for (int i = 0; i < 16; i++)
        stn_st32(out + 4 * i, words[i]);
}

void stn_product_put_mesh(uint8_t *out, const stn_product_mesh *m)
{
    out[0] = m->kind;
    out[1] = m->layer;
    out[2] = m->format;
    out[3] = (uint8_t)(m->clipped | m->fog << 1);
    stn_st16(out + 4, m->tile);
    stn_st16(out + 6, m->material_name);
    stn_st16(out + 8, m->common_name);
    stn_st16(out + 10, m->atlas_name);
    stn_st32(out + 12, (uint32_t)m->material);
    stn_st32(out + 16, (uint32_t)m->common);
    stn_st32(out + 20, (uint32_t)m->main);
    stn_st32(out + 24, (uint32_t)m->order);
    stn_st32(out + 28, m->first_vertex);
    stn_st32(out + 32, m->nvertices);
    stn_st32(out + 36, m->first_index);
    stn_st32(out + 40, m->nindices);
    for (int i = 0; i < 3; i++) {
        stn_st32(out + 44 + 4 * i, stn_bits_of_f32(m->box_min[i]));
        stn_st32(out + 56 + 4 * i, stn_bits_of_f32(m->box_max[i]));
    }
    stn_st32(out + 68, 0);
}

/* ---- reading */

static void get_mesh(const uint8_t *in, stn_product_mesh *m)
{
    m->kind = in[0];
    m->layer = in[1];
    m->format = in[2];
    m->clipped = in[3] & 1;
    m->fog = in[3] >> 1 & 1;
    m->tile = stn_ld16(in + 4);
    m->material_name = stn_ld16(in + 6);
    m->common_name = stn_ld16(in + 8);
    m->atlas_name = stn_ld16(in + 10);
    m->material = (int32_t)stn_ld32(in + 12);
    m->common = (int32_t)stn_ld32(in + 16);
    m->main = (int32_t)stn_ld32(in + 20);
    m->order = (int32_t)stn_ld32(in + 24);
    m->first_vertex = stn_ld32(in + 28);
    m->nvertices = stn_ld32(in + 32);
    m->first_index = stn_ld32(in + 36);
    m->nindices = stn_ld32(in + 40);
    for (int i = 0; i < 3; i++) {
        m->box_min[i] = stn_f32_of_bits(stn_ld32(in + 44 + 4 * i));
        m->box_max[i] = stn_f32_of_bits(stn_ld32(in + 56 + 4 * i));
    }
}

stn_status stn_product_peek(const void *data, size_t len, stn_err *err)
{
    const uint8_t *in = data;

    if (len < STN_PRODUCT_HEADER)
        return stn_fail(err, STN_TRUNCATED, "product of %zu bytes: its head has %d", len, STN_PRODUCT_HEADER);
    if (len > STN_PRODUCT_MAX_BYTES)
        return stn_fail(err, STN_TOO_BIG, "product of %zu bytes, at most %u", len, STN_PRODUCT_MAX_BYTES);
    if (stn_ld32(in) != STN_PRODUCT_MAGIC)
        return stn_fail(err, STN_BAD_DATA, "product: it starts with %08x, expected %08x", stn_ld32(in),
                        STN_PRODUCT_MAGIC);
    if (stn_ld16(in + 4) != STN_PRODUCT_FORMAT)
        return stn_fail(err, STN_VERSION, "product of format %u, expected %d", stn_ld16(in + 4),
                        STN_PRODUCT_FORMAT);
    if (stn_ld32(in + 8) != len)
        return stn_fail(err, STN_TRUNCATED, "product of %zu bytes: its head says %u", len, stn_ld32(in + 8));
    return STN_OK;
}

/* Bytes at..at+n inside the product; NULL otherwise. */
static const uint8_t *section(const stn_product *p, uint32_t at, uint64_t n)
{
    return at <= p->len && n <= p->len - at ? p->data + at : NULL;
}

stn_status stn_product_read_names(const uint8_t *data, size_t len, size_t *at, stn_product_name *names,
                                  uint32_t n, stn_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        size_t left = *at <= len ? len - *at : 0;
        uint16_t bytes = left >= 6 ? stn_ld16(data + *at + 4) : 0;
        if (left < 6 || left - 6 < bytes)
            return stn_fail(err, STN_TRUNCATED, "name %u of %u at %zu runs over the end", i, n, *at);
        names[i] = (stn_product_name){
            .text = (const char *)data + *at + 6, .len = bytes, .version = (int32_t)stn_ld32(data + *at)};
        *at += 6u + bytes;
    }
    return STN_OK;
}

static bool name_ok(const stn_product *p, uint16_t name)
{
    return name == STN_PRODUCT_NO_NAME || name < p->nnames;
}

static stn_status check_mesh(const stn_product *p, uint32_t i, stn_err *err)
{
    const stn_product_mesh *m = &p->meshes[i];
    const stn_vertex_layout *l = stn_vertex_layout_of(m->format);

    if (!l || m->kind < 1 || m->kind >= STN_MESH_KINDS)
        return stn_fail(err, STN_VERSION, "product: mesh %u has kind %u and vertex format %u", i, m->kind,
                        m->format);
    if (!name_ok(p, m->material_name) || !name_ok(p, m->common_name) || !name_ok(p, m->atlas_name))
        return stn_fail(err, STN_BAD_DATA, "product: mesh %u names a resource outside the %u listed", i,
                        p->nnames);
    if (m->nvertices > 65535 || m->nindices % 3 || m->nindices > p->nindices ||
        m->first_index > p->nindices - m->nindices ||
        ((uint64_t)m->first_vertex + m->nvertices) * l->stride > p->vertex_bytes)
        return stn_fail(
            err, STN_BAD_DATA,
            "product: mesh %u has vertices %u + %u of %u bytes and indices %u + %u, of %u bytes and %u", i,
            m->first_vertex, m->nvertices, l->stride, m->first_index, m->nindices, p->vertex_bytes,
            p->nindices);
    const uint8_t *idx = p->indices + 2 * (size_t)m->first_index;
    uint32_t most = 0;
    for (uint32_t k = 0; k < m->nindices; k++) {
        uint32_t v = stn_ld16(idx + 2 * k);
        most = v > most ? v : most;
    }
    if (m->nindices && most >= m->nvertices)
        return stn_fail(err, STN_BAD_DATA, "product: mesh %u has index %u with %u vertices", i, most,
                        m->nvertices);
    return STN_OK;
}

static stn_vec3 get_normal8(const uint8_t *p)
{
    return (stn_vec3){stn_f32_of_snorm8((int8_t)p[0]), stn_f32_of_snorm8((int8_t)p[1]),
                      stn_f32_of_snorm8((int8_t)p[2])};
}

/* One part: u8 x, u8 y, u8 wall, u8 0, u16 nv, u16 nf; then nv u16 vertices padded to 4, nv pairs of f32, nf
 * u16 padded to 4. Returns the bytes it takes, 0 when it is bad. */
static size_t read_part(const stn_product *p, stn_bytes *in, stn_part **out, char **memory, bool *wall)
{
    size_t start = in->pos;
    uint8_t x = stn_bytes_u8(in), y = stn_bytes_u8(in), kind = stn_bytes_u8(in);
    stn_bytes_skip(in, 1);
    uint16_t nv = stn_bytes_u16(in), nf = stn_bytes_u16(in);
    size_t pad_v = nv & 1 ? 2 : 0, pad_f = nf & 1 ? 2 : 0;

    if (in->bad || x >= STN_CUT_TILES || y >= STN_CUT_TILES || kind > 1 || nf % 3 || nv == 0)
        return 0;
    const uint8_t *v = stn_bytes_take(in, nv * 2u + pad_v), *t = stn_bytes_take(in, nv * 8u);
    const uint8_t *f = stn_bytes_take(in, nf * 2u + pad_f);
    if (!v || !t || !f)
        return 0;
    stn_part *part = (stn_part *)(void *)*memory;
    uint32_t *pv = (uint32_t *)(void *)(part + 1);
    float *tx = (float *)(void *)(pv + nv), *ty = tx + nv;
    uint16_t *pf = (uint16_t *)(void *)(ty + nv);
    for (unsigned i = 0; i < nv; i++) {
        pv[i] = stn_ld16(v + 2 * i);
        if (pv[i] >= STN_GROUND_VERTICES + p->nextra)
            return 0;
        tx[i] = stn_f32_of_bits(stn_ld32(t + 8 * i));
        ty[i] = stn_f32_of_bits(stn_ld32(t + 8 * i + 4));
    }
    for (unsigned i = 0; i < nf; i++)
        if ((pf[i] = stn_ld16(f + 2 * i)) >= nv)
            return 0;
    *part = (stn_part){.x = x, .y = y, .nv = nv, .nf = nf, .v = pv, .tx = tx, .ty = ty, .f = pf};
    *out = part;
    *wall = kind == 1;
    *memory += (sizeof *part + nv * 12u + nf * 2u + 15) & ~(size_t)15;
    return in->pos - start;
}

static stn_status read_shapes(stn_product *p, uint32_t at, uint32_t nparts, char *memory, stn_err *err)
{
    uint64_t fixed = 4 * 676 + (uint64_t)p->nextra * STN_PRODUCT_EXTRA;
    const uint8_t *s = section(p, at, fixed);

    if (!s)
        return stn_fail(err, STN_TRUNCATED, "product: %u shape vertices at %u run over the end", p->nextra,
                        at);
    for (int i = 0; i < 676; i++)
        p->corner_nrm[i] = get_normal8(s + 4 * i);
    s += 4 * 676;
    for (uint32_t i = 0; i < p->nextra; i++, s += STN_PRODUCT_EXTRA) {
        p->extra_pos[i] = (stn_vec3){stn_f32_of_bits(stn_ld32(s)), stn_f32_of_bits(stn_ld32(s + 4)),
                                     stn_f32_of_bits(stn_ld32(s + 8))};
        p->extra_nrm[i] = get_normal8(s + 12);
    }
    stn_bytes in = stn_bytes_of(s, p->len - (size_t)(s - p->data));
    for (uint32_t i = 0; i < nparts; i++) {
        stn_part *part = NULL;
        bool wall = false;
        if (!read_part(p, &in, &part, &memory, &wall))
            return stn_fail(err, STN_BAD_DATA, "product: shape %u of %u is malformed", i, nparts);
        (wall ? p->walls : p->parts)[part->x + STN_CUT_TILES * part->y] = part;
    }
    return STN_OK;
}

/* Takes `n` aligned bytes of the block. */
static void *take(char **at, size_t n)
{
    void *out = *at;
    *at += (n + 15) & ~(size_t)15;
    return out;
}

static stn_status allocate(stn_product *p, uint32_t at_shapes, bool shaped, uint32_t nparts, char **rest,
                           stn_err *err)
{
    /* Decoded parts are at most four times as long as they are in the product, plus their heads. */
    size_t shape_bytes = shaped ? 4 * (p->len - (at_shapes < p->len ? at_shapes : p->len)) : 0;
    size_t bytes = p->nmeshes * sizeof *p->meshes + p->nnames * sizeof *p->names + 16 * 8;
    if (shaped)
        bytes += (676 + 2 * (size_t)p->nextra) * sizeof(stn_vec3) + 2 * 625 * sizeof(void *) +
                 nparts * (sizeof(stn_part) + 16) + shape_bytes;
    char *m = calloc(1, bytes);
    if (!m)
        return stn_fail(err, STN_NO_MEMORY, "product of %zu bytes", p->len);
    p->memory = m;
    p->meshes = take(&m, p->nmeshes * sizeof *p->meshes);
    p->names = take(&m, p->nnames * sizeof *p->names);
    if (shaped) {
        p->corner_nrm = take(&m, 676 * sizeof(stn_vec3));
        p->extra_pos = take(&m, p->nextra * sizeof(stn_vec3));
        p->extra_nrm = take(&m, p->nextra * sizeof(stn_vec3));
        p->parts = take(&m, 625 * sizeof(void *));
        p->walls = take(&m, 625 * sizeof(void *));
    }
    *rest = m;
    return STN_OK;
}

stn_status stn_product_open(const void *data, size_t len, stn_product *out, stn_err *err)
{
    stn_product p = {.data = data, .len = len};
    stn_status st = stn_product_peek(data, len, err);
    uint32_t w[16];
    char *rest = NULL;

    *out = (stn_product){0};
    if (st != STN_OK)
        return st;
    for (int i = 0; i < 16; i++)
        w[i] = stn_ld32(p.data + 4 * i);
    bool shaped = w[1] >> 16 & 1;
    uint32_t nparts = shaped ? w[13] : 0;
    p.nnames = w[3] & 0xffff;
    p.nmeshes = w[3] >> 16;
    p.vertex_bytes = w[7];
    p.nindices = w[9];
    p.nextra = shaped ? w[12] : 0;
    p.z_min = stn_f32_of_bits(w[14]);
    p.z_max = stn_f32_of_bits(w[15]);
    const uint8_t *meshes = section(&p, w[5], (uint64_t)p.nmeshes * STN_PRODUCT_MESH);
    p.vertices = section(&p, w[6], p.vertex_bytes);
    p.indices = section(&p, w[8], 2 * (uint64_t)p.nindices);
    p.clicks = section(&p, w[10], STN_PRODUCT_CLICK_BYTES);
    if (p.nmeshes > STN_PRODUCT_MAX_MESHES || p.nnames > STN_PRODUCT_MAX_NAMES || nparts > 1250 ||
        p.nextra > 65536)
        return stn_fail(err, STN_TOO_BIG, "product: %u meshes, %u names, %u shapes, %u shape vertices",
                        p.nmeshes, p.nnames, nparts, p.nextra);
    if (!meshes || !p.vertices || !p.indices || !p.clicks)
        return stn_fail(err, STN_TRUNCATED, "product of %zu bytes: a section runs over the end", len);
    if ((st = allocate(&p, w[11], shaped, nparts, &rest, err)) != STN_OK)
        return st;
    size_t at_names = w[4];
    st = stn_product_read_names(p.data, p.len, &at_names, p.names, p.nnames, err);
    for (uint32_t i = 0; st == STN_OK && i < p.nmeshes; i++) {
        get_mesh(meshes + (size_t)i * STN_PRODUCT_MESH, &p.meshes[i]);
        st = check_mesh(&p, i, err);
    }
    if (st == STN_OK && shaped)
        st = read_shapes(&p, w[11], nparts, rest, err);
    if (st != STN_OK) {
        free(p.memory);
        return st;
    }
    *out = p;
    return STN_OK;
}

void stn_product_close(stn_product *p)
{
    free(p->memory);
    *p = (stn_product){0};
}
