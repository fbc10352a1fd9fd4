/* ask_scenarios.c - drives the asking engine with scripted sources, gates and a real disk cache folder. */
#include "vectors/ask_impl.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- states as the figures spell them ---- */

static json_t *label(scenario *s, const char *prefix, uint64_t id)
{
    char key[40];
    snprintf(key, sizeof key, "%s%llu", prefix, (unsigned long long)id);
    json_t *l = json_object_get(s->labels, key);
    if (!l) {
        l = json_integer((json_int_t)json_object_size(s->labels) + 1);
        json_object_set_new(s->labels, key, l);
    }
    return json_incref(l);
}

static json_t *text_of(const stn_object *o)
{
    const payload *p = stn_object_payload(o);
    return p->has_text ? json_string(p->text) : json_null();
}

static json_t *chain_of(const stn_miss *chain)
{
    json_t *a = json_array();
    for (; chain; chain = chain->next)
        json_array_append_new(a, json_pack("[s, s]", chain->source, stn_miss_name(chain->kind)));
    return a;
}

static json_t *object_state(scenario *s, const stn_object *o)
{
    return json_pack("{s:s, s:i, s:s, s:o, s:o}", "s", "ok", "ver", stn_object_version(o), "src",
                     stn_asks_source_id(s->asks, stn_object_source(o)), "obj",
                     label(s, "o", stn_object_id(o)), "text", text_of(o));
}

static json_t *ask_state(scenario *s, const stn_asking *a)
{
    if (!stn_asking_final(a))
        return json_pack("{s:s}", "s", "pending");
    if (stn_asking_object(a))
        return object_state(s, stn_asking_object(a));
    return json_pack("{s:s, s:o}", "s", stn_asking_found(a) ? "load_failed" : "no_such", "chain",
                     chain_of(stn_asking_chain(a)));
}

static json_t *asked_state(scenario *s, const stn_asked *a, int want)
{
    switch (a->kind) {
    case STN_ASKED_HIT:
        return object_state(s, a->object);
    case STN_ASKED_ASK:
        return ask_state(s, a->ask);
    case STN_ASKED_REFUSED:
        return json_pack("{s:s, s:i, s:i, s:s?}", "s", "bad_version", "want", want, "cur", a->current, "src",
                         a->source);
    case STN_ASKED_MISS:
        break;
    }
    return json_pack("{s:s, s:[[s, s]]}", "s", "load_failed", "chain", "", stn_miss_name(a->miss));
}

static json_t *followed_state(scenario *s, const followed *f)
{
    if (f->fixed)
        return json_incref(f->fixed);
    return f->object ? object_state(s, f->object) : ask_state(s, f->ask);
}

/* ---- comparing: numbers of labels may differ as long as the same ones stay the same ---- */

typedef struct bijection {
    json_t *to, *back; /* expected label -> ours, ours -> expected */
} bijection;

static bool same_label(bijection *b, const json_t *want, const json_t *got)
{
    char w[24], g[24];
    snprintf(w, sizeof w, "%lld", (long long)json_integer_value(want));
    snprintf(g, sizeof g, "%lld", (long long)json_integer_value(got));
    const char *to = json_string_value(json_object_get(b->to, w));
    const char *back = json_string_value(json_object_get(b->back, g));
    if (!to && !back) {
        json_object_set_new(b->to, w, json_string(g));
        json_object_set_new(b->back, g, json_string(w));
        return true;
    }
    return to && back && strcmp(to, g) == 0 && strcmp(back, w) == 0;
}

static bool same(bijection *b, const json_t *want, const json_t *got, const char *key)
{
    if (json_typeof(want) != json_typeof(got))
        return false;
    if (json_is_integer(want) && key && (strcmp(key, "obj") == 0 || strcmp(key, "ref") == 0))
        return same_label(b, want, got);
    if (json_is_array(want)) {
        if (json_array_size(want) != json_array_size(got))
            return false;
        for (size_t i = 0; i < json_array_size(want); i++)
            if (!same(b, json_array_get(want, i), json_array_get(got, i), NULL))
                return false;
        return true;
    }
    if (json_is_object(want)) {
        const char *k;
        json_t *v;
        if (json_object_size(want) != json_object_size(got))
            return false;
        json_object_foreach((json_t *)want, k, v)
        {
            const json_t *g = json_object_get(got, k);
            if (!g || !same(b, v, g, k))
                return false;
        }
        return true;
    }
    return json_equal((json_t *)want, (json_t *)got);
}

