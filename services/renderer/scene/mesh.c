#include "renderer/scene/mesh.h"

#include "base/bytes.h"
#include "num/small_float.h"

#include <math.h>

/* Of one part; the packed normal counts as four bytes altogether. */
static const uint8_t type_bytes[] = {4, 1, 1, 2, 2, 2, 1};

static const stn_mesh_attr *position(const stn_mesh_desc *d)
{
    for (uint32_t i = 0; i < d->attr_count; i++)
        if (d->attrs[i].slot == STN_VTX_POS)
            return &d->attrs[i];
    return NULL;
}

static stn_v3 position_of(const stn_mesh_desc *d, const stn_mesh_attr *a, uint32_t vertex)
{
    const uint8_t *p = (const uint8_t *)d->vertices + (size_t)vertex * d->stride + a->offset;

    return (stn_v3){stn_f32_of_bits(stn_ld32(p)), stn_f32_of_bits(stn_ld32(p + 4)),
                    stn_f32_of_bits(stn_ld32(p + 8))};
}

stn_status stn_mesh_check(const stn_mesh_desc *d, stn_err *err)
{
    uint32_t seen = 0;
    const stn_mesh_attr *pos;
    stn_mesh_view view = stn_mesh_view_of(d);

    if (d->vertex_count == 0 || d->index_count == 0 || !d->vertices || !d->indices)
        return stn_fail(err, STN_BAD_DATA, "mesh with %u vertices and %u indices", d->vertex_count,
                        d->index_count);
    if (d->vertex_count > 1u << 24 || d->index_count > 1u << 26)
        return stn_fail(err, STN_TOO_BIG, "mesh with %u vertices and %u indices", d->vertex_count,
                        d->index_count);
    if (d->stride < 1 || d->stride > 256 || d->attr_count < 1 || d->attr_count > STN_VTX_COUNT)
        return stn_fail(err, STN_BAD_DATA, "mesh with %u bytes and %u attributes a vertex", d->stride,
                        d->attr_count);
    if (d->index_bytes != 2 && d->index_bytes != 4)
        return stn_fail(err, STN_BAD_DATA, "mesh with indices of %u bytes: 2 or 4 expected", d->index_bytes);
    if (d->index_bytes == 2 && d->vertex_count > 65536)
        return stn_fail(err, STN_BAD_DATA, "mesh with %u vertices and 16-bit indices", d->vertex_count);
    if (d->index_count % 3 != 0)
        return stn_fail(err, STN_BAD_DATA, "mesh with %u indices: not whole triangles", d->index_count);
    for (uint32_t i = 0; i < d->attr_count; i++) {
        const stn_mesh_attr *a = &d->attrs[i];

        if (a->slot >= STN_VTX_COUNT || a->comps < 1 || a->comps > 4 || a->type > STN_VTX_S10X3 ||
            (seen & 1u << a->slot))
            return stn_fail(err, STN_BAD_DATA, "mesh attribute %u: slot %u, %u parts of type %u", i, a->slot,
                            a->comps, a->type);
        if ((uint32_t)a->offset + (uint32_t)a->comps * type_bytes[a->type] > d->stride)
            return stn_fail(err, STN_BAD_DATA, "mesh attribute %u ends behind the vertex of %u bytes", i,
                            d->stride);
        seen |= 1u << a->slot;
    }
    pos = position(d);
    if (!pos || pos->comps != 3)
        return stn_fail(err, STN_BAD_DATA, "mesh without positions of three parts");
    for (uint32_t i = 0; i < d->index_count; i++)
        if (stn_mesh_index(&view, i) >= d->vertex_count)
            return stn_fail(err, STN_BAD_DATA, "mesh index %u is vertex %u of %u", i,
                            stn_mesh_index(&view, i), d->vertex_count);
    if (pos->type == STN_VTX_F32)
        for (uint32_t i = 0; i < d->vertex_count; i++)
            if (!stn_v3_finite(position_of(d, pos, i)))
                return stn_fail(err, STN_BAD_DATA, "mesh vertex %u is not at a finite place", i);
    return STN_OK;
}

