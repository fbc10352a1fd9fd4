/* res_text.h - layers as text that can be edited, and back, without losing a byte.
 *
 * Every layer type is described once, field by field (res_text_layers.c); the same description turns a
 * payload into a JSON object and the object into the payload. What a payload says in an unusual way (a value
 * with a longer tag than needed, bytes behind the last field) is kept in the text too. Pictures, sound, fonts
 * and code go to files of their own, copied as they are.
 *
 * Numbers: floats in the fewest digits that give the same float; what JSON cannot say (NaN, infinite) as
 * "bits:HEX". Raw text that is not UTF-8 is {"hex": "…"}. Typed values are ["tag", …], see res_text_values.c.
 */
#ifndef STN_CLIENT_RES_TEXT_H
#define STN_CLIENT_RES_TEXT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "res/values.h"

#include <jansson.h>
#include <stdbool.h>

/* Where the side files of a layer go and come from. `name` is a plain file name. load: fresh memory (free()).
 */
typedef struct stn_rt_files {
    void *user;
    stn_status (*save)(void *user, const char *name, const uint8_t *data, size_t len, stn_err *err);
    stn_status (*load)(void *user, const char *name, uint8_t **data, size_t *len, stn_err *err);
} stn_rt_files;

/* payload to *out (new reference). `stem` begins the names of side files: "003-tex". STN_UNSUPPORTED: the
 * type is not described; other errors: the payload is damaged. */
stn_status stn_rt_to_text(const char *type, const uint8_t *payload, size_t len, const char *stem,
                          const stn_rt_files *files, json_t **out, stn_err *err);
/* The other way. Errors name the field. */
stn_status stn_rt_to_bytes(const char *type, const json_t *text, const stn_rt_files *files, stn_buf *out,
                           stn_err *err);

/* A raw string as JSON and back: text, or {"hex"}. */
json_t *stn_rt_raw_text(const char *raw, size_t len);
/* Borrowed from the arena; NULL when it is neither. A NUL inside is refused. */
const char *stn_rt_raw_of(const json_t *j, stn_arena *arena, size_t *len);

/* ---- for the descriptions: one call a field, in file order ---- */

typedef struct stn_rt {
    bool to_text;
    stn_bytes in; /* when to_text */
    stn_buf *b; /* else */
    json_t *cur; /* the object whose members the fields are */
    stn_arena *arena;
    const stn_rt_files *files;
    const char *stem;
    unsigned blobs;
    unsigned depth; /* of parts within parts, at most 2 */
    stn_status st;
    stn_err *err;
} stn_rt;

bool stn_rt_ok(stn_rt *t);
void stn_rt_fail(stn_rt *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

typedef enum stn_rt_type {
    STN_RT_U8,
    STN_RT_I8,
    STN_RT_U16,
    STN_RT_I16,
    STN_RT_U32,
    STN_RT_I32,
    STN_RT_F32,
    STN_RT_F16,
    STN_RT_F8,
    STN_RT_CFLOAT
} stn_rt_type;

int64_t stn_rt_int(stn_rt *t, const char *key, stn_rt_type type);
void stn_rt_real(stn_rt *t, const char *key, stn_rt_type type);
/* `count` numbers as lines of `per_line`. */
void stn_rt_numbers(stn_rt *t, const char *key, stn_rt_type type, size_t count, size_t per_line);
const char *stn_rt_text(stn_rt *t, const char *key); /* NUL-terminated string field; never NULL */
void stn_rt_value(stn_rt *t, const char *key);
void stn_rt_values(stn_rt *t, const char *key); /* a list body */
void stn_rt_hex(stn_rt *t, const char *key, size_t count);
void stn_rt_rest_hex(stn_rt *t, const char *key);
void stn_rt_rest_text(stn_rt *t, const char *key);
/* `count` bytes (SIZE_MAX: all that is left) to a side file with that ending; "picture": sniffed. */
void stn_rt_blob(stn_rt *t, const char *key, size_t count, const char *ending);
bool stn_rt_left(const stn_rt *t); /* to_text: bytes are left; else false */
bool stn_rt_peek_text(const stn_rt *t); /* to_text: the next string is not empty */
void stn_rt_end_text(stn_rt *t); /* the empty string that ends a list */

/* A list of objects: for (begin; item(more); ) { fields } end. `more` counts when to_text alone. */
typedef struct stn_rt_list {
    json_t *outer, *array;
    size_t at;
} stn_rt_list;
void stn_rt_list_begin(stn_rt *t, stn_rt_list *l, const char *key);
bool stn_rt_item(stn_rt *t, stn_rt_list *l, bool more);
void stn_rt_list_end(stn_rt *t, stn_rt_list *l);
size_t stn_rt_list_size(const stn_rt *t, const char *key); /* of the array under key, when to bytes */
/* A count field in front of a list: written from the list's size; returns it. */
uint64_t stn_rt_count(stn_rt *t, const char *list_key, stn_rt_type type);

/* A part of its own length. The length field is of `type`. Bytes that the fields leave are kept. */
typedef struct stn_rt_sub {
    stn_bytes outer_in;
    stn_buf *outer_b;
    stn_buf own;
} stn_rt_sub;
void stn_rt_sub_begin(stn_rt *t, stn_rt_sub *s, stn_rt_type type);
void stn_rt_sub_end(stn_rt *t, stn_rt_sub *s, stn_rt_type type);

/* A typed value as JSON and back (arena memory). */
json_t *stn_rt_value_json(const stn_value *v);
bool stn_rt_value_of(const json_t *j, stn_arena *arena, stn_value *out, stn_err *err);
json_t *stn_rt_float_json(double v, uint64_t bits, int digits);
bool stn_rt_float_of(const json_t *j, double *v, bool *is_bits, uint64_t *bits);

/* The description of a layer type; false when there is none. */
bool stn_rt_describe(stn_rt *t, const char *type);

#endif
