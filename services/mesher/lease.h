/* mesher/lease.h - a Job message as a task: everything in it checked. Pure.
 *
 * Limits  margin at most 12; the windows hold exactly what the margin says; at most one tileset an id, at
 * most as many as there can be tiles. A job that asks for more is refused with a text; nothing is allocated
 * before. Source  proto/mesh.proto, docs/spec/map-cache.md 7.
 */
#ifndef STN_MESHER_LEASE_H
#define STN_MESHER_LEASE_H

#include "mesher/task.h"

#include "proto/mesh.pb-c.h"

#define STN_MARGIN_MAX 12

/* find(arg, handle) gives a tileset sent before, or NULL; the task takes references. */
stn_status stn_mesher_read_job(const Stenness__Job *job, stn_frame *const *bulk, size_t nbulk,
                               stn_tileset *(*find)(void *arg, uint32_t handle), void *arg, stn_task **out,
                               stn_err *err);

#endif
