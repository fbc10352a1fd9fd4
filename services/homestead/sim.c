#include "sim_priv.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL 256.0 /* map units of a side of the table of places */
#define FIRE "homestead/things/campfire"
#define GROW_S 30.0
#define WAKE_A_TICK 2 /* grids */
#define FRAMES_S 100.0 /* numbers for new objects run with time, so that one that comes back is newer */

static const char *const usable_names[] = {"homestead/things/house",
                                           "homestead/things/cupboard",
                                           "homestead/things/crate",
                                           "homestead/things/barrel",
                                           FIRE,
                                           "homestead/things/gate"};
static const char *const scattered[] = {"homestead/things/stone", "homestead/bushes/bush",
                                        "homestead/things/stump", "homestead/things/log",
                                        "homestead/things/mushroom"};
static const char *const roaming[] = {"homestead/beasts/hare", "homestead/beasts/deer"};

static uint64_t pack(int32_t x, int32_t y)
{
    return (uint64_t)(uint32_t)x << 32 | (uint32_t)y;
}

uint16_t sim_resource(stn_sim *sim, const char *name, uint16_t version)
{
    size_t n = (size_t)(uintptr_t)stn_names_get(sim->res_of, name);

    if (n)
        return (uint16_t)n;
    if (sim->n_res + 1 >= STN_SIM_MAX_RESOURCES ||
        !stn_names_put(sim->res_of, name, (void *)(uintptr_t)(sim->n_res + 1), NULL)) {
        sim->stats.refused++;
        return 0;
    }
    snprintf(sim->res[sim->n_res].name, sizeof sim->res[0].name, "%s", name);
    sim->res[sim->n_res].version = version;
    return (uint16_t)++sim->n_res;
}

/* ---- frames and places */

int32_t stn_sim_bump(stn_sim_obj *obj, int32_t above)
{
    if (obj->frame < above)
        obj->frame = above;
    if (obj->frame < INT32_MAX)
        obj->frame++;
    return obj->frame;
}

void sim_touch(stn_sim_obj *obj, unsigned group)
{
    obj->latest = obj->changed[group] = stn_sim_bump(obj, 0);
}

static cell *cell_at(stn_sim *sim, double x, double y)
{
    uint64_t key = pack((int32_t)floor(x / CELL), (int32_t)floor(y / CELL));
    cell *c = stn_table_get(sim->cells, key);

    if (c)
        return c;
    c = calloc(1, sizeof *c);
    if (c && !stn_table_put(sim->cells, key, c, NULL)) {
        free(c);
        c = NULL;
    }
    return c;
}

static void cell_remove(stn_sim_obj *obj)
{
    cell *c = obj->cell;

    if (!c)
        return;
    c->objs[obj->slot] = c->objs[--c->n];
    c->objs[obj->slot]->slot = obj->slot;
    obj->cell = NULL;
}

static bool cell_add(cell *c, stn_sim_obj *obj)
{
    if (c->n == c->cap) {
        uint32_t cap = c->cap ? c->cap * 2 : 8;
        stn_sim_obj **p = realloc(c->objs, cap * sizeof *p);

        if (!p)
            return false;
        c->objs = p;
        c->cap = cap;
    }
    obj->cell = c;
    obj->slot = c->n;
    c->objs[c->n++] = obj;
    return true;
}

void sim_relocate(stn_sim *sim, stn_sim_obj *obj, double x, double y)
{
    bool same = obj->cell && floor(obj->now_x / CELL) == floor(x / CELL) &&
                floor(obj->now_y / CELL) == floor(y / CELL);
    cell *c;

    obj->now_x = x;
    obj->now_y = y;
    if (same)
        return;
    c = cell_at(sim, x, y);
    if (!c || c == obj->cell)
        return; /* no memory: it stays listed where it was */
    cell_remove(obj);
    if (!cell_add(c, obj))
        sim->stats.refused++;
}

/* ---- objects */

stn_sim_obj *stn_sim_find(const stn_sim *sim, uint32_t id)
{
    return stn_table_get(sim->objects, id);
}

static bool is_usable(const char *name)
{
    for (size_t i = 0; i < sizeof usable_names / sizeof *usable_names; i++)
        if (!strcmp(name, usable_names[i]))
            return true;
    return false;
}

