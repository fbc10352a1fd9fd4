/* layer_image.c - "image" and "anim": pictures and sequences of them. Source: docs/spec/resource-format.md 10
 * and 22. */
#include "res/internal.h"

#include <math.h>
#include <stdlib.h>

/* One entry of the old form's info block; the size alone says the type of unknown keys. */
static void old_info(stn_rd *c, stn_res_image *m, stn_vec *info, const char *key, stn_bytes *v)
{
    uint32_t n = (uint32_t)stn_bytes_left(v);
    stn_entry *e;

    if (strcmp(key, "tsz") == 0) {
        m->has_tsz = true;
        m->tsz[0] = stn_bytes_i32(v);
        m->tsz[1] = stn_bytes_i32(v);
    } else if (strcmp(key, "scale") == 0) {
        m->scale = stn_bytes_f32(v);
    } else if ((e = stn_vec_push(c, info, sizeof *e)) != NULL) {
        e->key = key;
        if (n == 1) {
            e->value = stn_value_int(stn_bytes_i8(v));
        } else if (n == 4) {
            e->value = stn_value_f32(stn_bytes_f32(v));
        } else if (n == 8) {
            e->value = (stn_value){.kind = STN_VALUE_COORD};
            e->value.u.coord[0] = stn_bytes_i32(v);
            e->value.u.coord[1] = stn_bytes_i32(v);
        } else {
            e->value = (stn_value){.kind = STN_VALUE_BYTES, .len = n, .u.bytes = v->data};
        }
    }
}

static void read_old(stn_rd *c, stn_bytes *in, stn_res_image *m, stn_vec *info)
{
    m->z = stn_bytes_i16(in);
    m->subz = stn_bytes_i16(in);
    uint8_t flags = stn_bytes_u8(in);
    m->nooff = flags & 2;
    m->id = stn_bytes_i16(in);
    m->off[0] = stn_bytes_i16(in);
    m->off[1] = stn_bytes_i16(in);
    while ((flags & 4) && stn_rd_ok(c)) {
        const char *key = stn_rd_text(c, in);
        if (!*key)
            break;
        uint32_t n = stn_bytes_u8(in);
        const uint8_t *data;
        if (n & 128)
            data = stn_rd_blob32(c, in, &n);
        else
            data = stn_bytes_take(in, n);
        if (!stn_rd_ok(c))
            break;
        stn_bytes sub = stn_bytes_of(data, n);
        c->in = &sub;
        old_info(c, m, info, key, &sub);
        stn_rd_end(c);
        c->in = in;
    }
}

static void read_keyed(stn_rd *c, stn_bytes *in, stn_res_image *m, stn_vec *info)
{
    stn_err err = {0};

    m->keyed = true;
    stn_bytes_u8(in);
    m->id = stn_bytes_i16(in);
    while (stn_rd_ok(c)) {
        const char *key = stn_rd_text(c, in);
        if (!*key)
            break;
        stn_value v = stn_rd_value(c, in);
        stn_status st = STN_OK;
        if (!stn_rd_ok(c))
            break;
        if (strcmp(key, "z") == 0) {
            st = stn_value_as_int(&v, &m->z, &err);
        } else if (strcmp(key, "subz") == 0) {
            st = stn_value_as_int(&v, &m->subz, &err);
        } else if (strcmp(key, "nooff") == 0) {
            st = stn_value_as_bool(&v, &m->nooff, &err);
        } else if (strcmp(key, "off") == 0) {
            st = stn_value_as_coord(&v, m->off, &err);
        } else if (strcmp(key, "tsz") == 0) {
            m->has_tsz = v.kind != STN_VALUE_NIL;
            if (m->has_tsz)
                st = stn_value_as_coord(&v, m->tsz, &err);
        } else if (strcmp(key, "scale") == 0) {
            st = stn_value_as_float(&v, &m->scale, &err);
        } else {
            stn_entry *e = stn_vec_push(c, info, sizeof *e);
            if (e)
                *e = (stn_entry){key, v};
        }
        stn_rd_convert(c, st, &err, key);
    }
}

