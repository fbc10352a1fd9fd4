#include "renderer/sprite/obstacle.h"

#include "num/small_float.h"

#include <math.h>

#define TILE 11.0f

enum { RINGS, NONE, ONE_RING, RECTANGLE };

static float coordinate(stn_bytes *in, float extent)
{
    return stn_f32_of_snorm8(stn_bytes_i8(in)) * extent;
}

static bool make_ring(stn_arena *arena, stn_outline_ring *ring, uint32_t count)
{
    ring->count = count;
    ring->points = stn_arena_zalloc(arena, count ? count : 1, sizeof *ring->points);
    return ring->points != NULL;
}

static void read_points(stn_bytes *in, stn_outline_ring *ring, float extent)
{
    for (uint32_t i = 0; i < ring->count; i++) {
        ring->points[i][0] = coordinate(in, extent);
        ring->points[i][1] = coordinate(in, extent);
    }
}

static bool read_rings(stn_bytes *in, stn_arena *arena, stn_outline *out, float extent)
{
    const uint8_t *counts = stn_bytes_take(in, out->count);

    for (uint32_t i = 0; i < out->count; i++)
        if (!make_ring(arena, &out->rings[i], counts ? counts[i] : 0))
            return false;
    for (uint32_t i = 0; i < out->count; i++)
        read_points(in, &out->rings[i], extent);
    return true;
}

static bool read_rectangle(stn_bytes *in, stn_arena *arena, stn_outline_ring *ring, float extent)
{
    float l = coordinate(in, extent), u = coordinate(in, extent), r = coordinate(in, extent),
          b = coordinate(in, extent);
    const float corners[4][2] = {{l, u}, {r, u}, {r, b}, {l, b}};

    if (!make_ring(arena, ring, 4))
        return false;
    for (int i = 0; i < 4; i++) {
        ring->points[i][0] = corners[i][0];
        ring->points[i][1] = corners[i][1];
    }
    return true;
}

static void measure(stn_outline *o)
{
    bool any = false;

    for (uint32_t r = 0; r < o->count; r++)
        for (uint32_t i = 0; i < o->rings[r].count; i++) {
            const float *p = o->rings[r].points[i];
            for (int k = 0; k < 2; k++) {
                o->min[k] = any ? fminf(o->min[k], p[k]) : p[k];
                o->max[k] = any ? fmaxf(o->max[k], p[k]) : p[k];
            }
            any = true;
        }
}

stn_sprite_fault stn_outline_read(stn_bytes *in, stn_arena *arena, stn_outline *out, stn_err *err)
{
    uint8_t head = stn_bytes_u8(in);
    float extent = ldexpf(TILE, head & 15);
    bool room = true;

    *out = (stn_outline){0};
    switch (head >> 4) {
    case RINGS:
        out->count = stn_bytes_u8(in);
        break;
    case NONE:
        break;
    case ONE_RING:
    case RECTANGLE:
        out->count = 1;
        break;
    default:
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "outline of form %d, known are 0 to 3", head >> 4);
    }
    out->rings = stn_arena_zalloc(arena, out->count ? out->count : 1, sizeof *out->rings);
    if (!out->rings)
        return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "outline");
    if (head >> 4 == RINGS) {
        room = read_rings(in, arena, out, extent);
    } else if (head >> 4 == ONE_RING) {
        room = make_ring(arena, &out->rings[0], stn_bytes_u8(in));
        if (room)
            read_points(in, &out->rings[0], extent);
    } else if (head >> 4 == RECTANGLE) {
        room = read_rectangle(in, arena, &out->rings[0], extent);
    }
    if (!room)
        return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "outline");
    if (!stn_bytes_ok(in))
        return stn_sprite_fail(err, STN_SPRITE_EOF, "outline: the bytes end before it does");
    measure(out);
    return STN_SPRITE_OK;
}