stn_sim_obj *sim_add(stn_sim *sim, uint32_t id, const char *res, uint16_t version, double x, double y,
                     double angle)
{
    stn_sim_obj *obj;

    if (stn_table_count(sim->objects) >= STN_SIM_MAX_OBJECTS || stn_sim_find(sim, id) ||
        !(obj = calloc(1, sizeof *obj))) {
        sim->stats.refused++;
        return NULL;
    }
    obj->id = id;
    obj->grid = NO_GRID;
    obj->res = sim_resource(sim, res, version);
    obj->x = floor(x / STN_SIM_UNIT) * STN_SIM_UNIT;
    obj->y = floor(y / STN_SIM_UNIT) * STN_SIM_UNIT;
    obj->angle = angle;
    obj->usable = is_usable(res);
    obj->burns = strcmp(res, FIRE) == 0;
    obj->frame = 1 + (int32_t)(sim->now * FRAMES_S);
    obj->latest = obj->frame;
    for (unsigned g = 0; g < G_COUNT; g++)
        obj->changed[g] = obj->frame;
    sim_relocate(sim, obj, obj->x, obj->y);
    if (!obj->cell || !stn_table_put(sim->objects, id, obj, NULL)) {
        cell_remove(obj);
        free(obj);
        sim->stats.refused++;
        return NULL;
    }
    return obj;
}

bool sim_make_figure(stn_sim *sim, stn_sim_obj *obj, double roam, double speed, bool swims)
{
    figure *f = calloc(1, sizeof *f);

    if (f && sim->n_movers == sim->cap_movers) {
        size_t cap = sim->cap_movers ? sim->cap_movers * 2 : 64;
        stn_sim_obj **p = realloc(sim->movers, cap * sizeof *p);

        if (p) {
            sim->movers = p;
            sim->cap_movers = cap;
        }
    }
    if (!f || sim->n_movers == sim->cap_movers) {
        free(f);
        return false;
    }
    f->home_x = obj->x;
    f->home_y = obj->y;
    f->roam = roam;
    f->speed = speed;
    f->swims = swims;
    f->chance = sim->set.seed * UINT64_C(0x2545f4914f6cdd1d) + obj->id;
    f->next = sim->now + 6.0 * sim_chance01(&f->chance);
    obj->fig = f;
    sim->movers[sim->n_movers++] = obj;
    obj->mover = (uint32_t)sim->n_movers;
    return true;
}

void sim_remove(stn_sim *sim, stn_sim_obj *obj)
{
    stn_table_remove(sim->objects, obj->id);
    cell_remove(obj);
    if (obj->mover) {
        stn_sim_obj *last = sim->movers[--sim->n_movers];

        sim->movers[obj->mover - 1] = last;
        last->mover = obj->mover;
    }
    free(obj->fig);
    free(obj);
}

void sim_keep(stn_sim *sim, const stn_sim_obj *obj)
{
    mark *m;

    if (obj->grid == NO_GRID)
        return;
    m = stn_table_get(sim->marks, obj->id);
    if (!m && stn_table_count(sim->marks) < MAX_MARKS && (m = calloc(1, sizeof *m)) != NULL &&
        !stn_table_put(sim->marks, obj->id, m, NULL)) {
        free(m);
        m = NULL;
    }
    if (!m)
        return;
    m->id = obj->id;
    m->sdt_len = obj->sdt_len;
    m->at = sim->now;
    memcpy(m->sdt, obj->sdt, sizeof m->sdt);
}

/* ---- the land wakes and rests */

static void grow_one(stn_sim_obj *obj, double steps)
{
    double scale = obj->sdt[1] + steps;

    obj->sdt[1] = (uint8_t)(scale > 100.0 ? 100.0 : scale);
}

static stn_sim_obj *add_of_land(stn_sim *sim, const stn_land_object *o, uint64_t grid)
{
    stn_sim_obj *obj = sim_add(sim, o->id, o->name, o->version, o->x, o->y, o->angle);
    const mark *m;

    if (!obj)
        return NULL;
    obj->grid = grid;
    obj->bears = !strncmp(o->name, "homestead/bushes/", strlen("homestead/bushes/"));
    obj->sdt_len = o->sdt_len <= sizeof obj->sdt ? o->sdt_len : (uint8_t)sizeof obj->sdt;
    memcpy(obj->sdt, o->sdt, obj->sdt_len);
    for (unsigned i = 0; i < o->n_materials && i < STN_LAND_MAX_MATERIALS; i++) {
        obj->materials[i].res = sim_resource(sim, o->materials[i].name, o->materials[i].version);
        obj->materials[i].id = o->materials[i].id;
        obj->n_materials++;
    }
    if (o->kind == STN_LAND_TREE && obj->sdt_len >= 2 && obj->sdt[1] < 100 && obj->id % 16 == 3) {
        obj->grows = true;
        grow_one(obj, floor(sim->now / GROW_S));
    }
    if ((m = stn_table_get(sim->marks, obj->id)) != NULL) {
        obj->sdt_len = m->sdt_len;
        memcpy(obj->sdt, m->sdt, sizeof m->sdt);
        if (sim_bears(obj)) {
            obj->grows = true;
            grow_one(obj, floor((sim->now - m->at) / GROW_S));
        }
    }
    if (o->kind == STN_LAND_BEAST && !sim_make_figure(sim, obj, o->roam, o->speed, o->swims))
        sim->stats.refused++;
    return obj;
}