/* ---- steps ---- */

static followed *find_ask(scenario *s, const char *id)
{
    for (size_t i = 0; id && i < s->asked_count; i++)
        if (strcmp(s->asked[i].id, id) == 0)
            return &s->asked[i];
    s->broken = "unknown ask id";
    return NULL;
}

static unsigned pool_of(scenario *s, const json_t *step)
{
    const char *id = str(step, "pool");
    int p = stn_asks_find_pool(s->asks, id ? id : "remote");
    if (p < 0)
        s->broken = "unknown pool";
    return p < 0 ? 0 : (unsigned)p;
}

static void step_ask(scenario *s, const json_t *step)
{
    stn_asked a;
    stn_err err = {0};
    int want = num(step, "ver", -1);
    if (stn_asks_ask(s->asks, pool_of(s, step), str(step, "name"), want, num(step, "prio", 0), &a, &err) !=
        STN_OK) {
        s->broken = "ask refused as malformed";
        return;
    }
    s->asked = realloc(s->asked, (s->asked_count + 1) * sizeof *s->asked);
    followed *f = &s->asked[s->asked_count++];
    *f = (followed){.id = strdup(str(step, "id"))};
    if (a.kind == STN_ASKED_HIT) {
        stn_object_hold(stn_asks_objects(s->asks), a.object);
        f->object = a.object;
    } else if (a.kind == STN_ASKED_ASK) {
        stn_asking_ref(a.ask);
        f->ask = a.ask;
    } else {
        f->fixed = asked_state(s, &a, want);
    }
}

static stn_object *object_of(const followed *f)
{
    return !f ? NULL : f->object ? f->object : f->ask ? stn_asking_object(f->ask) : NULL;
}

static void collect_names(void *ctx, stn_object *o)
{
    char text[STN_RESNAME_MAX + 16];
    snprintf(text, sizeof text, "%s:%d", stn_object_name(o), stn_object_version(o));
    json_array_append_new(ctx, json_string(text));
}

static void collect_used(void *ctx, stn_object *o)
{
    if (stn_object_used(o))
        collect_names(ctx, o);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(json_string_value(*(json_t *const *)a), json_string_value(*(json_t *const *)b));
}

static json_t *sorted(json_t *list)
{
    size_t n = json_array_size(list);
    json_t **items = calloc(n + 1, sizeof *items);
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++)
        items[i] = json_array_get(list, i);
    qsort(items, n, sizeof *items, by_text);
    for (size_t i = 0; i < n; i++)
        json_array_append(out, items[i]);
    free(items);
    json_decref(list);
    return out;
}

static void on_reloaded(void *ctx, stn_object *o, bool good, const stn_miss *chain)
{
    scenario *s = ctx;
    json_decref(s->reload_result);
    s->reload_result =
        good ? json_pack("{s:s, s:i, s:o}", "s", "ok", "ver", stn_object_version(o), "text", text_of(o))
             : json_pack("{s:s, s:o, s:o}", "s", "failed", "chain", chain_of(chain), "text", text_of(o));
}

static json_t *step_saved_get(scenario *s, const json_t *step, int *savever)
{
    for (size_t i = 0; i < s->saved_count; i++) {
        if (strcmp(s->saved[i].id, str(step, "id")) != 0)
            continue;
        stn_saved_result r;
        stn_err err = {0};
        if (stn_saved_get(s->asks, s->saved[i].saved, num(step, "prio", 0), &r, &err) != STN_OK)
            break;
        *savever = stn_saved_version(s->saved[i].saved);
        if (r.state == STN_SAVED_READY)
            return object_state(s, r.object);
        return r.state == STN_SAVED_PENDING ? json_pack("{s:s}", "s", "pending")
                                            : asked_state(s, &r.first, -1);
    }
    s->broken = "unknown saved reference";
    return NULL;
}

