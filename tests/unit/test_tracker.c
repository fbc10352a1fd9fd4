/* The tracker against brute force: random worlds, moves, filters, joins and leaves. After every tick each
 * viewer's mirror, fed by packets alone, must equal what a loop over all pairs says. */
#include "world/tracker.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define ENTITIES 120
#define VIEWERS 6
#define TYPES 6

typedef struct thing {
    bool alive, hidden;
    int64_t id;
    stn_incarnation name;
    double x, y, size;
    bool has[TYPES];
    uint8_t value[TYPES];
} thing;

/* What a viewer was told. */
typedef struct seen {
    bool held;
    stn_incarnation name;
    bool has[TYPES];
    uint8_t value[TYPES];
} seen;

typedef struct watcher {
    bool used;
    stn_viewer_id id;
    double x, y, radius, lod;
    int on; /* index of the thing it stands on, -1: free */
    bool odd_filter;
    bool hides[ENTITIES];
    stn_incarnation hidden_name[ENTITIES];
    seen held[ENTITIES + 1]; /* by id */
    size_t says;
} watcher;

typedef struct world {
    stn_tracker *t;
    thing things[ENTITIES];
    watcher watchers[VIEWERS];
    uint64_t random;
    bool broken;
} world;

static uint32_t roll(world *w, uint32_t n)
{
    w->random = w->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(w->random >> 33) % n;
}

static double spot(world *w)
{
    return (double)roll(w, 160000) / 64.0 - 1250.0;
}

/* A filter of our own: takes away what has component 5 and an odd id. */
static void odd_filter(void *arg, stn_viewer_id v, const stn_incarnation *e, size_t n, bool *keep)
{
    world *w = arg;
    (void)v;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < ENTITIES; k++)
            if (w->things[k].alive && w->things[k].name == e[i])
                keep[i] = w->things[k].id % 2 == 0;
}

static watcher *watcher_of(world *w, stn_viewer_id id)
{
    for (size_t i = 0; i < VIEWERS; i++)
        if (w->watchers[i].used && w->watchers[i].id == id)
            return &w->watchers[i];
    return NULL;
}

static void on_packet(void *arg, const stn_tracker_packet *p)
{
    world *w = arg;
    watcher *v = watcher_of(w, p->viewer);
    int64_t last = -1;

    if (!v) {
        w->broken = true;
        return;
    }
    v->says = p->n_removed + p->n_entries;
    for (size_t i = 0; i < p->n_removed; i++) {
        seen *s = &v->held[p->removed[i]];
        if (!s->held || s->name != p->removed_entities[i] || p->removed[i] <= last)
            w->broken = true;
        last = p->removed[i];
        memset(s, 0, sizeof *s);
    }
    last = -1;
    for (size_t i = 0; i < p->n_entries; i++) {
        const stn_tracker_entry *e = &p->entries[i];
        seen *s = &v->held[e->id];
        int type = -1;
        if (e->id <= last || e->fresh == s->held || (!e->fresh && s->name != e->entity))
            w->broken = true;
        last = e->id;
        s->held = true;
        s->name = e->entity;
        for (int c = 0; c < TYPES; c++)
            if (e->removed >> c & 1)
                s->has[c] = false;
        for (uint32_t k = 0; k < e->n; k++) {
            const stn_tracker_update *u = &p->updates[e->first + k];
            if ((int)u->type <= type || u->type >= TYPES || u->len != 1)
                w->broken = true;
            type = u->type;
            s->has[u->type] = true;
            s->value[u->type] = u->data[0];
        }
    }
}

static bool visible(const watcher *v, const thing *e)
{
    double dx = e->x - v->x, dy = e->y - v->y, d2 = dx * dx + dy * dy;
    if (!e->alive || e->hidden || !(d2 <= v->radius * v->radius) || !(e->size >= v->lod * d2))
        return false;
    return !(v->odd_filter && e->has[5] && e->id % 2 == 1);
}

