/* sprite.h - from one resource and its state bytes to drawable parts.
 *
 * A sprite is made by the factory its resource asks for, ticks with its object, rebuilds itself when the
 * object's attributes were replaced, and shows an immutable list of parts. The pipeline is pure: it asks a
 * source for resources and is told "not yet" (retried at the next tick, the old parts stay) or "never"
 * (contained: the old parts stay, the fault is returned once).
 *
 * Source: docs/spec/sprites.md 2 to 9, 12.
 */
#ifndef STN_SPRITE_SPRITE_H
#define STN_SPRITE_SPRITE_H

#include "renderer/sprite/flicker.h"
#include "renderer/sprite/manim.h"
#include "renderer/sprite/material.h"
#include "renderer/sprite/place.h"
#include "renderer/sprite/poser.h"
#include "renderer/sprite/random.h"
#include "renderer/sprite/skin.h"
#include "renderer/sprite/smoke.h"
#include "renderer/sprite/source.h"
#include "renderer/sprite/state.h"
#include "renderer/sprite/sway.h"
#include "renderer/sprite/wind.h"
#include "res/natives.h"

typedef struct stn_sprite stn_sprite;
typedef struct stn_sprite_ctx stn_sprite_ctx;
typedef struct stn_sprite_build stn_sprite_build;

#define STN_SPRITE_DEPTH 16 /* links to links to links: more is malformed */

/* ---- the owner ---- */

/* An attribute that takes part in building. `instance` is its identity: a replaced attribute has another one,
 * a changed one keeps it. */
typedef struct stn_sprite_mod {
    uint32_t family;
    uint64_t instance;
    int32_t order;
    stn_sprite_fault (*operate)(void *user, stn_sprite_build *build, stn_err *err);
    void *user;
} stn_sprite_mod;

/* Where an object stands, for what is made by it: read when a sprite is made. */
typedef struct stn_sprite_stand {
    double angle;
    float x, y, z; /* as drawn; y is not negated */
    const stn_ground *ground; /* NULL: as if it were flat */
    bool has_grid; /* the grid is known; what needs it is LOADING until then */
    int64_t grid;
    int32_t tile_x, tile_y; /* in that grid */
} stn_sprite_stand;

/* What a sprite sees of the object it is on: kept by the caller, read whenever the sprite is built or ticks.
 */
typedef struct stn_sprite_object {
    int64_t id;
    int32_t updateseq;
    const stn_sprite_mod *mods; /* in a fixed order of families */
    uint32_t n_mods;
    double speed; /* units a second */
    const char *const *tile_tags; /* of the tile under it, sorted */
    uint32_t n_tile_tags;
    /* All of these may be NULL. */
    const stn_sprite_stand *stand;
    const stn_sway *sway; /* of a published attribute; wins over a tree's own */
    const stn_sprite_res *base; /* the resource of its drawable, for attach points of overlays */
    /* A resource by its number in the session: state bytes may hold some. Faults as stn_sprite_get(). */
    stn_sprite_fault (*resource)(void *user, uint16_t number, const stn_sprite_res **out, stn_err *err);
    void *resource_user;
} stn_sprite_object;

/* ---- parts ---- */

typedef enum stn_wrap_kind {
    STN_WRAP_MATERIAL, /* statics in an outer locked level, dynamics in an inner unlocked one */
    STN_WRAP_STATIC, /* one half of a material that a link brought, locked */
    STN_WRAP_DYNAMIC, /* the other, locked too */
    STN_WRAP_VARIABLE, /* a variable material: all in one locked level; `slot` says which */
    STN_WRAP_MANIM, /* the animation that moves the mesh */
} stn_wrap_kind;

typedef struct stn_wrap {
    stn_wrap_kind kind;
    const stn_sprite_mat *material;
    int32_t slot;
    const stn_manim *manim;
    const stn_sprite_res *manim_res;
} stn_wrap;

typedef enum stn_dyn_kind {
    STN_DYN_MAFRAME,
    STN_DYN_BONES,
    STN_DYN_RIGID,
    STN_DYN_PLACE,
    STN_DYN_SCATTER, /* a place that ignores how the object is turned: back to "gobx", then `place` */
} stn_dyn_kind;

