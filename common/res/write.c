#include "res/write.h"

#include "res/internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void stn_wr_fail(stn_wr *w, const char *fmt, ...)
{
    char text[200];
    va_list ap;

    if (w->st != STN_OK)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    w->st = stn_fail(w->err, STN_USAGE, "%s", text);
}

static bool fits(stn_wr *w, int64_t v, int64_t lo, int64_t hi, const char *what)
{
    if (v >= lo && v <= hi)
        return true;
    stn_wr_fail(w, "%s %lld does not fit %lld..%lld", what, (long long)v, (long long)lo, (long long)hi);
    return false;
}

void stn_wr_u8(stn_wr *w, int64_t v, const char *what)
{
    if (fits(w, v, 0, UINT8_MAX, what))
        stn_buf_u8(w->b, (uint8_t)v);
}

void stn_wr_i16(stn_wr *w, int64_t v, const char *what)
{
    if (fits(w, v, INT16_MIN, INT16_MAX, what))
        stn_buf_u16(w->b, (uint16_t)v);
}

void stn_wr_u16(stn_wr *w, int64_t v, const char *what)
{
    if (fits(w, v, 0, UINT16_MAX, what))
        stn_buf_u16(w->b, (uint16_t)v);
}

void stn_wr_i32(stn_wr *w, int64_t v, const char *what)
{
    if (fits(w, v, INT32_MIN, INT32_MAX, what))
        stn_buf_u32(w->b, (uint32_t)v);
}

void stn_wr_text(stn_wr *w, const char *text, const char *what)
{
    if (text)
        stn_buf_cstr(w->b, text);
    else
        stn_wr_fail(w, "%s is missing", what);
}

void stn_wr_name(stn_wr *w, const char *text, const char *what)
{
    if (text && *text)
        stn_buf_cstr(w->b, text);
    else
        stn_wr_fail(w, "%s is empty, which would end its list", what);
}

void stn_wr_cfloat(stn_wr *w, double v, const char *what)
{
    uint8_t b[5];
    if (stn_res_to_cfloat(v, b))
        stn_buf_put(w->b, b, 5);
    else
        stn_wr_fail(w, "%s %g does not fit a compact float", what, v);
}

void stn_wr_resref(stn_wr *w, const stn_resref *ref, const char *what)
{
    stn_wr_text(w, ref->name, what);
    stn_wr_u16(w, ref->version, "version");
}

void stn_wr_value(stn_wr *w, const stn_value *v)
{
    if (w->st == STN_OK)
        w->st = stn_value_write(w->b, v, w->err);
}

void stn_wr_values(stn_wr *w, const stn_values *v, bool close)
{
    if (w->st == STN_OK)
        w->st = stn_values_write(w->b, v, close, w->err);
}

void stn_wr_entries(stn_wr *w, const stn_entries *e)
{
    for (uint32_t i = 0; i < e->count; i++) {
        stn_wr_name(w, e->items[i].key, "key");
        stn_wr_value(w, &e->items[i].value);
    }
    stn_buf_u8(w->b, 0);
}

void stn_wr_unit_axis(stn_wr *w, const float axis[3])
{
    float o[2];
    stn_res_to_oct(axis[0], axis[1], axis[2], o);
    for (int k = 0; k < 2; k++) { /* no direction: NaN, written as 0 */
        double q = isnan(o[k]) ? 0 : floor((double)o[k] * 32767.0 + 0.5);
        stn_wr_i16(w, (int64_t)q, "axis");
    }
}

void stn_wr_angle16(stn_wr *w, float angle)
{
    double turns = (double)angle / (2.0 * M_PI);
    if (!isfinite(turns))
        stn_wr_fail(w, "angle %g", (double)angle);
    else
        stn_buf_u16(w->b, (uint16_t)(int64_t)floor((turns - floor(turns)) * 65536.0 + 0.5));
}

stn_status stn_res_encode(const stn_res_layer *layer, stn_buf *out, stn_err *err)
{
    stn_wr w = {out, err, STN_OK};

    if (layer->kind == STN_LAYER_UNKNOWN || (unsigned)layer->kind >= STN_LAYER_KINDS) {
        if (layer->raw_len)
            stn_buf_put(out, layer->raw, layer->raw_len);
    } else {
        stn_layer_rows[layer->kind].encode(&w, layer);
    }
    if (w.st == STN_OK && out->failed)
        return stn_fail(err, STN_NO_MEMORY, "layer \"%s\"", stn_layer_kind_name(layer->kind));
    if (w.st != STN_OK && layer->kind != STN_LAYER_UNKNOWN)
        return stn_fail_in(err, w.st, "layer \"%s\"", stn_layer_kind_name(layer->kind));
    return w.st;
}

stn_status stn_res_put_layer(stn_buf *out, const stn_res_layer *layer, stn_err *err)
{
    const char *type = layer->kind == STN_LAYER_UNKNOWN ? layer->type : stn_layer_kind_name(layer->kind);
    stn_buf payload = {0};
    stn_status st = stn_res_encode(layer, &payload, err);

    if (st == STN_OK)
        st = stn_res_put_record(out, type, strlen(type), payload.data, payload.len, err);
    stn_buf_fini(&payload);
    return st;
}

stn_status stn_res_write(const stn_res *res, stn_buf *out, stn_err *err)
{
    stn_res_put_head(out, stn_res_version(res));
    for (uint32_t i = 0; i < stn_res_count(res); i++) {
        const stn_res_layer *l = stn_res_layer_at(res, i);
        stn_status st = stn_res_put_record(out, l->type, strlen(l->type), l->raw, l->raw_len, err);
        if (st != STN_OK)
            return st;
    }
    return out->failed ? stn_fail(err, STN_NO_MEMORY, "resource of %zu bytes", out->len) : STN_OK;
}
