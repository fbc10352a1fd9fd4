#include "mesher/pack.h"

#include "base/bytes.h"
#include "num/convert.h"
#include "num/small_float.h"

#include <math.h>
#include <string.h>

/* A surface vertex as the grid formats hold it, alpha 0. */
typedef struct corner {
    uint32_t place; /* x | y << 8 */
    uint32_t z, normal; /* bits */
    uint32_t on_grid;
} corner;

typedef struct packed_name {
    const char *text;
    int32_t version;
    uint16_t len;
} packed_name;

struct stn_pack {
    const stn_build *b;
    stn_product_plan plan;
    corner *corners;
    packed_name *names;
    stn_product_mesh *meshes; /* without boxes */
    uint16_t *extra; /* by surface vertex behind the ground: its number in the product */
    uint32_t *extra_of; /* by that number */
};

static stn_status no_room(stn_build *b)
{
    return stn_fail(b->err, STN_NO_MEMORY, "the job needs more memory than one build may take");
}

static corner make_corner(stn_vec3 pos, stn_vec3 nrm)
{
    float tx = pos.x / 11.0f, ty = pos.y / -11.0f;
    corner c = {.z = stn_bits_of_f32(pos.z), .normal = stn_product_pack_normal(nrm.x, nrm.y, nrm.z)};

    if (tx >= 0 && tx <= 25 && ty >= 0 && ty <= 25) {
        uint32_t x = (uint32_t)tx, y = (uint32_t)ty;
        c.on_grid = (float)x * 11.0f == pos.x && (float)y * -11.0f == pos.y;
        c.place = x | y << 8;
    }
    return c;
}

static uint16_t name_of(stn_pack *p, const char *text, int32_t version)
{
    if (!text)
        return STN_PRODUCT_NO_NAME;
    for (uint32_t i = 0; i < p->plan.nnames; i++)
        if (p->names[i].text == text || strcmp(p->names[i].text, text) == 0)
            return (uint16_t)i;
    size_t len = strlen(text);
    p->names[p->plan.nnames] = (packed_name){.text = text, .version = version, .len = (uint16_t)len};
    p->plan.name_bytes += 6 + (uint32_t)len;
    return (uint16_t)p->plan.nnames++;
}

static stn_vertex_format format_of(const stn_pack *p, const stn_model *m)
{
    if (m->state.kind == STN_MESH_WALL || m->state.kind == STN_MESH_CAVE)
        return STN_VERTEX_WALL;
    if (m->state.kind == STN_MESH_FOAM)
        return STN_VERTEX_FOAM;
    for (uint32_t i = 0; i < m->nv; i++)
        if (!p->corners[m->surface[i]].on_grid)
            return STN_VERTEX_FREE;
    return m->depth ? STN_VERTEX_BED : m->clip_uv ? STN_VERTEX_MASKED : STN_VERTEX_GRID;
}

static void plan_mesh(stn_pack *p, const stn_model *m, stn_product_mesh *out)
{
    const stn_state *s = &m->state;
    bool terrain = s->kind == STN_MESH_GROUND || s->kind == STN_MESH_SKIRT;
    stn_vertex_format format = format_of(p, m);
    uint32_t stride = stn_vertex_layout_of(format)->stride;

    /* One after the other: in an initialiser their order, and with it that of the names, would be the
     * compiler's. */
    uint16_t material = name_of(p, s->material.res, s->material.version);
    uint16_t common =
        terrain ? name_of(p, s->set->def.common.res, s->set->def.common.version) : STN_PRODUCT_NO_NAME;
    uint16_t atlas = s->clip ? name_of(p, s->clip->def.name, s->clip->def.version) : STN_PRODUCT_NO_NAME;
    *out = (stn_product_mesh){
        .kind = (uint8_t)s->kind,
        .layer = s->layer,
        .format = (uint8_t)format,
        .clipped = s->clipped,
        .fog = s->fog,
        .tile = s->owner < 0 ? 0xffff : (uint16_t)s->owner,
        .material_name = material,
        .common_name = common,
        .atlas_name = atlas,
        .material = s->material.id,
        .common = terrain ? s->set->def.common.id : -1,
        .main = s->main,
        .order = s->order,
        .first_vertex = (p->plan.vertex_bytes + stride - 1) / stride,
        .nvertices = m->nv,
        .first_index = p->plan.nindices,
        .nindices = m->ni,
    };
    p->plan.vertex_bytes = (out->first_vertex + m->nv) * stride;
    p->plan.nindices += m->ni;
}