static json_t *step_ref_get(scenario *s, const json_t *step)
{
    const json_t *id = json_object_get(s->refs, str(step, "id"));
    stn_resid *slot = stn_resids_find(s->resids, (uint16_t)json_integer_value(id));
    if (!slot)
        return NULL;
    if (slot->object)
        return object_state(s, slot->object);
    if (!slot->name)
        return json_pack("{s:s}", "s", "unresolved");
    stn_asked a;
    stn_err err = {0};
    int pool = stn_asks_find_pool(s->asks, "remote");
    if (stn_asks_ask(s->asks, (unsigned)pool, slot->name, slot->version, slot->prio, &a, &err) != STN_OK)
        return NULL;
    stn_object *o = a.kind == STN_ASKED_HIT                              ? a.object
                    : a.kind == STN_ASKED_ASK && stn_asking_final(a.ask) ? stn_asking_object(a.ask)
                                                                         : NULL;
    if (o) {
        stn_object_hold(stn_asks_objects(s->asks), o);
        slot->object = o;
    }
    return asked_state(s, &a, slot->version);
}

static void release_kept(void *ctx, void *object)
{
    scenario *s = ctx;
    stn_object_release(stn_asks_objects(s->asks), object);
}

static json_t *step_disk(scenario *s, const json_t *step)
{
    char key[KEY_MAX];
    uint8_t *data = NULL;
    size_t len = 0;
    stn_err err = {0};
    size_t key_len = ask_disk_key(str(step, "name"), key);
    stn_status st = stn_diskcache_read(s->disk, key, key_len, 1 << 20, &data, &len, &err);
    json_t *r = st == STN_OK && len > 0
                    ? json_pack("{s:b, s:i, s:i}", "present", 1, "ver",
                                len >= 18 ? data[16] | data[17] << 8 : -1, "len", (int)len)
                    : json_pack("{s:b}", "present", 0);
    free(data);
    return r;
}

static void step_disk_put(scenario *s, const json_t *step)
{
    stn_buf b = {0};
    const char *kind = str(step, "kind"), *name = str(step, "name");
    char text[1024], key[KEY_MAX];
    snprintf(text, sizeof text, "disk/%s@%d", name, num(step, "ver", 0));
    if (strcmp(kind, "garbage") == 0)
        stn_buf_put(&b, "garbage garbage garbage", 23);
    else if (strcmp(kind, "empty") != 0)
        ask_put_resource(&b, num(step, "ver", 0), text, false);
    if (strcmp(kind, "trunc") == 0)
        b.len -= 2;
    stn_err err = {0};
    size_t key_len = ask_disk_key(name, key);
    if (stn_diskcache_write(s->disk, key, key_len, b.data, b.len, &err) != STN_OK)
        s->broken = "the disk cache took no entry";
    stn_buf_fini(&b);
}

