#include "renderer/build/decor.h"

#include "renderer/build/gob.h"

#include "base/clock.h"
#include "map/decoration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum object_state { OBJECT_DUE, OBJECT_SHOWN, OBJECT_LEFT_OUT } object_state;

/* Stronger than a tree's: it is short, and bends from the root. */
#define GROWTH_BEND 1.6f

/* What one product brought. */
typedef struct patch {
    struct patch *next; /* among those that leave */
    uint64_t product;
    int64_t first_id; /* of object 0; those of the others follow downwards */
    uint32_t count, due;
    uint8_t *states; /* object_state of each */
    gob **live; /* objects that move, by number; NULL: none does */
    uint8_t *data; /* that `what` borrows from; both until nothing is due any more */
    stn_decoration what;
} patch;

struct stn_decor {
    stn_gobs *gobs;
    stn_table *patches;
    patch *leaving;
    gob *scratch; /* the object that is being made: looks are taken from it, then it is emptied */
    int64_t last_id;
    size_t waiting, shown;
};

stn_decor *stn_decor_new(stn_gobs *gobs)
{
    stn_decor *d = calloc(1, sizeof *d);

    if (!d)
        return NULL;
    d->gobs = gobs;
    d->patches = stn_table_new();
    d->scratch = calloc(1, sizeof *d->scratch);
    if (!d->patches || !d->scratch) {
        stn_decor_free(d);
        return NULL;
    }
    return d;
}

static uint64_t key_of(int32_t x, int32_t y)
{
    return (uint64_t)(uint32_t)x << 32 | (uint32_t)y;
}

static void forget_source(patch *p)
{
    stn_decoration_close(&p->what);
    free(p->data);
    p->data = NULL;
}

static void free_patch(stn_decor *d, patch *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        d->shown -= p->states[i] == OBJECT_SHOWN;
    d->waiting -= p->due;
    forget_source(p);
    for (uint32_t i = 0; p->live && i < p->count; i++)
        gob_free(p->live[i]);
    free(p->live);
    free(p->states);
    free(p);
}

void stn_decor_frame(stn_decor *d)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    while (stn_table_next(d->patches, &it, &key, &v))
        free_patch(d, v);
    stn_table_clear(d->patches);
    while (d->leaving) {
        patch *p = d->leaving;

        d->leaving = p->next;
        free_patch(d, p);
    }
}

void stn_decor_free(stn_decor *d)
{
    if (!d)
        return;
    if (d->patches)
        stn_decor_frame(d);
    stn_table_free(d->patches);
    free(d->scratch);
    free(d);
}

static void leave(stn_decor *d, patch *p)
{
    d->waiting -= p->due;
    p->due = 0;
    forget_source(p);
    p->next = d->leaving;
    d->leaving = p;
}

stn_status stn_decor_put(stn_decor *d, int32_t x, int32_t y, uint64_t product, const void *data, size_t len,
                         stn_err *err)
{
    patch *old = stn_table_get(d->patches, key_of(x, y)), *p;
    stn_status st;

    if (old && old->product == product)
        return STN_OK;
    p = calloc(1, sizeof *p);
    if (!p || !(p->data = malloc(len ? len : 1))) {
        free(p);
        return stn_fail(err, STN_NO_MEMORY, "a decoration of %zu bytes", len);
    }
    memcpy(p->data, data, len);
    st = stn_decoration_open(p->data, len, &p->what, err);
    if (st == STN_OK) {
        p->states = calloc(p->what.nobjects + 1, 1);
        if (!p->states || !stn_table_put(d->patches, key_of(x, y), p, NULL))
            st = stn_fail(err, STN_NO_MEMORY, "a decoration of %zu bytes", len);
    }
    if (st != STN_OK) {
        free_patch(d, p);
        return st;
    }
    if (old)
        leave(d, old);
    p->product = product;
    p->count = p->due = p->what.nobjects;
    p->first_id = d->last_id - 1;
    d->last_id -= p->count;
    d->waiting += p->due;
    if (p->due == 0)
        forget_source(p);
    return STN_OK;
}

void stn_decor_drop(stn_decor *d, int32_t x, int32_t y)
{
    patch *p = stn_table_remove(d->patches, key_of(x, y));

    if (p)
        leave(d, p);
}

/* The material that is drawn around a group's objects. NULL with OK: none. */
static stn_sprite_fault group_material(stn_decor *d, const patch *p, const stn_decoration_group *group,
                                       const stn_sprite_mat **out, stn_err *err)
{
    const stn_product_name *name;
    const stn_sprite_res *res;
    const stn_res_mat *mat;
    stn_sprite_fault f;
    char text[128];

    *out = NULL;
    if (group->material_name == STN_PRODUCT_NO_NAME)
        return STN_SPRITE_OK;
    name = &p->what.names[group->material_name];
    snprintf(text, sizeof text, "%.*s", (int)name->len, name->text);
    f = stn_store_get(d->gobs->store, text, name->version, &res, err);
    if (f != STN_SPRITE_OK)
        return f;
    mat = stn_material_find(res, group->material);
    return mat ? stn_sprite_material(d->gobs->ctx, res, mat, out, err) : STN_SPRITE_OK;
}

/* False: the queue is full; to be tried again. */
static bool hand_over(stn_decor *d, const stn_decoration_object *o)
{
    stn_job *job;

    /* When only the look finds room, it is given once more with the place: an equal one replaces it. */
    if (!gob_give_look(d->gobs, d->scratch) || (job = stn_job_new(STN_JOB_GOB_PLACE, d->gobs->frame)) == NULL)
        return false;
    job->u.place = (stn_gob_place){.id = d->scratch->id, .x = o->x, .y = o->y, .angle = o->angle};
    if (!d->gobs->ops.give(d->gobs->ops.ctx, job)) {
        stn_job_free(job);
        return false;
    }
    return true;
}