static void plan_part(stn_pack *p, const stn_part *part)
{
    if (!part)
        return;
    for (unsigned i = 0; i < part->nv; i++) {
        uint32_t v = part->v[i];
        if (v >= STN_GROUND_VERTICES && p->extra[v - STN_GROUND_VERTICES] == 0xffff) {
            p->extra[v - STN_GROUND_VERTICES] = (uint16_t)p->plan.nextra;
            p->extra_of[p->plan.nextra++] = v;
        }
    }
    p->plan.nparts++;
    p->plan.part_bytes +=
        STN_PRODUCT_PART + ((part->nv * 2u + 3) & ~3u) + part->nv * 8u + ((part->nf * 2u + 3) & ~3u);
}

static stn_status plan_shapes(stn_pack *p, stn_build *b)
{
    for (int i = 0; i < STN_CUT_AREA; i++)
        p->plan.shaped |= b->parts[i] != NULL || (b->walls && b->walls[i]);
    if (!p->plan.shaped)
        return STN_OK;
    uint32_t more = b->nv - STN_GROUND_VERTICES;
    p->extra = stn_arena_array(b->arena, more + 1, sizeof *p->extra);
    p->extra_of = stn_arena_array(b->arena, more + 1, sizeof *p->extra_of);
    if (!p->extra || !p->extra_of)
        return no_room(b);
    memset(p->extra, 0xff, more * sizeof *p->extra);
    for (int i = 0; i < STN_CUT_AREA; i++) {
        plan_part(p, b->parts[i]);
        plan_part(p, b->walls ? b->walls[i] : NULL);
    }
    return STN_OK;
}

stn_status stn_pack_new(stn_build *b, stn_pack **out, size_t *total)
{
    stn_pack *p = stn_arena_zalloc(b->arena, 1, sizeof *p);
    stn_status st;

    *out = NULL;
    if (!p || !(p->corners = stn_arena_array(b->arena, b->nv, sizeof *p->corners)) ||
        !(p->names = stn_arena_array(b->arena, 3 * (size_t)b->nmodels + 1, sizeof *p->names)) ||
        !(p->meshes = stn_arena_array(b->arena, b->nmodels + 1, sizeof *p->meshes)))
        return no_room(b);
    if (b->nmodels > STN_PRODUCT_MAX_MESHES)
        return stn_fail(b->err, STN_TOO_BIG, "too many meshes in the cut: %u, at most %d", b->nmodels,
                        STN_PRODUCT_MAX_MESHES);
    p->b = b;
    for (int y = 0; y <= STN_CUT_TILES; y++)
        for (int x = 0; x <= STN_CUT_TILES; x++) {
            uint32_t v = stn_ground_vertex(x, y);
            p->corners[v] = make_corner(b->pos[v], b->nrm[v]);
        }
    for (uint32_t v = STN_GROUND_VERTICES; v < b->nv; v++)
        p->corners[v] = make_corner(b->pos[v], b->nrm[v]);
    p->plan.nmeshes = b->nmodels;
    for (uint32_t i = 0; i < b->nmodels; i++)
        plan_mesh(p, b->models[i], &p->meshes[i]);
    if ((st = plan_shapes(p, b)) != STN_OK)
        return st;
    stn_product_lay_out(&p->plan);
    *total = p->plan.total;
    *out = p;
    return STN_OK;
}

/* ---- writing */

