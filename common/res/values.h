/* values.h - typed values ("tto"): one tag byte and a body, used in resources and in messages.
 *
 * A value is a small plain struct; lists, maps and text are borrowed: text and bytes point into the input,
 * items into the arena. Each value remembers how it was spelled (tag and form), so that it can be written
 * back byte for byte as well as canonically.
 *
 * Limits  nesting stn_res_limits.max_depth; memory by the arena's ceiling (a value needs at least one input
 *         byte, and 24 bytes here).
 * Source  docs/spec/resource-format.md 5 and 29.
 */
#ifndef STN_RES_VALUES_H
#define STN_RES_VALUES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "res/fault.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum stn_value_kind {
    STN_VALUE_NIL = 0,
    STN_VALUE_INT, /* tags 1, 4, 5, 9, 10 */
    STN_VALUE_LONG,
    STN_VALUE_TEXT,
    STN_VALUE_COORD,
    STN_VALUE_COLOR,
    STN_VALUE_FCOLOR,
    STN_VALUE_LIST,
    STN_VALUE_MAP,
    STN_VALUE_UID,
    STN_VALUE_BYTES,
    STN_VALUE_F32,
    STN_VALUE_F64,
    STN_VALUE_POINT, /* tags 18 (widened) and 19 */
    STN_VALUE_F8,
    STN_VALUE_F16,
    STN_VALUE_SNORM8, /* norms keep the integer; see stn_value_float() for what it is worth */
    STN_VALUE_UNORM8,
    STN_VALUE_MNORM8,
    STN_VALUE_SNORM16,
    STN_VALUE_UNORM16,
    STN_VALUE_MNORM16,
    STN_VALUE_SNORM32,
    STN_VALUE_UNORM32,
    STN_VALUE_MNORM32,
    STN_VALUE_RES, /* another resource by name and version */
    STN_VALUE_RESID, /* a session's resource number */
} stn_value_kind;

enum {
    STN_TAG_END = 0,
    STN_TAG_INT = 1,
    STN_TAG_TEXT = 2,
    STN_TAG_COORD = 3,
    STN_TAG_UINT8 = 4,
    STN_TAG_UINT16 = 5,
    STN_TAG_COLOR = 6,
    STN_TAG_FCOLOR = 7,
    STN_TAG_LIST = 8,
    STN_TAG_INT8 = 9,
    STN_TAG_INT16 = 10,
    STN_TAG_NIL = 12,
    STN_TAG_UID = 13,
    STN_TAG_BYTES = 14,
    STN_TAG_F32 = 15,
    STN_TAG_F64 = 16,
    STN_TAG_POINT32 = 18,
    STN_TAG_POINT64 = 19,
    STN_TAG_F8 = 21,
    STN_TAG_F16 = 22,
    STN_TAG_SNORM8 = 23,
    STN_TAG_UNORM8 = 24,
    STN_TAG_MNORM8 = 25,
    STN_TAG_SNORM16 = 26,
    STN_TAG_UNORM16 = 27,
    STN_TAG_MNORM16 = 28,
    STN_TAG_SNORM32 = 29,
    STN_TAG_UNORM32 = 30,
    STN_TAG_MNORM32 = 31,
    STN_TAG_MAP = 32,
    STN_TAG_LONG = 33,
    STN_TAG_RES = 34,
    STN_TAG_RESID = 35,
};

typedef struct stn_value stn_value;

typedef struct stn_values { /* a list, or the arguments of something */
    uint32_t count;
    const stn_value *items;
} stn_values;

typedef struct stn_resref { /* name "" = the resource that holds the reference, where a layer allows it */
    const char *name;
    int32_t version; /* 0..65535 in a file; a material's argument may say -1, any */
} stn_resref;

typedef struct stn_map {
    uint32_t pairs; /* as they came, equal keys included */
    const stn_value *items; /* key, value, key, value … in file order */
    uint32_t count; /* entries that count: of equal keys the last */
    const uint32_t *order; /* indices of those pairs, sorted by key */
} stn_map;

