/* layer_vbuf.c - "vbuf2": vertex buffers. Source: docs/spec/resource-format.md 8. */
#include "base/text.h"
#include "res/internal.h"
#include "res/packed.h"

#include <math.h>
#include <stdlib.h>

#define MAX_INFLUENCES 127 /* on one vertex: the reference counts in a signed byte and breaks there */

static const struct {
    const char *name;
    uint8_t components;
} attrs[STN_ATTR_COUNT] = {
    [STN_ATTR_POS] = {"pos", 3}, [STN_ATTR_NRM] = {"nrm", 3},         [STN_ATTR_COL] = {"col", 4},
    [STN_ATTR_TEX] = {"tex", 2}, [STN_ATTR_OTEX] = {"otex", 2},       [STN_ATTR_TAN] = {"tan", 3},
    [STN_ATTR_BIT] = {"bit", 3}, [STN_ATTR_BONEIDX] = {"boneidx", 4}, [STN_ATTR_BONEWGT] = {"bonewgt", 4},
};

const char *stn_attr_name(stn_attr attr)
{
    return (unsigned)attr < STN_ATTR_COUNT ? attrs[attr].name : "?";
}

const stn_attrib *stn_res_vbuf_attr(const stn_res_vbuf *vbuf, stn_attr attr)
{
    for (uint32_t i = 0; i < vbuf->count; i++)
        if (vbuf->attribs[i].attr == attr)
            return &vbuf->attribs[i];
    return NULL;
}

/* ---- bones ---- */

typedef struct influences {
    int32_t *idx; /* 4 a vertex: the strongest so far, strongest first, equal ones in file order */
    float *wgt;
    uint8_t *count; /* all that were taken, also beyond 4 */
    uint32_t num;
    uint8_t most; /* taken a vertex */
} influences;

/* Sorting all and keeping four is the same as keeping the best four sorted while reading. */
static void add_influence(stn_rd *c, influences *f, uint32_t v, int32_t bone, float w)
{
    if (w == 0) /* before anything else: a zero weight on a vertex out of range is harmless */
        return;
    if (v >= f->num) {
        stn_rd_fail(c, STN_FAULT_RANGE, "bone %d has a weight on vertex %u of %u", bone, v, f->num);
        return;
    }
    if (f->count[v] >= f->most)
        return;
    if (f->count[v] == MAX_INFLUENCES) {
        stn_rd_fail(c, STN_FAULT_RANGE, "more than %d influences on vertex %u", MAX_INFLUENCES, v);
        return;
    }
    int32_t *idx = f->idx + 4 * (size_t)v;
    float *wgt = f->wgt + 4 * (size_t)v;
    int have = f->count[v] < 4 ? f->count[v] : 4, at = have;
    f->count[v]++;
    while (at > 0 && w > wgt[at - 1])
        at--;
    if (at == 4)
        return;
    for (int k = have < 4 ? have : 3; k > at; k--) {
        idx[k] = idx[k - 1];
        wgt[k] = wgt[k - 1];
    }
    idx[at] = bone;
    wgt[at] = w;
}

static void normalise(influences *f)
{
    for (uint32_t v = 0; v < f->num; v++) {
        float *w = f->wgt + 4 * (size_t)v, t = 0;
        int n = f->count[v] < 4 ? f->count[v] : 4;
        for (int k = 0; k < n; k++)
            t += w[k];
        if (t != 1.0f)
            for (int k = 0; k < n; k++)
                w[k] = w[k] / t;
    }
}

static void read_runs(stn_rd *c, stn_bytes *in, influences *f, char format, int32_t bone)
{
    while (stn_rd_ok(c)) {
        uint16_t run = stn_bytes_u16(in), first = stn_bytes_u16(in);
        size_t size = format == '4' ? 4 : format == '2' ? 2 : 1;
        if (run == 0 || !stn_rd_fits(c, in, run, size, "bone weights"))
            return;
        for (uint32_t i = 0; i < run && stn_rd_ok(c); i++) {
            float w = size == 4   ? stn_bytes_f32(in)
                      : size == 2 ? stn_res_unorm16(stn_bytes_u16(in))
                                  : stn_res_unorm8(stn_bytes_u8(in));
            add_influence(c, f, first + i, bone, w);
        }
    }
}

