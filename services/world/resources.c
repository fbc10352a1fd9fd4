#include "world/resources.h"

#include "base/log.h"
#include "base/table.h"
#include "res/wire.h"
#include "world/traits.h"

#include "proto/resource.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATE_STREAM 0
#define READY_BYTES_MAX (16u << 20) /* a tileset with its pictures, raw */

struct stn_resources {
    stn_bus *bus;
    stn_conv *link;
    stn_resources_hooks on;
    stn_names *by_name; /* "name:version" -> stn_known */
    stn_table *by_correlation;
    stn_known **all;
    size_t n_all, cap_all;
    uint32_t handles;
    size_t n_sets;
    stn_log_once complaints;
};

/* ---- asking */

static void ask(stn_resources *r, stn_known *k)
{
    stn_peer *loader = stn_conv_peer(r->link);
    Stenness__Get get = STENNESS__GET__INIT;

    if (!loader)
        return; /* asked when it comes up */
    if (k->correlation)
        stn_table_remove(r->by_correlation, k->correlation);
    k->correlation = stn_bus_correlation(r->bus);
    if (!stn_table_put(r->by_correlation, k->correlation, k, NULL)) {
        k->correlation = 0;
        return;
    }
    get.name = k->name;
    get.version = k->version;
    get.priority = k->priority;
    get.want = k->wanted | (k->look_inside ? STENNESS__RESOURCE_WANT__WANT_RAW : 0);
    if (stn_peer_say(loader, STENNESS__RESOURCE_KIND__RESOURCE_GET, STATE_STREAM, k->correlation, &get.base,
                     NULL) != STN_OK) {
        /* No room: asked again by `room` or with the next wish. */
        stn_table_remove(r->by_correlation, k->correlation);
        k->correlation = 0;
    }
}

static void ask_outstanding(stn_resources *r)
{
    for (size_t i = 0; i < r->n_all; i++)
        if (r->all[i]->state == STN_KNOWN_PENDING && !r->all[i]->correlation)
            ask(r, r->all[i]);
}

static stn_known *new_known(stn_resources *r, const char *key, const char *name, int32_t version)
{
    stn_known *k;

    if (r->n_all >= STN_WORLD_RESOURCES_MAX)
        return NULL;
    if (r->n_all == r->cap_all) {
        size_t cap = r->cap_all ? r->cap_all * 2 : 256;
        stn_known **more = realloc(r->all, cap * sizeof(stn_known *));
        if (!more)
            return NULL;
        r->all = more;
        r->cap_all = cap;
    }
    if (!(k = calloc(1, sizeof *k)) || !(k->name = strdup(name)) ||
        !stn_names_put(r->by_name, key, k, NULL)) {
        if (k)
            free(k->name);
        free(k);
        return NULL;
    }
    k->version = version;
    k->number = (uint32_t)r->n_all;
    k->priority = INT32_MIN;
    r->all[r->n_all++] = k;
    return k;
}

stn_known *stn_resources_want(stn_resources *r, const char *name, int32_t version, uint32_t want,
                              int32_t priority)
{
    char key[640];
    stn_known *k;

    snprintf(key, sizeof key, "%.600s:%d", name, version);
    k = stn_names_get(r->by_name, key);
    if (!k && !(k = new_known(r, key, name, version)))
        return NULL;
    if (k->state == STN_KNOWN_FAILED)
        return k;
    if ((want & ~k->wanted) || (priority > k->priority && k->state == STN_KNOWN_PENDING)) {
        k->wanted |= want;
        if (priority > k->priority)
            k->priority = priority;
        if (k->state == STN_KNOWN_READY)
            k->state = STN_KNOWN_PENDING;
        ask(r, k);
    }
    return k;
}

/* ---- answers */

static stn_known *asked(stn_resources *r, const stn_msg *msg)
{
    return stn_table_get(r->by_correlation, stn_msg_correlation(msg));
}

static void drop_sets(stn_resources *r, stn_known *k)
{
    for (int i = 0; i < STN_TILEDEF_LEVELS; i++) {
        if (k->sets[i])
            r->n_sets--;
        stn_tileset_unref(k->sets[i]);
        k->sets[i] = NULL;
        k->broken[i] = false;
    }
    stn_res_free(k->res);
    k->res = NULL;
}