static uint16_t fixed(float v, float scale)
{
    float s = v * scale + 0.5f;
    s = s > 0.0f ? s : 0.0f; /* also for a NaN */
    return (uint16_t)(s < 65535.0f ? s : 65535.0f);
}

static uint32_t uv_of(const stn_model *m, uint32_t i)
{
    return fixed(m->clip_uv[2 * i], 32768.0f) | (uint32_t)fixed(m->clip_uv[2 * i + 1], 32768.0f) << 16;
}

/* Words are written as they lie in memory: little-endian machines only, as everywhere. */
static inline void put32(uint8_t *out, uint32_t v)
{
    memcpy(out, &v, sizeof v);
}

/* The 12 bytes that all grid formats begin with. */
static inline void put_corner(const stn_pack *p, const stn_model *m, uint32_t i, uint8_t *out)
{
    const corner *c = &p->corners[m->surface[i]];
    put32(out, c->place | (m->alpha ? (uint32_t)m->alpha[i] : 255u) << 16);
    put32(out + 4, c->z);
    put32(out + 8, c->normal);
}

static void put_grid(const stn_pack *p, const stn_model *m, uint8_t *out)
{
    for (uint32_t i = 0; i < m->nv; i++, out += 12)
        put_corner(p, m, i, out);
}

static void put_masked(const stn_pack *p, const stn_model *m, uint8_t *out)
{
    for (uint32_t i = 0; i < m->nv; i++, out += 16) {
        put_corner(p, m, i, out);
        put32(out + 12, uv_of(m, i));
    }
}

static void put_bed(const stn_pack *p, const stn_model *m, uint8_t *out)
{
    for (uint32_t i = 0; i < m->nv; i++, out += 20) {
        uint32_t s = m->surface[i];
        bool deep = s >= m->depth_first && s - m->depth_first < m->depth_n;
        put_corner(p, m, i, out);
        put32(out + 12, m->clip_uv ? uv_of(m, i) : 0);
        put32(out + 16, deep ? stn_bits_of_f32(m->depth[s - m->depth_first]) : 0);
    }
}

static void put_free(const stn_pack *p, const stn_model *m, uint8_t *out)
{
    for (uint32_t i = 0; i < m->nv; i++, out += 28) {
        stn_vec3 at = p->b->pos[m->surface[i]];
        stn_st32(out, stn_bits_of_f32(at.x));
        stn_st32(out + 4, stn_bits_of_f32(at.y));
        stn_st32(out + 8, stn_bits_of_f32(at.z));
        stn_st32(out + 12, p->corners[m->surface[i]].normal);
        stn_st16(out + 16, m->tile_xy ? fixed(m->tile_xy[2 * i], 2048.0f) : 0);
        stn_st16(out + 18, m->tile_xy ? fixed(m->tile_xy[2 * i + 1], 2048.0f) : 0);
        stn_st32(out + 20, m->clip_uv ? uv_of(m, i) : 0);
        stn_st32(out + 24, m->alpha ? m->alpha[i] : 255u);
    }
}

static void put_wall(const stn_pack *p, const stn_model *m, uint8_t *out)
{
    const float *tex = m->extra[STN_MESH_ATTR_TEX];

    for (uint32_t i = 0; i < m->nv; i++, out += 24) {
        stn_vec3 at = p->b->pos[m->surface[i]];
        stn_st32(out, stn_bits_of_f32(at.x));
        stn_st32(out + 4, stn_bits_of_f32(at.y));
        stn_st32(out + 8, stn_bits_of_f32(at.z));
        stn_st32(out + 12, p->corners[m->surface[i]].normal);
        stn_st32(out + 16, tex ? stn_bits_of_f32(tex[2 * i]) : 0);
        stn_st32(out + 20, tex ? stn_bits_of_f32(tex[2 * i + 1]) : 0);
    }
}