static void read_bones(stn_rd *c, stn_bytes *in, stn_res_vbuf *vb, stn_vec *attribs, const char *source)
{
    influences f = {.num = vb->num};
    stn_vec names = {0};
    const char *format = "f4";

    if (vb->num > c->bone_vertices_left) {
        stn_rd_fail(c, STN_FAULT_LIMIT, "bone weights for more than %u vertices in one resource",
                    c->limits->max_bone_vertices);
        return;
    }
    c->bone_vertices_left -= vb->num;
    if (strcmp(source, "bones2") == 0) {
        uint8_t version = stn_bytes_u8(in);
        format = stn_rd_text(c, in);
        if (version != 1 ||
            (strcmp(format, "f4") != 0 && strcmp(format, "un2") != 0 && strcmp(format, "un1") != 0)) {
            stn_rd_fail(c, STN_FAULT_FORMAT, "bones2 of version %u, weights \"%.16s\"", version, format);
            return;
        }
    }
    f.most = stn_bytes_u8(in);
    f.idx = stn_rd_alloc(c, 4 * (size_t)vb->num, sizeof *f.idx);
    f.wgt = stn_rd_zalloc(c, 4 * (size_t)vb->num, sizeof *f.wgt);
    f.count = stn_rd_zalloc(c, vb->num, 1);
    if (!f.idx || !f.wgt || !f.count)
        return;
    memset(f.idx, 0xff, 4 * (size_t)vb->num * sizeof *f.idx); /* -1: none */
    while (stn_rd_ok(c)) {
        const char *name = stn_rd_text(c, in);
        if (!*name)
            break;
        const char **slot = stn_vec_push(c, &names, sizeof *slot);
        if (!slot)
            return;
        *slot = name;
        read_runs(c, in, &f, format[strlen(format) - 1], (int32_t)names.count - 1);
    }
    normalise(&f);
    vb->bone_count = names.count;
    vb->bones = names.items;
    stn_attrib *a = stn_vec_push(c, attribs, sizeof *a);
    if (a)
        *a = (stn_attrib){STN_ATTR_BONEIDX, 4, source, format, NULL, f.idx};
    a = stn_vec_push(c, attribs, sizeof *a);
    if (a)
        *a = (stn_attrib){STN_ATTR_BONEWGT, 4, source, format, f.wgt, NULL};
}

/* ---- the rest ---- */

static void read_floats(stn_rd *c, stn_bytes *in, stn_res_vbuf *vb, stn_vec *attribs, stn_attr attr,
                        const char *source, bool packed)
{
    size_t n = (size_t)vb->num * attrs[attr].components;
    stn_packed p = {.format = ""};
    float *f;

    if (packed) {
        stn_res_fault_kind fault;
        stn_err err = {0};
        if (stn_packed_open(in, n, &p, &fault, &err) != STN_OK) {
            stn_rd_fail(c, fault, "attribute \"%s\": %s", source, err.text);
            return;
        }
    } else if (!stn_rd_fits(c, in, n, 4, source)) {
        return;
    }
    if (!(f = stn_rd_alloc(c, n, sizeof *f)))
        return;
    if (packed)
        stn_packed_decode(&p, f);
    else
        for (size_t i = 0; i < n; i++)
            f[i] = stn_bytes_f32(in);
    stn_attrib *a = stn_vec_push(c, attribs, sizeof *a);
    if (a)
        *a = (stn_attrib){attr, attrs[attr].components, source, p.format, f, NULL};
}

