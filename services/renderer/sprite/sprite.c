/* sprite.c - a sprite's life: made, ticked, told new state, ended. Source: docs/spec/sprites.md 7, 8. */
#include "renderer/sprite/internal.h"

#include <stdlib.h>
#include <string.h>

static stn_sprite_fault init_manims(stn_sprite *sprite, stn_err *err)
{
    uint32_t n = 0;

    for (const stn_res_layer *l = NULL; (l = stn_res_next(sprite->res->res, STN_LAYER_MANIM, l)) != NULL;)
        n++;
    if (n == 0)
        return STN_SPRITE_OK;
    sprite->manims = calloc(n, sizeof *sprite->manims);
    if (!sprite->manims)
        return stn_sprite_no_memory(sprite, err);
    for (const stn_res_layer *l = NULL; (l = stn_res_next(sprite->res->res, STN_LAYER_MANIM, l)) != NULL;) {
        sprite->manims[sprite->n_manims].layer = l->as.manim;
        sprite->manims[sprite->n_manims].index = sprite->n_manims;
        sprite->n_manims++;
    }
    return STN_SPRITE_OK;
}

/* Whether the object's mods are, one by one, those the sprite was built with. */
static bool same_mods(const stn_sprite *sprite)
{
    if (sprite->n_seen != sprite->object->n_mods)
        return false;
    for (uint32_t i = 0; i < sprite->n_seen; i++)
        if (sprite->seen[i].family != sprite->object->mods[i].family ||
            sprite->seen[i].instance != sprite->object->mods[i].instance)
            return false;
    return true;
}

static stn_sprite_fault remember_mods(stn_sprite *sprite, const stn_sprite_mod *mods, uint32_t n,
                                      stn_err *err)
{
    stn_sprite_mod *copy = malloc((n ? n : 1) * sizeof *copy);

    if (!copy)
        return stn_sprite_no_memory(sprite, err);
    if (n)
        memcpy(copy, mods, n * sizeof *copy);
    free(sprite->seen);
    sprite->seen = copy;
    sprite->n_seen = n;
    return STN_SPRITE_OK;
}

static stn_sprite_fault init_twin(stn_sprite *sprite, const uint8_t *sdt, size_t len, stn_err *err)
{
    const stn_res_layer *code = stn_res_first(sprite->res->res, STN_LAYER_CODEENTRY);
    stn_values args = {0};

    if (code)
        stn_res_codeentry_get(code->as.codeentry, "spr", &args);
    return sprite->twin->init(sprite, sdt, len, &args, err);
}

stn_sprite_fault stn_sprite_construct(stn_sprite_ctx *ctx, const stn_sprite_object *object,
                                      const stn_sprite_res *res, stn_sprite_kind kind, const stn_twin *twin,
                                      const uint8_t *sdt, size_t len, unsigned depth, stn_sprite **out,
                                      stn_err *err)
{
    bool shaped = kind == STN_SPRITE_MOD || kind == STN_SPRITE_STATIC || kind == STN_SPRITE_NATIVE;
    stn_sprite *sprite = calloc(1, sizeof *sprite);
    stn_sprite_fault fault = STN_SPRITE_OK;

    *out = NULL;
    if (!sprite)
        return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "sprite of %.80s", res->name);
    sprite->ctx = ctx;
    sprite->object = object;
    sprite->res = res;
    sprite->kind = kind;
    sprite->twin = twin;
    sprite->depth = depth;
    sprite->flags = stn_sprite_flags(sdt, len);
    if (kind == STN_SPRITE_MOD) {
        fault = init_manims(sprite, err);
        if (!fault)
            fault = stn_poser_new(res->res, &sprite->poser, err);
    }
    if (!fault && shaped)
        fault = stn_links_init(sprite, err);
    if (!fault && twin && !(sprite->data = calloc(1, twin->size)))
        fault = stn_sprite_no_memory(sprite, err);
    if (!fault && twin && twin->init)
        fault = init_twin(sprite, sdt, len, err);
    if (!fault && kind == STN_SPRITE_MOD && object) {
        fault = remember_mods(sprite, object->mods, object->n_mods, err);
        sprite->last_update = object->updateseq;
    }
    if (!fault && shaped)
        fault = stn_sprite_rebuild(sprite, sprite->seen, sprite->n_seen, err);
    if (fault) {
        stn_sprite_free(sprite);
        return fault;
    }
    *out = sprite;
    return STN_SPRITE_OK;
}

