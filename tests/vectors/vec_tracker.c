#include "vectors/vec_tracker.h"

#include "base/table.h"
#include "world/tracker.h"

#include <stdlib.h>
#include <string.h>

typedef struct script {
    stn_tracker *t;
    stn_table *alive; /* id -> incarnation + 1, as a pointer-sized number */
    stn_table *viewers; /* id of the viewer's entity -> viewer id */
    int64_t viewer_ids[STN_TRACKER_VIEWERS + 1]; /* by viewer id */
    json_t *packets; /* what the sink saw */
} script;

static json_t *hex_of(const uint8_t *data, size_t n)
{
    char *text = malloc(2 * n + 1);
    json_t *v;
    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", data[i]);
    v = json_string(text);
    free(text);
    return v;
}

static void on_packet(void *arg, const stn_tracker_packet *p)
{
    script *s = arg;
    json_t *removed = json_array(), *entities = json_array();

    for (size_t i = 0; i < p->n_removed; i++)
        json_array_append_new(removed, json_integer(p->removed[i]));
    for (size_t i = 0; i < p->n_entries; i++) {
        const stn_tracker_entry *e = &p->entries[i];
        json_t *comps = json_array(), *updates = json_array();
        for (int c = 0; c < 64; c++)
            if (e->removed >> c & 1)
                json_array_append_new(comps, json_integer(c));
        for (uint32_t k = 0; k < e->n; k++) {
            const stn_tracker_update *u = &p->updates[e->first + k];
            json_array_append_new(updates, json_pack("[io]", u->type, hex_of(u->data, u->len)));
        }
        json_array_append_new(entities, json_pack("{sIsbsoso}", "id", (json_int_t)e->id, "new", (int)e->fresh,
                                                  "removed_comps", comps, "updates", updates));
    }
    json_array_append_new(s->packets, json_pack("{sIsoso}", "viewer", (json_int_t)s->viewer_ids[p->viewer],
                                                "removed", removed, "entities", entities));
}

static stn_incarnation entity(const script *s, int64_t id)
{
    uintptr_t v = (uintptr_t)stn_table_get(s->alive, (uint64_t)id);
    return v ? (stn_incarnation)(v - 1) : 0;
}

static void set(script *s, stn_incarnation e, unsigned type, const json_t *hex)
{
    size_t len;
    uint8_t *data = vec_unhex(json_string_value(hex), &len);
    stn_tracker_set(s->t, e, type, data, (uint32_t)len);
    free(data);
}

static void spawn(script *s, const json_t *op, int64_t id)
{
    stn_incarnation e = stn_tracker_spawn(s->t, id, json_number_value(json_object_get(op, "x")),
                                          json_number_value(json_object_get(op, "y")),
                                          json_number_value(json_object_get(op, "size")));
    const char *key;
    json_t *v;

    stn_table_put(s->alive, (uint64_t)id, (void *)(uintptr_t)(e + 1), NULL);
    json_object_foreach(json_object_get(op, "comps"), key, v) set(s, e, (unsigned)atoi(key), v);
}

static void make_viewer(script *s, const json_t *op, int64_t id)
{
    stn_viewer_id v = stn_tracker_add_viewer(s->t);
    stn_tracker_look(s->t, v, json_number_value(json_object_get(op, "radius")),
                     json_number_value(json_object_get(op, "lod")), NULL);
    stn_tracker_place_on(s->t, v, entity(s, id));
    s->viewer_ids[v] = id;
    stn_table_put(s->viewers, (uint64_t)id, (void *)(uintptr_t)v, NULL);
}

static int by_viewer(const void *a, const void *b)
{
    json_int_t x = json_integer_value(json_object_get(*(json_t *const *)a, "viewer"));
    json_int_t y = json_integer_value(json_object_get(*(json_t *const *)b, "viewer"));
    return (x > y) - (x < y);
}

static int by_number(const void *a, const void *b)
{
    json_int_t x = json_integer_value(*(json_t *const *)a), y = json_integer_value(*(json_t *const *)b);
    return (x > y) - (x < y);
}

/* A copy of the array in order. */
static json_t *sorted(const json_t *a, int (*order)(const void *, const void *))
{
    size_t n = json_array_size(a);
    json_t **list = malloc((n + 1) * sizeof(json_t *)), *out = json_array();

    for (size_t i = 0; i < n; i++)
        list[i] = json_array_get(a, i);
    qsort(list, n, sizeof(json_t *), order);
    for (size_t i = 0; i < n; i++)
        json_array_append(out, list[i]);
    free(list);
    return out;
}

