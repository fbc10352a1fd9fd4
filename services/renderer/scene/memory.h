/* memory.h - how ground that is only remembered fades out of ground that is seen.
 *
 * A corner of a cut lies in remembered ground when no cut that touches it is seen now. Between its corners a
 * cut blends, so what is seen keeps all its colours and the rest pales within one cut of the edge. Ours;
 * source of the flag: proto/world.proto, at Grid.
 */
#ifndef STN_RENDERER_SCENE_MEMORY_H
#define STN_RENDERER_SCENE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the ground of a cut is only remembered. */
typedef bool stn_memory_fn(const void *ctx, int32_t cut_x, int32_t cut_y);

/* 0 or 1 of the corners (x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1) of the cut at x, y. */
void stn_memory_corners(stn_memory_fn *fn, const void *ctx, int32_t x, int32_t y, float out[4]);

#endif
