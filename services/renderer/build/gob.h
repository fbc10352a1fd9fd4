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
#define STN_GOBS_POSES 4 /* jobs of poses: one is shown, the others are on their way */

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
    bool failed, persistent;
    bool over; /* ended by itself: not shown any more */
    bool ending; /* taken off: it goes on until its sprite is done */
    bool reported; /* world was told that it is over */
} gob_overlay;

typedef struct gob_model {
    gob_ref mod;
    gob_ref *materials; /* in the body's own list of them */
    unsigned material_count;
} gob_model;

typedef struct gob_item {
    gob_ref what;
    char at[64];
    uint32_t type;
    float offset[3];
} gob_item;

/* The lists of a composite, as long as they are: most objects are none and have no body. */
typedef struct gob_body {
    gob_model *models;
    gob_ref *materials;
    gob_item *items;
    gob_ref *poses, *timed;
    unsigned model_count, item_count, pose_count, timed_count;
    float timed_seconds;
    bool interpolate;
} gob_body;

/* Variable materials, as they came and as they were found. */
typedef struct gob_dress {
    stn_varmat_entry entries[STN_VARMAT_SLOTS];
    char names[STN_VARMAT_SLOTS][64];
    uint32_t count;
    uint64_t instance;
    stn_varmat found;
} gob_dress;

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
    bool models_due, items_due, poses_due, timed_due;
    gob_body *body; /* NULL: no list of a composite came yet */
    /* variable materials */
    gob_dress *dress; /* NULL: none came */
    bool vm_due;
    stn_sway sway; /* used when `object` says so */
    stn_job_name *name; /* NULL: none came yet */
    bool name_due;
    uint32_t dress_type, sway_type, name_type; /* the components that said so, 0 = none */
    /* other */
    gob_overlay *overlays;
    unsigned overlay_count;
    float hp;
    /* what is shown */
    stn_sprite_mod mod;
    stn_sprite_object object;
    stn_sprite_stand stand;
    stn_sprite *sprite;
    stn_composite *composite;
    const stn_sprite_mat *around; /* drawn under this material; NULL = none */
    bool ghost; /* it is being placed: seen through */
    bool growth; /* of the ground: it sways where it is cut out of a picture, as leaves and blades are */
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
    stn_rnd rnd;
    uint64_t chance;
    stn_job *spare[STN_GOBS_POSES]; /* of poses, made as they are needed and used again and again */
    unsigned spare_count, made_poses;
    uint64_t frame, versions, faults, mark;
    stn_log_once fault_once, full_once;
    double since_pose;
    size_t next; /* where building goes on in the next tick */
};

void gob_free(gob *g);
void gob_body_free(gob_body *b); /* NULL is fine */
void gob_overlays_free(gob *g); /* takes them all off */
/* Applies a component. */
stn_status gob_component(stn_gobs *all, gob *g, uint32_t type, const uint8_t *data, size_t len, stn_err *err);
void gob_component_removed(gob *g, uint32_t type);
/* The looks of what is being placed. */
void gob_take_ghost(gob *g, const Stenness__Ghost *ghost);
/* Reads where it stands, for what is made by that. */
void gob_look_around(stn_gobs *all, gob *g);
/* Makes what is due; faults are counted and said. */
void gob_build(stn_gobs *all, gob *g);
/* Looks and poses as jobs; false: the queue is full. */
bool gob_give_look(stn_gobs *all, gob *g);
/* Appends what moves in an animated object; false: no room in the job. */
bool gob_put_pose(stn_gobs *all, gob *g, stn_job_poses *to);
void gob_fault(stn_gobs *all, const gob *g, const char *what, stn_sprite_fault f, const stn_err *err);

#endif