/* Looked at anew for each frame. */
typedef struct stn_dyn {
    stn_dyn_kind kind;
    const stn_manim *manim;
    const stn_pose *pose, *bind; /* BONES, RIGID */
    const stn_res_vbuf *vbuf; /* BONES: its bone names … */
    const int32_t *bones; /* … as indices into the skeleton */
    uint32_t bone; /* RIGID */
    stn_mat4 place; /* PLACE, SCATTER */
} stn_dyn;

typedef enum stn_part_kind {
    STN_PART_MESH,
    STN_PART_SPRITE,
    STN_PART_GROUP, /* meshes that a collecting link brought: one part */
    STN_PART_AMBIENCE, /* a sound around */
    STN_PART_LIGHT,
    STN_PART_PARTICLES, /* points that face the eye, drawn in the part's material */
    STN_PART_ROPE, /* a line through `rope` and back to its start */
    STN_PART_EMPTY, /* a link to served code that has no native twin */
} stn_part_kind;

typedef struct stn_sprite_part {
    stn_part_kind kind;
    const stn_sprite_res *res; /* of the mesh, light or sound */
    const stn_res_layer *layer; /* MESH: its mesh layer; LIGHT */
    stn_sprite *sprite; /* SPRITE; owned by the sprite whose part this is */
    const struct stn_sprite_part *members; /* GROUP */
    uint32_t n_members;
    stn_wrap *wraps; /* innermost first */
    uint32_t n_wraps, cap_wraps;
    stn_ops state; /* locked, inside the innermost wrap */
    stn_dyn *dyns; /* unlocked, outside the outermost wrap */
    uint32_t n_dyns, cap_dyns;
    const stn_res_rlink *link; /* that brought it, or NULL */
    const stn_flicker *flicker; /* LIGHT: its brightness now (stn_flicker_light); NULL = steady */
    const float (*rope)[3]; /* ROPE: points in the object's space */
    uint32_t n_rope;
    const stn_smoke *smoke; /* PARTICLES: the points now; moved by the sprite's ticks */
} stn_sprite_part;

/* ---- the context: what all sprites of one build thread share ---- */

typedef struct stn_sprite_report {
    void (*unknown)(void *user, const char *what,
                    const char *name); /* served code without a native twin, once a name */
    void *user;
} stn_sprite_report;

/* `rnd` is the global random source (ageing); borrowed. */
stn_sprite_ctx *stn_sprite_ctx_new(const stn_sprite_source *source, stn_rnd *rnd,
                                   const stn_sprite_report *report);
void stn_sprite_ctx_free(stn_sprite_ctx *ctx); /* after all its sprites */
/* The material of a resource, built once. Owned by the context until the resource is forgotten. */
stn_sprite_fault stn_sprite_material(stn_sprite_ctx *ctx, const stn_sprite_res *res, const stn_res_mat *mat,
                                     const stn_sprite_mat **out, stn_err *err);
const stn_sprite_source *stn_sprite_ctx_source(const stn_sprite_ctx *ctx);
/* The native twin for what a published attribute's carrier calls "objdelta", or NULL: it is then ignored. An
 * unknown carrier, and one of a version that the twin is not for, is reported once. */
const stn_native *stn_sprite_attribute(stn_sprite_ctx *ctx, const char *carrier, int32_t version);
/* Different names that were reported as unknown so far; each with what it is ("sprite class", "link" …). */
uint32_t stn_sprite_ctx_unknowns(const stn_sprite_ctx *ctx);
const char *stn_sprite_ctx_unknown(const stn_sprite_ctx *ctx, uint32_t i,
                                   const char **what); /* NULL past the last */
/* The wind that smoke drifts with: ticked by whoever owns the context, once a frame. */
const stn_wind *stn_sprite_ctx_wind(const stn_sprite_ctx *ctx);
void stn_sprite_ctx_blow(stn_sprite_ctx *ctx, float dt);
/* Leaves that rebuilds and new lists brought into the scene and took out of it; a new sprite's first ones are
 * its maker's to count. */
void stn_sprite_ctx_counts(const stn_sprite_ctx *ctx, uint64_t *added, uint64_t *removed);

/* ---- a sprite ---- */

typedef enum stn_sprite_kind {
    STN_SPRITE_MOD,
    STN_SPRITE_STATIC,
    STN_SPRITE_BARE,
    STN_SPRITE_AUDIO_CLIP,
    STN_SPRITE_AUDIO_REPEAT,
    STN_SPRITE_AUDIO_AMBIENCE,
    STN_SPRITE_NATIVE, /* a twin of served code: stn_sprite_native() says which */
} stn_sprite_kind;

