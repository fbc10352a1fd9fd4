/* json_layers.h - the small makers that json.c and json_layers.c share; not for their users. */
#ifndef STN_RES_JSON_LAYERS_H
#define STN_RES_JSON_LAYERS_H

#include "res/json.h"

json_t *stn_js_text(const char *raw);
json_t *stn_js_hex(uint64_t v, int digits);
json_t *stn_js_f32(float v);
json_t *stn_js_f64(double v);
json_t *stn_js_crc(const void *data, size_t len);
json_t *stn_js_bytes(const uint8_t *data, size_t len); /* as hex */
json_t *stn_js_floats(const float *f, size_t n);
json_t *stn_js_float_array(const float *f, size_t n); /* summed up */
json_t *stn_js_int_array(const int32_t *v, size_t n);
json_t *stn_js_u16_array(const uint16_t *v, size_t n);
json_t *stn_js_values(const stn_values *l);
json_t *stn_js_entries(const stn_entries *e);
json_t *stn_js_set(json_t *object, const char *raw_key, json_t *value);

#endif