bool stn_mesh_bounds(const stn_mesh_desc *d, stn_v3 *min, stn_v3 *max)
{
    const stn_mesh_attr *a = position(d);

    if (!a || a->type != STN_VTX_F32 || d->vertex_count == 0)
        return false;
    *min = *max = position_of(d, a, 0);
    for (uint32_t i = 1; i < d->vertex_count; i++) {
        stn_v3 p = position_of(d, a, i);

        *min = (stn_v3){fminf(min->x, p.x), fminf(min->y, p.y), fminf(min->z, p.z)};
        *max = (stn_v3){fmaxf(max->x, p.x), fmaxf(max->y, p.y), fmaxf(max->z, p.z)};
    }
    return true;
}

stn_mesh_view stn_mesh_view_of(const stn_mesh_desc *d)
{
    return (stn_mesh_view){.vertices = d->vertices,
                           .indices = d->indices,
                           .attrs = d->attrs,
                           .attr_count = d->attr_count,
                           .stride = d->stride,
                           .index_bytes = d->index_bytes,
                           .index_count = d->index_count};
}

stn_mesh_view stn_mesh_view_of_part(const stn_mesh_part *p, const void *vertices, const void *indices)
{
    return (stn_mesh_view){.vertices = (const uint8_t *)vertices + (size_t)p->base_vertex * p->stride,
                           .indices = (const uint8_t *)indices + (size_t)p->first_index * 2,
                           .attrs = p->attrs,
                           .attr_count = p->attr_count,
                           .stride = p->stride,
                           .index_bytes = 2,
                           .index_count = p->index_count};
}

uint32_t stn_mesh_index(const stn_mesh_view *m, uint32_t i)
{
    const uint8_t *p = m->indices + (size_t)i * m->index_bytes;

    return m->index_bytes == 2 ? stn_ld16(p) : stn_ld32(p);
}

static float signed_part(int32_t v, float most, bool normalized)
{
    return normalized ? fmaxf((float)v / most, -1.0f) : (float)v;
}

static float part_of(const uint8_t *p, const stn_mesh_attr *a, uint32_t c)
{
    uint32_t packed;

    switch (a->type) {
    case STN_VTX_F32:
        return stn_f32_of_bits(stn_ld32(p + 4u * c));
    case STN_VTX_U8:
        return a->normalized ? (float)p[c] / 255.0f : (float)p[c];
    case STN_VTX_S8:
        return signed_part((int8_t)p[c], 127.0f, a->normalized);
    case STN_VTX_U16:
        return a->normalized ? (float)stn_ld16(p + 2u * c) / 65535.0f : (float)stn_ld16(p + 2u * c);
    case STN_VTX_S16:
        return signed_part((int16_t)stn_ld16(p + 2u * c), 32767.0f, a->normalized);
    case STN_VTX_F16:
        return stn_f32_of_f16(stn_ld16(p + 2u * c));
    default: /* three parts of ten bits; the fourth of two */
        packed = stn_ld32(p);
        return c == 3 ? signed_part((int32_t)packed >> 30, 1.0f, a->normalized)
                      : signed_part((int32_t)(packed << (22 - 10 * c)) >> 22, 511.0f, a->normalized);
    }
}

bool stn_mesh_read(const stn_mesh_view *m, uint32_t vertex, uint8_t slot, float out[4])
{
    out[0] = out[1] = out[2] = 0.0f;
    out[3] = 1.0f;
    for (uint32_t i = 0; i < m->attr_count; i++) {
        const stn_mesh_attr *a = &m->attrs[i];

        if (a->slot != slot)
            continue;
        for (uint32_t c = 0; c < a->comps; c++)
            out[c] = part_of(m->vertices + (size_t)vertex * m->stride + a->offset, a, c);
        return true;
    }
    return false;
}
