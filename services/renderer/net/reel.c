#include "renderer/net/reel.h"

#include "base/log.h"
#include "tape/script.h"

#include "proto/resource.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EPOCH 1 /* of both peers: they start once */

/* Asked of the loader, and not taken yet. */
typedef struct asked {
    struct asked *next;
    char name[256];
    int32_t version;
} asked;

struct stn_reel {
    stn_script *script;
    size_t next;
    int64_t until_ns;
    unsigned ups; /* of the peers, told so far */
    asked *first, **last;
    stn_log_once missed;
};

stn_status stn_reel_new(const char *file, const char *process, stn_reel **out, stn_err *err)
{
    stn_reel *r = calloc(1, sizeof *r);
    stn_tape_reader *tape = NULL;
    stn_status st;

    *out = NULL;
    if (!r)
        return stn_fail(err, STN_NO_MEMORY, "capture");
    r->last = &r->first;
    st = stn_tape_open(file, &tape, err);
    if (st == STN_OK)
        st = stn_script_new(tape, "renderer", process && process[0] ? process : NULL, &r->script, err);
    if (st == STN_OK && (stn_tape_torn(tape) || stn_tape_damaged(tape) > 0))
        stn_log_warn("%s is %s: what is there is used", file, stn_tape_torn(tape) ? "cut short" : "damaged");
    stn_tape_reader_free(tape);
    if (st == STN_OK && stn_script_world_count(r->script) == 0)
        st = stn_fail(err, STN_NOT_FOUND, "nothing of world in it was told to %s",
                      stn_script_process(r->script));
    if (st != STN_OK) {
        stn_reel_free(r);
        return stn_fail_in(err, st, "%s", file);
    }
    if (stn_script_lost(r->script) > 0)
        stn_log_warn("%llu records of %s are missing in the capture",
                     (unsigned long long)stn_script_lost(r->script), stn_script_process(r->script));
    *out = r;
    return STN_OK;
}

void stn_reel_free(stn_reel *r)
{
    if (!r)
        return;
    for (asked *a = r->first, *next; a; a = next) {
        next = a->next;
        free(a);
    }
    stn_script_free(r->script);
    free(r);
}

void stn_reel_until(stn_reel *r, int64_t at_ns)
{
    if (at_ns > r->until_ns)
        r->until_ns = at_ns;
}

bool stn_reel_over(const stn_reel *r)
{
    return r->first == NULL && r->ups == 2 && r->next >= stn_script_world_count(r->script);
}

/* NULL: there is no memory for it. */
static stn_msg *message_of(const stn_line *line)
{
    stn_envelope env = {
        .sender_epoch = EPOCH, .stream = line->stream, .correlation = line->correlation, .kind = line->kind};

    return stn_msg_recorded(&env, line->body, line->bulk, line->n_bulk);
}

static stn_net_event *answer(stn_reel *r, stn_net_event *e)
{
    asked *a = r->first;
    const stn_line *line =
        stn_script_answer(r->script, a->name, a->version,
                          STENNESS__RESOURCE_WANT__WANT_RAW | STENNESS__RESOURCE_WANT__WANT_PIXELS);

    e->kind = STN_NET_RESOURCE;
    memcpy(e->name, a->name, sizeof e->name);
    e->version = a->version;
    e->msg = line ? message_of(line) : NULL;
    if (!line && stn_log_due(&r->missed))
        stn_log_warn("%.100s was not asked for in the capture", a->name);
    r->first = a->next;
    if (!r->first)
        r->last = &r->first;
    free(a);
    return e;
}

static stn_net_event *take(void *ctx)
{
    stn_reel *r = ctx;
    const stn_line *line = stn_script_world(r->script, r->next);
    stn_net_event *e;

    if (!r->first && r->ups == 2 && (!line || line->at_ns > r->until_ns))
        return NULL;
    e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->epoch = EPOCH;
    if (r->ups < 2) {
        e->kind = r->ups++ == 0 ? STN_NET_LOADER_UP : STN_NET_WORLD_UP;
        return e;
    }
    if (r->first)
        return answer(r, e);
    e->kind = STN_NET_WORLD_MESSAGE;
    e->came_ns = line->at_ns;
    e->msg = message_of(line);
    if (!e->msg) {
        free(e);
        return NULL; /* it is tried again */
    }
    r->next++;
    return e;
}

static bool ask(void *ctx, const char *name, int32_t version, int32_t priority)
{
    stn_reel *r = ctx;
    asked *a = calloc(1, sizeof *a);

    (void)priority; /* in the order of asking, so that it is the same each time */
    if (!a)
        return false;
    snprintf(a->name, sizeof a->name, "%s", name);
    a->version = version;
    *r->last = a;
    r->last = &a->next;
    return true;
}

static void took(void *ctx, size_t bytes)
{
    (void)ctx;
    (void)bytes;
}

static void overlay_over(void *ctx, int64_t object, uint64_t incarnation, int32_t overlay)
{
    (void)ctx;
    (void)object;
    (void)incarnation;
    (void)overlay;
}

static void links(void *ctx, int *world, int *loader)
{
    (void)ctx;
    *world = *loader = 2;
}

stn_feed stn_reel_feed(stn_reel *r)
{
    return (stn_feed){
        .ctx = r, .take = take, .ask = ask, .took = took, .overlay_over = overlay_over, .links = links};
}
