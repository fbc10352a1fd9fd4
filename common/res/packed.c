#include "res/packed.h"

#include "res/numbers.h"

#include <math.h>

typedef enum packing {
    P_F4,
    P_F2,
    P_F1,
    P_SN4,
    P_SN2,
    P_SN1,
    P_UN4,
    P_UN2,
    P_UN1,
    P_RN4,
    P_RN2,
    P_RN1,
    P_SF9995,
    P_UVECH,
    P_UVEC1,
    P_UVEC2,
    PACKINGS
} packing;

static const struct {
    const char *name;
    uint8_t bytes; /* per element, or per three */
    uint8_t group; /* 1 or 3 */
    uint8_t heads; /* floats before the elements */
    double top; /* largest integer that the scale stands for */
} packings[PACKINGS] = {
    [P_F4] = {"f4", 4, 1, 0, 0},
    [P_F2] = {"f2", 2, 1, 0, 0},
    [P_F1] = {"f1", 1, 1, 0, 0},
    /* the 32-bit divisors are what the written constants 2^31-1 and 2^32-1 round to as floats */
    [P_SN4] = {"sn4", 4, 1, 1, 2147483648.0},
    [P_SN2] = {"sn2", 2, 1, 1, 32767.0},
    [P_SN1] = {"sn1", 1, 1, 1, 127.0},
    [P_UN4] = {"un4", 4, 1, 1, 4294967296.0},
    [P_UN2] = {"un2", 2, 1, 1, 65535.0},
    [P_UN1] = {"un1", 1, 1, 1, 255.0},
    [P_RN4] = {"rn4", 4, 1, 2, 4294967296.0},
    [P_RN2] = {"rn2", 2, 1, 2, 65535.0},
    [P_RN1] = {"rn1", 1, 1, 2, 255.0},
    [P_SF9995] = {"sf9995", 4, 3, 0, 0},
    [P_UVECH] = {"uvech", 1, 3, 0, 7.0},
    [P_UVEC1] = {"uvec1", 2, 3, 0, 127.0},
    [P_UVEC2] = {"uvec2", 4, 3, 0, 32767.0},
};

static packing find(const char *name)
{
    packing p = 0;
    while (p < PACKINGS && strcmp(packings[p].name, name) != 0)
        p++;
    return p;
}

stn_status stn_packed_open(stn_bytes *in, size_t count, stn_packed *out, stn_res_fault_kind *fault,
                           stn_err *err)
{
    uint8_t version = stn_bytes_u8(in);
    const char *name = stn_bytes_cstr(in, NULL);
    stn_res_fault_kind kind = STN_FAULT_NONE;
    packing p = name ? find(name) : PACKINGS;

    *out = (stn_packed){.count = count};
    if (in->bad) {
        kind = STN_FAULT_TRUNCATED;
        stn_fail(err, STN_TRUNCATED, "packed array ends inside its head");
    } else if (version != 1 || p == PACKINGS) {
        kind = STN_FAULT_FORMAT;
        stn_fail(err, STN_BAD_DATA, "packed array of version %u, format \"%.16s\": not known", version, name);
    } else if (count % packings[p].group) {
        kind = STN_FAULT_RANGE;
        stn_fail(err, STN_BAD_DATA, "%zu elements in format \"%s\", which packs three at a time", count,
                 name);
    } else {
        out->format = packings[p].name;
        if (packings[p].heads == 2)
            out->offset = stn_bytes_f32(in);
        if (packings[p].heads >= 1)
            out->scale = stn_bytes_f32(in);
        out->data = stn_bytes_take(in, count / packings[p].group * packings[p].bytes);
        if (in->bad) {
            kind = STN_FAULT_TRUNCATED;
            stn_fail(err, STN_TRUNCATED, "packed array of %zu elements in format \"%s\" ends early", count,
                     name);
        }
    }
    if (fault)
        *fault = kind;
    return stn_res_fault_status(kind);
}

static void oct_of(float x, float y, float step, float *out)
{
    stn_res_oct(x * step, y * step, out);
}

