/* json.h - a resource shown as JSON: one object a layer, in the shape of the project's resource vectors.
 *
 * Arrays are summed up as {"count", "crc32" of the little-endian element bytes, "first": up to 8 elements};
 * floats are their bits in hex, most significant digit first (8 digits binary32, 16 digits binary64); typed
 * values are tagged lists such as ["i",5]. What passes through here is for people and tests: nothing is
 * rebuilt from it.
 * Source: tests/vectors/data/resources/README.md.
 */
#ifndef STN_RES_JSON_H
#define STN_RES_JSON_H

#include "res/res.h"

#include <jansson.h>

/* Canonical JSON of a typed value. New reference; NULL when out of memory. */
json_t *stn_res_json_value(const stn_value *v);

/* The decoded form of a layer, or NULL for an unknown one. `name`: the resource's own name, shown where a
 * link means the resource itself. Pictures are decoded for their checksums. New reference. */
json_t *stn_res_json_layer(const stn_res *res, const stn_res_layer *layer, const char *name);

/* {"version", "records": [{"i","type","offset","len","crc32","known","decoded"}]}. */
json_t *stn_res_json(const stn_res *res, const char *name);

/* Raw text as a JSON string, malformed UTF-8 replaced. */
json_t *stn_res_json_text(const char *raw, size_t len);

#endif
