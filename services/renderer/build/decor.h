/* decor.h - the small growth that the ground scatters: what a cut's decoration names, made into things to
 * draw.
 *
 * Each object becomes an object of the scene with a number of its own below zero, so that it culls, lights
 * and is drawn like any other; it cannot be clicked. What is animated is kept and ticks; the rest is given
 * its look and forgotten. What waits for a resource comes later; a resource that is broken leaves its objects
 * out and is said once. Source: docs/spec/terrain-extras.md 1.4; the form of the bytes: map/decoration.h.
 */
#ifndef STN_RENDERER_BUILD_DECOR_H
#define STN_RENDERER_BUILD_DECOR_H

#include "renderer/build/gobs.h"

typedef struct stn_decor stn_decor;

/* `gobs` is borrowed: looks are made and handed over as its are. NULL: out of memory. */
stn_decor *stn_decor_new(stn_gobs *gobs);
void stn_decor_free(stn_decor *d); /* before the gobs; NULL is fine */
/* Another frame of reference: all is gone. */
void stn_decor_frame(stn_decor *d);
/* The decoration of the cut at x, y (cut coordinates), in place of what was there; the same product again
 * changes nothing. Copies `data`. Errors as stn_decoration_open(): what was there stays. */
stn_status stn_decor_put(stn_decor *d, int32_t x, int32_t y, uint64_t product, const void *data, size_t len,
                         stn_err *err);
void stn_decor_drop(stn_decor *d, int32_t x, int32_t y);
/* Makes what is due, for at most `budget_ns`, and takes away what left. */
void stn_decor_tick(stn_decor *d, int64_t budget_ns);
/* Clocks of what moves, and what it looks like now: appended as far as there is room. */
void stn_decor_animate(stn_decor *d, double dt);
void stn_decor_poses(stn_decor *d, stn_job_poses *to);
/* Objects that are not shown yet, and those that are. */
void stn_decor_counts(const stn_decor *d, size_t *waiting, size_t *shown);

#endif
