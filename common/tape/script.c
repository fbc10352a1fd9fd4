#include "tape/script.h"

#include "base/table.h"
#include "bus/unpack.h"

#include "proto/resource.pb-c.h"
#include "proto/world.pb-c.h"

#include <stdlib.h>
#include <string.h>

#define UNPACK_MAX ((size_t)16 << 20)

/* One recorded answer; several for one name are a list, newest first. */
typedef struct answer {
    struct answer *next;
    int32_t version;
    uint32_t want;
    stn_line line;
} answer;

struct stn_script {
    char process[STN_PEER_ID_MAX];
    uint64_t lost, bytes;
    stn_line *lines;
    size_t n, cap;
    stn_names *answers;
    stn_table *asked; /* correlation -> name, of requests under way in the capture */
    size_t n_answers;
    stn_unpacker *unpacker;
};

static void line_fini(stn_line *l)
{
    stn_frame_unref(l->body);
    for (size_t i = 0; i < l->n_bulk; i++)
        stn_frame_unref(l->bulk[i]);
    free(l->bulk);
    *l = (stn_line){0};
}

void stn_script_free(stn_script *s)
{
    const char *name;
    uint64_t key;
    void *value;

    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        line_fini(&s->lines[i]);
    free(s->lines);
    for (size_t it = 0; s->answers && stn_names_next(s->answers, &it, &name, &value);)
        for (answer *a = value, *next; a; a = next) {
            next = a->next;
            line_fini(&a->line);
            free(a);
        }
    for (size_t it = 0; s->asked && stn_table_next(s->asked, &it, &key, &value);)
        free(value);
    stn_names_free(s->answers);
    stn_table_free(s->asked);
    stn_unpacker_free(s->unpacker);
    free(s);
}

static stn_status make_line(stn_script *s, const stn_tape_item *item, stn_line *out, stn_err *err)
{
    uint64_t bytes = stn_frame_len(item->body);

    for (size_t i = 0; i < item->n_bulk; i++)
        bytes += stn_frame_len(item->bulk[i]);
    if (bytes > STN_SCRIPT_BYTES - s->bytes)
        return stn_fail(err, STN_TOO_BIG, "the capture holds more than %llu bytes for %s",
                        (unsigned long long)STN_SCRIPT_BYTES, s->process);
    *out = (stn_line){.kind = item->envelope.kind,
                      .stream = item->envelope.stream,
                      .correlation = item->envelope.correlation};
    if (item->n_bulk > 0 && !(out->bulk = calloc(item->n_bulk, sizeof *out->bulk)))
        return stn_fail(err, STN_NO_MEMORY, "capture");
    for (; out->n_bulk < item->n_bulk; out->n_bulk++)
        out->bulk[out->n_bulk] = stn_frame_ref(item->bulk[out->n_bulk]);
    out->body = stn_frame_ref(item->body);
    s->bytes += bytes;
    return STN_OK;
}

static stn_status add_world(stn_script *s, const stn_tape_item *item, stn_err *err)
{
    stn_status st;

    if (s->n == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 1024;
        stn_line *more = realloc(s->lines, cap * sizeof *more);
        if (!more)
            return stn_fail(err, STN_NO_MEMORY, "capture");
        s->lines = more;
        s->cap = cap;
    }
    if ((st = make_line(s, item, &s->lines[s->n], err)) != STN_OK)
        return st;
    s->lines[s->n].at_ns = item->record->now_ns;
    s->n++;
    return STN_OK;
}

/* The world began anew for this viewer: what came before is replaced by what follows. */
static void begin_world(stn_script *s)
{
    for (size_t i = 0; i < s->n; i++)
        line_fini(&s->lines[i]);
    s->n = 0;
}

static stn_status note_get(stn_script *s, const stn_tape_item *item, stn_err *err)
{
    const ProtobufCMessage *m;
    void *old = NULL;
    char *name;

    if (stn_unpack(s->unpacker, &stenness__get__descriptor, stn_frame_data(item->body),
                   stn_frame_len(item->body), &m, NULL) != STN_OK)
        return STN_OK; /* nothing can be answered to it */
    name = strdup(((const Stenness__Get *)m)->name);
    if (!name || !stn_table_put(s->asked, item->envelope.correlation, name, &old)) {
        free(name);
        return stn_fail(err, STN_NO_MEMORY, "capture");
    }
    free(old);
    return STN_OK;
}