static void settle(stn_resources *r, stn_known *k, stn_known_state state)
{
    stn_table_remove(r->by_correlation, k->correlation);
    k->correlation = 0;
    k->state = state;
    r->on.settled(r->on.arg, k);
}

/* True: the layers' content must be seen too. */
static bool note_layers(stn_known *k, const Stenness__Ready *ready)
{
    stn_sprite_facts facts = {0};
    bool inside = false;

    k->traits = stn_traits_bare(k->number);
    k->flavor = (stn_flavor_facts){0};
    for (size_t i = 0; i < ready->n_layers; i++) {
        const char *type = ready->layers[i]->type;
        inside |= stn_traits_layer(&k->traits, &facts, type);
        stn_flavor_facts_layer(&k->flavor, type, NULL, -1);
    }
    stn_traits_of_facts(&k->traits, ready->name, ready->version, &facts);
    k->size = 0;
    for (size_t i = 0; i < 3 && ready->n_bounds == 6; i++) {
        double side = (double)ready->bounds[i + 3] - (double)ready->bounds[i];
        if (side > k->size)
            k->size = side;
    }
    return inside;
}

static stn_status read_resource(stn_known *k, const Stenness__Ready *ready, stn_msg *msg, stn_err *err)
{
    stn_wire_span frames[STN_WIRE_FRAMES] = {{0}};
    size_t n = stn_msg_bulk_count(msg) < STN_WIRE_FRAMES ? stn_msg_bulk_count(msg) : STN_WIRE_FRAMES;
    stn_wire *wire;
    stn_status st;

    for (size_t i = 0; i < n; i++)
        frames[i] =
            (stn_wire_span){stn_frame_data(stn_msg_bulk(msg, i)), stn_frame_len(stn_msg_bulk(msg, i))};
    if ((st = stn_wire_open(ready, frames, n, &wire, err)) != STN_OK)
        return st;
    st = stn_wire_res(wire, &k->res, err);
    stn_wire_free(wire);
    if (st != STN_OK)
        return st;
    /* With the payloads at hand the two layers that decide by their content are looked into. */
    for (uint32_t i = 0; i < stn_res_count(k->res); i++) {
        const stn_res_layer *l = stn_res_layer_at(k->res, i);
        stn_flavor_facts_layer(&k->flavor, l->type,
                               l->kind == STN_LAYER_AUDIO ? stn_res_layer_text_id(l) : NULL,
                               l->kind == STN_LAYER_RLINK ? (int)l->as.rlink->type : -1);
    }
    stn_traits_of_res(&k->traits, ready->name, ready->version, k->res);
    if (!stn_res_first(k->res, STN_LAYER_TILESET)) {
        stn_res_free(k->res); /* all that was wanted of it is known */
        k->res = NULL;
    }
    return STN_OK;
}

static stn_status on_ready(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_resources *r = ctx;
    const Stenness__Ready *ready = stn_msg_body(msg);
    stn_known *k = asked(r, msg);
    stn_status st = STN_OK;
    bool inside;

    (void)peer;
    if (!k)
        return STN_OK; /* superseded by an ask with more wishes */
    drop_sets(r, k);
    inside = note_layers(k, ready);
    k->have = k->wanted;
    if (inside && !((k->wanted | ready->want) & STENNESS__RESOURCE_WANT__WANT_RAW) && !k->look_inside) {
        k->look_inside = true;
        ask(r, k);
        return STN_OK;
    }
    if (k->wanted & STENNESS__RESOURCE_WANT__WANT_RAW || k->look_inside)
        st = read_resource(k, ready, msg, err);
    if (st != STN_OK && !(k->wanted & STENNESS__RESOURCE_WANT__WANT_RAW)) {
        stn_log_debug("resource %s: %s; taken for what its layers say", k->name, err->text);
        st = STN_OK;
    }
    if (st != STN_OK)
        snprintf(k->why, sizeof k->why, "%.150s", err ? err->text : "cannot be read");
    settle(r, k, st == STN_OK ? STN_KNOWN_READY : STN_KNOWN_FAILED);
    return st;
}

static void failed(stn_resources *r, stn_known *k, const char *why)
{
    snprintf(k->why, sizeof k->why, "%.150s", why);
    if (stn_log_due(&r->complaints))
        stn_log_warn("resource %s version %d: %s (%llu so far)", k->name, k->version, k->why,
                     (unsigned long long)r->complaints.count);
    settle(r, k, STN_KNOWN_FAILED);
}

