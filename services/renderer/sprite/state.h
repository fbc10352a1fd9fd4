/* state.h - the state slots of a drawn leaf: what is written, by whom, and what comes out.
 *
 * The scene is a tree of levels; each has a list of ops and may be locked. The final value of a slot is that
 * of the innermost level that writes it; writing nothing is a write. Inside a level later ops win, and
 * reading ops (locations, going back, latent activation) see the level's own earlier writes first, then the
 * inherited value. A locked level may not write anything after reading a slot whose nearest definer is
 * unlocked.
 *
 * Values and ops are plain data; texts and pointers in them are borrowed from resources and arenas that must
 * outlive them. Source: docs/spec/sprites.md 10.
 */
#ifndef STN_SPRITE_STATE_H
#define STN_SPRITE_STATE_H

#include "base/arena.h"
#include "renderer/sprite/fault.h"
#include "renderer/sprite/quat.h"
#include "renderer/sprite/sway.h"
#include "res/layers.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct stn_sprite_res stn_sprite_res;
typedef struct stn_op stn_op;

typedef enum stn_sprite_slot {
    STN_SLOT_LOC,
    STN_SLOT_MORPH,
    STN_SLOT_MANIM,
    STN_SLOT_MAFRAME,
    STN_SLOT_SWAY,
    STN_SLOT_ORDER,
    STN_SLOT_TEXCLIP,
    STN_SLOT_FACECULL,
    STN_SLOT_DEPTHTEST,
    STN_SLOT_MASKDEPTH,
    STN_SLOT_MASKSHADOW,
    STN_SLOT_TEX,
    STN_SLOT_PHONG,
    STN_SLOT_CEL,
    STN_SLOT_BASECOLOR,
    STN_SLOT_OTEX,
    STN_SLOT_TEXPAL,
    STN_SLOT_BUMP,
    STN_SLOT_ENVREF,
    STN_SLOT_TEXROT,
    STN_SLOT_LATENT,
    STN_SLOT_MIXCOLOR,
    STN_SLOT_CRACK,
    STN_SLOT_CLICK,
    STN_SLOT_BLEND,
    STN_SLOT_FRAGCOL,
    STN_SLOT_NORMAL,
    STN_SLOTS
} stn_sprite_slot;

typedef struct stn_ops {
    const stn_op *items;
    uint32_t count;
} stn_ops;

typedef struct stn_tex_ref { /* a texture layer of a resource */
    const stn_sprite_res *res;
    const stn_res_tex *tex;
    const stn_res_image *image; /* instead of it: a picture of an item, not of a power of two */
} stn_tex_ref;

typedef struct stn_phong {
    float ambient[4], diffuse[4], specular[4], emission[4];
    float shine;
} stn_phong;

/* Draw order: main first; `composite` ones of equal main compare z1, then z2. */
typedef struct stn_order {
    int32_t main, z1, z2;
    bool composite;
} stn_order;

typedef enum stn_blend_fn { STN_MIX_ADD, STN_MIX_SUB, STN_MIX_RSUB, STN_MIX_MIN, STN_MIX_MAX } stn_blend_fn;
typedef enum stn_blend_factor {
    STN_FACTOR_ZERO,
    STN_FACTOR_ONE,
    STN_FACTOR_SRC_ALPHA,
    STN_FACTOR_INV_SRC_ALPHA,
    STN_FACTOR_SRC_COLOR,
    STN_FACTOR_INV_SRC_COLOR,
} stn_blend_factor;

typedef struct stn_sprite_blend {
    uint8_t fn, src, dst; /* colour */
    uint8_t alpha_fn, alpha_src, alpha_dst;
} stn_sprite_blend;

typedef enum stn_otex_mode { STN_OTEX_COPY, STN_OTEX_OVERLAY, STN_OTEX_ALPHA } stn_otex_mode;

/* One location of a chain; `world` is the product of the chain up to it. */
typedef struct stn_loc {
    const struct stn_loc *outer;
    const char *id; /* NULL = none */
    stn_mat4 world;
} stn_loc;

typedef struct stn_latent {
    const char *id;
    stn_ops ops;
} stn_latent;

typedef struct stn_state_value {
    union {
        const stn_loc *loc;
        stn_order order;
        stn_tex_ref tex; /* TEX, TEXCLIP, TEXPAL */
        stn_phong phong;
        float color[4]; /* BASECOLOR, ENVREF, MIXCOLOR */
        float rot[2]; /* TEXROT */
        stn_sprite_blend blend;
        struct {
            stn_tex_ref tex;
            stn_otex_mode mode;
        } otex;
        struct {
            stn_tex_ref tex;
            bool otex; /* by the overlay's coordinates */
        } bump;
        struct {
            bool diffuse, specular;
        } cel;
        stn_latent latent;
        uint32_t number; /* CLICK, MORPH: whatever the owner counts with */
        const stn_sway *sway; /* SWAY: the vertices' own movement, about the object's place */
        const struct stn_wrap *wrap; /* MANIM: the animation and where it is from */
        struct {
            uint32_t from, to;
            float a;
        } maframe;
    } u;
} stn_state_value;

typedef enum stn_op_kind {
    STN_OP_SET, /* value to slot */
    STN_OP_NOTHING, /* nothing to slot: hides what is outside */
    STN_OP_LOCATION, /* appends to the chain */
    STN_OP_NO_TURN, /* rotation and scale of the chain are dropped, the place stays */
    STN_OP_BACK, /* the chain up to the innermost location of that id */
    STN_OP_ACTIVATE, /* the ops of the latent of that id, when that is the one in sight */
} stn_op_kind;

struct stn_op {
    stn_op_kind kind;
    stn_sprite_slot slot;
    const char *id; /* LOCATION, BACK, ACTIVATE */
    union {
        stn_state_value value;
        stn_mat4 matrix;
    } u;
};

typedef struct stn_level {
    stn_ops ops;
    bool locked;
} stn_level;

typedef enum stn_presence { STN_UNSET, STN_NOTHING, STN_SET } stn_presence;

typedef struct stn_state {
    uint8_t presence[STN_SLOTS]; /* stn_presence */
    bool by_locked[STN_SLOTS]; /* whether the definer is locked */
    stn_state_value values[STN_SLOTS];
} stn_state;

void stn_state_clear(stn_state *state);
/* One more level inside what *state holds. Location chains go to the arena. On a fault *state is as far as it
 * got. */
stn_sprite_fault stn_state_enter(stn_state *state, const stn_level *level, stn_arena *arena, stn_err *err);
/* All levels, outermost first. */
stn_sprite_fault stn_state_compose(const stn_level *levels, size_t count, stn_arena *arena, stn_state *out,
                                   stn_err *err);

/* "loc", "tex", …: the words of the spec. */
const char *stn_slot_name(stn_sprite_slot slot);

#endif