stn_status stn_decode_image(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_image *m = stn_rd_zalloc(c, 1, sizeof *m);
    stn_vec info = {0};

    if (!m)
        return stn_rd_end(c);
    *out = m;
    m->scale = 1;
    uint8_t head = in->len ? in->data[0] : 0;
    if (head < 128)
        read_old(c, in, m, &info);
    else if (head == 129)
        read_keyed(c, in, m, &info);
    else
        return stn_rd_fail(c, STN_FAULT_FORMAT, "keyed form of version %u, known is 1", head - 128u);
    m->info = (stn_entries){info.count, info.items};
    if (!stn_rd_ok(c))
        return stn_rd_end(c);
    m->picture_len = (uint32_t)stn_bytes_left(in);
    m->picture = stn_bytes_take(in, m->picture_len);
    stn_rd_picture(c, m->picture, m->picture_len, &m->w, &m->h, &m->rgba);
    for (int k = 0; !m->has_tsz && k < 2; k++) /* sums wrap */
        m->tsz[k] = (int32_t)((k ? m->h : m->w) + (uint32_t)m->off[k]);
    return stn_rd_end(c);
}

/* ---- UI sizes ---- */

static int32_t to_int(double v)
{
    if (isnan(v))
        return 0;
    return v >= 2147483647.0 ? INT32_MAX : v <= -2147483648.0 ? INT32_MIN : (int32_t)v;
}

stn_image_geometry stn_res_image_geometry(const stn_res_image *image, double ui_scale)
{
    stn_image_geometry g;
    const int32_t size[2] = {(int32_t)image->w, (int32_t)image->h};

    for (int k = 0; k < 2; k++) {
        /* float until the scale is applied; rounding half up in double, where adding a half is exact */
        g.ssz[k] = to_int(floor((double)(((float)size[k] / image->scale) * (float)ui_scale) + 0.5));
        g.stsz[k] = to_int(floor((double)(((float)image->tsz[k] / image->scale) * (float)ui_scale) + 0.5));
        g.so[k] = to_int(floor(image->off[k] * ui_scale + 0.5));
        int32_t most = (int32_t)((uint32_t)g.stsz[k] - (uint32_t)g.ssz[k]);
        g.so[k] = g.so[k] < most ? g.so[k] : most;
    }
    return g;
}

stn_status stn_res_image_scaled(const stn_res_image *image, double ui_scale, const stn_res_limits *limits,
                                uint8_t *out, size_t out_bytes, stn_res_fault_kind *fault, stn_err *err)
{
    stn_image_geometry g = stn_res_image_geometry(image, ui_scale);
    const stn_res_limits *l = limits ? limits : &stn_res_default_limits;
    stn_raster raster;
    stn_status st;

    if (fault)
        *fault = STN_FAULT_NONE;
    if (g.ssz[0] < 1 || g.ssz[1] < 1 || (uint32_t)g.ssz[0] > l->max_side ||
        (uint32_t)g.ssz[1] > l->max_side || (uint64_t)g.ssz[0] * (uint64_t)g.ssz[1] > l->max_pixels) {
        if (fault)
            *fault = STN_FAULT_VALUE;
        return stn_fail(err, STN_BAD_DATA, "scale %g makes a picture of %dx%d", (double)image->scale,
                        g.ssz[0], g.ssz[1]);
    }
    if ((uint64_t)g.ssz[0] * (uint64_t)g.ssz[1] * 4 > out_bytes)
        return stn_fail(err, STN_USAGE, "%zu bytes for a picture of %dx%d", out_bytes, g.ssz[0], g.ssz[1]);
    if ((st = stn_picture_raster(image->picture, image->picture_len, limits, &raster, fault, err)) != STN_OK)
        return st;
    st = stn_raster_scaled(&raster, (uint32_t)g.ssz[0], (uint32_t)g.ssz[1], out, fault, err);
    stn_raster_fini(&raster);
    return st;
}

/* ---- writing ---- */

