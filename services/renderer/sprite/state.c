#include "renderer/sprite/state.h"

#include <string.h>

/* A latent material may activate another one: not without end. */
#define LATENT_DEPTH 16

const char *stn_slot_name(stn_sprite_slot slot)
{
    static const char *const names[STN_SLOTS] = {
        "loc",       "morph",     "manim",     "maframe",    "sway",    "order",  "texclip",
        "facecull",  "depthtest", "maskdepth", "maskshadow", "tex",     "phong",  "cel",
        "basecolor", "otex",      "pal",       "bump",       "envref",  "texrot", "latent",
        "mixcolor",  "crack",     "click",     "blend",      "fragcol", "normal",
    };
    return (unsigned)slot < STN_SLOTS ? names[slot] : "?";
}

void stn_state_clear(stn_state *state)
{
    memset(state->presence, STN_UNSET, sizeof state->presence);
    memset(state->by_locked, 0, sizeof state->by_locked);
}

typedef struct entering {
    stn_state *state;
    const stn_level *level;
    stn_arena *arena;
    stn_err *err;
    bool own[STN_SLOTS]; /* written by this level already */
    bool read_unlocked;
    bool wrote;
    unsigned depth;
} entering;

static void note_read(entering *e, stn_sprite_slot slot)
{
    if (!e->own[slot] && e->state->presence[slot] != STN_UNSET && !e->state->by_locked[slot])
        e->read_unlocked = true;
}

static stn_state_value *write_slot(entering *e, stn_sprite_slot slot, stn_presence presence)
{
    e->own[slot] = e->wrote = true;
    e->state->presence[slot] = (uint8_t)presence;
    return &e->state->values[slot];
}

static const stn_loc *chain(entering *e)
{
    note_read(e, STN_SLOT_LOC);
    return e->state->presence[STN_SLOT_LOC] == STN_SET ? e->state->values[STN_SLOT_LOC].u.loc : NULL;
}

static stn_sprite_fault push_location(entering *e, const stn_mat4 *m, const char *id)
{
    const stn_loc *outer = chain(e);
    stn_loc *loc = stn_arena_alloc(e->arena, sizeof *loc);

    if (!loc)
        return stn_sprite_fail(e->err, STN_SPRITE_NO_MEMORY, "location chain");
    loc->outer = outer;
    loc->id = id;
    if (m)
        loc->world = outer ? stn_mat4_mul(&outer->world, m) : *m;
    else
        loc->world = stn_mat4_translate(
            outer ? (stn_sprite_vec){outer->world.m[12], outer->world.m[13], outer->world.m[14]}
                  : (stn_sprite_vec){0, 0, 0});
    write_slot(e, STN_SLOT_LOC, STN_SET)->u.loc = loc;
    return STN_SPRITE_OK;
}

static stn_sprite_fault run(entering *e, const stn_ops *ops);

static stn_sprite_fault activate(entering *e, const char *id)
{
    const stn_latent *latent = &e->state->values[STN_SLOT_LATENT].u.latent;
    stn_ops ops;
    stn_sprite_fault fault;

    note_read(e, STN_SLOT_LATENT);
    if (e->state->presence[STN_SLOT_LATENT] != STN_SET || strcmp(latent->id, id) != 0)
        return STN_SPRITE_OK;
    if (e->depth == LATENT_DEPTH)
        return stn_sprite_fail(e->err, STN_SPRITE_MALFORMED, "latent material \"%.60s\" activates itself",
                               id);
    ops = latent->ops;
    e->depth++;
    fault = run(e, &ops);
    e->depth--;
    return fault;
}

static stn_sprite_fault run_one(entering *e, const stn_op *op)
{
    switch (op->kind) {
    case STN_OP_SET:
        *write_slot(e, op->slot, STN_SET) = op->u.value;
        break;
    case STN_OP_NOTHING:
        write_slot(e, op->slot, STN_NOTHING);
        break;
    case STN_OP_LOCATION:
        return push_location(e, &op->u.matrix, op->id);
    case STN_OP_NO_TURN:
        return push_location(e, NULL, NULL);
    case STN_OP_BACK:
        for (const stn_loc *loc = chain(e); loc; loc = loc->outer)
            if (loc->id && strcmp(loc->id, op->id) == 0) {
                write_slot(e, STN_SLOT_LOC, STN_SET)->u.loc = loc;
                break;
            }
        break;
    case STN_OP_ACTIVATE:
        return activate(e, op->id);
    }
    return STN_SPRITE_OK;
}

static stn_sprite_fault run(entering *e, const stn_ops *ops)
{
    for (uint32_t i = 0; i < ops->count; i++) {
        stn_sprite_fault fault = run_one(e, &ops->items[i]);
        if (fault)
            return fault;
    }
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_state_enter(stn_state *state, const stn_level *level, stn_arena *arena, stn_err *err)
{
    entering e = {.state = state, .level = level, .arena = arena, .err = err};
    stn_sprite_fault fault = run(&e, &level->ops);

    if (fault)
        return fault;
    if (level->locked && e.read_unlocked && e.wrote)
        return stn_sprite_fail(err, STN_SPRITE_LOCKED,
                               "a locked state reads one that an unlocked one defines");
    for (int i = 0; i < STN_SLOTS; i++)
        if (e.own[i])
            state->by_locked[i] = level->locked;
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_state_compose(const stn_level *levels, size_t count, stn_arena *arena, stn_state *out,
                                   stn_err *err)
{
    stn_state_clear(out);
    for (size_t i = 0; i < count; i++) {
        stn_sprite_fault fault = stn_state_enter(out, &levels[i], arena, err);
        if (fault)
            return fault;
    }
    return STN_SPRITE_OK;
}
