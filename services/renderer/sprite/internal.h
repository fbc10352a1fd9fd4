/* internal.h - what the files of the pipeline share. Nobody else includes it. */
#ifndef STN_SPRITE_INTERNAL_H
#define STN_SPRITE_INTERNAL_H

#include "renderer/sprite/flags.h"
#include "renderer/sprite/sprite.h"

/* A native twin of a served sprite class. `data` is zeroed memory of `size` bytes, freed with the sprite.
 * Whatever is NULL does nothing. */
typedef struct stn_twin {
    stn_native_id id;
    size_t size;
    stn_sprite_fault (*init)(stn_sprite *sprite, const uint8_t *sdt, size_t len, const stn_values *args,
                             stn_err *err);
    stn_sprite_fault (*build)(stn_sprite_build *build, stn_err *err); /* all parts, in place of the mods */
    stn_sprite_fault (*tick)(stn_sprite *sprite, double dt, bool *done, stn_err *err);
    stn_sprite_fault (*update)(stn_sprite *sprite, const uint8_t *sdt, size_t len, stn_err *err);
    bool (*end)(stn_sprite *sprite);
    stn_sprite_fault (*age)(stn_sprite *sprite, stn_err *err);
    void (*fini)(stn_sprite *sprite); /* also after a failed init */
} stn_twin;

/* One render link's node, kept over rebuilds while it is enabled. */
typedef struct link_node {
    const stn_res_rlink *layer;
    bool made, wanted; /* wanted: enabled in the build that ran last */
    stn_sprite_part part; /* as it enters the list: obj, and wraps of a linked material */
    stn_sprite *child; /* SPRITE: ours */
    stn_flicker *flicker; /* LIGHT: ours */
} link_node;

typedef struct running_manim {
    const stn_res_manim *layer;
    uint32_t index; /* among the resource's manim layers */
    bool on;
    stn_manim anim;
} running_manim;

struct stn_sprite {
    stn_sprite_ctx *ctx;
    const stn_sprite_object *object;
    const stn_sprite_res *res;
    stn_sprite_kind kind;
    unsigned depth;
    uint32_t flags;
    bool ending; /* a sound that was told to end */
    const stn_twin *twin; /* NATIVE */
    void *data; /* the twin's */
    stn_stance stance;

    /* what is shown: replaced whole */
    stn_arena *arena;
    stn_sprite_part *parts;
    uint32_t n_parts;
    uint64_t version;

    /* instance mods */
    stn_poser *poser;
    running_manim *manims;
    uint32_t n_manims;
    link_node *links;
    uint32_t n_links;

    /* the rebuild test */
    stn_sprite_mod *seen; /* the object's mods that the last build ran with */
    uint32_t n_seen;
    int32_t last_update;
    uint32_t builds;
};

struct stn_sprite_build {
    stn_sprite *sprite;
    stn_arena *arena;
    stn_sprite_part *parts;
    uint32_t n_parts, cap_parts;
};

/* build.c */
stn_sprite_fault stn_sprite_rebuild(stn_sprite *sprite, const stn_sprite_mod *mods, uint32_t n_mods,
                                    stn_err *err);
stn_sprite_part *stn_build_add(stn_sprite_build *build, const stn_sprite_part *part);
bool stn_part_add_dyn(stn_arena *arena, stn_sprite_part *part, const stn_dyn *dyn);
/* A part for a mesh layer in its own material. */
stn_sprite_fault stn_mesh_part(stn_sprite_ctx *ctx, stn_arena *arena, const stn_sprite_res *res,
                               const stn_res_layer *mesh, stn_sprite_part *out, stn_err *err);
/* Appends a mesh of the sprite's resource in a material of it; *out may be NULL, and is good until the next
 * part is added. */
stn_sprite_fault stn_build_mesh(stn_sprite_build *build, const stn_res_layer *mesh, const stn_res_mat *mat,
                                stn_sprite_part **out, stn_err *err);
uint32_t stn_parts_leaves(const stn_sprite_part *parts, uint32_t n);
stn_sprite_fault stn_sprite_no_memory(const stn_sprite *sprite, stn_err *err);

/* links.c */
stn_sprite_fault stn_links_init(stn_sprite *sprite, stn_err *err);
stn_sprite_fault stn_links_run(stn_sprite_build *build, stn_err *err);
/* Appends the part of one link, whatever its id; *out may be NULL. A build marks all as unwanted first. */
stn_sprite_fault stn_links_add(stn_sprite_build *build, uint32_t i, stn_sprite_part **out, stn_err *err);
/* After a good build: forgets the nodes that it did not want. */
void stn_links_sweep(stn_sprite *sprite);
void stn_links_free(stn_sprite *sprite);

/* factory.c */
stn_sprite_fault stn_sprite_make(stn_sprite_ctx *ctx, const stn_sprite_object *object,
                                 const stn_sprite_res *res, const uint8_t *sdt, size_t len, unsigned depth,
                                 stn_sprite **out, stn_err *err);

/* sprite.c */
stn_sprite_fault stn_sprite_construct(stn_sprite_ctx *ctx, const stn_sprite_object *object,
                                      const stn_sprite_res *res, stn_sprite_kind kind, const stn_twin *twin,
                                      const uint8_t *sdt, size_t len, unsigned depth, stn_sprite **out,
                                      stn_err *err);

/* twin.c */
const stn_twin *stn_twin_of(stn_native_id id); /* NULL: not a sprite */
/* A resource that state bytes name by its number in the session. */
stn_sprite_fault stn_numbered(const stn_sprite *sprite, uint16_t number, const stn_sprite_res **out,
                              stn_err *err);
extern const stn_twin stn_twin_tree, stn_twin_growing, stn_twin_trellis, stn_twin_gaussian, stn_twin_flicker,
    stn_twin_smoke, stn_twin_site, stn_twin_decal, stn_twin_dyntex;
/* A sprite that a twin brings in by a name of its own. One that cannot be had is absent (NULL) and reported
 * once. */
stn_sprite_fault stn_twin_child(stn_sprite *sprite, const char *name, int32_t version, stn_sprite **out,
                                stn_err *err);
stn_sprite_fault stn_twin_tick_child(stn_sprite *child, double dt, stn_err *err); /* NULL is fine */
/* The node of a link to a flickering light. *live and the part's dyns are malloc()ed, the caller's, also on a
 * fault. */
stn_sprite_fault stn_flicker_link(stn_sprite *sprite, const stn_values *args, stn_sprite_part *part,
                                  stn_flicker **live, stn_err *err);

/* ctx.c */
float stn_ctx_rnd(stn_sprite_ctx *ctx);
stn_rnd *stn_ctx_rnd_source(stn_sprite_ctx *ctx);
int64_t stn_ctx_seed(stn_sprite_ctx *ctx); /* for instances with a generator of their own */
void stn_ctx_count(stn_sprite_ctx *ctx, uint32_t added, uint32_t removed);
void stn_ctx_unknown(stn_sprite_ctx *ctx, const char *what, const char *name);
/* The twin when it was found; else NULL, and its name or its version is reported. */
const stn_native *stn_ctx_native(stn_sprite_ctx *ctx, stn_native_match match, const stn_native *native,
                                 const char *what, const char *name, int32_t version);

#endif