static void wake_grid(stn_sim *sim, int32_t gx, int32_t gy)
{
    uint64_t key = pack(gx, gy);
    awake *a = stn_table_get(sim->grids, key);
    size_t n = 0;

    if (a) {
        a->seen = sim->now;
        return;
    }
    if (stn_land_objects(sim->land, gx, gy, sim->scratch, STN_LAND_MAX_OBJECTS, &n) != STN_OK)
        n = 0; /* no such grid: it is awake and empty */
    a = calloc(1, sizeof *a);
    if (!a || !(a->objs = calloc(n ? n : 1, sizeof *a->objs)) || !stn_table_put(sim->grids, key, a, NULL)) {
        if (a)
            free(a->objs);
        free(a);
        sim->stats.refused++;
        return;
    }
    a->gx = gx;
    a->gy = gy;
    a->seen = sim->now;
    for (size_t i = 0; i < n; i++) {
        stn_sim_obj *obj = add_of_land(sim, &sim->scratch[i], key);

        if (obj)
            a->objs[a->n++] = obj;
    }
}

static bool is_wanted(const stn_sim *sim, int32_t gx, int32_t gy)
{
    for (unsigned i = 0; i < sim->n_wanted; i++)
        if (sim->wanted[i].gx == gx && sim->wanted[i].gy == gy)
            return true;
    return false;
}

void stn_sim_wake(stn_sim *sim, double x, double y, double r)
{
    double side = STN_LAND_TILE * STN_LAND_GRID;
    int32_t x1 = (int32_t)floor((x - r) / side), x2 = (int32_t)floor((x + r) / side);
    int32_t y1 = (int32_t)floor((y - r) / side), y2 = (int32_t)floor((y + r) / side);
    unsigned before = sim->n_wanted;

    for (int32_t gy = y1; gy <= y2; gy++) {
        for (int32_t gx = x1; gx <= x2; gx++) {
            awake *a = stn_table_get(sim->grids, pack(gx, gy));
            double dx = (gx + 0.5) * side - x, dy = (gy + 0.5) * side - y;
            unsigned at;

            if (a) {
                a->seen = sim->now;
                continue;
            }
            if (sim->n_wanted == SIM_WANTED || is_wanted(sim, gx, gy))
                continue; /* asked for again with the next look */
            /* Of this viewer's the nearest first. */
            for (at = sim->n_wanted++; at > before && sim->wanted[at - 1].dist2 > dx * dx + dy * dy; at--)
                sim->wanted[at] = sim->wanted[at - 1];
            sim->wanted[at] = (wanted){gx, gy, dx * dx + dy * dy};
        }
    }
}

/* Waking a grid takes many milliseconds, so that a tick does a few and the rest waits for the next. */
static void wake_some(stn_sim *sim, unsigned most)
{
    unsigned n = sim->n_wanted < most ? sim->n_wanted : most;

    for (unsigned i = 0; i < n; i++)
        wake_grid(sim, sim->wanted[i].gx, sim->wanted[i].gy);
    sim->n_wanted -= n;
    memmove(sim->wanted, sim->wanted + n, sim->n_wanted * sizeof *sim->wanted);
}

static void rest_grids(stn_sim *sim)
{
    size_t it = 0;
    uint64_t key, tired[64];
    void *value;
    size_t n = 0;

    while (n < 64 && stn_table_next(sim->grids, &it, &key, &value))
        if (sim->now - ((awake *)value)->seen > STN_SIM_REST_S)
            tired[n++] = key;
    for (size_t i = 0; i < n; i++) {
        awake *a = stn_table_remove(sim->grids, tired[i]);

        for (size_t k = 0; k < a->n; k++)
            sim_remove(sim, a->objs[k]);
        free(a->objs);
        free(a);
    }
}

