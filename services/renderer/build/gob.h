/* gob.h - one object of gobs.h: for gobs.c, gob_parts.c, gob_look.c and decor.c alone. */
#ifndef STN_RENDERER_BUILD_GOB_H
#define STN_RENDERER_BUILD_GOB_H

#include "bus/unpack.h"
#include "renderer/build/gobs.h"
#include "renderer/sprite/composite.h"
#include "renderer/sprite/sprite.h"
#include "renderer/sprite/varmat.h"

#include "base/log.h"
#include "base/table.h"

#define GOB_OVERLAYS 16
#define GOB_MODELS 32
#define GOB_MATERIALS 8
#define GOB_ITEMS 32
#define GOB_POSES 8
#define GOB_SDT 64

typedef struct gob_ref {
    char name[128]; /* "" = none */
    int32_t version;
    uint8_t sdt[GOB_SDT];
    size_t sdt_len;
} gob_ref;

typedef struct gob_overlay {
    int32_t id;
    uint64_t instance;
    gob_ref ref;
    stn_sprite *sprite;
    bool failed;
} gob_overlay;

typedef struct gob {
    int64_t id;
    uint64_t incarnation, mark; /* mark: of the snapshot that named it last */
    /* place */
    double x, y, angle;
    float z;
    int32_t updateseq;
    stn_motion motion;
    uint64_t motion_instance;
    bool placed, place_due;
    /* drawable */
    Stenness__DrawableKind kind;
    uint64_t drawable_instance;
    gob_ref drawable;
    bool drawable_due, failed;
    /* composite */
    struct {
        gob_ref mod, materials[GOB_MATERIALS];
        unsigned material_count;
    } models[GOB_MODELS];
    unsigned model_count;
    struct {
        gob_ref what;
        char at[64];
        uint32_t type;
        float offset[3];
    } items[GOB_ITEMS];
    unsigned item_count;
    gob_ref poses[GOB_POSES], timed[GOB_POSES];
    unsigned pose_count, timed_count;
    float timed_seconds;
    bool interpolate, models_due, items_due, poses_due, timed_due;
    /* variable materials */
    stn_varmat_entry vm[STN_VARMAT_SLOTS];
    char vm_names[STN_VARMAT_SLOTS][64];
    uint32_t vm_count;
    bool vm_due;
    uint64_t vm_instance;
    stn_varmat varmat;
    /* other */
    gob_overlay overlays[GOB_OVERLAYS];
    unsigned overlay_count;
    float hp;
    /* what is shown */
    stn_sprite_mod mod;
    stn_sprite_object object;
    stn_sprite_stand stand;
    stn_sprite *sprite;
    stn_composite *composite;
    const stn_sprite_mat *around; /* drawn under this material; NULL = none */
    uint64_t seen, look_version;
    bool look_due, animated, has_look;
} gob;

struct stn_gobs {
    stn_store *store;
    stn_gobs_ops ops;
    stn_sprite_ctx *ctx;
    stn_table *by_id;
    stn_unpacker *unpacker; /* of components */
    stn_arena *arena;
    uint64_t frame, versions, faults, mark;
    stn_log_once fault_once, full_once;
    double since_pose;
    size_t next; /* where building goes on in the next tick */
};

void gob_free(gob *g);
/* Applies a component. */
stn_status gob_component(stn_gobs *all, gob *g, uint32_t type, const uint8_t *data, size_t len, stn_err *err);
void gob_component_removed(gob *g, uint32_t type);
/* Makes what is due; faults are counted and said. */
void gob_build(stn_gobs *all, gob *g);
/* Looks and poses as jobs; false: the queue is full. */
bool gob_give_look(stn_gobs *all, gob *g);
/* Appends the matrices of an animated object; false: no room in the job. */
bool gob_put_pose(stn_gobs *all, gob *g, stn_job_poses *to, uint32_t max_matrices, uint32_t *matrices);
void gob_fault(stn_gobs *all, const gob *g, const char *what, stn_sprite_fault f, const stn_err *err);

#endif
