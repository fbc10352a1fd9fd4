#include "res/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

stn_status stn_rd_fail(stn_rd *c, stn_res_fault_kind kind, const char *fmt, ...)
{
    char text[200];
    va_list ap;

    if (c->fault != STN_FAULT_NONE)
        return stn_res_fault_status(c->fault);
    /* Behind the end every field reads as zero: what looks wrong then is only missing. */
    if (c->in && c->in->bad && kind != STN_FAULT_LIMIT && kind != STN_FAULT_LENGTH) {
        c->fault = STN_FAULT_TRUNCATED;
        return stn_fail(c->err, STN_TRUNCATED, "ends inside a field, %zu bytes were there", c->in->len);
    }
    c->fault = kind;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return stn_fail(c->err, stn_res_fault_status(kind), "%s", text);
}

stn_status stn_rd_end(stn_rd *c)
{
    if (c->fault == STN_FAULT_NONE && c->in->bad)
        stn_rd_fail(c, STN_FAULT_TRUNCATED, "truncated");
    return stn_res_fault_status(c->fault);
}

void *stn_rd_alloc(stn_rd *c, size_t count, size_t size)
{
    void *p = stn_arena_array(c->arena, count ? count : 1, size);
    if (!p) {
        /* the arena says no for two reasons: its ceiling, or the machine's */
        size_t room = c->limits->max_decoded - stn_arena_size(c->arena);
        bool over = count > room / size;
        stn_rd_fail(c, over ? STN_FAULT_LIMIT : STN_FAULT_MEMORY,
                    "needs %zu items of %zu bytes more, over the %zu bytes a resource may decode to", count,
                    size, c->limits->max_decoded);
    }
    return p;
}

void *stn_rd_zalloc(stn_rd *c, size_t count, size_t size)
{
    void *p = stn_rd_alloc(c, count, size);
    if (p)
        memset(p, 0, (count ? count : 1) * size);
    return p;
}

bool stn_rd_fits(stn_rd *c, const stn_bytes *in, uint64_t count, uint64_t min_bytes, const char *what)
{
    if (!stn_rd_ok(c)) {
        stn_rd_end(c);
        return false;
    }
    if (count * min_bytes <= stn_bytes_left(in)) /* counts are at most 32 bits, so this cannot wrap */
        return true;
    stn_rd_fail(c, STN_FAULT_TRUNCATED, "%s: %llu announced, at least %llu bytes, %zu left", what,
                (unsigned long long)count, (unsigned long long)(count * min_bytes), stn_bytes_left(in));
    return false;
}

void *stn_vec_push(stn_rd *c, stn_vec *v, size_t size)
{
    if (v->count == v->cap) {
        uint32_t cap = v->cap ? v->cap * 2 : 4;
        void *p = stn_rd_alloc(c, cap, size);
        if (!p)
            return NULL;
        if (v->count)
            memcpy(p, v->items, v->count * size);
        v->items = p;
        v->cap = cap;
    }
    void *item = (char *)v->items + v->count++ * size;
    memset(item, 0, size);
    return item;
}

const char *stn_rd_text(stn_rd *c, stn_bytes *in)
{
    (void)c;
    const char *s = stn_bytes_cstr(in, NULL);
    return s ? s : "";
}

stn_resref stn_rd_resref(stn_rd *c, stn_bytes *in)
{
    stn_resref ref;
    ref.name = stn_rd_text(c, in);
    ref.version = stn_bytes_u16(in);
    return ref;
}

double stn_rd_cfloat(stn_rd *c, stn_bytes *in)
{
    double v = 0;
    int8_t e = stn_bytes_i8(in);
    uint32_t t = stn_bytes_u32(in);
    if (!in->bad && !stn_res_cfloat(e, t, &v))
        stn_rd_fail(c, STN_FAULT_VALUE, "compact float 80 %08x is no number", t);
    return v;
}

stn_value stn_rd_value(stn_rd *c, stn_bytes *in)
{
    stn_value v = {0};
    stn_err err = {0};
    stn_res_fault_kind fault = STN_FAULT_NONE;
    if (stn_value_read(in, c->arena, c->limits->max_depth, &v, &fault, &err) != STN_OK)
        stn_rd_fail(c, fault, "%s", err.text);
    return v;
}

stn_values stn_rd_values(stn_rd *c, stn_bytes *in)
{
    stn_values v = {0};
    stn_err err = {0};
    stn_res_fault_kind fault = STN_FAULT_NONE;
    if (stn_values_read(in, c->arena, c->limits->max_depth, &v, NULL, &fault, &err) != STN_OK)
        stn_rd_fail(c, fault, "%s", err.text);
    return v;
}