static void read_attribute(stn_rd *c, stn_bytes *in, stn_res_vbuf *vb, stn_vec *attribs, const char *source,
                           uint32_t *bone_attribs)
{
    char shown[40];
    size_t len = strlen(source);

    if (strcmp(source, "bones") == 0 || strcmp(source, "bones2") == 0) {
        if (++*bone_attribs > c->limits->max_bone_attribs)
            stn_rd_fail(c, STN_FAULT_LIMIT, "%u bone attributes in one buffer, at most %u", *bone_attribs,
                        c->limits->max_bone_attribs);
        else
            read_bones(c, in, vb, attribs, source);
        return;
    }
    for (int i = 0; i < STN_ATTR_BONEIDX; i++) {
        size_t n = strlen(attrs[i].name);
        if (strncmp(source, attrs[i].name, n) == 0 && (len == n || (len == n + 1 && source[n] == '2'))) {
            read_floats(c, in, vb, attribs, (stn_attr)i, source, len > n);
            return;
        }
    }
    stn_rd_fail(c, STN_FAULT_FORMAT, "unknown vertex attribute \"%s\"",
                stn_text_show(source, len, shown, sizeof shown));
}

stn_status stn_decode_vbuf(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_vbuf *vb = stn_rd_zalloc(c, 1, sizeof *vb);
    stn_vec attribs = {0};
    uint32_t bone_attribs = 0;
    uint8_t flags = stn_bytes_u8(in);

    if (!vb)
        return stn_rd_end(c);
    if (flags > 1)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "version and flags %u, known are 0 and 1", flags);
    if (flags == 1)
        vb->id = stn_bytes_i16(in);
    vb->num = stn_bytes_u16(in);
    while (stn_rd_ok(c) && stn_bytes_left(in) > 0) {
        const char *source = stn_rd_text(c, in);
        if (flags == 0) {
            read_attribute(c, in, vb, &attribs, source, &bone_attribs);
            continue;
        }
        uint32_t len;
        const uint8_t *data = stn_rd_blob32(c, in, &len);
        if (!data)
            break;
        stn_bytes sub = stn_bytes_of(data, len);
        c->in = &sub;
        read_attribute(c, &sub, vb, &attribs, source, &bone_attribs);
        stn_rd_end(c);
        c->in = in;
    }
    if (stn_rd_ok(c) && attribs.count == 0)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "no vertex attribute");
    vb->count = attribs.count;
    vb->attribs = attribs.items;
    *out = vb;
    return stn_rd_end(c);
}

/* ---- writing ---- */

typedef struct bone_weight {
    uint32_t vertex;
    float weight;
} bone_weight;

/* All kept influences, bucketed by bone, vertices rising. starts: bone_count + 1 offsets. */
static bone_weight *by_bone(const stn_res_vbuf *vb, const int32_t *idx, const float *wgt, uint32_t *starts)
{
    size_t n = 4 * (size_t)vb->num;
    for (size_t i = 0; i < n; i++)
        if (idx[i] >= 0 && (uint32_t)idx[i] < vb->bone_count && wgt[i] != 0)
            starts[idx[i] + 1]++;
    for (uint32_t b = 0; b < vb->bone_count; b++)
        starts[b + 1] += starts[b];
    bone_weight *out = malloc((starts[vb->bone_count] + 1) * sizeof *out);
    for (size_t i = 0; out && i < n; i++)
        if (idx[i] >= 0 && (uint32_t)idx[i] < vb->bone_count && wgt[i] != 0)
            out[starts[idx[i]]++] = (bone_weight){(uint32_t)(i / 4), wgt[i]};
    for (uint32_t b = vb->bone_count; b > 0; b--) /* filling moved each start to the next one's place */
        starts[b] = starts[b - 1];
    starts[0] = 0;
    return out;
}