static stn_status on_failed(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_resources *r = ctx;
    const Stenness__Failed *f = stn_msg_body(msg);
    stn_known *k = asked(r, msg);

    (void)peer;
    (void)err;
    if (k)
        failed(r, k, f->n_chain > 0 && f->chain[0]->text[0] ? f->chain[0]->text : f->kind);
    return STN_OK;
}

static stn_status on_refused(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_resources *r = ctx;
    const Stenness__Refused *f = stn_msg_body(msg);
    stn_known *k = asked(r, msg);
    char why[96];

    (void)peer;
    (void)err;
    if (!k)
        return STN_OK;
    snprintf(why, sizeof why, "obsolete: the source has version %d", f->current);
    failed(r, k, why);
    return STN_OK;
}

static stn_status on_pending(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    (void)ctx;
    (void)peer;
    (void)msg;
    (void)err;
    return STN_OK; /* the end comes with the same correlation */
}

static stn_status on_changed(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_resources *r = ctx;
    const Stenness__Changed *c = stn_msg_body(msg);

    (void)peer;
    (void)err;
    for (size_t i = 0; i < r->n_all; i++)
        if (!strcmp(r->all[i]->name, c->name)) {
            r->all[i]->state = STN_KNOWN_PENDING;
            ask(r, r->all[i]);
        }
    return STN_OK;
}

static const stn_handler handlers[] = {
    {STENNESS__RESOURCE_KIND__RESOURCE_PENDING, "pending", 4096, &stenness__pending__descriptor, on_pending,
     false},
    {STENNESS__RESOURCE_KIND__RESOURCE_READY, "ready", READY_BYTES_MAX, &stenness__ready__descriptor,
     on_ready, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_FAILED, "failed", 1 << 18, &stenness__failed__descriptor, on_failed,
     false},
    {STENNESS__RESOURCE_KIND__RESOURCE_REFUSED, "refused", 1 << 14, &stenness__refused__descriptor,
     on_refused, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_CHANGED, "changed", 1 << 14, &stenness__changed__descriptor,
     on_changed, false},
};

/* A loader that is there knows nothing of us: what is outstanding is asked again, and what failed gets a
 * chance. */
static void on_up(void *ctx, stn_peer *peer)
{
    stn_resources *r = ctx;
    (void)peer;
    for (size_t i = 0; i < r->n_all; i++)
        if (r->all[i]->state == STN_KNOWN_FAILED)
            r->all[i]->state = STN_KNOWN_PENDING;
    ask_outstanding(r);
}

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    stn_resources *r = ctx;
    (void)peer;
    (void)why;
    stn_table_clear(r->by_correlation);
    for (size_t i = 0; i < r->n_all; i++)
        r->all[i]->correlation = 0;
}

static void on_room(void *ctx, stn_peer *peer)
{
    (void)peer;
    ask_outstanding(ctx);
}

stn_status stn_resources_new(stn_bus *bus, const stn_resources_hooks *hooks, stn_resources **out,
                             stn_err *err)
{
    stn_resources *r = calloc(1, sizeof *r);
    stn_conv_spec spec = {.name = "loader",
                          .handlers = handlers,
                          .n_handlers = sizeof handlers / sizeof handlers[0],
                          .ctx = r,
                          .up = on_up,
                          .down = on_down,
                          .room = on_room};
    stn_status st;

    *out = NULL;
    if (!r)
        return stn_fail(err, STN_NO_MEMORY, "resource table");
    r->bus = bus;
    r->on = *hooks;
    r->by_name = stn_names_new();
    r->by_correlation = stn_table_new();
    if (!r->by_name || !r->by_correlation)
        st = stn_fail(err, STN_NO_MEMORY, "resource table");
    else
        st = stn_bus_connect(bus, &spec, &r->link, err);
    if (st != STN_OK) {
        stn_resources_free(r);
        return st;
    }
    *out = r;
    return STN_OK;
}

void stn_resources_free(stn_resources *r)
{
    if (!r)
        return;
    stn_conv_free(r->link);
    for (size_t i = 0; i < r->n_all; i++) {
        drop_sets(r, r->all[i]);
        free(r->all[i]->name);
        free(r->all[i]);
    }
    free(r->all);
    stn_names_free(r->by_name);
    stn_table_free(r->by_correlation);
    free(r);
}

/* ---- tilesets */

