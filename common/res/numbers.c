#include "res/numbers.h"

#include <math.h>

float stn_res_f16(uint16_t bits)
{
    uint32_t s = (uint32_t)(bits >> 15) << 31, e = bits >> 10 & 31, m = bits & 0x3ff;
    if (e == 31)
        return stn_f32_of_bits(s | 0x7f800000 | m << 13);
    if (e)
        return stn_f32_of_bits(s | (e + 112) << 23 | m << 13);
    if (!m)
        return stn_f32_of_bits(s);
    uint32_t n = (uint32_t)__builtin_clz(m) - 22;
    return stn_f32_of_bits(s | (112 - n) << 23 | ((m << (n + 1)) & 0x3ff) << 13);
}

float stn_res_f8(uint8_t bits)
{
    uint32_t s = (uint32_t)(bits >> 7) << 31, e = bits >> 3 & 15, m = bits & 7;
    if (e == 15)
        return stn_f32_of_bits(s | 0x7f800000 | m << 20);
    if (e)
        return stn_f32_of_bits(s | (e + 120) << 23 | m << 20);
    if (!m)
        return stn_f32_of_bits(s);
    uint32_t n = (uint32_t)__builtin_clz(m) - 29;
    return stn_f32_of_bits(s | (120 - n) << 23 | ((m << (n + 1)) & 7) << 20);
}

/* The shared shape of both encoders: `low` and `high` bound the exponents that stay normal, `shift` is what
 * the mantissa loses, `exp_bits` and `man_bits` the target's layout. */
static uint32_t encode_small(float v, uint32_t low, uint32_t high, uint32_t shift, uint32_t exp_bits,
                             uint32_t man_bits)
{
    uint32_t bits = stn_bits_of_f32(v);
    if (isnan(v))
        bits = 0x7fc00000;
    uint32_t s = bits >> 31, e = bits >> 23 & 255, m = bits & 0x7fffff;
    uint32_t sign = s << (exp_bits + man_bits), inf = ((1u << exp_bits) - 1) << man_bits;

    if (e == 0)
        return sign;
    if (e == 255)
        return sign | inf | m >> shift;
    if (e < low) /* the shift count wraps at 32, so very small numbers come back as larger ones */
        return sign | ((m | 0x800000) >> ((low - e) & 31)) >> shift;
    if (e > high)
        return sign | inf;
    return sign | (e - (low - 1)) << man_bits | m >> shift;
}

uint16_t stn_res_to_f16(float v)
{
    return (uint16_t)encode_small(v, 113, 142, 13, 5, 10);
}

uint8_t stn_res_to_f8(float v)
{
    return (uint8_t)encode_small(v, 121, 134, 20, 4, 3);
}

float stn_res_unorm8(uint8_t v)
{
    return (float)v / 255.0f;
}

float stn_res_mnorm8(uint8_t v)
{
    return (float)v / 256.0f;
}

float stn_res_snorm8(int8_t v)
{
    return (float)(v < -127 ? -127 : v) / 127.0f;
}

float stn_res_unorm16(uint16_t v)
{
    return (float)v / 65535.0f;
}

float stn_res_mnorm16(uint16_t v)
{
    return (float)v / 65536.0f;
}

float stn_res_snorm16(int16_t v)
{
    return (float)(v < -32767 ? -32767 : v) / 32767.0f;
}

double stn_res_unorm32(uint32_t v)
{
    return (double)v / 4294967295.0;
}

double stn_res_mnorm32(uint32_t v)
{
    return (double)v / 4294967296.0;
}

double stn_res_snorm32(int32_t v)
{
    return (double)(v < -INT32_MAX ? -INT32_MAX : v) / 2147483647.0;
}

void stn_res_sf9995(uint32_t w, float out[3])
{
    static const int sign_bit[3] = {31, 22, 13};
    int32_t e = (int32_t)(w & 31) - 15;
    for (int i = 0; i < 3; i++) {
        uint32_t s = w >> sign_bit[i] & 1, b = w >> (sign_bit[i] - 8) & 255;
        if (!b) {
            out[i] = 0.0f; /* the sign is lost */
            continue;
        }
        int32_t n = __builtin_clz(b) - 24;
        out[i] = stn_f32_of_bits(s << 31 | (uint32_t)(e - n + 127) << 23 | ((b << (n + 16)) & 0x7fffff));
    }
}

/* Float throughout, every operation rounded on its own: the order below decides the last bit. */
void stn_res_oct(float x, float y, float out[3])
{
    float z = 1.0f - (fabsf(x) + fabsf(y));
    if (z < 0) {
        float ox = x, oy = y;
        x = (1.0f - fabsf(oy)) * copysignf(1.0f, ox);
        y = (1.0f - fabsf(ox)) * copysignf(1.0f, oy);
    }
    float f = 1.0f / sqrtf(((x * x) + (y * y)) + (z * z));
    out[0] = x * f;
    out[1] = y * f;
    out[2] = z * f;
}

void stn_res_to_oct(float x, float y, float z, float out[2])
{
    float m = 1.0f / ((fabsf(x) + fabsf(y)) + fabsf(z));
    float hx = x * m, hy = y * m;
    if (z >= 0) {
        out[0] = hx;
        out[1] = hy;
    } else {
        out[0] = (1.0f - fabsf(hy)) * copysignf(1.0f, hx);
        out[1] = (1.0f - fabsf(hx)) * copysignf(1.0f, hy);
    }
}

bool stn_res_cfloat(int8_t e, uint32_t t, double *out)
{
    uint32_t m = t & 0x7fffffff;
    if (e == -128) {
        *out = 0.0;
        return m == 0;
    }
    double v = ldexp((double)m / 2147483648.0 + 1.0, e); /* exact */
    *out = t >> 31 ? -v : v;
    return true;
}

bool stn_res_to_cfloat(double v, uint8_t out[5])
{
    int e;
    if (v == 0) {
        memcpy(out, "\x80\0\0\0\0", 5);
        return true;
    }
    if (!isfinite(v))
        return false;
    double f = frexp(fabs(v), &e) * 2.0; /* 1 <= f < 2 */
    e -= 1;
    if (e < -127 || e > 127)
        return false;
    uint32_t t = (uint32_t)((f - 1.0) * 2147483648.0);
    out[0] = (uint8_t)e;
    stn_st32(out + 1, t | (signbit(v) ? 0x80000000u : 0));
    return true;
}

float stn_res_angle16(uint16_t u)
{
    return (((float)u / 65536.0f) * 2.0f) * 3.14159274f;
}

bool stn_res_delta(stn_bytes *in, int32_t *value, bool *pick)
{
    uint8_t b = stn_bytes_u8(in);
    uint64_t field = b & 63;
    unsigned bits = 6;

    *pick = b & 128;
    *value = 0;
    for (bool more = b & 64; more; more = b & 128) {
        if (bits > 6 + 3 * 7)
            return false;
        b = stn_bytes_u8(in);
        field |= (uint64_t)(b & 127) << bits;
        bits += 7;
    }
    if (!stn_bytes_ok(in))
        return false;
    /* sign-extended from the top bit of the assembled field; zero cannot be said */
    int64_t v = field >> (bits - 1) & 1 ? (int64_t)field - ((int64_t)1 << bits) : (int64_t)field + 1;
    *value = (int32_t)v;
    return true;
}
