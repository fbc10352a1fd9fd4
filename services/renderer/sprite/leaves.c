/* leaves.c - walking a sprite's parts down to meshes with their final states. Source: docs/spec/sprites.md
 * 5, 10.2. */
#include "renderer/sprite/internal.h"

typedef struct walk {
    stn_arena *arena;
    stn_leaf_fn *fn;
    void *user;
    stn_err *err;
    bool stopped, unturned, moves;
} walk;

static stn_sprite_fault enter(const walk *w, stn_state *state, stn_ops ops, bool locked)
{
    stn_level level = {ops, locked};
    return stn_state_enter(state, &level, w->arena, w->err);
}

/* Statics and dynamics of one material in one locked level. A fault leaves the dynamics out: the part is
 * drawn without the latent material that it may not look at from a locked place. */
static stn_sprite_fault enter_variable(const walk *w, stn_state *state, const stn_sprite_mat *m)
{
    uint32_t n = m->statics.count + m->dynamics.count;
    stn_op *both = stn_arena_array(w->arena, n, sizeof *both);
    stn_state before = *state;
    stn_sprite_fault fault;

    if (!both)
        return stn_sprite_fail(w->err, STN_SPRITE_NO_MEMORY, "material of %.80s", m->res->name);
    for (uint32_t i = 0; i < m->statics.count; i++)
        both[i] = m->statics.items[i];
    for (uint32_t i = 0; i < m->dynamics.count; i++)
        both[m->statics.count + i] = m->dynamics.items[i];
    fault = enter(w, state, (stn_ops){both, n}, true);
    if (fault == STN_SPRITE_LOCKED) {
        *state = before;
        fault = enter(w, state, m->statics, true);
    }
    return fault;
}

static stn_sprite_fault enter_wrap(const walk *w, stn_state *state, const stn_wrap *wrap)
{
    stn_op op = {.kind = STN_OP_SET, .slot = STN_SLOT_MANIM};
    stn_sprite_fault fault;

    switch (wrap->kind) {
    case STN_WRAP_MATERIAL:
        if (wrap->material->statics.count > 0 && (fault = enter(w, state, wrap->material->statics, true)))
            return fault;
        return enter(w, state, wrap->material->dynamics, false);
    case STN_WRAP_STATIC:
        return enter(w, state, wrap->material->statics, true);
    case STN_WRAP_DYNAMIC:
        return enter(w, state, wrap->material->dynamics, true);
    case STN_WRAP_VARIABLE:
        return enter_variable(w, state, wrap->material);
    case STN_WRAP_MANIM:
        op.u.value.u.wrap = wrap;
        return enter(w, state, (stn_ops){&op, 1}, true);
    }
    return STN_SPRITE_OK;
}

static stn_sprite_fault enter_dyn(const walk *w, stn_state *state, const stn_dyn *dyn)
{
    stn_op op = {.kind = STN_OP_SET}, two[2];

    switch (dyn->kind) {
    case STN_DYN_MAFRAME:
        op.slot = STN_SLOT_MAFRAME;
        op.u.value.u.maframe.from = dyn->manim->from;
        op.u.value.u.maframe.to = dyn->manim->to;
        op.u.value.u.maframe.a = dyn->manim->a;
        break;
    case STN_DYN_BONES:
        op.slot = STN_SLOT_MORPH;
        op.u.value.u.number = dyn->vbuf->bone_count;
        break;
    case STN_DYN_RIGID:
        op.kind = STN_OP_LOCATION;
        op.u.matrix = stn_pose_rigid(dyn->pose, dyn->bind, dyn->bone);
        break;
    case STN_DYN_PLACE:
        op.kind = STN_OP_LOCATION;
        op.u.matrix = dyn->place;
        break;
    case STN_DYN_SCATTER:
        two[0] = (stn_op){.kind = STN_OP_BACK, .slot = STN_SLOT_LOC, .id = "gobx"};
        two[1] = (stn_op){.kind = STN_OP_LOCATION, .slot = STN_SLOT_LOC, .u.matrix = dyn->place};
        return enter(w, state, (stn_ops){two, 2}, false);
    }
    return enter(w, state, (stn_ops){&op, 1}, false);
}

static stn_sprite_fault walk_parts(walk *w, const stn_sprite_part *parts, uint32_t n, const stn_state *outer);

static stn_sprite_fault walk_part(walk *w, const stn_sprite_part *part, const stn_state *outer)
{
    stn_state state = *outer;
    stn_leaf leaf = {.part = part, .state = &state};
    bool before = w->unturned, moved = w->moves;
    stn_sprite_fault fault = STN_SPRITE_OK;

    for (uint32_t i = 0; i < part->n_dyns; i++) {
        if ((fault = enter_dyn(w, &state, &part->dyns[i])))
            return fault;
        if (part->dyns[i].kind == STN_DYN_BONES)
            leaf.morph = &part->dyns[i];
        w->unturned |= part->dyns[i].kind == STN_DYN_SCATTER;
        w->moves |= part->dyns[i].kind == STN_DYN_BONES || part->dyns[i].kind == STN_DYN_RIGID ||
                    part->dyns[i].kind == STN_DYN_MAFRAME;
    }
    leaf.unturned = w->unturned;
    leaf.moves = w->moves;
    for (uint32_t i = part->n_wraps; i-- > 0;)
        if ((fault = enter_wrap(w, &state, &part->wraps[i])))
            return fault;
    if (part->state.count > 0 && (fault = enter(w, &state, part->state, true)))
        return fault;
    switch (part->kind) {
    case STN_PART_SPRITE:
        fault = walk_parts(w, part->sprite->parts, part->sprite->n_parts, &state);
        break;
    case STN_PART_GROUP:
        fault = walk_parts(w, part->members, part->n_members, &state);
        break;
    case STN_PART_MESH:
    case STN_PART_LIGHT:
    case STN_PART_PARTICLES:
    case STN_PART_ROPE:
        if (!w->fn(w->user, &leaf))
            w->stopped = true;
        break;
    default:
        break;
    }
    w->unturned = before;
    w->moves = moved;
    return fault;
}

static stn_sprite_fault walk_parts(walk *w, const stn_sprite_part *parts, uint32_t n, const stn_state *outer)
{
    for (uint32_t i = 0; i < n && !w->stopped; i++) {
        stn_sprite_fault fault = walk_part(w, &parts[i], outer);
        if (fault)
            return fault;
    }
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_sprite_leaves(const stn_sprite *sprite, const stn_state *outer, stn_arena *arena,
                                   stn_leaf_fn *fn, void *user, stn_err *err)
{
    walk w = {.arena = arena, .fn = fn, .user = user, .err = err};
    const stn_sway *sway = sprite->object ? sprite->object->sway : NULL;
    stn_state state;
    stn_op ops[2];
    uint32_t n = 0;
    stn_sprite_fault fault;

    if (!sway && sprite->stance.set)
        sway = sprite->stance.sway;
    if (sway)
        ops[n++] = (stn_op){.kind = STN_OP_SET, .slot = STN_SLOT_SWAY, .u.value.u.sway = sway};
    if (sprite->stance.set)
        ops[n++] = (stn_op){.kind = STN_OP_LOCATION, .slot = STN_SLOT_LOC, .u.matrix = sprite->stance.turn};
    if (n == 0)
        return walk_parts(&w, sprite->parts, sprite->n_parts, outer);
    state = *outer;
    fault = enter(&w, &state, (stn_ops){ops, n}, false);
    return fault ? fault : walk_parts(&w, sprite->parts, sprite->n_parts, &state);
}
