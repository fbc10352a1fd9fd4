/* layer_skel.c - "skel": bones and their bind pose. Source: docs/spec/resource-format.md 14. */
#include "base/table.h"
#include "base/text.h"
#include "res/internal.h"

#include <math.h>

void stn_normalise(float v[3])
{
    float l = sqrtf(((v[0] * v[0]) + (v[1] * v[1])) + (v[2] * v[2]));
    for (int k = 0; k < 3; k++)
        v[k] = l == 0 ? 0 : v[k] / l;
}

/* The half angle, sine and cosine are double, rounded to float; the products are float. */
void stn_quat_of(float angle, const float axis[3], float out[4])
{
    double half = (double)angle / 2.0;
    float s = (float)sin(half);
    out[0] = (float)cos(half);
    for (int k = 0; k < 3; k++)
        out[k + 1] = s * axis[k];
}

static void quat_mul(const float a[4], const float b[4], float out[4])
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Written out in the reference's order: each product and sum rounds on its own. */
static void quat_rotate(const float q[4], const float v[3], float out[3])
{
    float w = q[0], x = q[1], y = q[2], z = q[3], a = v[0], b = v[1], c = v[2];
    out[0] = w * w * a + 2 * w * y * c - 2 * w * z * b + x * x * a + 2 * x * y * b + 2 * x * z * c -
             z * z * a - y * y * a;
    out[1] = 2 * x * y * a + y * y * b + 2 * y * z * c + 2 * w * z * a - z * z * b + w * w * b -
             2 * w * x * c - x * x * b;
    out[2] = 2 * x * z * a + 2 * y * z * b + z * z * c - 2 * w * y * a - y * y * c + 2 * w * x * b -
             x * x * c + w * w * c;
}