/* Does the step. *result (may stay NULL) and *savever (-1) are what it reports. */
static void do_step(scenario *s, const json_t *step, json_t **result, int *savever)
{
    const char *op = str(step, "op");
    unsigned pool;
    followed *f;
    if (strcmp(op, "ask") == 0) {
        step_ask(s, step);
    } else if (strcmp(op, "boost") == 0) {
        if ((f = find_ask(s, str(step, "id"))) && f->ask)
            stn_asks_boost(s->asks, f->ask, num(step, "prio", 0));
    } else if (strcmp(op, "open") == 0) {
        json_object_set_new(s->gates, str(step, "gate"), json_true());
        ask_open_gates(s);
    } else if (strcmp(op, "close") == 0) {
        json_object_del(s->gates, str(step, "gate"));
    } else if (strcmp(op, "set") == 0) {
        json_t *of = json_object_get(s->content, str(step, "source"));
        if (!of) {
            of = json_object();
            json_object_set_new(s->content, str(step, "source"), of);
        }
        json_object_set(of, str(step, "name"), json_object_get(step, "to"));
        char key[1200];
        snprintf(key, sizeof key, "%s %s", str(step, "source"), str(step, "name"));
        json_object_del(s->counts, key);
    } else if (strcmp(op, "evict") == 0) {
        stn_asks_evict(s->asks, pool_of(s, step), str(step, "name"));
    } else if (strcmp(op, "peek") == 0) {
        stn_object *o = stn_asks_peek(s->asks, pool_of(s, step), str(step, "name"));
        *result = o ? object_state(s, o) : json_null();
    } else if (strcmp(op, "cached") == 0 || strcmp(op, "used") == 0) {
        json_t *list = json_array();
        stn_asks_each(s->asks, pool_of(s, step), *op == 'c' ? collect_names : collect_used, list);
        *result = sorted(list);
    } else if (strcmp(op, "counts") == 0) {
        pool = pool_of(s, step);
        stn_asks_counts c = stn_asks_count(s->asks, pool);
        *result = json_pack("{s:i, s:i}", "queue", (int)c.queued, "loaded", (int)c.loaded);
    } else if (strcmp(op, "touch") == 0) {
        stn_object *o = object_of(find_ask(s, str(step, "id")));
        if (o)
            stn_object_set_used(o, true);
    } else if (strcmp(op, "reload") == 0) {
        stn_object *o = object_of(find_ask(s, str(step, "id")));
        if (!o || !stn_asks_reload(s->asks, o))
            s->broken = "reload of something that is not loaded";
        stn_asks_run(s->asks);
        *result = s->reload_result;
        s->reload_result = NULL;
    } else if (strcmp(op, "saved") == 0) {
        if (s->saved_count == SAVED_MAX) {
            s->broken = "too many saved references";
            return;
        }
        size_t i = s->saved_count++;
        s->saved[i].id = strdup(str(step, "id"));
        s->saved[i].saved = stn_saved_new((unsigned)stn_asks_find_pool(s->asks, "remote"), str(step, "name"),
                                          num(step, "ver", -1));
    } else if (strcmp(op, "saved_get") == 0) {
        *result = step_saved_get(s, step, savever);
    } else if (strcmp(op, "resid_set") == 0) {
        const char *name = str(step, "name");
        stn_asked a;
        stn_err err = {0};
        stn_asks_ask(s->asks, (unsigned)stn_asks_find_pool(s->asks, "remote"), name, num(step, "ver", -1),
                     STN_RESID_PRIO_NAMED, &a, &err);
        stn_resids_set(s->resids, (uint16_t)num(step, "resid", 0), name, strlen(name),
                       (uint16_t)num(step, "ver", 0), &err);
        *result = json_string("ok");
    } else if (strcmp(op, "ref") == 0) {
        int resid = num(step, "resid", 0);
        stn_resids_take(s->resids, (uint16_t)resid, num(step, "prio", 0));
        json_object_set_new(s->refs, str(step, "id"), json_integer(resid));
        *result = json_pack("{s:o}", "ref", label(s, "r", (uint64_t)resid));
    } else if (strcmp(op, "ref_get") == 0) {
        *result = step_ref_get(s, step);
    } else if (strcmp(op, "disk") == 0) {
        *result = step_disk(s, step);
    } else if (strcmp(op, "disk_put") == 0) {
        step_disk_put(s, step);
    } else {
        s->broken = "unknown step";
    }
}

/* What happened, in the shape of `expect`. */
static json_t *observed(scenario *s, json_t *result, int savever)
{
    json_t *got = json_object();
    if (result)
        json_object_set_new(got, "result", result);
    if (savever >= 0)
        json_object_set_new(got, "savever", json_integer(savever));
    json_t *asks = json_object();
    for (size_t i = 0; i < s->asked_count; i++) {
        followed *f = &s->asked[i];
        json_t *state = followed_state(s, f);
        if (!f->shown || !json_equal(f->shown, state))
            json_object_set(asks, f->id, state);
        json_decref(f->shown);
        f->shown = state;
    }
    if (json_object_size(asks))
        json_object_set(got, "asks", asks);
    json_decref(asks);
    if (json_object_size(s->log))
        json_object_set(got, "log", s->log);
    json_decref(s->log);
    s->log = json_object();
    return got;
}

static void run_steps(scenario *s, vec_report *report)
{
    bijection b = {json_object(), json_object()};
    const json_t *steps = json_object_get(s->doc, "steps");
    const char *failed = NULL;
    for (size_t i = 0; i < json_array_size(steps) && !failed; i++) {
        const json_t *step = json_array_get(steps, i);
        json_t *result = NULL;
        int savever = -1;
        do_step(s, step, &result, &savever);
        stn_asks_run(s->asks);
        json_t *got = observed(s, result, savever);
        json_t *want = json_object_get(step, "expect"); /* absent: nothing to see */
        want = want ? json_incref(want) : json_object();
        if (s->broken || !same(&b, want, got, NULL)) {
            char *w = json_dumps(want, JSON_COMPACT);
            char *g = json_dumps(got, JSON_COMPACT);
            vec_fail(report, "scenario %s step %zu (%s): %s\n  expected %s\n  got      %s", str(s->doc, "id"),
                     i, str(step, "op"), s->broken ? s->broken : "differs", w, g);
            free(w);
            free(g);
            failed = "yes";
        }
        json_decref(want);
        json_decref(got);
    }
    json_decref(b.to);
    json_decref(b.back);
    if (!failed)
        vec_pass(report);
}

