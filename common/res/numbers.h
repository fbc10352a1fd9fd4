/* numbers.h - the number formats of resources and messages, bit for bit.
 *
 * All are pure. Float results are exact IEEE-754 binary32 as the reference computes them; where "float
 * division" is said the operands are converted to float first and divide once.
 * Source: docs/spec/resource-format.md 3 and 4.
 */
#ifndef STN_RES_NUMBERS_H
#define STN_RES_NUMBERS_H

#include "base/bytes.h"

#include <stdbool.h>
#include <stdint.h>

/* float8 (s eeee mmm, bias 7) and float16 (IEEE half), decoded exactly. */
float stn_res_f8(uint8_t bits);
float stn_res_f16(uint16_t bits);
/* Truncating encoders with the reference's own treatment of tiny numbers (the shift count is taken modulo
 * 32). */
uint8_t stn_res_to_f8(float v);
uint16_t stn_res_to_f16(float v);

/* Norms as plain floats: one float division. */
float stn_res_unorm8(uint8_t v);
float stn_res_mnorm8(uint8_t v);
float stn_res_snorm8(int8_t v); /* clamps -128 */
float stn_res_unorm16(uint16_t v);
float stn_res_mnorm16(uint16_t v);
float stn_res_snorm16(int16_t v); /* clamps -32768 */
double stn_res_unorm32(uint32_t v);
double stn_res_mnorm32(uint32_t v);
double stn_res_snorm32(int32_t v);

/* Three floats with a shared exponent in one word. */
void stn_res_sf9995(uint32_t w, float out[3]);

/* Octahedral unit vectors. */
void stn_res_oct(float x, float y, float out[3]);
void stn_res_to_oct(float x, float y, float z, float out[2]);

/* cfloat, 5 bytes. False: the exponent byte says zero but the mantissa is not (E_VALUE). */
bool stn_res_cfloat(int8_t e, uint32_t t, double *out);
/* False: NaN, infinite, or an exponent outside -127..127. */
bool stn_res_to_cfloat(double v, uint8_t out[5]);

/* The angle of version 1 poses: mnorm16 turns to radians, in float steps. */
float stn_res_angle16(uint16_t u);

/* One strip delta (mesh layers). False: more than 4 continuation bytes, or the end of the stream (in->bad
 * tells which). */
bool stn_res_delta(stn_bytes *in, int32_t *value, bool *pick);

#endif