static json_t *reverse_sets(const script *s)
{
    json_t *all = json_object();
    size_t it = 0;
    uint64_t id;
    void *v;

    while (stn_table_next(s->alive, &it, &id, &v)) {
        stn_viewer_id list[STN_TRACKER_VIEWERS];
        stn_incarnation e = (stn_incarnation)((uintptr_t)v - 1);
        size_t n = stn_tracker_visible_to(s->t, e, list, STN_TRACKER_VIEWERS);
        json_t *a = json_array(), *in_order;
        char key[24];
        for (size_t i = 0; i < n; i++)
            json_array_append_new(a, json_integer(s->viewer_ids[list[i]]));
        in_order = sorted(a, by_number);
        json_decref(a);
        snprintf(key, sizeof key, "%lld", (long long)id);
        if (n > 0)
            json_object_set_new(all, key, in_order);
        else
            json_decref(in_order);
        if ((n > 0) != stn_tracker_is_visible(s->t, e))
            json_object_set_new(all, "mark", json_string(key));
    }
    return all;
}

static void check_tick(script *s, const json_t *op, const char *where, vec_report *r)
{
    stn_tracker_stats stats;
    json_t *packets, *sets;
    bool same;

    json_array_clear(s->packets);
    if (stn_tracker_tick(s->t, on_packet, s, NULL) != STN_OK) {
        vec_fail(r, "%s: out of memory", where);
        return;
    }
    packets = sorted(s->packets, by_viewer);
    sets = reverse_sets(s);
    stn_tracker_get_stats(s->t, &stats);
    same = json_equal(packets, json_object_get(op, "packets"));
    if (same && json_equal(sets, json_object_get(op, "visible_to")) &&
        stats.encoded == (size_t)json_integer_value(json_object_get(op, "generated")))
        vec_pass(r);
    else
        vec_fail(r, "%s: %s (encoded %zu)", where,
                 same ? "reverse sets or encodings differ" : "packets differ", stats.encoded);
    json_decref(packets);
    json_decref(sets);
}

static void check_despawn_all(script *s, const json_t *op, stn_viewer_id v, const char *where, vec_report *r)
{
    json_array_clear(s->packets);
    if (stn_tracker_despawn_all(s->t, v, on_packet, s) && json_array_size(s->packets) == 1 &&
        json_equal(json_object_get(json_array_get(s->packets, 0), "removed"),
                   json_object_get(op, "expect_removed")))
        vec_pass(r);
    else
        vec_fail(r, "%s: despawn_all", where);
}

static bool apply(script *s, const json_t *op, const char *where, vec_report *r)
{
    const char *name = json_string_value(json_object_get(op, "op"));
    int64_t id = json_integer_value(json_object_get(op, "id"));
    stn_viewer_id v = (stn_viewer_id)(uintptr_t)stn_table_get(
        s->viewers, (uint64_t)json_integer_value(json_object_get(op, "viewer")));
    unsigned comp = (unsigned)json_integer_value(json_object_get(op, "comp"));

    if (!strcmp(name, "spawn")) {
        spawn(s, op, id);
    } else if (!strcmp(name, "viewer")) {
        make_viewer(s, op, id);
    } else if (!strcmp(name, "move")) {
        stn_tracker_move(s->t, entity(s, id), json_number_value(json_object_get(op, "x")),
                         json_number_value(json_object_get(op, "y")));
    } else if (!strcmp(name, "set")) {
        set(s, entity(s, id), comp, json_object_get(op, "data"));
    } else if (!strcmp(name, "unset")) {
        stn_tracker_unset(s->t, entity(s, id), comp);
    } else if (!strcmp(name, "despawn")) {
        stn_tracker_despawn(s->t, entity(s, id));
        stn_table_remove(s->alive, (uint64_t)id);
    } else if (!strcmp(name, "hide") || !strcmp(name, "unhide")) {
        stn_tracker_hide(s->t, v, entity(s, id), name[0] == 'h');
    } else if (!strcmp(name, "clear")) {
        stn_tracker_clear(s->t, v);
    } else if (!strcmp(name, "clear_holder")) {
        stn_tracker_clear_holder(s->t, v);
    } else if (!strcmp(name, "despawn_all")) {
        check_despawn_all(s, op, v, where, r);
    } else if (!strcmp(name, "tick")) {
        check_tick(s, op, where, r);
    } else {
        return !strcmp(name, "header");
    }
    return true;
}

void vec_tracker(const char *dir, const char *file, vec_report *r)
{
    size_t len, it = 0, line = 0;
    char *text = (char *)vec_read(dir, file, &len), where[128];
    script s = {.t = stn_tracker_new(),
                .alive = stn_table_new(),
                .viewers = stn_table_new(),
                .packets = json_array()};
    json_t *op;

    for (; (op = vec_jsonl_next(text, len, &it)) != NULL; json_decref(op)) {
        snprintf(where, sizeof where, "%s:%zu", file, ++line);
        if (!apply(&s, op, where, r))
            vec_fail(r, "%s: unknown operation", where);
    }
    stn_tracker_free(s.t);
    stn_table_free(s.alive);
    stn_table_free(s.viewers);
    json_decref(s.packets);
    free(text);
}