static void check(world *w)
{
    for (size_t i = 0; i < VIEWERS; i++) {
        watcher *v = &w->watchers[i];
        bool should[ENTITIES + 1] = {false};
        if (!v->used)
            continue;
        if (v->on >= 0 && w->things[v->on].alive) {
            v->x = w->things[v->on].x;
            v->y = w->things[v->on].y;
        }
        for (size_t k = 0; k < ENTITIES; k++) {
            const thing *e = &w->things[k];
            seen *s = &v->held[e->id];
            bool hidden = v->hides[k] && v->hidden_name[k] == e->name;
            if (v->on >= 0 && !w->things[v->on].alive)
                break; /* stands on nothing: sees nothing */
            if (!visible(v, e) || hidden)
                continue;
            should[e->id] = true;
            assert_true(s->held);
            assert_true(s->name == e->name);
            for (int c = 0; c < TYPES; c++) {
                assert_int_equal(s->has[c], e->has[c]);
                if (e->has[c])
                    assert_int_equal(s->value[c], e->value[c]);
            }
        }
        for (size_t id = 0; id <= ENTITIES; id++)
            assert_int_equal(v->held[id].held, should[id]);
    }
    for (size_t k = 0; k < ENTITIES; k++) {
        stn_viewer_id list[VIEWERS];
        size_t n = stn_tracker_visible_to(w->t, w->things[k].name, list, VIEWERS), want = 0;
        for (size_t i = 0; i < VIEWERS; i++)
            want += w->watchers[i].used && w->things[k].alive && w->watchers[i].held[w->things[k].id].held;
        assert_int_equal(n, want);
        assert_int_equal(stn_tracker_is_visible(w->t, w->things[k].name), n > 0);
    }
    assert_false(w->broken);
}

static void spawn(world *w, size_t k)
{
    thing *e = &w->things[k];
    static const double sizes[] = {0.5, 1, 8, 40};

    *e = (thing){.alive = true, .id = (int64_t)k + 1, .x = spot(w), .y = spot(w), .size = sizes[roll(w, 4)]};
    e->name = stn_tracker_spawn(w->t, e->id, e->x, e->y, e->size);
    assert_true(e->name != 0);
    for (unsigned c = 0; c < TYPES; c++)
        if (roll(w, 2)) {
            e->has[c] = true;
            e->value[c] = (uint8_t)roll(w, 256);
            assert_true(stn_tracker_set(w->t, e->name, c, &e->value[c], 1));
        }
}

static void change_thing(world *w)
{
    size_t k = roll(w, ENTITIES);
    thing *e = &w->things[k];
    unsigned c = roll(w, TYPES);

    if (!e->alive) {
        spawn(w, k);
        return;
    }
    switch (roll(w, 8)) {
    case 0:
        assert_true(stn_tracker_despawn(w->t, e->name));
        assert_false(stn_tracker_despawn(w->t, e->name));
        e->alive = false;
        if (roll(w, 2))
            spawn(w, k); /* the same id in the same tick */
        break;
    case 1:
        assert_int_equal(stn_tracker_unset(w->t, e->name, c), e->has[c]);
        e->has[c] = false;
        break;
    case 2:
        e->hidden = roll(w, 4) == 0;
        stn_tracker_set_hidden(w->t, e->name, e->hidden);
        break;
    case 3:
    case 4:
        e->has[c] = true;
        e->value[c] = (uint8_t)roll(w, 256);
        stn_tracker_set(w->t, e->name, c, &e->value[c], 1);
        break;
    default:
        e->x = roll(w, 50) ? e->x + (double)roll(w, 200) - 100 : NAN;
        if (e->x != e->x && roll(w, 2))
            e->x = 0;
        e->y += (double)roll(w, 200) - 100;
        stn_tracker_move(w->t, e->name, e->x, e->y);
    }
}