static void put_foam(const stn_pack *p, const stn_model *m, uint8_t *out)
{
    const float *pol = m->extra[STN_MESH_ATTR_VIPOL];

    for (uint32_t i = 0; i < m->nv; i++, out += 28) {
        const corner *c = &p->corners[m->surface[i]];
        uint32_t at = pol ? (uint32_t)(pol[2 * i] != 0) | (uint32_t)(pol[2 * i + 1] != 0) << 8 : 0;
        stn_st32(out, c->place | at << 16);
        stn_st32(out + 4, c->z);
        stn_st32(out + 8, c->normal);
        for (unsigned k = 0; k < 4; k++) {
            const float *flow = m->extra[STN_MESH_ATTR_VERTV0 + k];
            stn_st16(out + 12 + 4 * k, flow ? stn_f16_of_f32(flow[2 * i]) : 0);
            stn_st16(out + 14 + 4 * k, flow ? stn_f16_of_f32(flow[2 * i + 1]) : 0);
        }
    }
}

typedef struct box {
    stn_vec3 least, most;
} box;
#define NO_BOX ((box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}})

/* Comparisons with a NaN are false: it does not count. */
static inline void grow(box *b, stn_vec3 v)
{
    b->least.x = v.x < b->least.x ? v.x : b->least.x;
    b->least.y = v.y < b->least.y ? v.y : b->least.y;
    b->least.z = v.z < b->least.z ? v.z : b->least.z;
    b->most.x = v.x > b->most.x ? v.x : b->most.x;
    b->most.y = v.y > b->most.y ? v.y : b->most.y;
    b->most.z = v.z > b->most.z ? v.z : b->most.z;
}

static void box_of(const stn_pack *p, const stn_model *m, stn_product_mesh *mesh)
{
    box b = NO_BOX;

    for (uint32_t i = 0; i < m->nv; i++)
        grow(&b, p->b->pos[m->surface[i]]);
    memcpy(mesh->box_min, &b.least, sizeof mesh->box_min);
    memcpy(mesh->box_max, &b.most, sizeof mesh->box_max);
}

static uint8_t *put_part(const stn_pack *p, const stn_part *part, bool wall, uint8_t *out)
{
    if (!part)
        return out;
    out[0] = part->x;
    out[1] = part->y;
    out[2] = wall;
    out[3] = 0;
    stn_st16(out + 4, part->nv);
    stn_st16(out + 6, part->nf);
    out += STN_PRODUCT_PART;
    for (unsigned i = 0; i < part->nv; i++, out += 2) {
        uint32_t v = part->v[i];
        uint32_t n = v;
        if (v >= STN_GROUND_VERTICES)
            n = STN_GROUND_VERTICES + (uint32_t)p->extra[v - STN_GROUND_VERTICES];
        stn_st16(out, (uint16_t)n);
    }
    if (part->nv & 1) {
        stn_st16(out, 0);
        out += 2;
    }
    for (unsigned i = 0; i < part->nv; i++, out += 8) {
        stn_st32(out, stn_bits_of_f32(part->tx[i]));
        stn_st32(out + 4, stn_bits_of_f32(part->ty[i]));
    }
    for (unsigned i = 0; i < part->nf; i++, out += 2)
        stn_st16(out, part->f[i]);
    if (part->nf & 1) {
        stn_st16(out, 0);
        out += 2;
    }
    return out;
}

static void put_normal8(uint8_t *out, stn_vec3 n)
{
    out[0] = (uint8_t)stn_snorm8(n.x);
    out[1] = (uint8_t)stn_snorm8(n.y);
    out[2] = (uint8_t)stn_snorm8(n.z);
    out[3] = 0;
}