/* Weights are stored as kept: normalised, at most four a vertex. */
static void put_bones(stn_wr *w, const stn_res_vbuf *vb, const stn_attrib *idx, const stn_attrib *wgt,
                      bool exact)
{
    uint32_t *starts = calloc((size_t)vb->bone_count + 2, sizeof *starts);
    bone_weight *all = starts && wgt ? by_bone(vb, idx->i, wgt->f, starts) : NULL;

    if (!all)
        stn_wr_fail(w, wgt ? "no memory for bone weights" : "bone indices without weights");
    stn_buf_u8(w->b, 1);
    stn_buf_cstr(w->b, exact ? "f4" : "un2");
    stn_buf_u8(w->b, 4);
    for (uint32_t bone = 0; all && bone < vb->bone_count; bone++) {
        stn_wr_name(w, vb->bones[bone], "bone name");
        for (uint32_t i = starts[bone], end = starts[bone + 1]; i < end;) {
            uint32_t n = 1;
            while (i + n < end && all[i + n].vertex == all[i].vertex + n)
                n++;
            stn_buf_u16(w->b, (uint16_t)n);
            stn_buf_u16(w->b, (uint16_t)all[i].vertex);
            for (; n > 0; n--, i++)
                if (exact)
                    stn_buf_f32(w->b, all[i].weight);
                else
                    stn_buf_u16(w->b, (uint16_t)(fminf(fmaxf(all[i].weight, 0), 1) * 65535.0f + 0.5f));
        }
        stn_buf_u32(w->b, 0);
    }
    stn_buf_u8(w->b, 0);
    free(all);
    free(starts);
}

static const char *small_format(const stn_attrib *a, size_t n)
{
    switch (a->attr) {
    case STN_ATTR_NRM:
    case STN_ATTR_TAN:
    case STN_ATTR_BIT:
        return "uvec2";
    case STN_ATTR_COL:
        for (size_t i = 0; i < n; i++)
            if (a->f[i] < 0)
                return "rn1";
        return "un1";
    default:
        return "rn2";
    }
}

static void put_vbuf(stn_wr *w, const stn_res_vbuf *vb, stn_vbuf_pack pack)
{
    if (vb->num > 65535)
        stn_wr_fail(w, "%u vertices, at most 65535 fit", vb->num);
    if (vb->count == 0)
        stn_wr_fail(w, "a vertex buffer needs at least one attribute");
    stn_buf_u8(w->b, 1);
    stn_wr_i16(w, vb->id, "id");
    stn_wr_u16(w, vb->num, "vertices");
    for (uint32_t i = 0; w->st == STN_OK && i < vb->count; i++) {
        const stn_attrib *a = &vb->attribs[i];
        stn_buf part = {0};
        stn_wr sub = {&part, w->err, STN_OK};
        size_t n = (size_t)vb->num * a->components;

        if (a->attr == STN_ATTR_BONEWGT)
            continue; /* written with its indices */
        if (a->attr == STN_ATTR_BONEIDX) {
            stn_buf_cstr(w->b, "bones2");
            put_bones(&sub, vb, a, stn_res_vbuf_attr(vb, STN_ATTR_BONEWGT), pack == STN_VBUF_EXACT);
        } else {
            stn_buf_printf(w->b, "%s2", attrs[a->attr].name);
            stn_buf_u8(w->b, 0);
            sub.st =
                stn_packed_write(&part, pack == STN_VBUF_EXACT ? "f4" : small_format(a, n), a->f, n, w->err);
        }
        stn_wr_i32(w, (int64_t)part.len, "attribute length");
        stn_buf_put(w->b, part.data, part.len);
        if (sub.st != STN_OK)
            w->st = sub.st;
        else if (part.failed)
            stn_wr_fail(w, "no memory for an attribute");
        stn_buf_fini(&part);
    }
}

void stn_encode_vbuf(stn_wr *w, const stn_res_layer *layer)
{
    put_vbuf(w, layer->as.vbuf, STN_VBUF_EXACT);
}

stn_status stn_res_encode_vbuf(const stn_res_vbuf *vbuf, stn_vbuf_pack pack, stn_buf *out, stn_err *err)
{
    stn_wr w = {out, err, STN_OK};
    put_vbuf(&w, vbuf, pack);
    if (w.st == STN_OK && out->failed)
        return stn_fail(err, STN_NO_MEMORY, "vertex buffer of %u vertices", vbuf->num);
    return w.st;
}
