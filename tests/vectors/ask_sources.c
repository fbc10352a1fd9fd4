/* ask_sources.c - scripted sources: what they answer, and the gates that hold their answers back. */
#include "vectors/ask_impl.h"

#include "loader/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bodies ---- */

static void put_layer(stn_buf *b, const char *type, const void *data, size_t len)
{
    stn_buf_cstr(b, type);
    stn_buf_u32(b, (uint32_t)len);
    stn_buf_put(b, data, len);
}

void ask_put_resource(stn_buf *b, int ver, const char *text, bool bad_layer)
{
    stn_buf_put(b, "Haven Resource 1", 16);
    stn_buf_u16(b, (uint16_t)ver);
    put_layer(b, "tooltip", text, strlen(text));
    if (bad_layer)
        put_layer(b, "props", "\x09", 1);
    put_layer(b, "x-unknown", "\1\2\3", 3);
}

/* The stream of an answer. False: no stream but a miss of *kind; a stream that breaks off sets *kind too. */
static bool answer_bytes(const scenario *s, const json_t *answer, const char *source, const char *name,
                         int want, stn_buf *b, stn_miss_kind *kind)
{
    const char *k = answer ? str(answer, "kind") : NULL;
    if (k && strcmp(k, "versions") == 0) {
        char key[16];
        snprintf(key, sizeof key, "%d", want);
        answer = json_object_get(json_object_get(answer, "map"), key);
        return answer_bytes(s, answer, source, name, want, b, kind);
    }
    *kind = STN_MISS_NONE;
    if (!k || strcmp(k, "notfound") == 0) {
        *kind = STN_MISS_NOT_FOUND;
        return false;
    }
    if (strcmp(k, "ioerror") == 0) {
        *kind = STN_MISS_IO;
        return false;
    }
    if (strcmp(k, "empty") == 0)
        return true;
    int ver = num(answer, "ver", 0);
    char text[1024];
    if (str(answer, "text"))
        snprintf(text, sizeof text, "%s", str(answer, "text"));
    else
        snprintf(text, sizeof text, "%s/%s@%d", source, name, ver);
    if (strcmp(k, "short") == 0) {
        stn_buf_put(b, "Haven Reso", 10);
        return true;
    }
    ask_put_resource(b, ver, text, strcmp(k, "badlayer") == 0);
    if (strcmp(k, "badsig") == 0) {
        b->data[0] = 'h';
    } else if (strcmp(k, "trunc") == 0) {
        b->len -= 2;
    } else if (strcmp(k, "midio") == 0) {
        b->len = b->len < 20 ? b->len : 20;
        *kind = STN_MISS_IO;
    } else if (strcmp(k, "res") != 0 && strcmp(k, "badlayer") != 0) {
        printf("unknown kind of answer \"%s\"\n", k);
        exit(1);
    }
    return true;
}

static payload *payload_of(const stn_res *res)
{
    payload *p = calloc(1, sizeof *p);
    const stn_res_layer *tip = stn_res_first(res, STN_LAYER_TOOLTIP);
    if (p && tip) {
        p->has_text = true;
        p->text = strndup((const char *)tip->raw, tip->raw_len);
    }
    return p;
}

/* ---- the sources ---- */

/* Its length. */
size_t ask_disk_key(const char *name, char key[KEY_MAX])
{
    return (size_t)snprintf(key, KEY_MAX, "res/%s", name);
}

static void answer_stream(scenario *s, const held_fetch *f, const uint8_t *data, size_t len,
                          stn_miss_kind broken)
{
    stn_res *res;
    stn_verdict v;
    stn_judge(data, len, f->want, &res, &v);
    /* A stream that breaks off was only seen up to there: a verdict of the part comes first, unless it says
     * no more than that the part ends. */
    if (broken != STN_MISS_NONE &&
        (v.miss == STN_MISS_NONE || v.miss == STN_MISS_TRUNCATED || v.miss == STN_MISS_EMPTY))
        v.miss = broken;
    stn_fetched got = {.miss = v.miss, .text = v.text, .version = v.version};
    if (v.miss == STN_MISS_NONE) {
        got.payload = payload_of(res);
        got.bytes = len;
        if (json_is_true(json_object_get(s->sources[f->source], "tee")) && s->disk) {
            char key[KEY_MAX];
            stn_err err = {0};
            size_t key_len = ask_disk_key(f->name, key);
            if (stn_diskcache_write(s->disk, key, key_len, data, len, &err) != STN_OK)
                printf("disk cache: %s\n", err.text);
        }
    }
    stn_res_free(res);
    stn_asks_answer(s->asks, f->fetch, &got);
}

