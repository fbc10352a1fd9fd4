/* obstacle.h - the outline of a thing as state bytes tell it: rings of points in world units around the
 * object, not turned. Source: docs/spec/sprites.md 21.6. */
#ifndef STN_SPRITE_OBSTACLE_H
#define STN_SPRITE_OBSTACLE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "renderer/sprite/fault.h"

typedef struct stn_outline_ring {
    uint32_t count; /* up to 255 */
    float (*points)[2];
} stn_outline_ring;

typedef struct stn_outline {
    uint32_t count; /* rings, up to 255 */
    stn_outline_ring *rings;
    float min[2], max[2]; /* around all points; 0 without any */
} stn_outline;

/* Reads on from `in`; rings live in the arena. EOF when cut short, MALFORMED for an unknown form. */
stn_sprite_fault stn_outline_read(stn_bytes *in, stn_arena *arena, stn_outline *out, stn_err *err);

#endif