static bool fits16(int32_t v)
{
    return v >= INT16_MIN && v <= INT16_MAX;
}

/* The bytes of an old-form info value; false: this kind has no shape there. */
static bool old_shape(const stn_value *v, stn_buf *b)
{
    switch ((stn_value_kind)v->kind) {
    case STN_VALUE_INT:
        stn_buf_u8(b, (uint8_t)v->u.i);
        return v->u.i >= INT8_MIN && v->u.i <= INT8_MAX;
    case STN_VALUE_F32:
        stn_buf_f32(b, v->u.f32);
        return true;
    case STN_VALUE_COORD:
        stn_buf_u32(b, (uint32_t)v->u.coord[0]);
        stn_buf_u32(b, (uint32_t)v->u.coord[1]);
        return true;
    case STN_VALUE_BYTES:
        if (v->len)
            stn_buf_put(b, v->u.bytes, v->len);
        return v->len != 1 && v->len != 4 && v->len != 8;
    default:
        return false;
    }
}

static bool old_suits(const stn_res_image *m)
{
    bool suits = !m->keyed && (m->z & 255) < 128 && fits16(m->z) && fits16(m->subz) && fits16(m->id) &&
                 fits16(m->off[0]) && fits16(m->off[1]);
    stn_buf b = {0};
    for (uint32_t i = 0; suits && i < m->info.count; i++)
        suits = old_shape(&m->info.items[i].value, &b);
    stn_buf_fini(&b);
    return suits;
}

static void put_info(stn_wr *w, const char *key, const stn_value *v)
{
    stn_buf b = {0};
    old_shape(v, &b);
    stn_wr_name(w, key, "info key");
    if (b.len < 128) {
        stn_buf_u8(w->b, (uint8_t)b.len);
    } else {
        stn_buf_u8(w->b, 128);
        stn_wr_i32(w, (int64_t)b.len, "info value");
    }
    if (b.len)
        stn_buf_put(w->b, b.data, b.len);
    if (b.failed)
        stn_wr_fail(w, "no memory for an info value");
    stn_buf_fini(&b);
}

static void put_old(stn_wr *w, const stn_res_image *m)
{
    stn_value tsz = {.kind = STN_VALUE_COORD, .u.coord = {m->tsz[0], m->tsz[1]}};
    stn_value scale = stn_value_f32(m->scale);
    bool info = m->info.count || m->has_tsz || m->scale != 1;

    stn_buf_u16(w->b, (uint16_t)m->z);
    stn_buf_u16(w->b, (uint16_t)m->subz);
    stn_buf_u8(w->b, (uint8_t)((m->nooff ? 2 : 0) | (info ? 4 : 0)));
    stn_buf_u16(w->b, (uint16_t)m->id);
    stn_buf_u16(w->b, (uint16_t)m->off[0]);
    stn_buf_u16(w->b, (uint16_t)m->off[1]);
    if (!info)
        return;
    if (m->has_tsz)
        put_info(w, "tsz", &tsz);
    if (m->scale != 1)
        put_info(w, "scale", &scale);
    for (uint32_t i = 0; i < m->info.count; i++)
        put_info(w, m->info.items[i].key, &m->info.items[i].value);
    stn_buf_u8(w->b, 0);
}

static void put_key(stn_wr *w, const char *key, stn_value v)
{
    stn_wr_name(w, key, "key");
    stn_wr_value(w, &v);
}

static int by_key(const void *a, const void *b)
{
    const stn_entry *p = *(const stn_entry *const *)a, *q = *(const stn_entry *const *)b;
    int c = strcmp(p->key, q->key);
    return c ? c : (p > q) - (p < q); /* of equal keys the last stays last */
}