static void grow_all(stn_sim *sim)
{
    size_t it = 0;
    uint64_t key;
    void *value;

    while (stn_table_next(sim->grids, &it, &key, &value)) {
        awake *a = value;

        for (size_t i = 0; i < a->n; i++) {
            if (!a->objs[i]->grows || a->objs[i]->sdt[1] >= 100)
                continue;
            grow_one(a->objs[i], 1.0);
            sim_touch(a->objs[i], G_DRAW);
        }
    }
}

/* ---- lifetime */

/* Things and beasts by number, all about the spawn: the load that --objects and --movers ask for. */
static void scatter(stn_sim *sim)
{
    uint64_t chance = sim->set.seed ^ UINT64_C(0x5ca77e3d);
    double cx, cy, angle, n = (double)sim->set.objects + sim->set.movers;
    double r = sim->set.scatter > 0.0 ? sim->set.scatter : fmax(300.0, 14.0 * sqrt(n));

    stn_land_spawn(sim->land, &cx, &cy, &angle);
    for (uint32_t i = 0; i < sim->set.objects + sim->set.movers; i++) {
        bool moves = i >= sim->set.objects;
        double a = sim_chance01(&chance) * 2.0 * M_PI, d = r * sqrt(sim_chance01(&chance));
        const char *name = moves ? roaming[sim_chance(&chance) % 2] : scattered[sim_chance(&chance) % 5];
        stn_sim_obj *obj = sim_add(sim, SCATTER_FIRST + i, name, STN_PACK_VERSION, cx + cos(a) * d,
                                   cy + sin(a) * d, sim_chance01(&chance) * 2.0 * M_PI);

        if (!obj)
            continue;
        if (moves && !sim_make_figure(sim, obj, 150.0, 12.0, false))
            sim->stats.refused++;
        if (!moves && !strcmp(name, "homestead/bushes/bush")) {
            obj->sdt_len = 2;
            obj->sdt[1] = (uint8_t)(60 + sim_chance(&chance) % 50);
        }
    }
}

stn_status stn_sim_new(const stn_sim_settings *settings, stn_sim **out, stn_err *err)
{
    stn_sim *sim;
    const stn_land_tileset *sets;
    double x, y, angle;
    size_t n;

    *out = NULL;
    if ((uint64_t)settings->objects + settings->movers > STN_SIM_MAX_OBJECTS)
        return stn_fail(err, STN_USAGE, "%u objects and %u movers: together the most is %d",
                        settings->objects, settings->movers, STN_SIM_MAX_OBJECTS);
    sim = calloc(1, sizeof *sim);
    if (sim) {
        sim->land = settings->land;
        sim->set = *settings;
        sim->next_person = PERSON_FIRST;
        sim->next_placed = PLACED_FIRST;
        sim->next_grow = GROW_S;
        sim->objects = stn_table_new();
        sim->cells = stn_table_new();
        sim->grids = stn_table_new();
        sim->marks = stn_table_new();
        sim->parties = stn_table_new();
        sim->res_of = stn_names_new();
        sim->res = calloc(STN_SIM_MAX_RESOURCES, sizeof *sim->res);
        sim->scratch = calloc(STN_LAND_MAX_OBJECTS, sizeof *sim->scratch);
    }
    if (!sim || !sim->objects || !sim->cells || !sim->grids || !sim->marks || !sim->parties || !sim->res_of ||
        !sim->res || !sim->scratch) {
        stn_sim_free(sim);
        return stn_fail(err, STN_NO_MEMORY, "simulation");
    }
    if (sim->set.step_rate <= 0.0)
        sim->set.step_rate = 4.0;
    if (sim->set.hour < 0.0)
        sim->set.hour = 10.5;
    if (sim->set.day_speed <= 0.0)
        sim->set.day_speed = 3.0;
    if (sim->set.year <= 0.0)
        sim->set.year = 5.0 / 12.0;
    sets = stn_land_tilesets(sim->land, &n);
    for (size_t i = 0; i < n; i++)
        if (sets[i].id < 256)
            sim->tileset_of[sets[i].id] = sim_resource(sim, sets[i].name, sets[i].version);
    for (size_t i = 0; i < n; i++)
        if (sets[i].id < 256)
            sim->wet[sets[i].id] = strstr(sets[i].name, "/water") || strstr(sets[i].name, "/deep");
    for (size_t i = 0; i < n; i++)
        if (sets[i].id < 256)
            sim->closed[sets[i].id] = strstr(sets[i].name, "/dark") != NULL;
    sim->vmat = sim_resource(sim, STN_LAND_VMAT, STN_LAND_VMAT_VERSION);
    sim->smoke = sim_resource(sim, "gfx/fx/ismoke", 111);
    sim->names = sim_resource(sim, STN_LAND_NAMES, STN_PACK_VERSION);
    sim->claim = sim_resource(sim, "homestead/marks/claim", STN_PACK_VERSION);
    sim->clouds = sim->set.clouds ? sim_resource(sim, "gfx/fx/clouds", 1) : 0;
    scatter(sim);
    /* The first person should not wait for what everyone sees. */
    stn_land_spawn(sim->land, &x, &y, &angle);
    stn_sim_wake(sim, x, y, STN_LAND_TILE * STN_LAND_GRID);
    wake_some(sim, SIM_WANTED);
    *out = sim;
    return STN_OK;
}

