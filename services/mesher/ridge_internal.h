/* mesher/ridge_internal.h - what the two files of the ridge tiler share. */
#ifndef STN_MESHER_RIDGE_INTERNAL_H
#define STN_MESHER_RIDGE_INTERNAL_H

#include "mesher/ridges.h"

typedef struct column {
    uint32_t n; /* 0 = not made */
    uint32_t *v;
    uint32_t low, high; /* copies of its ends, for the ground */
    uint32_t *copy; /* flat ground: a second set of vertices for walls seen from behind */
} column;

typedef struct ridges {
    stn_ridges open;
    column columns[STN_RIDGE_SIDES];
} ridges;

typedef struct shaping { /* of one tile */
    stn_build *b;
    ridges *r;
    stn_tiler *t;
    int x, y;
    bool broken[4];
    double h[4];
    bool failed;
} shaping;

/* A column as walls take it: vertex numbers from low to high. */
typedef struct strip {
    const uint32_t *v;
    uint32_t n;
} strip;

#define MAX_PIECES 8

/* What a shape is made of; joined when it is done. */
typedef struct pieces {
    stn_part *ground[4];
    unsigned nground;
    stn_ridge_wall *walls[MAX_PIECES];
    unsigned nwalls;
} pieces;

strip stn_ridge_strip(const column *c);
/* Adds the part's faces to the surface. */
stn_status stn_ridge_ground(shaping *s, const uint32_t *gv, unsigned n, const uint16_t *f, unsigned nf,
                            stn_part **out);
/* *out stays NULL and s->failed is set when there is no such wall. `rows`: with its lower and upper edge. */
stn_status stn_ridge_wall_make(shaping *s, strip l, strip r, bool rows, stn_ridge_wall **out);
stn_status stn_ridge_join_ground(stn_build *b, stn_part *const *parts, unsigned n, stn_part **out);
stn_status stn_ridge_join_walls(stn_build *b, stn_ridge_wall *const *walls, unsigned n, stn_ridge_wall **out);

#endif
