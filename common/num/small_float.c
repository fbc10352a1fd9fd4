#include "num/small_float.h"

#include "base/bytes.h"

#include <math.h>

/* Both formats have the shape of IEEE floats: `mant` mantissa bits, exponents 1..top-1 moved by `bias` into
 * f32's. */
static float widen(uint32_t sign, uint32_t e, uint32_t m, unsigned mant, uint32_t top, uint32_t bias)
{
    uint32_t s = sign << 31, mask = (1u << mant) - 1;

    if (e == top)
        return stn_f32_of_bits(s | 0x7f800000u | m << (23 - mant));
    if (e != 0)
        return stn_f32_of_bits(s | (e + bias) << 23 | m << (23 - mant));
    if (m == 0)
        return stn_f32_of_bits(s);
    unsigned n = (unsigned)__builtin_clz(m) - (32 - mant); /* leading zeros within the mantissa */
    return stn_f32_of_bits(s | (bias - n) << 23 | ((m << (n + 1)) & mask) << (23 - mant));
}

float stn_f32_of_f16(uint16_t bits)
{
    return widen(bits >> 15, (bits >> 10) & 31, bits & 0x3ff, 10, 31, 112);
}

float stn_f32_of_f8(uint8_t bits)
{
    return widen(bits >> 7, (bits >> 3) & 15, bits & 7, 3, 15, 120);
}

static uint32_t narrow(float v, unsigned mant, uint32_t top, uint32_t bias)
{
    uint32_t b = v != v ? 0x7fc00000u : stn_bits_of_f32(v);
    uint32_t e = (b >> 23) & 255, m = b & 0x7fffff, s = (b >> 31) << (mant + (top == 31 ? 5 : 4));
    unsigned drop = 23 - mant;

    if (e == 0)
        return s;
    if (e == 255)
        return s | top << mant | m >> drop;
    if (e < bias + 1)
        return s | ((m | 0x800000u) >> ((bias + 1 - e) & 31)) >> drop;
    if (e > bias + top - 1)
        return s | top << mant;
    return s | (e - bias) << mant | m >> drop;
}

uint16_t stn_f16_of_f32(float v)
{
    return (uint16_t)narrow(v, 10, 31, 112);
}

uint8_t stn_f8_of_f32(float v)
{
    return (uint8_t)narrow(v, 3, 15, 120);
}

void stn_f32x3_of_sf9995(uint32_t w, float out[3])
{
    uint32_t e = w & 31; /* biased by 15 */
    for (int i = 0; i < 3; i++) {
        unsigned at = 23u - 9u * (unsigned)i;
        uint32_t b = (w >> at) & 255, s = (w >> (at + 8)) & 1;
        if (b == 0) {
            out[i] = 0.0f; /* the sign is dropped */
            continue;
        }
        unsigned n = (unsigned)__builtin_clz(b) - 24;
        out[i] = stn_f32_of_bits(s << 31 | (e - 15 - n + 127) << 23 | ((b << (n + 16)) & 0x7fffffu));
    }
}

void stn_oct_to_vec(float x, float y, float out[3])
{
    float z = 1.0f - (fabsf(x) + fabsf(y));
    if (z < 0.0f) {
        float ox = x, oy = y;
        x = (1.0f - fabsf(oy)) * copysignf(1.0f, ox);
        y = (1.0f - fabsf(ox)) * copysignf(1.0f, oy);
    }
    float f = 1.0f / sqrtf(((x * x) + (y * y)) + (z * z));
    out[0] = x * f;
    out[1] = y * f;
    out[2] = z * f;
}

void stn_vec_to_oct(const float v[3], float out[2])
{
    float m = 1.0f / ((fabsf(v[0]) + fabsf(v[1])) + fabsf(v[2]));
    float hx = v[0] * m, hy = v[1] * m;
    if (v[2] >= 0.0f) {
        out[0] = hx;
        out[1] = hy;
    } else {
        out[0] = (1.0f - fabsf(hy)) * copysignf(1.0f, hx);
        out[1] = (1.0f - fabsf(hx)) * copysignf(1.0f, hy);
    }
}
