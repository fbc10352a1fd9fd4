/* layer_mesh.c - "mesh": triangles over a vertex buffer. Source: docs/spec/resource-format.md 12. */
#include "base/text.h"
#include "res/internal.h"

#include <math.h>
#include <stdio.h>

/* The whole text as an int32: optional sign, digits. */
static bool parse_int(const char *s, int32_t *out)
{
    bool minus = *s == '-';
    int64_t v = 0;

    if (*s == '-' || *s == '+')
        s++;
    if (!*s)
        return false;
    for (; *s; s++) {
        if (*s < '0' || *s > '9')
            return false;
        v = v * 10 + (*s - '0');
        if (v > (int64_t)INT32_MAX + 1)
            return false;
    }
    v = minus ? -v : v;
    *out = (int32_t)v;
    return v <= INT32_MAX;
}

static const char *text_form(stn_rd *c, const stn_value *v)
{
    char text[32];

    switch ((stn_value_kind)v->kind) {
    case STN_VALUE_TEXT:
        return v->u.text;
    case STN_VALUE_NIL:
        return "null";
    case STN_VALUE_INT:
        snprintf(text, sizeof text, "%d", v->u.i);
        break;
    case STN_VALUE_LONG:
        snprintf(text, sizeof text, "%lld", (long long)v->u.l);
        break;
    case STN_VALUE_F32:
        snprintf(text, sizeof text, "%.9g", (double)v->u.f32);
        break;
    case STN_VALUE_F64:
        snprintf(text, sizeof text, "%.17g", v->u.f64);
        break;
    default: /* nothing relies on the text of other kinds */
        snprintf(text, sizeof text, "(%s)", stn_value_kind_name((stn_value_kind)v->kind));
        break;
    }
    char *copy = stn_arena_strdup(c->arena, text);
    if (!copy)
        stn_rd_fail(c, STN_FAULT_LIMIT, "text of a value is over the memory limit");
    return copy ? copy : "";
}

static void push(stn_rd *c, stn_vec *v, const char *key, stn_value value)
{
    stn_entry *e = stn_vec_push(c, v, sizeof *e);
    if (e)
        *e = (stn_entry){key, value};
}

static void read_tags(stn_rd *c, stn_bytes *in, stn_vec *info, stn_vec *rdat)
{
    while (stn_rd_ok(c)) {
        const char *key = stn_rd_text(c, in);
        if (!*key)
            return;
        const char *text = stn_rd_text(c, in);
        int32_t i;
        push(c, rdat, key, stn_value_text(text));
        push(c, info, key, parse_int(text, &i) ? stn_value_int(i) : stn_value_text(text));
    }
}

static void read_strips(stn_rd *c, stn_bytes *in, uint32_t tris, uint16_t *out)
{
    uint32_t faces = 0;
    int32_t d;
    bool pick;

    while (faces < tris && stn_rd_ok(c)) {
        uint16_t t[3];
        t[0] = stn_bytes_u16(in);
        for (int k = 1; k < 3; k++) {
            if (!stn_res_delta(in, &d, &pick))
                goto bad_delta;
            t[k] = (uint16_t)(t[k - 1] + d);
        }
        memcpy(out + 3 * (size_t)faces++, t, sizeof t);
        for (uint8_t r = stn_bytes_u8(in); r > 0 && stn_rd_ok(c); r--) {
            if (faces == tris) {
                stn_rd_fail(c, STN_FAULT_RANGE, "strips hold more than the %u triangles announced", tris);
                return;
            }
            if (!stn_res_delta(in, &d, &pick))
                goto bad_delta;
            uint16_t next = (uint16_t)(t[2] + d);
            t[0] = pick ? t[2] : t[0];
            t[1] = pick ? t[1] : t[2];
            t[2] = next;
            memcpy(out + 3 * (size_t)faces++, t, sizeof t);
        }
    }
    return;
bad_delta:
    stn_rd_fail(c, STN_FAULT_FORMAT, "strip delta of more than 4 continuation bytes at %zu", in->pos);
}

static void read_triangles(stn_rd *c, stn_bytes *in, stn_res_mesh *m)
{
    if (m->strips ? !stn_rd_fits(c, in, m->tris ? m->tris + 4ull : 0, 1, "strips")
                  : !stn_rd_fits(c, in, m->tris, 6, "triangles"))
        return;
    uint16_t *out = stn_rd_alloc(c, 3 * (size_t)m->tris, sizeof *out);
    if (!out)
        return;
    m->indices = out;
    if (m->strips)
        read_strips(c, in, m->tris, out);
    else
        for (size_t i = 0; i < 3 * (size_t)m->tris; i++)
            out[i] = stn_bytes_u16(in);
}

static void read_form0(stn_rd *c, stn_bytes *in, stn_res_mesh *m, uint8_t flags)
{
    stn_vec info = {0}, rdat = {0};

    m->tris = stn_bytes_u16(in);
    m->head_mat = stn_bytes_i16(in);
    m->id = flags & 2 ? stn_bytes_i16(in) : -1;
    m->ref = flags & 4 ? stn_bytes_i16(in) : -1;
    if (m->head_mat >= 0)
        push(c, &info, "mat", stn_value_int(m->head_mat));
    if (m->ref >= 0)
        push(c, &info, "ref", stn_value_int(m->ref));
    if (flags & 8)
        read_tags(c, in, &info, &rdat);
    m->vbuf_id = flags & 16 ? stn_bytes_i16(in) : 0;
    m->strips = flags & 32;
    m->info = (stn_entries){info.count, info.items};
    m->rdat = (stn_entries){rdat.count, rdat.items};
    read_triangles(c, in, m);
}

