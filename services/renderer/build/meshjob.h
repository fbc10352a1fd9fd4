/* meshjob.h - meshes of resources as jobs for the GL thread: vertices interleaved, and levels of detail.
 * Pure.
 *
 * Indices stay the resource's, which outlives the jobs.
 */
#ifndef STN_RENDERER_BUILD_MESHJOB_H
#define STN_RENDERER_BUILD_MESHJOB_H

#include "renderer/build/job.h"
#include "res/res.h"

/* Fills `d` with the mesh, its vertices in the job's memory; to be checked (stn_mesh_check). `bones`: with
 * bone attributes. False: out of memory. */
bool stn_meshjob_fill(stn_job *job, stn_mesh_desc *d, const stn_res_mesh *mesh, bool bones);
/* STN_JOB_LEVELS of a mesh without bones: without lists when it has none. Takes milliseconds. NULL: out of
 * memory.
 */
stn_job *stn_meshjob_levels(const stn_res_mesh *mesh);

#endif
