/* spatial_impl.h - the inside of a spatial: for spatial.c and queue.c alone. */
#ifndef STN_RENDERER_SCENE_SPATIAL_IMPL_H
#define STN_RENDERER_SCENE_SPATIAL_IMPL_H

#include "renderer/scene/spatial.h"

#include <stdio.h>

struct stn_spatial {
    char name[32];
    bool is_mesh, pickable;
    bool stirred; /* an update has work here or below: a mark, or a controller; then the ancestors are too */
    unsigned dirty;
    stn_spatial *parent;
    stn_spatial **child;
    size_t count, cap;
    stn_xform local, world;
    stn_bound model, bound; /* model: meshes */
    const void *state[STN_SG_STATES], *world_state[STN_SG_STATES];
    stn_sg_cull cull;
    stn_sg_bucket bucket;
    int ortho_order;
    stn_sg_seen seen;
    stn_sg_control_fn control;
    void *control_arg;
    stn_sg_listen_fn listen;
    void *listen_arg;
    void *user;
};

#endif