stn_entries stn_rd_entries(stn_rd *c, stn_bytes *in)
{
    stn_vec v = {0};
    while (stn_rd_ok(c)) {
        const char *key = stn_rd_text(c, in);
        if (!*key)
            break;
        stn_value value = stn_rd_value(c, in);
        stn_entry *e = stn_rd_ok(c) ? stn_vec_push(c, &v, sizeof *e) : NULL;
        if (e)
            *e = (stn_entry){key, value};
    }
    return (stn_entries){v.count, v.items};
}

const uint8_t *stn_rd_blob32(stn_rd *c, stn_bytes *in, uint32_t *len)
{
    int32_t n = stn_bytes_i32(in);
    *len = 0;
    if (!stn_rd_ok(c))
        return NULL;
    if (n < 0 || (size_t)n > stn_bytes_left(in)) {
        stn_rd_fail(c, STN_FAULT_LENGTH, "byte length %d, %zu left", n, stn_bytes_left(in));
        return NULL;
    }
    *len = (uint32_t)n;
    return stn_bytes_take(in, (size_t)n);
}

void stn_rd_picture(stn_rd *c, const uint8_t *data, uint32_t len, uint32_t *w, uint32_t *h,
                    const uint8_t **rgba)
{
    stn_picture_info info;
    stn_res_fault_kind fault = STN_FAULT_NONE;
    stn_err err = {0};

    *w = *h = 0;
    *rgba = NULL;
    if (stn_picture_probe(data, len, c->limits, &info, &fault, &err) != STN_OK) {
        stn_rd_fail(c, fault, "%s", err.text);
        return;
    }
    uint64_t samples = (uint64_t)info.w * info.h;
    if (samples > c->samples_left) {
        stn_rd_fail(c, STN_FAULT_LIMIT, "picture of %ux%u is over the %llu pixels a resource may have",
                    info.w, info.h, (unsigned long long)c->limits->max_samples);
        return;
    }
    c->samples_left -= samples;
    *w = info.w;
    *h = info.h;
    if (c->pixels != STN_RES_DECODE)
        return;
    size_t bytes = (size_t)samples * 4;
    stn_pixel_block *block = stn_rd_alloc(c, 1, sizeof *block);
    uint8_t *out = block ? malloc(bytes) : NULL;
    if (!out) {
        stn_rd_fail(c, STN_FAULT_MEMORY, "picture of %ux%u pixels", info.w, info.h);
        return;
    }
    *block = (stn_pixel_block){c->blocks, out};
    c->blocks = block;
    c->block_bytes += bytes;
    if (stn_picture_rgba(data, len, c->limits, out, bytes, &fault, &err) != STN_OK)
        stn_rd_fail(c, fault, "%s", err.text);
    *rgba = out;
}

stn_status stn_rd_convert(stn_rd *c, stn_status st, const stn_err *why, const char *what)
{
    return st == STN_OK ? STN_OK : stn_rd_fail(c, STN_FAULT_VALUE, "%s: %s", what, why->text);
}

const stn_res_layer *const *stn_rd_list(stn_rd *c, stn_layer_kind kind, uint32_t *count)
{
    *count = 0;
    if (!c->listed) {
        uint32_t counts[STN_LAYER_KINDS] = {0};
        for (uint32_t i = 0; i < c->count; i++)
            counts[c->layers[i].kind]++;
        const stn_res_layer **all = stn_rd_alloc(c, c->count, sizeof *all);
        if (!all)
            return NULL;
        for (int k = 0; k < STN_LAYER_KINDS; all += counts[k++])
            c->lists[k] = all;
        for (uint32_t i = 0; i < c->count; i++) {
            stn_layer_kind k = c->layers[i].kind;
            c->lists[k][c->list_counts[k]++] = &c->layers[i];
        }
        c->listed = true;
    }
    *count = c->list_counts[kind];
    return c->lists[kind];
}

static uint64_t id_key(stn_layer_kind kind, int32_t id)
{
    return (uint64_t)kind << 32 | (uint32_t)id;
}

const stn_res_layer *stn_rd_by_id(stn_rd *c, stn_layer_kind kind, int32_t id)
{
    if (!c->ids) {
        if (!(c->ids = stn_table_new()))
            goto no_memory;
        for (uint32_t i = 0; i < c->count; i++) {
            const stn_res_layer *l = &c->layers[i];
            bool mat = l->kind == STN_LAYER_MAT;
            if (!mat && l->kind != STN_LAYER_VBUF)
                continue;
            uint64_t key = id_key(l->kind, mat ? l->as.mat->id : l->as.vbuf->id);
            if ((mat || !stn_table_get(c->ids, key)) &&
                !stn_table_put(c->ids, key, (void *)(uintptr_t)l, NULL))
                goto no_memory;
        }
    }
    return stn_table_get(c->ids, id_key(kind, id));
no_memory:
    stn_rd_fail(c, STN_FAULT_MEMORY, "table of layers");
    return NULL;
}