void stn_packed_decode(const stn_packed *packed, float *out)
{
    packing p = find(packed->format);
    const uint8_t *d = packed->data;
    size_t n = packed->count;
    /* one float division, then a multiplication an element: both roundings are the reference's */
    float k = packed->scale / (float)packings[p].top, m = packed->offset;

    switch (p) {
    case P_F4:
        for (size_t i = 0; i < n; i++)
            out[i] = stn_f32_of_bits(stn_ld32(d + 4 * i));
        break;
    case P_F2:
        for (size_t i = 0; i < n; i++)
            out[i] = stn_res_f16(stn_ld16(d + 2 * i));
        break;
    case P_F1:
        for (size_t i = 0; i < n; i++)
            out[i] = stn_res_f8(d[i]);
        break;
    case P_SN4:
        for (size_t i = 0; i < n; i++)
            out[i] = (float)(int32_t)stn_ld32(d + 4 * i) * k;
        break;
    case P_SN2:
        for (size_t i = 0; i < n; i++)
            out[i] = (float)(int16_t)stn_ld16(d + 2 * i) * k;
        break;
    case P_SN1:
        for (size_t i = 0; i < n; i++)
            out[i] = (float)(int8_t)d[i] * k;
        break;
    case P_UN4:
        for (size_t i = 0; i < n; i++)
            out[i] = (float)stn_ld32(d + 4 * i) * k;
        break;
    case P_UN2:
        for (size_t i = 0; i < n; i++)
            out[i] = (float)stn_ld16(d + 2 * i) * k;
        break;
    case P_UN1:
        for (size_t i = 0; i < n; i++)
            out[i] = (float)d[i] * k;
        break;
    case P_RN4:
        for (size_t i = 0; i < n; i++)
            out[i] = ((float)stn_ld32(d + 4 * i) * k) + m;
        break;
    case P_RN2:
        for (size_t i = 0; i < n; i++)
            out[i] = ((float)stn_ld16(d + 2 * i) * k) + m;
        break;
    case P_RN1:
        for (size_t i = 0; i < n; i++)
            out[i] = ((float)d[i] * k) + m;
        break;
    case P_SF9995:
        for (size_t i = 0; i < n / 3; i++)
            stn_res_sf9995(stn_ld32(d + 4 * i), out + 3 * i);
        break;
    case P_UVECH:
        for (size_t i = 0; i < n / 3; i++) {
            int a = d[i] >> 4, b = d[i] & 15;
            oct_of((float)(a > 7 ? a - 16 : a), (float)(b > 7 ? b - 16 : b), 1.0f / 7.0f, out + 3 * i);
        }
        break;
    case P_UVEC1:
        for (size_t i = 0; i < n / 3; i++)
            oct_of((float)(int8_t)d[2 * i], (float)(int8_t)d[2 * i + 1], 1.0f / 127.0f, out + 3 * i);
        break;
    case P_UVEC2:
        for (size_t i = 0; i < n / 3; i++)
            oct_of((float)(int16_t)stn_ld16(d + 4 * i), (float)(int16_t)stn_ld16(d + 4 * i + 2),
                   1.0f / 32767.0f, out + 3 * i);
        break;
    case PACKINGS:
        break;
    }
}

/* ---- writing ---- */

static void put_int(stn_buf *b, uint8_t bytes, int64_t v)
{
    if (bytes == 1)
        stn_buf_u8(b, (uint8_t)v);
    else if (bytes == 2)
        stn_buf_u16(b, (uint16_t)v);
    else
        stn_buf_u32(b, (uint32_t)v);
}

