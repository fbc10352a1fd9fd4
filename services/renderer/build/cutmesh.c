#include "renderer/build/cutmesh.h"

#include "map/product.h"
#include "renderer/build/ground.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool slot_of(const stn_vertex_attr *a, stn_mesh_attr *out)
{
    static const uint8_t types[] = {[STN_TYPE_U8] = STN_VTX_U8,
                                    [STN_TYPE_U16] = STN_VTX_U16,
                                    [STN_TYPE_F16] = STN_VTX_F16,
                                    [STN_TYPE_F32] = STN_VTX_F32,
                                    [STN_TYPE_S10X3] = STN_VTX_S10X3};
    static const int8_t slots[STN_VERTEX_USES] = {[STN_USE_XY] = STN_VTX_POS,
                                                  [STN_USE_Z] = STN_VTX_Z,
                                                  [STN_USE_NORMAL] = STN_VTX_NRM,
                                                  [STN_USE_ALPHA] = STN_VTX_COL,
                                                  [STN_USE_TILE] = -1,
                                                  [STN_USE_ATLAS] = STN_VTX_CLIP,
                                                  [STN_USE_DEPTH] = STN_VTX_OTEX,
                                                  [STN_USE_TEX] = STN_VTX_TEX,
                                                  [STN_USE_FLOW0] = STN_VTX_BONE,
                                                  [STN_USE_FLOW1] = -1,
                                                  [STN_USE_FLOW2] = STN_VTX_WEIGHT,
                                                  [STN_USE_FLOW3] = -1,
                                                  [STN_USE_CORNER] = STN_VTX_TEX};

    if (slots[a->use] < 0)
        return false;
    *out = (stn_mesh_attr){.slot = (uint8_t)slots[a->use],
                           .comps = a->components,
                           .type = types[a->type],
                           .normalized = a->normalised,
                           .offset = a->offset};
    if (a->type == STN_TYPE_S10X3)
        out->comps = 4;
    /* The four flows of a foam vertex stand behind each other: two attributes of two flows each. */
    if (a->use == STN_USE_FLOW0 || a->use == STN_USE_FLOW2)
        out->comps = 4;
    return true;
}

static void layout(const stn_product_mesh *m, stn_mesh_part *out)
{
    const stn_vertex_layout *l = stn_vertex_layout_of(m->format);

    out->stride = l->stride;
    for (unsigned i = 0; i < l->nattrs; i++)
        if (slot_of(&l->attr[i], &out->attrs[out->attr_count]))
            out->attr_count++;
    out->base_vertex = m->first_vertex;
    out->first_index = m->first_index;
    out->index_count = m->nindices;
}

static void name_of(const stn_product *p, uint16_t at, char out[256], int32_t *version)
{
    out[0] = '\0';
    *version = -1;
    if (at == STN_PRODUCT_NO_NAME || at >= p->nnames)
        return;
    snprintf(out, 256, "%.*s", (int)p->names[at].len, p->names[at].text);
    *version = p->names[at].version;
}

static bool has_use(const stn_vertex_layout *l, stn_vertex_use use)
{
    for (unsigned i = 0; i < l->nattrs; i++)
        if (l->attr[i].use == use)
            return true;
    return false;
}

static stn_ground_kind ground_kind(uint8_t kind)
{
    switch (kind) {
    case STN_MESH_SKIRT:
        return STN_GROUND_SKIRT;
    case STN_MESH_FLAT:
        return STN_GROUND_FLAT;
    case STN_MESH_WALL:
    case STN_MESH_CAVE:
        return STN_GROUND_WALL;
    case STN_MESH_WATER:
        return STN_GROUND_WATER;
    case STN_MESH_FOAM:
        return STN_GROUND_FOAM;
    default:
        return STN_GROUND_LAYER;
    }
}

static stn_sprite_fault part(stn_store *s, const stn_product *p, const stn_product_mesh *m, stn_cut_part *out,
                             stn_err *err)
{
    const stn_vertex_layout *l = stn_vertex_layout_of(m->format);
    char material[256], common[256], atlas[256];
    stn_ground_mesh g = {.kind = ground_kind(m->kind),
                         .material = material,
                         .material_id = m->material,
                         .common = common,
                         .common_id = m->common,
                         .atlas = atlas,
                         .clipped = m->clipped,
                         .bed = m->fog,
                         .on_grid = l->x_scale != 1.0f,
                         .has_atlas = has_use(l, STN_USE_ATLAS),
                         .main = m->main,
                         .order = m->order};

    name_of(p, m->material_name, material, &g.material_version);
    name_of(p, m->common_name, common, &g.common_version);
    name_of(p, m->atlas_name, atlas, &g.atlas_version);
    layout(m, &out->mesh);
    return stn_ground_material(s, &g, &out->material, &out->casts, err);
}

static void grow(stn_v3 *min, stn_v3 *max, const stn_product_mesh *m)
{
    if (m->box_min[0] > m->box_max[0])
        return;
    *min = (stn_v3){fminf(min->x, m->box_min[0]), fminf(min->y, m->box_min[1]), fminf(min->z, m->box_min[2])};
    *max = (stn_v3){fmaxf(max->x, m->box_max[0]), fmaxf(max->y, m->box_max[1]), fmaxf(max->z, m->box_max[2])};
}

stn_sprite_fault stn_cutmesh_job(stn_store *s, const void *data, size_t len, stn_job **out, stn_err *err)
{
    stn_product p = {0};
    stn_job *job = NULL;
    stn_job_cut *cut;
    stn_sprite_fault f = STN_SPRITE_OK;

    *out = NULL;
    if (stn_product_open(data, len, &p, err) != STN_OK)
        return STN_SPRITE_MALFORMED;
    job = stn_job_new(STN_JOB_CUT, 0);
    if (!job) {
        stn_product_close(&p);
        return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "cut");
    }
    cut = &job->u.cut;
    cut->vertices = p.vertices;
    cut->vertex_bytes = p.vertex_bytes;
    cut->indices = p.indices;
    cut->index_bytes = (size_t)p.nindices * 2;
    cut->min = (stn_v3){INFINITY, INFINITY, INFINITY};
    cut->max = (stn_v3){-INFINITY, -INFINITY, -INFINITY};
    cut->parts = stn_job_memory(job, (p.nmeshes ? p.nmeshes : 1) * sizeof *cut->parts);
    if (!cut->parts)
        f = stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "cut");
    else
        memset(cut->parts, 0, p.nmeshes * sizeof *cut->parts);
    for (uint32_t i = 0; f == STN_SPRITE_OK && i < p.nmeshes; i++) {
        if (p.meshes[i].nindices == 0)
            continue;
        f = part(s, &p, &p.meshes[i], &cut->parts[cut->part_count++], err);
        grow(&cut->min, &cut->max, &p.meshes[i]);
    }
    job->bytes = cut->vertex_bytes + cut->index_bytes;
    stn_product_close(&p);
    if (f != STN_SPRITE_OK) {
        stn_job_free(job);
        return f;
    }
    *out = job;
    return STN_SPRITE_OK;
}