static void answer_fetch(scenario *s, const held_fetch *f)
{
    const json_t *src = s->sources[f->source];
    const char *kind = str(src, "kind");
    if (kind && strcmp(kind, "disk") == 0) {
        char key[KEY_MAX];
        uint8_t *data;
        size_t len;
        stn_err err = {0};
        size_t key_len = ask_disk_key(f->name, key);
        stn_status st = stn_diskcache_read(s->disk, key, key_len, 1 << 20, &data, &len, &err);
        if (st == STN_OK)
            answer_stream(s, f, data, len, STN_MISS_NONE);
        else
            stn_asks_answer(s->asks, f->fetch,
                            &(stn_fetched){.miss = st == STN_NOT_FOUND ? STN_MISS_NOT_FOUND : STN_MISS_IO,
                                           .text = err.text});
        free(data);
        return;
    }
    stn_buf b = {0};
    stn_miss_kind broken;
    if (answer_bytes(s, f->answer, str(src, "id"), f->name, f->ask, &b, &broken))
        answer_stream(s, f, b.data, b.len, broken);
    else
        stn_asks_answer(s->asks, f->fetch, &(stn_fetched){.miss = broken});
    stn_buf_fini(&b);
}

static const json_t *scripted_answer(scenario *s, const char *source, const char *name)
{
    const json_t *a = json_object_get(json_object_get(s->content, source), name);
    if (!json_is_array(a))
        return a;
    char key[1200];
    snprintf(key, sizeof key, "%s %s", source, name);
    json_int_t n = json_integer_value(json_object_get(s->counts, key));
    json_object_set_new(s->counts, key, json_integer(n + 1));
    json_int_t last = (json_int_t)json_array_size(a) - 1;
    return json_array_get(a, (size_t)(n < last ? n : last));
}

/* The gate of an answer; of answers by version, that of the chosen one. */
static const char *gate_of(const json_t *answer, int want)
{
    const char *g = answer ? str(answer, "gate") : NULL;
    if (!g && answer && json_object_get(answer, "map")) {
        char key[16];
        snprintf(key, sizeof key, "%d", want);
        const json_t *chosen = json_object_get(json_object_get(answer, "map"), key);
        g = chosen ? str(chosen, "gate") : NULL;
    }
    return g;
}

void ask_fetch(void *ctx, const stn_fetch *fetch)
{
    scenario *s = ctx;
    const char *name = fetch->name;
    unsigned source = fetch->source;
    const json_t *src = s->sources[source];
    const json_t *pool =
        json_array_get(json_object_get(s->doc, "pools"), stn_asks_source_pool(s->asks, source));
    const char *pool_id = str(pool, "id");
    json_t *log = json_object_get(s->log, pool_id);
    if (!log) {
        log = json_array();
        json_object_set_new(s->log, pool_id, log);
    }
    json_array_append_new(log, json_pack("[s, s, i]", str(src, "id"), name, fetch->ask));
    held_fetch f = {
        .fetch = fetch->id, .source = source, .ask = fetch->ask, .want = fetch->want, .name = (char *)name};
    if (!str(src, "kind"))
        f.answer = scripted_answer(s, str(src, "id"), name);
    const char *gate = gate_of(f.answer, f.ask);
    if (!gate || json_object_get(s->gates, gate)) {
        answer_fetch(s, &f);
        return;
    }
    held_fetch *h = malloc(sizeof *h);
    *h = f;
    h->name = strdup(name);
    h->answer = json_incref((json_t *)f.answer);
    h->next = NULL;
    held_fetch **end = &s->held;
    while (*end)
        end = &(*end)->next;
    *end = h;
}

void ask_free_held(held_fetch *h)
{
    json_decref((json_t *)h->answer);
    free(h->name);
    free(h);
}

void ask_open_gates(scenario *s)
{
    for (held_fetch **h = &s->held; *h;) {
        if (!json_object_get(s->gates, gate_of((*h)->answer, (*h)->ask))) {
            h = &(*h)->next;
            continue;
        }
        held_fetch *f = *h;
        *h = f->next;
        answer_fetch(s, f);
        ask_free_held(f);
    }
}

void ask_drop(void *ctx, void *p)
{
    (void)ctx;
    payload *pl = p;
    if (pl)
        free(pl->text);
    free(pl);
}