void stn_sprite_free(stn_sprite *sprite)
{
    if (!sprite)
        return;
    stn_links_free(sprite);
    stn_poser_free(sprite->poser);
    free(sprite->manims);
    free(sprite->seen);
    if (sprite->data && sprite->twin->fini)
        sprite->twin->fini(sprite);
    free(sprite->data);
    stn_arena_free(sprite->arena);
    free(sprite);
}

/* The object's attributes changed since the last look: rebuild when the list of mods is another one. */
static stn_sprite_fault test_rebuild(stn_sprite *sprite, bool *run_tickers, stn_err *err)
{
    stn_sprite_mod *old;
    uint32_t n_old;
    int32_t seq;
    stn_sprite_fault fault;

    *run_tickers = true;
    if (!sprite->object || sprite->object->updateseq == sprite->last_update)
        return STN_SPRITE_OK;
    seq = sprite->object->updateseq;
    if (same_mods(sprite)) {
        sprite->last_update = seq;
        return STN_SPRITE_OK;
    }
    old = sprite->seen;
    n_old = sprite->n_seen;
    sprite->seen = NULL;
    if ((fault = remember_mods(sprite, sprite->object->mods, sprite->object->n_mods, err))) {
        sprite->seen = old;
        return fault;
    }
    fault = stn_sprite_rebuild(sprite, sprite->object->mods, sprite->object->n_mods, err);
    if (fault == STN_SPRITE_LOADING || fault == STN_SPRITE_NO_MEMORY) {
        /* Not there yet: as if the new list had not been seen, so that the next tick tries all of it again.
         */
        free(sprite->seen);
        sprite->seen = old;
        sprite->n_seen = n_old;
        return STN_SPRITE_OK;
    }
    free(old);
    if (fault) {
        /* Contained: the new list counts as seen, so this is not tried again until it changes. */
        *run_tickers = false;
        return fault;
    }
    sprite->last_update = seq;
    return STN_SPRITE_OK;
}

static stn_sprite_fault run_tickers(stn_sprite *sprite, double dt, bool *done, stn_err *err)
{
    stn_sprite_fault fault = STN_SPRITE_OK, one;

    if (sprite->poser)
        fault =
            stn_poser_tick(sprite->poser, dt, sprite->object ? sprite->object->speed : 0, NULL, NULL, err);
    for (uint32_t i = 0; i < sprite->n_links; i++) {
        bool child_done = false;
        stn_err inner = {0};
        if (sprite->links[i].flicker)
            stn_flicker_tick(sprite->links[i].flicker, (float)dt, stn_ctx_rnd_source(sprite->ctx));
        if (!sprite->links[i].child || !sprite->links[i].wanted)
            continue;
        /* A fault in a linked sprite's own tick is its own: the others go on. The first one is reported. */
        one = stn_sprite_tick(sprite->links[i].child, dt, &child_done, &inner);
        *done |= child_done;
        if (one && !fault) {
            fault = one;
            if (err)
                *err = inner;
        }
    }
    for (uint32_t i = 0; i < sprite->n_manims; i++) {
        bool wrapped = false;
        if (sprite->manims[i].on)
            stn_manim_tick(&sprite->manims[i].anim, (float)dt, &wrapped);
        *done |= wrapped;
    }
    return fault;
}

/* A linked sprite does not say when a twin ends: the twin does. */
static stn_sprite_fault tick_twin(stn_sprite *sprite, double dt, bool *done, stn_err *err)
{
    bool ignored = false;
    stn_sprite_fault fault = run_tickers(sprite, dt, &ignored, err), own = STN_SPRITE_OK;

    if (sprite->twin->tick)
        own = sprite->twin->tick(sprite, dt, done, err);
    return own ? own : fault;
}

