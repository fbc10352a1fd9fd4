/* world/gob.h - one object of the game: what the server last said of it, attribute by attribute.
 *
 * An object holds at most one attribute per slot. Every attribute instance has a number of its own, never
 * used again: replacing gives a new number, changing in place keeps it (renderers rebuild sprites by these
 * numbers). Positions are f64 map units; displayed positions are f32 triples, as the reference computes them.
 * Source: docs/spec/object-cache.md A2-A5.
 */
#ifndef STN_WORLD_GOB_H
#define STN_WORLD_GOB_H

#include "base/err.h"
#include "map/motion.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_NO_TARGET 0xffffffffu
#define STN_SPEECH_MAX 1024 /* bytes kept of a speech text */
#define STN_FOLLOW_LINKS 32

/* A resource by session id, with the state bytes of what is made of it. */
typedef struct stn_sres {
    uint16_t resid;
    uint16_t len;
    uint8_t *sdt; /* owned; NULL when len is 0 */
} stn_sres;

typedef struct stn_sres_list {
    stn_sres *at;
    size_t n;
} stn_sres_list;

/* Which components of the tracker (docs/spec/object-cache.md B7) an attribute touches. */
enum {
    STN_COMP_PLACEMENT,
    STN_COMP_MOTION,
    STN_COMP_DRAWABLE,
    STN_COMP_POSES,
    STN_COMP_MODS,
    STN_COMP_EQUIPMENT,
    STN_COMP_OVERLAYS,
    STN_COMP_OFFSET,
    STN_COMP_SPEECH,
    STN_COMP_HEALTH,
    STN_COMP_ICON,
    STN_COMP_LUMIN,
    STN_COMP_AVATAR,
    STN_COMP_PUBLISHED,
};

typedef enum stn_moving_kind {
    STN_MOVING_NONE,
    STN_MOVING_LINEAR,
    STN_MOVING_HOMING,
    STN_MOVING_FOLLOWING
} stn_moving_kind;

typedef struct stn_moving {
    stn_moving_kind kind;
    uint64_t instance;
    stn_linear line; /* linear */
    uint32_t target; /* homing, following */
    double tx, ty, v, dist; /* homing: where the target is when it is not known, speed, way gone */
    uint16_t xf; /* following: the resource that names the place on the target */
    char *bone; /* owned */
    double last_speed; /* following: what was last answered, kept while the target is missing */
} stn_moving;

typedef enum stn_drawable_kind { STN_DRAW_NONE, STN_DRAW_RESOURCE, STN_DRAW_COMPOSITE } stn_drawable_kind;

typedef struct stn_mod {
    uint16_t mod;
    stn_sres_list textures;
} stn_mod;

typedef struct stn_equ {
    uint8_t type;
    bool has_offset;
    char *at; /* owned */
    stn_sres res;
    float off[3];
} stn_equ;

typedef struct stn_drawable {
    stn_drawable_kind kind;
    uint64_t instance;
    stn_sres res; /* the resource, or the composite's base without state */
    uint32_t updates; /* how often the sprite was changed in place */
    /* Composite: what is pending. Numbers are 0 as long as the list was never given. */
    int32_t pseq;
    bool interp;
    bool has_poses, has_timed, has_mods, has_equ;
    float timed_s;
    stn_sres_list poses, timed;
    stn_mod *mods;
    size_t n_mods;
    stn_equ *equ;
    size_t n_equ;
} stn_drawable;

typedef struct stn_overlay {
    int32_t id;
    uint64_t instance;
    stn_sres res;
    bool delign; /* persistent: stays whatever its sprite says */
    bool old; /* was there before we saw it */
    bool in_scene;
    bool deleted; /* told to end; its sprite finishes by itself */
    bool reported; /* a viewer said that the one-shot is over */
    uint32_t updates;
    double age; /* seconds ticked */
    double ending; /* seconds ticked since it was told to end */
} stn_overlay;

/* An attribute that a resource's own code reads. */
typedef struct stn_published {
    uint64_t instance;
    uint32_t slot, kind;
    uint16_t resid;
    uint16_t len;
    uint8_t *data; /* owned */
} stn_published;

typedef struct stn_gob {
    int64_t id;
    uint64_t incarnation; /* a new number for each publication */
    bool is_virtual;
    bool is_public;
    double x, y; /* the server's last word */
    double angle; /* radians */
    uint32_t updateseq; /* +1 per finished batch */
    int32_t lastolid;
    uint32_t changed; /* bits 1 << STN_COMP_*, set by attributes, cleared by who reads them */
    stn_moving moving;
    stn_drawable drawable;
    struct {
        uint64_t instance; /* 0 = none, in each of these */
        float z;
    } offset;
    struct {
        uint64_t instance;
        int32_t x, y;
        uint16_t size;
        uint8_t strength;
    } lumin;
    struct {
        uint64_t instance;
        uint16_t *layers; /* owned */
        size_t n;
    } avatar;
    struct {
        uint64_t instance;
        float z;
        char *text; /* owned, UTF-8 */
    } speaking;
    struct {
        uint64_t instance;
        float hp;
    } health;
    struct {
        uint64_t instance;
        stn_sres res;
    } icon;
    stn_published *published;
    size_t n_published;
    stn_overlay *overlays;
    size_t n_overlays, cap_overlays;
    size_t index; /* in the cache's list of public objects */
    uint64_t tag; /* the owner's: the tracker entity */
} stn_gob;

stn_gob *stn_gob_new(int64_t id, bool is_virtual);
void stn_gob_free(stn_gob *g);

void stn_sres_fini(stn_sres *r);
void stn_sres_list_fini(stn_sres_list *l);
void stn_moving_fini(stn_moving *m);
void stn_drawable_fini(stn_drawable *d);
void stn_gob_overlay_remove(stn_gob *g, size_t i); /* keeps the order */

/* What the cache knows of a resource's sprite code, from its layers and the registry of native twins. */
typedef struct stn_res_traits {
    bool skeleton; /* can be the base of a composite */
    bool live_update; /* its sprite takes new state in place */
    bool deferred_end; /* its sprite ends by itself after it was told to */
    bool published; /* has a reader of published attributes … */
    uint32_t published_slot, published_kind; /* … into this slot, as this kind */
    bool published_deletes_any; /* without data it deletes whatever is in the slot, else its own kind only */
} stn_res_traits;

typedef struct stn_gob_env {
    /* STN_OK, or STN_AGAIN while the resource is not there. */
    stn_status (*traits)(void *arg, uint16_t resid, stn_res_traits *out);
    /* A published attribute instance was replaced or deleted. May be NULL. */
    void (*disposed)(void *arg, const stn_gob *g, const stn_published *old);
    void *arg;
    uint64_t *instances; /* the counter that numbers instances */
} stn_gob_env;

/* Applies one attribute. STN_AGAIN: it waits for resource *parked_on and had no effect. Any other failure: it
 * is malformed or impossible here, and had no effect either. */
stn_status stn_gob_apply(stn_gob *g, const stn_gob_env *env, uint8_t type, const uint8_t *data, size_t len,
                         bool old, uint16_t *parked_on, stn_err *err);

#endif