struct stn_value {
    uint8_t kind; /* stn_value_kind */
    uint8_t tag; /* as read; 0 = none, written canonically */
    uint8_t form; /* spelling: bytes: the first length byte when its bit 7 was set; list and map: 1 = ended
                     by the end of the stream; -128 style clamps, quieted point NaNs: see values.c */
    uint32_t len; /* text and bytes: length without NUL */
    union {
        int32_t i; /* INT, RESID (0..65534), snorms after the clamp */
        uint32_t bits; /* F8, F16, unorms and mnorms */
        int64_t l; /* LONG, UID */
        const char *text; /* TEXT: NUL-terminated raw bytes */
        const uint8_t *bytes;
        int32_t coord[2];
        uint8_t color[4]; /* r g b a */
        float fcolor[4];
        float f32;
        double f64;
        double point[2];
        stn_values list;
        const stn_map *map;
        stn_resref res;
    } u;
};

/* Reads one value. Text and bytes are borrowed from the cursor's data, the rest lives in the arena. Classes:
 * TRUNCATED, LENGTH, FORMAT, VALUE, LIMIT. *fault may be NULL. */
stn_status stn_value_read(stn_bytes *in, stn_arena *arena, uint32_t max_depth, stn_value *out,
                          stn_res_fault_kind *fault, stn_err *err);
/* Reads a list body: values up to tag 0 or the end of the stream (*open is then true; may be NULL). */
stn_status stn_values_read(stn_bytes *in, stn_arena *arena, uint32_t max_depth, stn_values *out, bool *open,
                           stn_res_fault_kind *fault, stn_err *err);

/* Canonical writing: the shortest integer tag, point as two doubles, every list closed by tag 0. STN_USAGE
 * when a value cannot be written (a text with a NUL, nesting over the default limit). */
stn_status stn_value_write(stn_buf *out, const stn_value *value, stn_err *err);
/* A list body, canonical, with its closing tag 0 when `close`. */
stn_status stn_values_write(stn_buf *out, const stn_values *values, bool close, stn_err *err);
/* The bytes that the value was read from, to the byte. */
stn_status stn_value_write_exact(stn_buf *out, const stn_value *value, stn_err *err);

/* Order by kind, then content; 0 = equal as map keys. Lists and byte strings equal nothing but themselves. */
int stn_value_compare(const stn_value *a, const stn_value *b);
/* The value under a text key, or NULL. */
const stn_value *stn_map_get(const stn_map *map, const char *key);
/* "integer", "text" … for error texts. */
const char *stn_value_kind_name(stn_value_kind kind);

/* Makers, for writers and tests. Text and items stay the caller's. */
stn_value stn_value_int(int32_t v);
stn_value stn_value_text(const char *text);
stn_value stn_value_f32(float v);
stn_value stn_value_list(const stn_value *items, uint32_t count);

/* ---- conversion (section 6). STN_BAD_DATA (class E_VALUE) when the kind does not fit. ---- */

bool stn_value_is_number(const stn_value *v);
stn_status stn_value_as_int(const stn_value *v, int32_t *out, stn_err *err);
stn_status stn_value_as_float(const stn_value *v, float *out, stn_err *err);
stn_status stn_value_as_double(const stn_value *v, double *out, stn_err *err);
stn_status stn_value_as_bool(const stn_value *v, bool *out, stn_err *err);
stn_status stn_value_as_text(const stn_value *v, const char **out, stn_err *err);
stn_status stn_value_as_color(const stn_value *v, uint8_t out[4], stn_err *err);
stn_status stn_value_as_coord(const stn_value *v, int32_t out[2], stn_err *err);
/* Norms as floats and doubles inside typed values: integer times the rounded reciprocal. */
float stn_value_norm_float(const stn_value *v);
double stn_value_norm_double(const stn_value *v);

/* A table of text keys. Entries stand in file order, repeated keys included: the last one counts. */
typedef struct stn_entry {
    const char *key;
    stn_value value;
} stn_entry;

typedef struct stn_entries {
    uint32_t count;
    const stn_entry *items;
} stn_entries;

/* The value that counts for `key`, or NULL. */
const stn_value *stn_entries_get(const stn_entries *table, const char *key);
/* Whether items[i] is the one that counts for its key. */
bool stn_entries_counts(const stn_entries *table, uint32_t i);

/* Keyword arguments (section 6) by a pattern such as "?@res, id, flags". */
stn_status stn_values_keywords(const stn_values *args, const char *pattern, stn_arena *arena,
                               stn_entries *out, stn_err *err);

#endif