static double clamp(double v, double lo, double hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

static void write_scaled(stn_buf *b, packing p, const float *v, size_t n)
{
    float lo = n ? v[0] : 0, hi = lo;
    bool is_signed = p == P_SN4 || p == P_SN2 || p == P_SN1, ranged = packings[p].heads == 2;
    double top = packings[p].top, most = top;

    for (size_t i = 1; i < n; i++) {
        lo = v[i] < lo ? v[i] : lo;
        hi = v[i] > hi ? v[i] : hi;
    }
    if (packings[p].bytes == 4)
        most = is_signed ? 2147483647.0 : 4294967295.0;
    float m = ranged ? lo : 0.0f, f = ranged ? hi - lo : fmaxf(fabsf(lo), fabsf(hi));
    if (!(f > 0))
        f = 1.0f;
    if (ranged)
        stn_buf_f32(b, m);
    stn_buf_f32(b, f);
    for (size_t i = 0; i < n; i++) {
        double x = floor(((double)v[i] - (double)m) / (double)f * top + 0.5);
        put_int(b, packings[p].bytes, (int64_t)clamp(x, is_signed ? -most : 0, most));
    }
}

static void write_oct(stn_buf *b, packing p, const float *v, size_t n)
{
    double top = packings[p].top;
    for (size_t i = 0; i < n; i += 3) {
        float o[2];
        int64_t q[2];
        stn_res_to_oct(v[i], v[i + 1], v[i + 2], o);
        for (int k = 0; k < 2; k++) /* a zero vector has no direction: NaN, written as 0 */
            q[k] = isnan(o[k]) ? 0 : (int64_t)clamp(floor((double)o[k] * top + 0.5), -top, top);
        if (p == P_UVECH) {
            stn_buf_u8(b, (uint8_t)((q[0] & 15) << 4 | (q[1] & 15)));
        } else {
            put_int(b, packings[p].bytes / 2, q[0]);
            put_int(b, packings[p].bytes / 2, q[1]);
        }
    }
}

/* Nearest word for three floats under one exponent; too large ones saturate. */
static uint32_t to_sf9995(const float v[3])
{
    double big = fmax(fabs((double)v[0]), fmax(fabs((double)v[1]), fabs((double)v[2])));
    int e = -15;
    while (e < 16 && floor(big / ldexp(1, e) * 128 + 0.5) > 255)
        e++;
    uint32_t w = (uint32_t)(e + 15);
    for (int k = 0; k < 3; k++) {
        double mag = clamp(floor(fabs((double)v[k]) / ldexp(1, e) * 128 + 0.5), 0, 255);
        w |= ((uint32_t)mag | (signbit(v[k]) ? 256u : 0u)) << (23 - 9 * k);
    }
    return w;
}

stn_status stn_packed_write(stn_buf *out, const char *format, const float *values, size_t count, stn_err *err)
{
    packing p = find(format);

    if (p == PACKINGS)
        return stn_fail(err, STN_USAGE, "packed format \"%.16s\" is not known", format);
    if (count % packings[p].group)
        return stn_fail(err, STN_USAGE, "%zu elements do not fit format \"%s\", which packs three at a time",
                        count, format);
    for (size_t i = 0; p > P_F1 && i < count; i++)
        if (!isfinite(values[i]))
            return stn_fail(err, STN_USAGE, "element %zu is not finite, format \"%s\" cannot hold it", i,
                            format);
    if (packings[p].heads == 1 && packings[p].name[0] == 'u')
        for (size_t i = 0; i < count; i++)
            if (values[i] < 0)
                return stn_fail(err, STN_USAGE, "element %zu is negative, format \"%s\" cannot hold it", i,
                                format);
    stn_buf_u8(out, 1);
    stn_buf_cstr(out, format);
    if (p == P_F4) {
        for (size_t i = 0; i < count; i++)
            stn_buf_f32(out, values[i]);
    } else if (p == P_F2) {
        for (size_t i = 0; i < count; i++)
            stn_buf_u16(out, stn_res_to_f16(values[i]));
    } else if (p == P_F1) {
        for (size_t i = 0; i < count; i++)
            stn_buf_u8(out, stn_res_to_f8(values[i]));
    } else if (p == P_SF9995) {
        for (size_t i = 0; i < count; i += 3)
            stn_buf_u32(out, to_sf9995(values + i));
    } else if (packings[p].group == 3) {
        write_oct(out, p, values, count);
    } else {
        write_scaled(out, p, values, count);
    }
    return out->failed ? stn_fail(err, STN_NO_MEMORY, "packed array of %zu elements", count) : STN_OK;
}