void stn_sim_free(stn_sim *sim)
{
    size_t it = 0;
    uint64_t key;
    void *value;

    if (!sim)
        return;
    while (sim->objects && stn_table_next(sim->objects, &it, &key, &value)) {
        free(((stn_sim_obj *)value)->fig);
        free(value);
    }
    for (it = 0; sim->cells && stn_table_next(sim->cells, &it, &key, &value);) {
        free(((cell *)value)->objs);
        free(value);
    }
    for (it = 0; sim->grids && stn_table_next(sim->grids, &it, &key, &value);) {
        free(((awake *)value)->objs);
        free(value);
    }
    for (it = 0; sim->marks && stn_table_next(sim->marks, &it, &key, &value);)
        free(value);
    stn_table_free(sim->objects);
    stn_table_free(sim->cells);
    stn_table_free(sim->grids);
    stn_table_free(sim->marks);
    sim_party_fini(sim);
    stn_names_free(sim->res_of);
    free(sim->movers);
    free(sim->res);
    free(sim->scratch);
    free(sim);
}

void stn_sim_tick(stn_sim *sim, double now)
{
    if (now > sim->now)
        sim->now = now;
    sim_move_all(sim);
    if (sim->now >= sim->next_grow) {
        sim->next_grow += GROW_S;
        grow_all(sim);
    }
    wake_some(sim, WAKE_A_TICK);
    rest_grids(sim);
}

void stn_sim_get_stats(const stn_sim *sim, stn_sim_stats *out)
{
    *out = sim->stats;
    out->objects = stn_table_count(sim->objects);
    out->grids_awake = stn_table_count(sim->grids);
    out->resources = sim->n_res;
}

/* ---- what is there */

bool stn_sim_place(const stn_sim *sim, uint32_t id, double *x, double *y)
{
    const stn_sim_obj *obj = stn_sim_find(sim, id);

    if (obj)
        sim_position(sim, obj, x, y);
    return obj != NULL;
}

void stn_sim_look(const stn_sim *sim, double x, double y, double r, stn_sim_see see, void *user)
{
    int32_t x1 = (int32_t)floor((x - r) / CELL), x2 = (int32_t)floor((x + r) / CELL);
    int32_t y1 = (int32_t)floor((y - r) / CELL), y2 = (int32_t)floor((y + r) / CELL);

    for (int32_t cy = y1; cy <= y2; cy++) {
        for (int32_t cx = x1; cx <= x2; cx++) {
            const cell *c = stn_table_get(sim->cells, pack(cx, cy));

            for (uint32_t i = 0; c && i < c->n; i++) {
                double dx = c->objs[i]->now_x - x, dy = c->objs[i]->now_y - y;

                if (dx * dx + dy * dy <= r * r)
                    see(user, c->objs[i], dx * dx + dy * dy);
            }
        }
    }
}

uint32_t stn_sim_id(const stn_sim_obj *obj)
{
    return obj->id;
}

int32_t stn_sim_latest(stn_sim *sim, stn_sim_obj *obj)
{
    figure *f = obj->fig;

    if (f && f->motion == MOVE_LINEAR && sim->now - f->step_at >= 1.0 / sim->set.step_rate) {
        f->step_at = sim->now;
        sim_touch(obj, G_STEP);
    }
    return obj->latest;
}

int32_t stn_sim_frame(const stn_sim_obj *obj)
{
    return obj->frame;
}

size_t stn_sim_resources(const stn_sim *sim)
{
    return sim->n_res;
}

bool stn_sim_resource(const stn_sim *sim, uint16_t id, const char **name, uint16_t *version)
{
    if (!id || id > sim->n_res)
        return false;
    *name = sim->res[id - 1].name;
    *version = sim->res[id - 1].version;
    return true;
}

uint16_t stn_sim_claim(const stn_sim *sim)
{
    return sim->claim;
}

uint16_t stn_sim_tileset(const stn_sim *sim, uint16_t tile)
{
    return tile < 256 ? sim->tileset_of[tile] : 0;
}
