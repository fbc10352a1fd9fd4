#include "renderer/build/meshjob.h"

#include "renderer/scene/simplify.h"

#include <string.h>

struct source_attr {
    stn_attr from;
    uint8_t slot, comps;
};

static const struct source_attr wanted[] = {
    {STN_ATTR_POS, STN_VTX_POS, 3},        {STN_ATTR_NRM, STN_VTX_NRM, 3},
    {STN_ATTR_TEX, STN_VTX_TEX, 2},        {STN_ATTR_COL, STN_VTX_COL, 4},
    {STN_ATTR_OTEX, STN_VTX_OTEX, 2},      {STN_ATTR_TAN, STN_VTX_TAN, 3},
    {STN_ATTR_BIT, STN_VTX_BIT, 3},        {STN_ATTR_BONEIDX, STN_VTX_BONE, 4},
    {STN_ATTR_BONEWGT, STN_VTX_WEIGHT, 4},
};

static void copy_attr(uint8_t *to, uint32_t stride, const stn_attrib *a, uint32_t n, uint8_t comps)
{
    for (uint32_t v = 0; v < n; v++, to += stride) {
        float out[4] = {0, 0, 0, 1};

        for (uint8_t c = 0; c < comps && c < a->components; c++) {
            if (a->i)
                out[c] = a->i[v * a->components + c] < 0 ? 0.0f : (float)a->i[v * a->components + c];
            else
                out[c] = a->f[v * a->components + c];
        }
        memcpy(to, out, comps * sizeof(float));
    }
}

bool stn_meshjob_fill(stn_job *job, stn_mesh_desc *d, const stn_res_mesh *m, bool bones)
{
    const stn_res_vbuf *vbuf = m->vbuf->as.vbuf;
    uint8_t *data;

    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        if (!stn_res_vbuf_attr(vbuf, wanted[i].from) || (!bones && wanted[i].slot >= STN_VTX_BONE))
            continue;
        d->attrs[d->attr_count++] = (stn_mesh_attr){.slot = wanted[i].slot,
                                                    .comps = wanted[i].comps,
                                                    .type = STN_VTX_F32,
                                                    .offset = (uint16_t)d->stride};
        d->stride += wanted[i].comps * 4u;
    }
    d->vertex_count = vbuf->num;
    d->index_bytes = 2;
    d->index_count = m->tris * 3;
    d->indices = m->indices; /* of the resource, which outlives the job */
    data = stn_job_memory(job, (size_t)d->stride * d->vertex_count);
    if (!data)
        return false;
    for (uint32_t i = 0; i < d->attr_count; i++)
        for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++)
            if (wanted[k].slot == d->attrs[i].slot)
                copy_attr(data + d->attrs[i].offset, d->stride, stn_res_vbuf_attr(vbuf, wanted[k].from),
                          d->vertex_count, wanted[k].comps);
    d->vertices = data;
    job->bytes = (size_t)d->stride * d->vertex_count + (size_t)d->index_count * 2;
    return true;
}

/* As wide as the mesh's own; false: out of memory. */
static bool pack(stn_job *job, const stn_simplified *s)
{
    uint16_t *to = stn_job_memory(job, s->levels.index_count * sizeof *to);

    if (!to)
        return false;
    for (uint32_t i = 0; i < s->levels.index_count; i++)
        to[i] = (uint16_t)s->indices[i];
    job->u.levels.levels.indices = to;
    job->bytes = s->levels.index_count * sizeof *to;
    return true;
}

stn_job *stn_meshjob_levels(const stn_res_mesh *mesh)
{
    stn_job *job = stn_job_new(STN_JOB_LEVELS, 0), *work = stn_job_new(STN_JOB_MESH, 0);
    stn_simplified s = {0};

    if (job && work && stn_meshjob_fill(work, &work->u.mesh.desc, mesh, false) &&
        stn_simplify(&work->u.mesh.desc, &s, NULL) == STN_OK && s.levels.list_count > 0) {
        job->u.levels.levels = s.levels;
        if (!pack(job, &s))
            job->u.levels.levels = (stn_mesh_levels){0};
    }
    stn_simplified_fini(&s);
    stn_job_free(work);
    return job;
}