/* `object` NULL: none in the owner chain. It and `res` must outlive the sprite. */
stn_sprite_fault stn_sprite_new(stn_sprite_ctx *ctx, const stn_sprite_object *object,
                                const stn_sprite_res *res, const uint8_t *sdt, size_t len, stn_sprite **out,
                                stn_err *err);
void stn_sprite_free(stn_sprite *sprite); /* NULL is fine */
/* A fault is of this sprite's rebuild; LOADING is not one and is not returned. *done: the sprite has ended.
 */
stn_sprite_fault stn_sprite_tick(stn_sprite *sprite, double dt, bool *done, stn_err *err);
/* New state bytes; STN_SPRITE_MALFORMED when the kind does not take them live. */
stn_sprite_fault stn_sprite_update(stn_sprite *sprite, const uint8_t *sdt, size_t len, stn_err *err);
bool stn_sprite_updatable(const stn_sprite *sprite);
stn_sprite_fault stn_sprite_age(stn_sprite *sprite, stn_err *err);

/* Asks it to end; false: it cannot, and is to be removed at once. Ticks then say when it is done. */
bool stn_sprite_end(stn_sprite *sprite);
bool stn_sprite_ends(const stn_sprite *sprite); /* whether it could */
/* Whether an overlay is to go, by what its last tick said: a persistent one stays unless it can end by
 * itself. Who finds a one-shot (not persistent) over reports it to world, once. */
bool stn_sprite_over(const stn_sprite *sprite, bool persistent, bool done);

stn_sprite_kind stn_sprite_kind_of(const stn_sprite *sprite);
stn_native_id stn_sprite_native(const stn_sprite *sprite); /* STN_NATIVE_NONE: no twin */
const char *stn_sprite_kind_name(stn_sprite_kind kind);
const stn_sprite_res *stn_sprite_resource(const stn_sprite *sprite);
uint32_t stn_sprite_flag_word(const stn_sprite *sprite);
const stn_sprite_part *stn_sprite_parts(const stn_sprite *sprite, uint32_t *count);
const stn_poser *stn_sprite_poser(const stn_sprite *sprite); /* NULL = none */
uint32_t stn_sprite_builds(const stn_sprite *sprite); /* finished or begun, successful or not */
uint64_t stn_sprite_version(const stn_sprite *sprite); /* moves whenever this sprite's parts are replaced */
int32_t stn_sprite_last_update(const stn_sprite *sprite);

/* What a sprite adds to the placement of the object whose body it is, inside the object's own turn: a tree
 * leans, has a size and sways. stn_sprite_leaves() brings it in by itself. NULL: nothing. */
typedef struct stn_stance {
    bool set;
    stn_mat4 turn; /* the lean, then the size */
    const stn_sway *sway;
} stn_stance;
const stn_stance *stn_sprite_stance(const stn_sprite *sprite);

/* Every mesh, light, rope and cloud of points of the sprite and of the sprites in it, in tree order, with its
 * final state inside `outer`. The stance and the object's sway are brought in (SWAY slot, location). `arena`
 * takes location chains; reset by the caller. Stops at the first fault or when fn returns false. */
typedef struct stn_leaf {
    const stn_sprite_part *part;
    const stn_state *state;
    const stn_dyn *morph; /* BONES of this leaf, or NULL */
    bool moves; /* a bone or a mesh animation on its way here: it is elsewhere in the next frame */
    /* A SCATTER is around it. When `outer` has a location "gobx", LOC is complete; else LOC is to be applied
     * to the object's place without its turn. */
    bool unturned;
} stn_leaf;
typedef bool stn_leaf_fn(void *user, const stn_leaf *leaf);
stn_sprite_fault stn_sprite_leaves(const stn_sprite *sprite, const stn_state *outer, stn_arena *arena,
                                   stn_leaf_fn *fn, void *user, stn_err *err);

/* ---- for mods ---- */

uint32_t stn_build_parts(const stn_sprite_build *build);
stn_sprite_part *stn_sprite_build_part(stn_sprite_build *build, uint32_t i);
/* Puts a wrap innermost (first) or outermost (last). False: out of memory. */
bool stn_build_wrap_first(stn_sprite_build *build, stn_sprite_part *part, const stn_wrap *wrap);
bool stn_build_wrap_last(stn_sprite_build *build, stn_sprite_part *part, const stn_wrap *wrap);
stn_sprite_ctx *stn_build_ctx(stn_sprite_build *build);

#endif