static bool make_pools(scenario *s)
{
    const json_t *pools = json_object_get(s->doc, "pools");
    for (size_t i = 0; i < json_array_size(pools); i++) {
        const json_t *p = json_array_get(pools, i);
        const char *parent = str(p, "parent");
        int nr = stn_asks_add_pool(s->asks, str(p, "id"), parent ? stn_asks_find_pool(s->asks, parent) : -1,
                                   (unsigned)num(p, "slots", 1));
        const json_t *sources = json_object_get(p, "sources");
        for (size_t k = 0; nr >= 0 && k < json_array_size(sources); k++) {
            const json_t *src = json_array_get(sources, k);
            int id = stn_asks_add_source(s->asks, (unsigned)nr, str(src, "id"));
            if (id < 0)
                return false;
            s->sources[id] = src;
        }
        if (nr < 0)
            return false;
    }
    return true;
}

static void scenario_fini(scenario *s)
{
    while (s->held) {
        held_fetch *h = s->held;
        s->held = h->next;
        ask_free_held(h);
    }
    for (size_t i = 0; i < s->asked_count; i++) {
        followed *f = &s->asked[i];
        free(f->id);
        if (f->ask)
            stn_asking_unref(s->asks, f->ask);
        if (f->object)
            stn_object_release(stn_asks_objects(s->asks), f->object);
        json_decref(f->fixed);
        json_decref(f->shown);
    }
    free(s->asked);
    for (size_t i = 0; i < s->saved_count; i++) {
        free(s->saved[i].id);
        stn_saved_free(s->asks, s->saved[i].saved);
    }
    stn_resids_free(s->resids);
    stn_asks_free(s->asks);
    stn_diskcache_free(s->disk);
    json_decref(s->content);
    json_decref(s->counts);
    json_decref(s->gates);
    json_decref(s->log);
    json_decref(s->labels);
    json_decref(s->refs);
    json_decref(s->reload_result);
}

static void run_scenario(const json_t *doc, const char *scratch, vec_report *report)
{
    scenario s = {.doc = doc};
    stn_err err = {0};
    vec_scratch_empty(scratch);
    s.content = json_deep_copy(json_object_get(doc, "content"));
    s.counts = json_object();
    s.gates = json_object();
    s.log = json_object();
    s.labels = json_object();
    s.refs = json_object();
    stn_asks_hooks hooks = {.ctx = &s, .fetch = ask_fetch, .reloaded = on_reloaded, .drop = ask_drop};
    s.asks = stn_asks_new(&hooks, (size_t)1 << 40);
    s.resids = stn_resids_new(release_kept, &s);
    if (stn_diskcache_open(scratch, IDENTITY, 0, &s.disk, &err) != STN_OK || !make_pools(&s))
        vec_fail(report, "scenario %s: cannot be set up: %s", str(doc, "id"), err.text);
    else
        run_steps(&s, report);
    scenario_fini(&s);
}

void vec_ask_scenarios(const json_t *doc, const char *scratch, vec_report *report)
{
    const json_t *list = json_object_get(doc, "scenarios");
    for (size_t i = 0; i < json_array_size(list); i++)
        run_scenario(json_array_get(list, i), scratch, report);
}

/* ---- scratch folders ---- */

char *vec_scratch_new(void)
{
    const char *tmp = getenv("TMPDIR");
    char *dir = NULL;
    if (asprintf(&dir, "%s/stn-vec-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0 || !mkdtemp(dir)) {
        perror("scratch folder");
        exit(1);
    }
    return dir;
}

void vec_scratch_empty(const char *dir)
{
    DIR *d = opendir(dir);
    const struct dirent *e;
    while (d && (e = readdir(d)))
        if (e->d_name[0] != '.')
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

void vec_scratch_free(char *dir)
{
    vec_scratch_empty(dir);
    rmdir(dir);
    free(dir);
}