int32_t stn_res_skel_find(const stn_res_skel *skel, const char *name)
{
    for (uint32_t i = 0; i < skel->count; i++)
        if (strcmp(skel->bones[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

static void read_bone(stn_rd *c, stn_bytes *in, stn_bone *b, int version)
{
    if (version == 0) {
        for (int k = 0; k < 3; k++)
            b->pos[k] = (float)stn_rd_cfloat(c, in);
        for (int k = 0; k < 3; k++)
            b->axis[k] = (float)stn_rd_cfloat(c, in);
        stn_normalise(b->axis);
        b->angle = (float)stn_rd_cfloat(c, in);
        b->parent_name = stn_rd_text(c, in);
    } else {
        b->parent_name = stn_rd_text(c, in);
        for (int k = 0; k < 3; k++)
            b->pos[k] = stn_bytes_f32(in);
        b->angle = stn_res_angle16(stn_bytes_u16(in));
        float x = stn_res_snorm16(stn_bytes_i16(in)), y = stn_res_snorm16(stn_bytes_i16(in));
        stn_res_oct(x, y, b->axis);
    }
}

static void bind(stn_bone *b, const stn_bone *parent)
{
    stn_quat_of(b->angle, b->axis, b->local_rot);
    if (!parent) {
        memcpy(b->global_pos, b->pos, sizeof b->pos);
        memcpy(b->global_rot, b->local_rot, sizeof b->local_rot);
        return;
    }
    quat_mul(parent->global_rot, b->local_rot, b->global_rot);
    quat_rotate(parent->global_rot, b->pos, b->global_pos);
    for (int k = 0; k < 3; k++)
        b->global_pos[k] = b->global_pos[k] + parent->global_pos[k];
}

/* Parents before children, otherwise in file order. `parent` of the input are indices into the input. */
static void arrange(stn_rd *c, const stn_bone *in, const int32_t *parent, uint32_t count, stn_bone *out)
{
    int32_t *place = stn_rd_alloc(c, count, sizeof *place), *chain = stn_rd_alloc(c, count, sizeof *chain);
    uint32_t n = 0;

    if (!place || !chain)
        return;
    memset(place, 0xff, count * sizeof *place); /* -1: not placed; -2: on the way up from the current bone */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t depth = 0;
        int32_t b = (int32_t)i;
        for (; b >= 0 && place[b] == -1; b = parent[b]) {
            place[b] = -2;
            chain[depth++] = b;
        }
        if (b >= 0 && place[b] == -2) {
            stn_rd_fail(c, STN_FAULT_FORMAT, "bone \"%.40s\" is its own ancestor", in[b].name);
            return;
        }
        while (depth > 0) {
            int32_t at = chain[--depth];
            stn_bone *o = &out[n];
            *o = in[at];
            o->parent = parent[at] < 0 ? -1 : place[parent[at]];
            bind(o, o->parent < 0 ? NULL : &out[o->parent]);
            place[at] = (int32_t)n++;
        }
    }
}

static void find_parents(stn_rd *c, const stn_bone *bones, uint32_t count, stn_names *names, int32_t *parent)
{
    for (uint32_t i = 0; i < count; i++) {
        const stn_bone *p = NULL;
        if (*bones[i].parent_name && !(p = stn_names_get(names, bones[i].parent_name))) {
            stn_rd_fail(c, STN_FAULT_LINK, "bone \"%.40s\": no parent \"%.40s\"", bones[i].name,
                        bones[i].parent_name);
            return;
        }
        parent[i] = p ? (int32_t)(p - bones) : -1;
    }
}

stn_status stn_decode_skel(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_skel *skel = stn_rd_zalloc(c, 1, sizeof *skel);
    stn_names *names = stn_names_new();
    stn_vec v = {0};
    int version = 0;

    if (!names)
        stn_rd_fail(c, STN_FAULT_MEMORY, "table of bone names");
    while (stn_rd_ok(c) && stn_bytes_left(in) > 0) {
        const char *name = stn_rd_text(c, in);
        if (name[0] > 0 && name[0] < 32 && !name[1]) { /* a switch, not a bone */
            version = name[0];
            if (version != 1)
                stn_rd_fail(c, STN_FAULT_FORMAT, "bone format %d, known are 0 and 1", version);
            continue;
        }
        stn_bone *b = stn_vec_push(c, &v, sizeof *b);
        if (!b)
            break;
        b->name = name;
        read_bone(c, in, b, version);
    }
    stn_bone *bones = v.items;
    for (uint32_t i = 0; stn_rd_ok(c) && i < v.count; i++) {
        if (stn_names_get(names, bones[i].name))
            stn_rd_fail(c, STN_FAULT_FORMAT, "two bones named \"%.40s\"", bones[i].name);
        else if (!stn_names_put(names, bones[i].name, &bones[i], NULL))
            stn_rd_fail(c, STN_FAULT_MEMORY, "table of bone names");
    }
    stn_bone *arranged = stn_rd_ok(c) ? stn_rd_alloc(c, v.count, sizeof *arranged) : NULL;
    int32_t *parent = arranged ? stn_rd_alloc(c, v.count, sizeof *parent) : NULL;
    if (parent) {
        find_parents(c, bones, v.count, names, parent);
        if (stn_rd_ok(c))
            arrange(c, bones, parent, v.count, arranged);
        skel->count = v.count;
        skel->bones = arranged;
        *out = skel;
    }
    stn_names_free(names);
    return stn_rd_end(c);
}

/* Version 1 (angles and axes in 16 bits) when it loses nothing; else version 0, whose numbers hold 31 bits.
 */
static bool fits_version1(const stn_bone *b)
{
    stn_buf buf = {0};
    stn_wr w = {&buf, NULL, STN_OK};
    bool same = false;

    stn_wr_angle16(&w, b->angle);
    stn_wr_unit_axis(&w, b->axis);
    if (w.st == STN_OK && buf.len == 6) {
        float axis[3];
        stn_res_oct(stn_res_snorm16((int16_t)stn_ld16(buf.data + 2)),
                    stn_res_snorm16((int16_t)stn_ld16(buf.data + 4)), axis);
        same = stn_res_angle16(stn_ld16(buf.data)) == b->angle && memcmp(axis, b->axis, sizeof axis) == 0;
    }
    stn_buf_fini(&buf);
    return same;
}

void stn_encode_skel(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_skel *skel = layer->as.skel;
    bool v1 = true;

    for (uint32_t i = 0; v1 && i < skel->count; i++)
        v1 = fits_version1(&skel->bones[i]);
    if (v1)
        stn_buf_put(w->b, "\1", 2);
    for (uint32_t i = 0; i < skel->count; i++) {
        const stn_bone *b = &skel->bones[i];
        if (b->name[0] > 0 && b->name[0] < 32 && !b->name[1])
            stn_wr_fail(w, "a bone name of one control character reads as a format switch");
        stn_wr_text(w, b->name, "bone name");
        if (v1) {
            stn_wr_text(w, b->parent_name, "parent");
            for (int k = 0; k < 3; k++)
                stn_buf_f32(w->b, b->pos[k]);
            stn_wr_angle16(w, b->angle);
            stn_wr_unit_axis(w, b->axis);
            continue;
        }
        for (int k = 0; k < 3; k++)
            stn_wr_cfloat(w, (double)b->pos[k], "position");
        for (int k = 0; k < 3; k++)
            stn_wr_cfloat(w, (double)b->axis[k], "axis");
        stn_wr_cfloat(w, (double)b->angle, "angle");
        stn_wr_text(w, b->parent_name, "parent");
    }
}