static void join(world *w, watcher *v)
{
    *v = (watcher){.used = true, .id = stn_tracker_add_viewer(w->t), .radius = 100 + roll(w, 900), .on = -1};
    v->lod = roll(w, 2) ? 0 : 1e-4;
    v->x = spot(w);
    v->y = spot(w);
    assert_int_equal(stn_tracker_look(w->t, v->id, v->radius, v->lod, NULL), STN_OK);
    if (roll(w, 2)) {
        v->on = (int)roll(w, ENTITIES);
        if (!w->things[v->on].alive)
            spawn(w, (size_t)v->on);
        stn_tracker_place_on(w->t, v->id, w->things[v->on].name);
    } else {
        stn_tracker_place_at(w->t, v->id, v->x, v->y);
    }
}

static void change_watcher(world *w)
{
    watcher *v = &w->watchers[roll(w, VIEWERS)];
    size_t k = roll(w, ENTITIES);

    if (!v->used) {
        join(w, v);
        return;
    }
    switch (roll(w, 9)) {
    case 0:
        stn_tracker_remove_viewer(w->t, v->id);
        v->used = false;
        break;
    case 1:
        stn_tracker_clear(w->t, v->id);
        memset(v->held, 0, sizeof v->held);
        break;
    case 2:
        assert_true(stn_tracker_despawn_all(w->t, v->id, on_packet, w));
        for (size_t i = 0; i <= ENTITIES; i++)
            assert_false(v->held[i].held);
        break;
    case 3:
        stn_tracker_clear_holder(w->t, v->id);
        memset(v->held, 0, sizeof v->held);
        break;
    case 4:
        v->odd_filter = !v->odd_filter;
        assert_int_equal(stn_tracker_filter(w->t, v->id, "odd", v->odd_filter, NULL), STN_OK);
        break;
    case 5:
    case 6:
        if (w->things[k].alive) {
            v->hides[k] = stn_tracker_hide(w->t, v->id, w->things[k].name, true);
            v->hidden_name[k] = w->things[k].name;
        }
        break;
    default:
        v->x = spot(w);
        v->y = spot(w);
        v->on = -1;
        stn_tracker_place_at(w->t, v->id, v->x, v->y);
    }
}

/* A watcher that stood on a thing which went away follows nothing more, also when its id comes again. */
static void fall_off(world *w, const stn_incarnation *stood_on)
{
    for (size_t i = 0; i < VIEWERS; i++) {
        watcher *v = &w->watchers[i];
        if (v->used && v->on >= 0 && (!w->things[v->on].alive || w->things[v->on].name != stood_on[i])) {
            stn_tracker_place_at(w->t, v->id, 0, 0);
            v->on = -1;
            v->x = v->y = 0;
        }
    }
}

static void every_mirror_equals_brute_force(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        world *w = calloc(1, sizeof *w);
        w->random = seed;
        w->t = stn_tracker_new();
        assert_int_equal(stn_tracker_add_filter(w->t, "odd", 1u << 5, odd_filter, w, NULL), STN_OK);
        assert_int_equal(stn_tracker_add_filter(w->t, "odd", 0, odd_filter, w, NULL), STN_USAGE);
        for (size_t k = 0; k < ENTITIES; k++) {
            w->things[k].id = (int64_t)k + 1;
            if (roll(w, 3))
                spawn(w, k);
        }
        for (int tick = 0; tick < 600; tick++) {
            uint32_t n = roll(w, 12);
            stn_incarnation stood_on[VIEWERS] = {0};
            stn_tracker_stats s;
            for (size_t i = 0; i < VIEWERS; i++)
                if (w->watchers[i].used && w->watchers[i].on >= 0)
                    stood_on[i] = w->things[w->watchers[i].on].name;
            for (uint32_t i = 0; i < n; i++)
                change_thing(w);
            fall_off(w, stood_on);
            if (roll(w, 3) == 0)
                change_watcher(w);
            assert_int_equal(stn_tracker_tick(w->t, on_packet, w, NULL), STN_OK);
            check(w);
            /* Nothing happens, nothing is said. */
            assert_int_equal(stn_tracker_tick(w->t, on_packet, w, NULL), STN_OK);
            stn_tracker_get_stats(w->t, &s);
            assert_int_equal(s.encoded + s.updates + s.fresh + s.removed, 0);
            for (size_t i = 0; i < VIEWERS; i++)
                if (w->watchers[i].used)
                    assert_int_equal(w->watchers[i].says, 0);
        }
        stn_tracker_free(w->t);
        free(w);
    }
}

