/* terrain_case.h - a case of the terrain vectors: its input as a job, and its expected result.
 *
 * Format: README of the terrain vectors. Used by the vector program, the benchmark and unit tests.
 */
#ifndef STN_TESTS_TERRAIN_CASE_H
#define STN_TESTS_TERRAIN_CASE_H

#include "base/buf.h"
#include "mesher/build.h"

#define TERRAIN_MAX_SETS 256

typedef struct terrain_case {
    char name[64];
    stn_job job;
    stn_coord grid_ul;
    uint16_t tiles[27 * 27];
    float heights[28 * 28];
    stn_tileset *masks[TERRAIN_MAX_SETS]; /* transition sets */
    size_t nmasks;
    stn_job_set sets[TERRAIN_MAX_SETS];
    size_t nsets;
} terrain_case;

/* Parses the text of a .in file. NULL with *err set when it is malformed. */
terrain_case *terrain_case_new(const char *text, size_t len, stn_err *err);
void terrain_case_free(terrain_case *c);

/* The result in the vectors' own form (TRO1). The blends of all terrain ids are made anew over the whole cut.
 * When `marks` is not NULL it gets a line "offset name" for each part, for messages. */
stn_status terrain_case_result(const terrain_case *c, stn_scratch *s, stn_blocks *blocks,
                               const stn_kernels *k, stn_buf *out, stn_buf *marks, stn_err *err);

#endif
