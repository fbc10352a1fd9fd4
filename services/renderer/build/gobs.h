/* gobs.h - the objects of one frame of reference, as the build thread keeps them: components in, looks and
 * poses out.
 *
 * Components come as world sends them; each that builds a look has an instance number, so that an equal one
 * that was sent anew rebuilds (docs/spec/sprites.md 8). Sprites that wait for resources keep their old look;
 * every fault is contained in its object and said once. Limits: STN_GOBS_MAX objects; more are refused and
 * counted.
 */
#ifndef STN_RENDERER_BUILD_GOBS_H
#define STN_RENDERER_BUILD_GOBS_H

#include "base/err.h"
#include "renderer/build/job.h"
#include "renderer/build/store.h"

#include "proto/world.pb-c.h"

#define STN_GOBS_MAX 20000

typedef struct stn_gobs stn_gobs;

typedef struct stn_gobs_ops {
    void *ctx;
    bool (*give)(void *ctx, stn_job *job); /* false: no room, given again later */
    bool (*grid)(void *ctx, int32_t gx, int32_t gy, int64_t *id); /* false: not here yet */
    /* May be NULL: an overlay that was to play once has; more that moves and is not an object of world's. */
    void (*over)(void *ctx, int64_t id, uint64_t incarnation, int32_t overlay);
    void (*poses)(void *ctx, stn_job_poses *to);
} stn_gobs_ops;

stn_gobs *stn_gobs_new(stn_store *store, const stn_gobs_ops *ops); /* NULL: out of memory */
void stn_gobs_free(stn_gobs *g);
/* Another frame of reference: all objects go. */
void stn_gobs_frame(stn_gobs *g, uint64_t frame);
/* World tells everything anew: what it does not name until the end is gone. */
void stn_gobs_snapshot_begin(stn_gobs *g);
void stn_gobs_snapshot_end(stn_gobs *g);
/* STN_BAD_DATA names the component. */
stn_status stn_gobs_entity(stn_gobs *g, const Stenness__Entity *e, stn_err *err);
void stn_gobs_remove(stn_gobs *g, int64_t id);
/* The thing that is being placed, in place of another; NULL: nothing is any more. It is seen through, and its
 * place is the GL thread's. */
void stn_gobs_ghost(stn_gobs *g, const Stenness__Ghost *ghost);
/* Animates, builds what is due (at most for `budget_ns`), and gives looks and poses. */
void stn_gobs_tick(stn_gobs *g, double dt, int64_t budget_ns);
/* What moves of all animated objects in one job, newest wins: when the queue is full this one is left out.
 * The tick does it 60 times a second; this does it now. */
void stn_gobs_give_poses(stn_gobs *g);
/* A poses job that is no longer shown: its memory is used again. */
void stn_gobs_take_back(stn_gobs *g, stn_job *job);
size_t stn_gobs_count(const stn_gobs *g);
size_t stn_gobs_unbuilt(const stn_gobs *g); /* objects without a look yet */
uint64_t stn_gobs_faults(const stn_gobs *g);

#endif
