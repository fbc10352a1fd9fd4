/* spatial.h - the scene graph: a tree of nodes and meshes with local and world values.
 *
 * A spatial has a local transform, reached through setters alone, and, after an update, a world transform, a
 * world bound and (meshes) the render states that hold for it. What changed is known by three marks: T
 * transform, R states, B bound; an update of an untouched tree computes nothing. Hints are inherited.
 *
 * update() of one spatial, depth first: controllers; world transform; states; children, last first; bound;
 * and the initiator then mends the bounds of its ancestors. It is called on the root.
 *
 * Culling and queueing: stn_sg_queue() walks the tree with a camera and puts visible meshes into buckets.
 * A tree belongs to one thread. Limits: depth STN_SG_DEPTH; a cycle is refused.
 * Source: docs/spec/rendering.md 23.1, 23.2, 23.6.
 */
#ifndef STN_RENDERER_SCENE_SPATIAL_H
#define STN_RENDERER_SCENE_SPATIAL_H

#include "renderer/scene/bound.h"

#include <stddef.h>
#include <stdint.h>

#define STN_SG_DEPTH 1024
#define STN_SG_STATES 8 /* kinds of render state */

enum { STN_SG_T = 1, STN_SG_R = 2, STN_SG_B = 4 };

typedef enum stn_sg_cull { STN_CULL_INHERIT, STN_CULL_DYNAMIC, STN_CULL_ALWAYS, STN_CULL_NEVER } stn_sg_cull;
typedef enum stn_sg_seen { STN_SEEN_OUTSIDE, STN_SEEN_INTERSECTS, STN_SEEN_INSIDE } stn_sg_seen;

/* In the order in which they are drawn. */
typedef enum stn_sg_bucket {
    STN_BUCKET_INHERIT,
    STN_BUCKET_PRE,
    STN_BUCKET_SHADOW,
    STN_BUCKET_OPAQUE,
    STN_BUCKET_TRANSPARENT,
    STN_BUCKET_ORTHO,
    STN_BUCKET_POST,
    STN_BUCKET_SKIP,
    STN_BUCKET_COUNT
} stn_sg_bucket;

typedef struct stn_spatial stn_spatial;
typedef void (*stn_sg_control_fn)(void *arg, stn_spatial *s, double dt);
/* Told of marks from the spatial upward until one answers true. */
typedef bool (*stn_sg_listen_fn)(void *arg, stn_spatial *s, unsigned marks);

/* A node that can have children, and a mesh that can be drawn. NULL: out of memory. */
stn_spatial *stn_node_new(const char *name);
stn_spatial *stn_mesh_new(const char *name);
/* With everything below; taken out of its parent first. NULL is fine. */
void stn_spatial_free(stn_spatial *s);

/* STN_USAGE: a cycle, a mesh as parent, or too deep. No effect when it is there already. */
stn_status stn_spatial_attach(stn_spatial *parent, stn_spatial *child, stn_err *err);
/* Takes it out of its parent; it is then the caller's. `compat`: mark as the reference does, which leaves the
 * parent's own bound as it was. */
void stn_spatial_detach(stn_spatial *s, bool compat);

const char *stn_spatial_name(const stn_spatial *s);
bool stn_spatial_is_mesh(const stn_spatial *s);
stn_spatial *stn_spatial_parent(const stn_spatial *s);
size_t stn_spatial_children(const stn_spatial *s);
stn_spatial *stn_spatial_child(const stn_spatial *s, size_t i); /* NULL out of range */
unsigned stn_spatial_dirty(const stn_spatial *s); /* marks */
void *stn_spatial_user(const stn_spatial *s);
void stn_spatial_set_user(stn_spatial *s, void *user);

const stn_xform *stn_spatial_local(const stn_spatial *s);
const stn_xform *stn_spatial_world(const stn_spatial *s);
const stn_bound *stn_spatial_bound(const stn_spatial *s); /* world */
stn_sg_seen stn_spatial_seen(const stn_spatial *s); /* by the last queueing */

void stn_spatial_translate(stn_spatial *s, stn_sg_v3 t);
void stn_spatial_rotate(stn_spatial *s, const stn_sg_real m[9]);
stn_status stn_spatial_scale(stn_spatial *s, stn_sg_v3 k, stn_err *err);
void stn_spatial_set_local(stn_spatial *s, const stn_xform *x);
void stn_mesh_set_bound(stn_spatial *mesh, const stn_bound *model);
void stn_spatial_set_state(stn_spatial *s, unsigned kind, const void *state); /* NULL clears */
const void *stn_spatial_state(const stn_spatial *mesh,
                              unsigned kind); /* what holds after an update; NULL = none */

void stn_spatial_set_cull(stn_spatial *s, stn_sg_cull hint);
void stn_spatial_set_bucket(stn_spatial *s, stn_sg_bucket bucket);
stn_sg_bucket stn_spatial_bucket(const stn_spatial *s); /* with what is inherited */
void stn_spatial_set_ortho_order(stn_spatial *s, int order);
int stn_spatial_ortho_order(const stn_spatial *s);
void stn_spatial_set_pickable(stn_spatial *s, bool pickable);
/* At most one of each. */
void stn_spatial_set_controller(stn_spatial *s, stn_sg_control_fn fn, void *arg);
void stn_spatial_set_listener(stn_spatial *s, stn_sg_listen_fn fn, void *arg);

void stn_spatial_update(stn_spatial *s, double dt);
/* Matrices and bounds computed since the start: what "an untouched tree computes nothing" is checked by. */
void stn_spatial_work(uint64_t *transforms, uint64_t *bounds);

/* --- what a camera sees --- */

typedef struct stn_sg_camera {
    bool parallel;
    stn_sg_real near, far, left, right, top, bottom;
    stn_sg_v3 location, axis_left, axis_up, axis_dir;
    stn_sg_plane planes[6]; /* left right bottom top far near: stn_sg_camera_planes() */
} stn_sg_camera;

void stn_sg_camera_planes(stn_sg_camera *c);

typedef struct stn_sg_queued {
    stn_spatial *mesh;
    stn_sg_bucket bucket;
    stn_sg_real distance; /* to the bound's edge, transparent bucket */
    uint64_t key; /* opaque bucket: stn_sg_queue_key() of the owner, 0 by default */
} stn_sg_queued;

typedef struct stn_sg_queue {
    stn_sg_queued *items, *scratch;
    size_t count, cap;
    bool failed; /* out of memory: some meshes are missing */
} stn_sg_queue;

void stn_sg_queue_fini(stn_sg_queue *q);
void stn_sg_queue_clear(stn_sg_queue *q);
/* Appends what is seen, in the order of the walk. */
void stn_sg_queue_visible(stn_sg_queue *q, stn_spatial *root, const stn_sg_camera *camera);
/* Sorts by bucket and inside each by its rule; stable. */
void stn_sg_queue_sort(stn_sg_queue *q);

typedef struct stn_sg_pick {
    stn_spatial *mesh;
    stn_sg_real distance;
} stn_sg_pick;
/* Meshes whose world bound the ray meets, nearest first; at most cap, the nearest are kept. */
size_t stn_sg_pick_bounds(stn_spatial *root, const stn_sg_ray *ray, stn_sg_pick *out, size_t cap);

#endif
