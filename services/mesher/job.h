/* mesher/job.h - everything that building one cut reads: a closed snapshot, borrowed for the time of the
 * build.
 *
 * Windows are by place in the cut, (0,0) its upper-left tile. A build of plain tiles reads tile ids of -1..25
 * and heights of -1..26 both ways; one with water -11..35 and -11..36. A window that does not reach far
 * enough fails the job. Heights are as streamed, also with `flat` on: where a cliff is does not change with
 * that switch. Source: docs/spec/terrain-mesh.md 3, 16; docs/spec/map-cache.md 7.
 */
#ifndef STN_MESHER_JOB_H
#define STN_MESHER_JOB_H

#include "map/ground.h"
#include "map/tileset.h"
#include "map/window.h"

typedef struct stn_job_set {
    uint16_t id; /* tile id of the session */
    const stn_tileset *set;
} stn_job_set;

typedef struct stn_job {
    int64_t grid_id; /* the server's identity of the ground: seeds the cut */
    stn_coord grid; /* place in the session: seeds what must meet at seams */
    stn_coord cut; /* 0..3 in the grid */
    uint8_t blend; /* passes, 0..12 */
    bool transitions;
    bool flat; /* draw height 0 everywhere */
    double density; /* flavor, percent 0..100 */
    stn_window tile_window;
    const uint16_t *tiles;
    stn_window height_window;
    const float *heights;
    const stn_job_set *sets; /* ids may come in any order, each once; an id without a set has no tiler */
    size_t nsets;
} stn_job;

/* World tile of the cut's upper-left tile. */
static inline stn_coord stn_job_ul(const stn_job *job)
{
    return stn_coord_add(stn_tile_of_grid(job->grid), job->cut.x * STN_CUT_TILES, job->cut.y * STN_CUT_TILES);
}

#endif
