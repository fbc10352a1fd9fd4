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
#include "renderer/net/net.h"

typedef struct stn_build stn_build;

/* Starts the thread. `idle`: run it at idle priority, because a software rasteriser needs the processor. */
stn_status stn_build_new(stn_net *net, bool idle, stn_build **out, stn_err *err);
void stn_build_free(stn_build *b); /* stops and joins; the queues must not be used afterwards */
stn_spsc *stn_build_jobs(stn_build *b); /* taken by the GL thread */
stn_spsc *stn_build_spent(stn_build *b); /* given by the GL thread */
/* From the GL thread: the levels of detail of a mesh are made when nothing else is to be done, and come as a
 * job. False: too many are asked for at once. */
bool stn_build_want_levels(stn_build *b, uint32_t asset);

#endif