static void put_shapes(const stn_pack *p, uint8_t *out)
{
    const stn_build *b = p->b;

    for (int i = 0; i < STN_CUT_VERTICES * STN_CUT_VERTICES; i++, out += 4)
        put_normal8(out, b->nrm[stn_ground_vertex(i % STN_CUT_VERTICES, i / STN_CUT_VERTICES)]);
    for (uint32_t i = 0; i < p->plan.nextra; i++, out += STN_PRODUCT_EXTRA) {
        stn_vec3 at = b->pos[p->extra_of[i]];
        stn_st32(out, stn_bits_of_f32(at.x));
        stn_st32(out + 4, stn_bits_of_f32(at.y));
        stn_st32(out + 8, stn_bits_of_f32(at.z));
        put_normal8(out + 12, b->nrm[p->extra_of[i]]);
    }
    for (int i = 0; i < STN_CUT_AREA; i++) {
        out = put_part(p, b->parts[i], false, out);
        out = put_part(p, b->walls ? b->walls[i] : NULL, true, out);
    }
}

static void put_meshes(const stn_pack *p, uint8_t *out)
{
    static void (*const put[STN_VERTEX_FORMATS])(const stn_pack *p, const stn_model *m, uint8_t *out) = {
        [STN_VERTEX_GRID] = put_grid, [STN_VERTEX_MASKED] = put_masked, [STN_VERTEX_BED] = put_bed,
        [STN_VERTEX_FREE] = put_free, [STN_VERTEX_WALL] = put_wall,     [STN_VERTEX_FOAM] = put_foam,
    };
    uint32_t written = 0; /* of the vertices */

    for (uint32_t i = 0; i < p->plan.nmeshes; i++) {
        const stn_model *m = p->b->models[i];
        stn_product_mesh mesh = p->meshes[i];
        uint32_t stride = stn_vertex_layout_of(mesh.format)->stride, at = mesh.first_vertex * stride;
        uint8_t *v = out + p->plan.at_vertices + at;

        memset(out + p->plan.at_vertices + written, 0, at - written);
        written = at + m->nv * stride;
        put[mesh.format](p, m, v);
        uint8_t *idx = out + p->plan.at_indices + 2 * (size_t)mesh.first_index;
        if (m->ni)
            memcpy(idx, m->index, 2 * (size_t)m->ni); /* little-endian machines only */
        box_of(p, m, &mesh);
        stn_product_put_mesh(out + p->plan.at_meshes + i * STN_PRODUCT_MESH, &mesh);
    }
}

void stn_pack_write(const stn_pack *p, uint8_t *out)
{
    const stn_product_plan *l = &p->plan;
    uint8_t clicks[STN_CUT_AREA], *at = out + l->at_names;
    box all = NO_BOX;

    for (uint32_t i = 0; i < l->nnames; i++) {
        stn_st32(at, (uint32_t)p->names[i].version);
        stn_st16(at + 4, p->names[i].len);
        memcpy(at + 6, p->names[i].text, p->names[i].len);
        at += 6 + p->names[i].len;
    }
    /* Sections are padded to 16 bytes; nothing of the memory that was here before may travel. */
    memset(at, 0, (size_t)(out + l->at_meshes - at));
    at = out + l->at_meshes + l->nmeshes * STN_PRODUCT_MESH;
    memset(at, 0, (size_t)(out + l->at_vertices - at));
    at = out + l->at_vertices + l->vertex_bytes;
    memset(at, 0, (size_t)(out + l->at_indices - at));
    at = out + l->at_indices + 2 * (size_t)l->nindices;
    memset(at, 0, (size_t)(out + l->at_clicks - at));
    memset(out + l->at_clicks, 0, l->total - l->at_clicks);
    put_meshes(p, out);
    stn_build_click_buckets(p->b, clicks);
    for (int i = 0; i < STN_CUT_AREA; i++)
        out[l->at_clicks + (size_t)i / 8] |= (uint8_t)((clicks[i] != 0) << i % 8);
    if (l->shaped)
        put_shapes(p, out + l->at_shapes);
    for (int y = 0; y <= STN_CUT_TILES; y++)
        for (int x = 0; x <= STN_CUT_TILES; x++)
            grow(&all, p->b->pos[stn_ground_vertex(x, y)]);
    for (uint32_t v = STN_GROUND_VERTICES; v < p->b->nv; v++)
        grow(&all, p->b->pos[v]);
    stn_product_put_header(out, l, all.least.z, all.most.z);
}