static stn_status note_answer(stn_script *s, const stn_tape_item *item, stn_err *err)
{
    char *name = stn_table_remove(s->asked, item->envelope.correlation);
    const ProtobufCMessage *m;
    answer *a = NULL;
    stn_status st = STN_OK;

    if (!name)
        return STN_OK; /* asked before the capture began */
    a = calloc(1, sizeof *a);
    if (!a)
        st = stn_fail(err, STN_NO_MEMORY, "capture");
    else
        st = make_line(s, item, &a->line, err);
    if (st == STN_OK) {
        a->version = -1;
        if (item->envelope.kind == STENNESS__RESOURCE_KIND__RESOURCE_READY &&
            stn_unpack(s->unpacker, &stenness__ready__descriptor, stn_frame_data(item->body),
                       stn_frame_len(item->body), &m, NULL) == STN_OK) {
            a->version = ((const Stenness__Ready *)m)->version;
            a->want = ((const Stenness__Ready *)m)->want;
        }
        a->next = stn_names_get(s->answers, name);
        if (stn_names_put(s->answers, name, a, NULL))
            s->n_answers++;
        else
            st = stn_fail(err, STN_NO_MEMORY, "capture");
    }
    if (st != STN_OK && a) {
        line_fini(&a->line);
        free(a);
    }
    free(name);
    return st;
}

static bool of_kind(const char *process, const char *kind)
{
    size_t n = strlen(kind);
    return strncmp(process, kind, n) == 0 && process[n] == '.';
}

static stn_status take(stn_script *s, const stn_tape_item *item, stn_err *err)
{
    const Stenness__TapRecord *r = item->record;

    s->lost += r->lost;
    if (r->type == STENNESS__TAP_TYPE__TAP_MESSAGE_OUT) {
        if (strcmp(r->conversation, "loader") == 0 && r->kind == STENNESS__RESOURCE_KIND__RESOURCE_GET)
            return note_get(s, item, err);
        return STN_OK;
    }
    if (r->type == STENNESS__TAP_TYPE__TAP_PEER_UP && strcmp(r->conversation, "world") == 0) {
        begin_world(s);
        return STN_OK;
    }
    if (r->type != STENNESS__TAP_TYPE__TAP_MESSAGE_IN)
        return STN_OK;
    if (strcmp(r->conversation, "world") == 0)
        return add_world(s, item, err);
    if (strcmp(r->conversation, "loader") == 0 && (r->kind == STENNESS__RESOURCE_KIND__RESOURCE_READY ||
                                                   r->kind == STENNESS__RESOURCE_KIND__RESOURCE_FAILED ||
                                                   r->kind == STENNESS__RESOURCE_KIND__RESOURCE_REFUSED))
        return note_answer(s, item, err);
    return STN_OK;
}

stn_status stn_script_new(stn_tape_reader *tape, const char *kind, const char *process, stn_script **out,
                          stn_err *err)
{
    stn_script *s = calloc(1, sizeof *s);
    stn_tape_item item;
    stn_status st = STN_OK;

    *out = NULL;
    if (!s || !(s->answers = stn_names_new()) || !(s->asked = stn_table_new()) ||
        !(s->unpacker = stn_unpacker_new(UNPACK_MAX)))
        st = stn_fail(err, STN_NO_MEMORY, "capture");
    if (s && process)
        snprintf(s->process, sizeof s->process, "%s", process);
    while (st == STN_OK && (st = stn_tape_next(tape, &item, err)) == STN_OK) {
        if (!s->process[0] && of_kind(item.process, kind))
            memcpy(s->process, item.process, strlen(item.process) + 1);
        if (s->process[0] && strcmp(item.process, s->process) == 0)
            st = take(s, &item, err);
    }
    if (st == STN_NOT_FOUND)
        st = STN_OK;
    if (st == STN_OK && s->n == 0 && s->n_answers == 0)
        st = stn_fail(err, STN_NOT_FOUND, "the capture has nothing that %s %s was told",
                      process ? "process" : "a", process ? process : kind);
    if (st != STN_OK) {
        stn_script_free(s);
        return st;
    }
    for (size_t i = s->n; i-- > 0;)
        s->lines[i].at_ns -= s->lines[0].at_ns;
    *out = s;
    return STN_OK;
}

const char *stn_script_process(const stn_script *s)
{
    return s->process;
}

uint64_t stn_script_lost(const stn_script *s)
{
    return s->lost;
}

const stn_line *stn_script_world(const stn_script *s, size_t i)
{
    return i < s->n ? &s->lines[i] : NULL;
}

size_t stn_script_world_count(const stn_script *s)
{
    return s->n;
}

const stn_line *stn_script_answer(const stn_script *s, const char *name, int32_t version, uint32_t want)
{
    const answer *other = NULL;

    for (const answer *a = stn_names_get(s->answers, name); a; a = a->next) {
        if (version >= 0 && a->version >= 0 && a->version != version)
            continue;
        if ((a->want & want) == want)
            return &a->line;
        if (!other)
            other = a;
    }
    return other ? &other->line : NULL;
}

size_t stn_script_answer_count(const stn_script *s)
{
    return s->n_answers;
}
