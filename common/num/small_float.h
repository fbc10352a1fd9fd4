/* num/small_float.h - packed floats, normalised integers and unit vectors.
 *
 * Widening is exact; narrowing is the reference's own, which truncates and takes shift counts modulo 32 (so
 * tiny numbers do not all become zero). Norms read as plain floats divide; the norms inside typed values
 * multiply by a rounded reciprocal and are not here. Source: docs/spec/resource-format.md 4.
 */
#ifndef STN_NUM_SMALL_FLOAT_H
#define STN_NUM_SMALL_FLOAT_H

#include <stdint.h>

float stn_f32_of_f16(uint16_t bits);
float stn_f32_of_f8(uint8_t bits);
uint16_t stn_f16_of_f32(float v);
uint8_t stn_f8_of_f32(float v);
/* Three floats that share an exponent (sf9995). */
void stn_f32x3_of_sf9995(uint32_t bits, float out[3]);

static inline float stn_f32_of_unorm8(uint8_t u)
{
    return (float)u / 255.0f;
}
static inline float stn_f32_of_unorm16(uint16_t u)
{
    return (float)u / 65535.0f;
}
static inline float stn_f32_of_mnorm8(uint8_t u)
{
    return (float)u / 256.0f;
}
static inline float stn_f32_of_mnorm16(uint16_t u)
{
    return (float)u / 65536.0f;
}
static inline float stn_f32_of_snorm8(int8_t i)
{
    return (float)(i < -127 ? -127 : i) / 127.0f;
}
static inline float stn_f32_of_snorm16(int16_t i)
{
    return (float)(i < -32767 ? -32767 : i) / 32767.0f;
}

/* Octahedral unit vector, and its inverse for writers. */
void stn_oct_to_vec(float x, float y, float out[3]);
void stn_vec_to_oct(const float v[3], float out[2]);

#endif