static stn_status read_form1(stn_rd *c, stn_bytes *in, stn_res_mesh *m)
{
    stn_vec rdat = {0};
    stn_err err = {0};

    m->form = 1;
    m->head_mat = -1;
    m->id = stn_bytes_i16(in);
    m->vbuf_id = stn_bytes_i16(in);
    m->info = stn_rd_entries(c, in);
    for (uint32_t i = 0; stn_rd_ok(c) && i < m->info.count; i++)
        push(c, &rdat, m->info.items[i].key, stn_value_text(text_form(c, &m->info.items[i].value)));
    m->rdat = (stn_entries){rdat.count, rdat.items};
    const stn_value *ref = stn_entries_get(&m->info, "ref");
    m->ref = -1;
    if (ref && stn_rd_ok(c))
        stn_rd_convert(c, stn_value_as_int(ref, &m->ref, &err), &err, "ref");
    const char *format = stn_rd_text(c, in);
    m->strips = strcmp(format, "strips") == 0;
    if (*format && !m->strips)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "index format \"%.16s\", known are none and \"strips\"",
                           format);
    m->tris = stn_bytes_u16(in);
    read_triangles(c, in, m);
    return stn_rd_end(c);
}

stn_status stn_decode_mesh(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_mesh *m = stn_rd_zalloc(c, 1, sizeof *m);
    uint8_t f = stn_bytes_u8(in);

    if (!m)
        return stn_rd_end(c);
    *out = m;
    if (f == 0x81)
        return read_form1(c, in, m);
    if (f >= 64)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "form and flags %#x are not known", f);
    read_form0(c, in, m, f);
    return stn_rd_end(c);
}

/* ---- linking ---- */

/* -0.0 is below +0.0 here. */
static float lower(float a, float b)
{
    return a < b || (a == b && signbit(a)) ? a : b;
}

static float higher(float a, float b)
{
    return a > b || (a == b && !signbit(a)) ? a : b;
}

static void find_bounds(stn_res_mesh *m, const stn_res_vbuf *vb)
{
    const stn_attrib *pos = stn_res_vbuf_attr(vb, STN_ATTR_POS);
    if (!pos || m->tris == 0)
        return;
    m->has_bounds = true;
    for (size_t i = 0; i < 3 * (size_t)m->tris; i++) {
        const float *p = pos->f + 3 * (size_t)m->indices[i];
        for (int k = 0; k < 3; k++) {
            m->bounds[0][k] = i ? lower(p[k], m->bounds[0][k]) : p[k];
            m->bounds[1][k] = i ? higher(p[k], m->bounds[1][k]) : p[k];
        }
    }
}

stn_status stn_link_mesh(stn_rd *c, stn_res_layer *layer)
{
    stn_res_mesh *m = (stn_res_mesh *)(uintptr_t)layer->as.mesh;
    const stn_value *mat = stn_entries_get(&m->info, "mat");
    stn_err err = {0};
    int32_t mat_id = -1;

    m->vbuf = stn_rd_by_id(c, STN_LAYER_VBUF, m->vbuf_id); /* the first buffer of that id */
    if (!m->vbuf)
        return stn_rd_fail(c, STN_FAULT_LINK, "no vertex buffer with id %d", m->vbuf_id);
    if (mat && stn_rd_convert(c, stn_value_as_int(mat, &mat_id, &err), &err, "mat") != STN_OK)
        return stn_rd_end(c);
    if (mat_id >= 0 && !(m->mat = stn_rd_by_id(c, STN_LAYER_MAT, mat_id))) /* the last material of that id */
        return stn_rd_fail(c, STN_FAULT_LINK, "no material with id %d", mat_id);
    const stn_res_vbuf *vb = m->vbuf->as.vbuf;
    for (size_t i = 0; i < 3 * (size_t)m->tris; i++)
        if (m->indices[i] >= vb->num)
            return stn_rd_fail(c, STN_FAULT_RANGE, "triangle %zu uses vertex %u of %u", i / 3, m->indices[i],
                               vb->num);
    find_bounds(m, vb);
    return STN_OK;
}

/* Form 1, plain indices; a mesh read from form 0 stays one, since its tags have a text and an integer side
 * that form 1 cannot both say. */
static void put_form0(stn_wr *w, const stn_res_mesh *m)
{
    bool tags = m->rdat.count > 0;

    stn_wr_u8(w, 2 | (m->ref >= 0 ? 4 : 0) | (tags ? 8 : 0) | 16, "flags");
    stn_wr_u16(w, m->tris, "triangles");
    stn_wr_i16(w, m->head_mat, "material id");
    stn_wr_i16(w, m->id, "id");
    if (m->ref >= 0)
        stn_wr_i16(w, m->ref, "ref");
    for (uint32_t i = 0; i < m->rdat.count; i++) {
        stn_wr_name(w, m->rdat.items[i].key, "tag");
        stn_wr_text(w, m->rdat.items[i].value.u.text, "tag value");
    }
    if (tags)
        stn_buf_u8(w->b, 0);
    stn_wr_i16(w, m->vbuf_id, "vertex buffer id");
}

void stn_encode_mesh(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_mesh *m = layer->as.mesh;

    if (m->form == 0) {
        put_form0(w, m);
    } else {
        stn_buf_u8(w->b, 0x81);
        stn_wr_i16(w, m->id, "id");
        stn_wr_i16(w, m->vbuf_id, "vertex buffer id");
        stn_wr_entries(w, &m->info);
        stn_buf_u8(w->b, 0);
        stn_wr_u16(w, m->tris, "triangles");
    }
    for (size_t i = 0; i < 3 * (size_t)m->tris; i++)
        stn_buf_u16(w->b, m->indices[i]);
}
