/* num/convert.h - float to integer as the reference does it.
 *
 * C leaves a conversion out of range undefined; the reference saturates and takes NaN as 0. Truncation unless
 * the name says otherwise. Source: docs/spec/terrain-mesh.md, notation.
 */
#ifndef STN_NUM_CONVERT_H
#define STN_NUM_CONVERT_H

#include <math.h>
#include <stdint.h>

static inline int32_t stn_i32_of_f64(double v)
{
    if (!(v > -2147483649.0)) /* also NaN */
        return v != v ? 0 : INT32_MIN;
    return v >= 2147483648.0 ? INT32_MAX : (int32_t)v;
}
static inline int32_t stn_i32_of_f32(float v)
{
    return stn_i32_of_f64((double)v);
}
static inline int64_t stn_i64_of_f64(double v)
{
    if (!(v >= -9223372036854775808.0))
        return v != v ? 0 : INT64_MIN;
    return v >= 9223372036854775808.0 ? INT64_MAX : (int64_t)v;
}
/* Half rounds up: floor(v + 0.5) with the sum rounded to f64. */
static inline int64_t stn_round_i64(double v)
{
    return stn_i64_of_f64(floor(v + 0.5));
}
/* A component of a normal as a signed byte; the product is f32, the half rounds up. A NaN gives 0. */
static inline int8_t stn_snorm8(float v)
{
    float c = v < -1.0f ? -1.0f : v > 1.0f ? 1.0f : v;
    return (int8_t)stn_i32_of_f64(floor((double)(c * 127.0f) + 0.5));
}

#endif