/* ---- registered finders, queuers and encoders */

typedef struct bag {
    size_t packets, entries, calls;
    uint8_t first[4];
    uint8_t types[8];
    size_t n_types;
} bag;

static void take(void *arg, const stn_tracker_packet *p)
{
    bag *b = arg;
    b->entries += p->n_entries;
    for (size_t i = 0; i < p->n_updates && b->n_types < 8; i++)
        b->types[b->n_types++] = p->updates[i].type;
    if (b->packets < 4)
        b->first[b->packets] = p->n_updates ? p->updates[0].data[0] : 0;
    b->packets++;
}

static double item_size(void *arg, stn_incarnation e, double size)
{
    (void)arg;
    (void)e;
    (void)size;
    return 5.0;
}

static void an_item_finder_finds_what_has_no_model(void **state)
{
    stn_tracker *t = stn_tracker_new();
    stn_viewer_id v;
    stn_incarnation model, item, neither;
    stn_incarnation list[4];
    bag b = {0};

    (void)state;
    assert_int_equal(stn_tracker_add_finder(t, "model", 1u << 2, NULL, NULL, NULL), STN_OK);
    assert_int_equal(stn_tracker_add_finder(t, "items", 1u << 7, item_size, NULL, NULL), STN_OK);
    assert_int_equal(stn_tracker_add_finder(t, "items", 1u << 8, item_size, NULL, NULL), STN_USAGE);
    model = stn_tracker_spawn(t, 1, 10, 0, 20);
    item = stn_tracker_spawn(t, 2, 20, 0, 0);
    neither = stn_tracker_spawn(t, 3, 30, 0, 20);
    stn_tracker_set(t, model, 2, "m", 1);
    stn_tracker_set(t, item, 7, "i", 1);
    stn_tracker_set(t, neither, 1, "n", 1);
    v = stn_tracker_add_viewer(t);
    stn_tracker_look(t, v, 100, 1e-3, NULL);
    stn_tracker_place_at(t, v, 0, 0);
    assert_int_equal(stn_tracker_tick(t, take, &b, NULL), STN_OK);
    assert_int_equal(stn_tracker_sent(t, v, list, 4), 2);
    assert_true(list[0] == model && list[1] == item);
    stn_tracker_free(t);
}

static void whisper(void *arg, stn_tracker *t)
{
    stn_incarnation e = *(stn_incarnation *)arg;
    /* Viewer 1 sees it, viewer 2 does not, viewer 9 is nobody. */
    assert_true(stn_tracker_queue(t, 1, e, 40, "q", 1));
    assert_false(stn_tracker_queue(t, 2, e, 40, "q", 1));
    assert_false(stn_tracker_queue(t, 9, e, 40, "q", 1));
}