stn_sprite_fault stn_sprite_tick(stn_sprite *sprite, double dt, bool *done, stn_err *err)
{
    bool go_on;
    stn_sprite_fault fault;

    *done = false;
    if (sprite->kind == STN_SPRITE_NATIVE)
        return tick_twin(sprite, dt, done, err);
    if (sprite->kind == STN_SPRITE_STATIC)
        return run_tickers(sprite, dt, done, err);
    if (sprite->kind != STN_SPRITE_MOD) {
        /* Nothing is heard here: a sound is over as soon as it may be. */
        *done = sprite->kind == STN_SPRITE_AUDIO_CLIP || (sprite->ending && stn_sprite_ends(sprite));
        return STN_SPRITE_OK;
    }
    fault = test_rebuild(sprite, &go_on, err);
    return go_on && !fault ? run_tickers(sprite, dt, done, err) : fault;
}

bool stn_sprite_updatable(const stn_sprite *sprite)
{
    return sprite->kind == STN_SPRITE_MOD || (sprite->twin && sprite->twin->update);
}

stn_sprite_fault stn_sprite_update(stn_sprite *sprite, const uint8_t *sdt, size_t len, stn_err *err)
{
    if (!stn_sprite_updatable(sprite))
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%.80s: a %s sprite takes no new state",
                               sprite->res->name, stn_sprite_kind_name(sprite->kind));
    if (sprite->twin)
        return sprite->twin->update(sprite, sdt, len, err);
    sprite->flags = stn_sprite_flags(sdt, len);
    return stn_sprite_rebuild(sprite, sprite->seen, sprite->n_seen, err);
}

stn_sprite_fault stn_sprite_age(stn_sprite *sprite, stn_err *err)
{
    if (sprite->twin)
        return sprite->twin->age ? sprite->twin->age(sprite, err) : STN_SPRITE_OK;
    for (uint32_t i = 0; i < sprite->n_manims; i++)
        if (sprite->manims[i].on)
            stn_manim_age(&sprite->manims[i].anim, stn_ctx_rnd_source(sprite->ctx));
    if (sprite->poser)
        return stn_poser_age(sprite->poser, stn_ctx_rnd_source(sprite->ctx), err);
    return STN_SPRITE_OK;
}

bool stn_sprite_end(stn_sprite *sprite)
{
    if (sprite->twin && sprite->twin->end)
        return sprite->twin->end(sprite);
    sprite->ending = true;
    return stn_sprite_ends(sprite);
}

bool stn_sprite_ends(const stn_sprite *sprite)
{
    return sprite->kind == STN_SPRITE_AUDIO_REPEAT || sprite->kind == STN_SPRITE_AUDIO_AMBIENCE ||
           (sprite->twin && sprite->twin->end);
}

bool stn_sprite_over(const stn_sprite *sprite, bool persistent, bool done)
{
    return done && (!persistent || stn_sprite_ends(sprite));
}

stn_native_id stn_sprite_native(const stn_sprite *sprite)
{
    return sprite->twin ? sprite->twin->id : STN_NATIVE_NONE;
}

const stn_stance *stn_sprite_stance(const stn_sprite *sprite)
{
    return sprite->stance.set ? &sprite->stance : NULL;
}

stn_sprite_kind stn_sprite_kind_of(const stn_sprite *sprite)
{
    return sprite->kind;
}

const char *stn_sprite_kind_name(stn_sprite_kind kind)
{
    static const char *const names[] = {"mod",          "static",         "bare",  "audio-clip",
                                        "audio-repeat", "audio-ambience", "native"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

const stn_sprite_res *stn_sprite_resource(const stn_sprite *sprite)
{
    return sprite->res;
}

uint32_t stn_sprite_flag_word(const stn_sprite *sprite)
{
    return sprite->flags;
}

const stn_sprite_part *stn_sprite_parts(const stn_sprite *sprite, uint32_t *count)
{
    *count = sprite->n_parts;
    return sprite->parts;
}

const stn_poser *stn_sprite_poser(const stn_sprite *sprite)
{
    return sprite->poser;
}

uint32_t stn_sprite_builds(const stn_sprite *sprite)
{
    return sprite->builds;
}

uint64_t stn_sprite_version(const stn_sprite *sprite)
{
    return sprite->version;
}

int32_t stn_sprite_last_update(const stn_sprite *sprite)
{
    return sprite->last_update;
}
