/* build.h - the thread between: what the net brings becomes finished things for the GL thread.
 *
 * It owns the resources, the sprites and the cuts that wait for their materials. It gives jobs through a
 * bounded queue and takes used ones back through another. When the GL thread is behind it waits with what it
 * has; it never drops state. Source: docs/design.md 6.
 */
#ifndef STN_RENDERER_BUILD_BUILD_H
#define STN_RENDERER_BUILD_BUILD_H

#include "base/err.h"
#include "renderer/build/job.h"
#include "renderer/net/feed.h"
#include "renderer/net/spsc.h"

typedef struct stn_build stn_build;

typedef enum stn_build_way {
    STN_BUILD_BESIDE, /* on a thread of its own */
    STN_BUILD_BEHIND, /* the same at a lower priority, because a software rasteriser needs the processor */
    STN_BUILD_IN_STEPS /* by whoever calls stn_build_step(), without a thread */
} stn_build_way;

stn_status stn_build_new(const stn_feed *feed, stn_build_way way, stn_build **out, stn_err *err);
void stn_build_free(stn_build *b); /* stops and joins; the queues must not be used afterwards */
stn_spsc *stn_build_jobs(stn_build *b); /* taken by the GL thread */
stn_spsc *stn_build_spent(stn_build *b); /* given by the GL thread */
/* From the GL thread: the levels of detail of a mesh are made when nothing else is to be done, and come as a
 * job. False: too many are asked for at once. */
bool stn_build_want_levels(stn_build *b, uint32_t asset);

typedef enum stn_build_state {
    STN_BUILD_SETTLED, /* all that has come is done */
    STN_BUILD_FULL, /* there is no room for more jobs: take them, then go on with 0 seconds */
    STN_BUILD_WAITS /* all that can be; but the loader owes answers: go on with 0 seconds when there may be
                       some */
} stn_build_state;

/* IN_STEPS: takes what has come and does all that follows from it, however long that takes; what moves by
 * itself moves on by `seconds` once. The clock is not looked at: the jobs depend on what came and on the
 * steps alone. */
stn_build_state stn_build_step(stn_build *b, double seconds);

#endif
