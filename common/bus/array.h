/* array.h - arrays in bulk frames: described by the body, checked once, then read.
 *
 * Shape   proto/array.proto: frame, offset (a multiple of 16 inside the frame), count, format.
 * Limits  offset + count * element size must lie inside the frame, without overflow.
 * A frame's base has no alignment, so elements are read through memcpy: the accessors here, or
 * stn_array_copy(). Little-endian everywhere (the build is refused on other machines).
 */
#ifndef STN_BUS_ARRAY_H
#define STN_BUS_ARRAY_H

#include "base/err.h"
#include "bus/frame.h"

#include "proto/array.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define STN_ARRAY_ALIGN 16u

/* A checked view: data has count * stride bytes. Borrowed from the frame. */
typedef struct stn_array {
    const uint8_t *data;
    size_t count; /* elements */
    size_t stride; /* bytes an element */
    Stenness__ElementFormat format;
} stn_array;

/* What a handler expects. format NONE = any; max 0 = no limit but the frame's length.
 * `optional`: an absent description (NULL or all zero) gives an empty view instead of an error. */
typedef struct stn_array_rule {
    const char *name; /* for the error text */
    Stenness__ElementFormat format;
    size_t min, max;
    bool optional;
} stn_array_rule;

/* STN_BAD_DATA with the name, what was expected and what came; *out is an empty view on error. */
stn_status stn_array_view(const Stenness__Array *a, stn_frame *const *frames, size_t n_frames,
                          const stn_array_rule *rule, stn_array *out, stn_err *err);

/* Bytes of one element; 0 for NONE and unknown formats. */
size_t stn_array_element_bytes(Stenness__ElementFormat format);

/* Copies all elements (count * stride bytes) to dst. */
void stn_array_copy(const stn_array *a, void *dst);
static inline const uint8_t *stn_array_at(const stn_array *a, size_t i) /* i < count */
{
    return a->data + i * a->stride;
}
static inline uint16_t stn_array_u16(const stn_array *a, size_t i)
{
    uint16_t v;
    memcpy(&v, stn_array_at(a, i), sizeof v);
    return v;
}
static inline uint32_t stn_array_u32(const stn_array *a, size_t i)
{
    uint32_t v;
    memcpy(&v, stn_array_at(a, i), sizeof v);
    return v;
}
static inline float stn_array_f32(const stn_array *a, size_t i)
{
    float v;
    memcpy(&v, stn_array_at(a, i), sizeof v);
    return v;
}

/* Building one bulk frame of several arrays: sizes first, then one allocation, then the bytes:
 *
 *   stn_array_plan p = {0};
 *   size_t at = stn_array_add(&p, &heights, STENNESS__ELEMENT_FORMAT__ELEMENT_F32, 10000);
 *   ...
 *   frame = stn_array_plan_frame(&p);
 *   memcpy(stn_frame_writable(frame) + at, data, 40000);
 *
 * stn_array_add() fills the description, which the caller has initialised (stenness__array__init). `frame` of
 * the plan is the index of the bulk frame. */
typedef struct stn_array_plan {
    uint32_t frame;
    size_t bytes;
} stn_array_plan;
/* Returns the offset. Sizes are the caller's own and must not overflow size_t. */
size_t stn_array_add(stn_array_plan *p, Stenness__Array *a, Stenness__ElementFormat format, size_t count);
/* A frame of the planned size, all zero. NULL when out of memory. */
stn_frame *stn_array_plan_frame(const stn_array_plan *p);

#endif