static void put_keyed(stn_wr *w, const stn_res_image *m)
{
    const stn_entry **rest = calloc(m->info.count + 1, sizeof *rest);
    uint32_t n = 0;

    stn_buf_u8(w->b, 129);
    stn_wr_i16(w, m->id, "id");
    if (m->z)
        put_key(w, "z", stn_value_int(m->z));
    if (m->subz)
        put_key(w, "subz", stn_value_int(m->subz));
    if (m->nooff)
        put_key(w, "nooff", stn_value_int(1));
    if (m->off[0] || m->off[1])
        put_key(w, "off", (stn_value){.kind = STN_VALUE_COORD, .u.coord = {m->off[0], m->off[1]}});
    if (m->has_tsz)
        put_key(w, "tsz", (stn_value){.kind = STN_VALUE_COORD, .u.coord = {m->tsz[0], m->tsz[1]}});
    if (m->scale != 1)
        put_key(w, "scale", stn_value_f32(m->scale));
    if (!rest)
        stn_wr_fail(w, "no memory for %u keys", m->info.count);
    for (uint32_t i = 0; rest && i < m->info.count; i++)
        rest[n++] = &m->info.items[i];
    if (n)
        qsort(rest, n, sizeof *rest, by_key);
    for (uint32_t i = 0; i < n; i++)
        put_key(w, rest[i]->key, rest[i]->value);
    stn_buf_u8(w->b, 0);
    free(rest);
}

void stn_encode_image(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_image *m = layer->as.image;

    if (old_suits(m))
        put_old(w, m);
    else
        put_keyed(w, m);
    if (m->picture_len)
        stn_buf_put(w->b, m->picture, m->picture_len);
}

/* ---- anim ---- */

stn_status stn_decode_anim(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_anim *a = stn_rd_zalloc(c, 1, sizeof *a);

    if (!a)
        return stn_rd_end(c);
    a->id = stn_bytes_i16(in);
    a->frame_ms = stn_bytes_u16(in);
    a->count = stn_bytes_u16(in);
    if (!stn_rd_fits(c, in, a->count, 2, "frames"))
        return stn_rd_end(c);
    stn_anim_frame *f = stn_rd_zalloc(c, a->count, sizeof *f);
    for (uint32_t i = 0; f && i < a->count; i++)
        f[i].id = stn_bytes_i16(in);
    a->frames = f;
    *out = a;
    return stn_rd_end(c);
}

static int by_id(const void *a, const void *b)
{
    const stn_res_layer *p = *(const stn_res_layer *const *)a, *q = *(const stn_res_layer *const *)b;
    int32_t i = p->as.image->id, j = q->as.image->id;
    return i != j ? (i > j) - (i < j) : (p->index > q->index) - (p->index < q->index);
}

/* Index of the first image whose id is at least `id`. */
static uint32_t first_of(const stn_res_layer *const *images, uint32_t n, int32_t id)
{
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (images[mid]->as.image->id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Frames share slices of one list that is sorted by id, so that many frames of many images stay small. */
stn_status stn_link_anim(stn_rd *c, stn_res_layer *layer)
{
    const stn_res_anim *a = layer->as.anim;
    stn_anim_frame *frames = (stn_anim_frame *)(uintptr_t)a->frames;
    uint32_t n;
    const stn_res_layer *const *images = stn_rd_list(c, STN_LAYER_IMAGE, &n);

    if (images && !c->images_by_id && (c->images_by_id = stn_rd_alloc(c, n, sizeof *c->images_by_id))) {
        memcpy(c->images_by_id, images, n * sizeof *c->images_by_id);
        qsort(c->images_by_id, n, sizeof *c->images_by_id, by_id);
    }
    if (!c->images_by_id)
        return stn_rd_end(c);
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t first = first_of(c->images_by_id, n, frames[i].id);
        frames[i].images = c->images_by_id + first;
        frames[i].count = first_of(c->images_by_id, n, frames[i].id + 1) - first;
    }
    return STN_OK;
}

void stn_encode_anim(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_anim *a = layer->as.anim;

    stn_wr_i16(w, a->id, "id");
    stn_wr_u16(w, a->frame_ms, "frame time");
    stn_wr_u16(w, a->count, "frames");
    for (uint32_t i = 0; i < a->count; i++)
        stn_wr_i16(w, a->frames[i].id, "image id");
}