static void a_queuer_adds_updates_in_type_order(void **state)
{
    stn_tracker *t = stn_tracker_new();
    stn_incarnation e = stn_tracker_spawn(t, 1, 0, 0, 1);
    stn_viewer_id near_by = stn_tracker_add_viewer(t), far_off = stn_tracker_add_viewer(t);
    bag b = {0};

    (void)state;
    stn_tracker_set(t, e, 3, "a", 1);
    stn_tracker_set(t, e, 50, "z", 1);
    stn_tracker_look(t, near_by, 100, 0, NULL);
    stn_tracker_look(t, far_off, 100, 0, NULL);
    stn_tracker_place_at(t, near_by, 0, 0);
    stn_tracker_place_at(t, far_off, 5000, 0);
    assert_int_equal(stn_tracker_add_queuer(t, "whisper", whisper, &e, NULL), STN_OK);
    assert_int_equal(stn_tracker_tick(t, take, &b, NULL), STN_OK);
    assert_int_equal(b.n_types, 3);
    assert_memory_equal(b.types, ((uint8_t[]){3, 40, 50}), 3);
    b = (bag){0};
    assert_int_equal(stn_tracker_tick(t, take, &b, NULL), STN_OK);
    assert_int_equal(b.entries, 1); /* the queuer alone has something to say */
    assert_int_equal(b.n_types, 1);
    assert_false(stn_tracker_queue(t, near_by, e, 40, "q", 1)); /* outside phase 8 */
    stn_tracker_free(t);
}

static uint64_t team(void *arg, stn_viewer_id v)
{
    (void)arg;
    return v % 2;
}

static void team_encode(void *arg, stn_incarnation e, uint64_t key, const uint8_t *value, uint32_t len,
                        stn_tracker_update *out)
{
    static const uint8_t colours[2] = {'b', 'r'};
    bag *b = arg;
    (void)e;
    (void)value;
    (void)len;
    b->calls++;
    out->data = &colours[key];
    out->len = 1;
}

static void a_grouped_component_is_encoded_once_per_group(void **state)
{
    stn_tracker *t = stn_tracker_new();
    stn_incarnation e = stn_tracker_spawn(t, 1, 0, 0, 1);
    bag b = {0};

    (void)state;
    assert_int_equal(stn_tracker_set_encoder(t, 4, &(stn_encoder){team_encode, team, &b}, NULL), STN_OK);
    stn_tracker_set(t, e, 4, "x", 1);
    for (int i = 0; i < 4; i++) {
        stn_viewer_id v = stn_tracker_add_viewer(t);
        stn_tracker_look(t, v, 100, 0, NULL);
        stn_tracker_place_at(t, v, 0, 0);
    }
    assert_int_equal(stn_tracker_tick(t, take, &b, NULL), STN_OK);
    assert_int_equal(b.calls, 2);
    assert_memory_equal(b.first, "rbrb", 4);
    stn_tracker_free(t);
}

static void bad_looks_are_refused_and_the_old_stays(void **state)
{
    stn_tracker *t = stn_tracker_new();
    stn_incarnation e = stn_tracker_spawn(t, 1, 0, 0, 1);
    stn_viewer_id v = stn_tracker_add_viewer(t);
    bag b = {0};

    (void)state;
    assert_int_equal(stn_tracker_look(t, v, 10, 0, NULL), STN_OK);
    assert_int_equal(stn_tracker_look(t, v, NAN, 0, NULL), STN_USAGE);
    assert_int_equal(stn_tracker_look(t, v, 10, -1, NULL), STN_USAGE);
    assert_int_equal(stn_tracker_look(t, v, INFINITY, 0, NULL), STN_USAGE);
    assert_false(stn_tracker_place_at(t, v, NAN, 0));
    assert_true(stn_tracker_place_on(t, v, e));
    assert_int_equal(stn_tracker_tick(t, take, &b, NULL), STN_OK);
    assert_int_equal(stn_tracker_sent(t, v, NULL, 0), 1);
    stn_tracker_despawn(t, e);
    assert_int_equal(stn_tracker_tick(t, take, &b, NULL), STN_OK);
    assert_int_equal(stn_tracker_sent(t, v, NULL, 0), 0);
    stn_tracker_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mirror_equals_brute_force),
        cmocka_unit_test(an_item_finder_finds_what_has_no_model),
        cmocka_unit_test(a_queuer_adds_updates_in_type_order),
        cmocka_unit_test(a_grouped_component_is_encoded_once_per_group),
        cmocka_unit_test(bad_looks_are_refused_and_the_old_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