/* What moves is kept and ticks; what stands still is forgotten as soon as its look is handed over. */
static void keep_if_live(stn_decor *d, patch *p, uint32_t i)
{
    gob *next;

    if (!d->scratch->animated || !(next = calloc(1, sizeof *next)))
        return;
    if (!p->live)
        p->live = calloc(p->count, sizeof(*p->live));
    if (!p->live) {
        free(next);
        return; /* it stands still */
    }
    p->live[i] = d->scratch;
    d->scratch = next;
}

/* Makes one object. False: no room for more now. */
static bool make(stn_decor *d, patch *p, uint32_t i)
{
    const stn_decoration_object *o = &p->what.objects[i];
    const stn_product_name *name = &p->what.names[o->name];
    const stn_sprite_res *res;
    gob *g = d->scratch;
    stn_err err = {0};
    stn_sprite_fault f;
    bool room = true;

    memset(g, 0, sizeof *g);
    g->id = p->first_id - (int64_t)i;
    g->hp = 1.0f;
    g->object.id = o->seed; /* what an object draws from its number, these draw from their seed */
    g->x = o->x;
    g->y = o->y;
    g->angle = o->angle;
    g->placed = true;
    gob_look_around(d->gobs, g);
    g->growth = true;
    g->sway = stn_sway_of(GROWTH_BEND, 0, &d->gobs->rnd);
    g->object.sway = &g->sway;
    snprintf(g->drawable.name, sizeof g->drawable.name, "%.*s", (int)name->len, name->text);
    g->drawable.version = name->version;
    f = group_material(d, p, &p->what.groups[o->group], &g->around, &err);
    if (f == STN_SPRITE_OK)
        f = stn_store_get(d->gobs->store, g->drawable.name, name->version, &res, &err);
    if (f == STN_SPRITE_OK)
        f = stn_sprite_new(d->gobs->ctx, &g->object, res, NULL, 0, &g->sprite, &err);
    if (f == STN_SPRITE_LOADING)
        return true;
    if (f == STN_SPRITE_OK) {
        room = hand_over(d, o);
        if (room)
            keep_if_live(d, p, i);
    } else {
        gob_fault(d->gobs, g, "decoration", f, &err);
    }
    if (d->scratch == g) {
        stn_sprite_free(g->sprite);
        g->sprite = NULL;
    }
    if (!room)
        return false;
    p->states[i] = f == STN_SPRITE_OK ? OBJECT_SHOWN : OBJECT_LEFT_OUT;
    d->shown += f == STN_SPRITE_OK;
    p->due--;
    d->waiting--;
    return true;
}

/* Takes away what left; false: no room. */
static bool take_away(stn_decor *d)
{
    while (d->leaving) {
        patch *p = d->leaving;

        for (uint32_t i = 0; i < p->count; i++) {
            stn_job *job;

            if (p->states[i] != OBJECT_SHOWN)
                continue;
            job = stn_job_new(STN_JOB_GOB_DROP, d->gobs->frame);
            if (!job)
                return false;
            job->u.id = p->first_id - (int64_t)i;
            if (!d->gobs->ops.give(d->gobs->ops.ctx, job)) {
                stn_job_free(job);
                return false;
            }
            p->states[i] = OBJECT_LEFT_OUT;
            d->shown--;
        }
        d->leaving = p->next;
        free_patch(d, p);
    }
    return true;
}

static void animate(stn_decor *d, gob *g, double dt)
{
    stn_err err = {0};
    bool done;
    stn_sprite_fault f = stn_sprite_tick(g->sprite, dt, &done, &err);

    if (f != STN_SPRITE_OK && f != STN_SPRITE_LOADING)
        gob_fault(d->gobs, g, "animation", f, &err);
    if (stn_sprite_version(g->sprite) != g->seen)
        gob_give_look(d->gobs, g); /* without room it is tried again in the next tick */
}

void stn_decor_animate(stn_decor *d, double dt)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    while (stn_table_next(d->patches, &it, &key, &v)) {
        const patch *p = v;

        for (uint32_t i = 0; p->live && i < p->count; i++)
            if (p->live[i])
                animate(d, p->live[i], dt);
    }
}

void stn_decor_poses(stn_decor *d, stn_job_poses *to)
{
    size_t it = 0;
    uint64_t key;
    void *v;

    while (stn_table_next(d->patches, &it, &key, &v)) {
        const patch *p = v;

        for (uint32_t i = 0; p->live && i < p->count; i++)
            if (p->live[i] && !gob_put_pose(d->gobs, p->live[i], to))
                return;
    }
}

void stn_decor_tick(stn_decor *d, int64_t budget_ns)
{
    int64_t start = stn_clock_ns();
    size_t it = 0;
    uint64_t key;
    void *v;

    if (!take_away(d))
        return;
    while (d->waiting > 0 && stn_table_next(d->patches, &it, &key, &v)) {
        patch *p = v;

        if (p->due == 0)
            continue;
        for (uint32_t i = 0; i < p->count; i++)
            if (p->states[i] == OBJECT_DUE && (stn_clock_ns() - start >= budget_ns || !make(d, p, i)))
                return;
        if (p->due == 0)
            forget_source(p);
    }
}

void stn_decor_counts(const stn_decor *d, size_t *waiting, size_t *shown)
{
    *waiting = d->waiting;
    *shown = d->shown;
}