/* A set that another leans on: STN_OK also when it cannot be had, then without it. */
static stn_status lean_on(stn_resources *r, const stn_resref *ref, stn_tiledef_level level, stn_tileset **out)
{
    stn_known *k;
    stn_err why = {0};
    stn_status st;

    *out = NULL;
    if (!ref->name)
        return STN_OK;
    k = stn_resources_want(r, ref->name, ref->version, STENNESS__RESOURCE_WANT__WANT_RAW, 0);
    if (!k)
        return STN_OK;
    st = stn_resources_tileset(r, k, level, out, &why);
    return st == STN_AGAIN ? STN_AGAIN : STN_OK;
}

static stn_status flavor_facts(stn_resources *r, const stn_res *res, stn_flavor_facts **out, stn_err *err)
{
    const stn_res_tileset *t = stn_res_first(res, STN_LAYER_TILESET)->as.tileset;
    stn_flavor_facts *facts = calloc(t->flavor_count + 1u, sizeof *facts);
    bool waiting = false;

    if (!facts)
        return stn_fail(err, STN_NO_MEMORY, "tileset flavors");
    for (uint32_t i = 0; i < t->flavor_count; i++) {
        stn_known *k = stn_resources_want(r, t->flavors[i].res.name, t->flavors[i].res.version,
                                          STENNESS__RESOURCE_WANT__WANT_RAW, -1);
        if (!k || k->state == STN_KNOWN_FAILED)
            facts[i].gone = true;
        else if (k->state == STN_KNOWN_PENDING)
            waiting = true;
        else
            facts[i] = k->flavor;
    }
    if (waiting) {
        free(facts);
        return STN_AGAIN;
    }
    *out = facts;
    return STN_OK;
}

static stn_status make_set(stn_resources *r, stn_known *k, stn_tiledef_level level, stn_err *err)
{
    stn_tiledef_needs needs;
    stn_tileset *trans = NULL, *floor = NULL;
    stn_flavor_facts *facts = NULL;
    stn_status st = stn_tiledef_find_needs(k->res, k->name, &needs, err);

    if (st != STN_OK)
        return st;
    if (needs.problem != STN_OK)
        return stn_fail(err, needs.problem, "%s", needs.text);
    if (level > STN_TILEDEF_MASKS && (st = lean_on(r, &needs.trans, STN_TILEDEF_MASKS, &trans)) != STN_OK)
        return st;
    if (level == STN_TILEDEF_FULL && (st = lean_on(r, &needs.floor, STN_TILEDEF_FLOOR, &floor)) != STN_OK)
        return st;
    if (level == STN_TILEDEF_FULL && (st = flavor_facts(r, k->res, &facts, err)) != STN_OK)
        return st;
    st = stn_tiledef_make(k->res, k->name, k->version, level, r->handles + 1, trans, floor, facts,
                          &k->sets[level], err);
    free(facts);
    if (st == STN_OK) {
        r->handles++;
        r->n_sets++;
    }
    return st;
}

stn_status stn_resources_tileset(stn_resources *r, stn_known *k, stn_tiledef_level level, stn_tileset **out,
                                 stn_err *err)
{
    stn_status st;

    *out = NULL;
    if (k->state == STN_KNOWN_PENDING)
        return STN_AGAIN;
    if (k->state == STN_KNOWN_FAILED || !k->res || k->broken[level])
        return stn_fail(err, STN_NOT_FOUND, "tileset %.80s: %s", k->name, k->why);
    if (!k->sets[level] && (st = make_set(r, k, level, err)) != STN_OK) {
        if (st != STN_AGAIN) {
            k->broken[level] = true;
            snprintf(k->why, sizeof k->why, "%.150s", err->text);
            stn_log_warn("%s; its ground is not drawn", err->text);
        }
        return st;
    }
    *out = k->sets[level];
    return STN_OK;
}

void stn_resources_get_stats(const stn_resources *r, stn_resources_stats *out)
{
    *out = (stn_resources_stats){
        .known = r->n_all, .tilesets = r->n_sets, .connected = stn_conv_peer(r->link) != NULL};
    for (size_t i = 0; i < r->n_all; i++) {
        out->pending += r->all[i]->state == STN_KNOWN_PENDING;
        out->failed += r->all[i]->state == STN_KNOWN_FAILED;
    }
}

const char *stn_resources_diagnosis(const stn_resources *r)
{
    return stn_conv_diagnosis(r->link);
}
