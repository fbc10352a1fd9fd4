#include "client/res/res_loader.h"

#include "base/clock.h"
#include "base/log.h"
#include "bus/bus.h"
#include "bus/control.h"

#include "proto/control.pb-c.h"
#include "proto/resource.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UP_NS (3 * STN_S)
#define ANSWER_NS (60 * STN_S) /* a walk may end at a server that does not answer */

static const char *instance_of(const char *given)
{
    const char *env = getenv("STENNESS_INSTANCE");
    return given ? given : env && *env ? env : "default";
}

static int failed(const char *text)
{
    fprintf(stderr, "stenness res: %s\n", text);
    return EXIT_FAILURE;
}

/* ---- the conversation `loader`, for one question ---- */

typedef struct question {
    stn_loop *loop;
    stn_bus *bus;
    stn_conv *link;
    bool answered;
    int rc;
} question;

static void print_walk(Stenness__SourceError *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("  %-10s %-14s %s\n", *list[i]->source ? list[i]->source : "-", list[i]->kind, list[i]->text);
}

static stn_status on_why(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    question *q = ctx;
    const Stenness__WhyAnswer *a = stn_msg_body(msg);
    (void)peer;
    (void)err;
    printf("%s: %s\n", a->name, a->outcome);
    print_walk(a->walk, a->n_walk);
    q->answered = true;
    return STN_OK;
}

static stn_status on_failed(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    question *q = ctx;
    const Stenness__Failed *f = stn_msg_body(msg);
    (void)peer;
    (void)err;
    printf("%s: %s\n", f->name, f->kind);
    print_walk(f->chain, f->n_chain);
    q->answered = true;
    q->rc = EXIT_FAILURE;
    return STN_OK;
}

static stn_status on_changed(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    question *q = ctx;
    const Stenness__Changed *c = stn_msg_body(msg);
    (void)peer;
    (void)err;
    printf("%s: version %d read again\n", c->name, c->version);
    q->answered = true;
    return STN_OK;
}

static const stn_handler handlers[] = {
    {STENNESS__RESOURCE_KIND__RESOURCE_WHY_ANSWER, "why-answer", 1 << 18, &stenness__why_answer__descriptor,
     on_why, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_FAILED, "failed", 1 << 18, &stenness__failed__descriptor, on_failed,
     false},
    {STENNESS__RESOURCE_KIND__RESOURCE_CHANGED, "changed", 4096, &stenness__changed__descriptor, on_changed,
     false},
};

static stn_status open_link(question *q, const char *instance, stn_err *err)
{
    const stn_conv_spec spec = {
        .name = "loader", .handlers = handlers, .n_handlers = sizeof handlers / sizeof *handlers, .ctx = q};
    stn_status st = stn_loop_new(&q->loop, err);
    if (st == STN_OK)
        st = stn_bus_new(q->loop, &(stn_bus_spec){.kind = "res", .instance = instance, .unnumbered = true},
                         &q->bus, err);
    if (st == STN_OK)
        st = stn_bus_connect(q->bus, &spec, &q->link, err);
    int64_t end = stn_clock_ns() + UP_NS;
    while (st == STN_OK && !stn_conv_peer(q->link) && stn_clock_ns() < end)
        st = stn_loop_turn(q->loop, 50 * STN_MS, err);
    if (st == STN_OK && !stn_conv_peer(q->link))
        st = stn_fail(err, STN_TIMEOUT, "no loader in instance \"%s\" (%s): start one with `stenness run`",
                      instance, stn_conv_diagnosis(q->link));
    return st;
}

static int ask(const char *given, uint32_t kind, const ProtobufCMessage *body)
{
    question q = {0};
    stn_err err = {0};
    if (stn_log_get_level() == STN_LOG_INFO)
        stn_log_set_level(STN_LOG_WARN); /* that a peer came up is no news to the person who asked */
    stn_status st = open_link(&q, instance_of(given), &err);
    if (st == STN_OK)
        st = stn_peer_say(stn_conv_peer(q.link), kind, 0, 1, body, &err);
    int64_t end = stn_clock_ns() + ANSWER_NS;
    while (st == STN_OK && !q.answered && stn_clock_ns() < end && stn_conv_peer(q.link))
        st = stn_loop_turn(q.loop, 100 * STN_MS, &err);
    if (st == STN_OK && !q.answered)
        st = stn_fail(&err, STN_TIMEOUT, "the loader did not answer");
    if (st != STN_OK)
        q.rc = failed(err.text);
    stn_conv_free(q.link);
    stn_bus_free(q.bus);
    stn_loop_free(q.loop);
    return q.rc;
}

int stn_rl_why(const char *instance, const char *name, int version)
{
    Stenness__Why m = STENNESS__WHY__INIT;
    m.name = (char *)name;
    m.version = version;
    return ask(instance, STENNESS__RESOURCE_KIND__RESOURCE_WHY, &m.base);
}

int stn_rl_reload(const char *instance, const char *name)
{
    Stenness__Reload m = STENNESS__RELOAD__INIT;
    m.name = (char *)name;
    return ask(instance, STENNESS__RESOURCE_KIND__RESOURCE_RELOAD, &m.base);
}

/* ---- the control door ---- */

static stn_status words(stn_ask *door, const char *what, const char *argument, stn_err *err)
{
    Stenness__TextGet m = STENNESS__TEXT_GET__INIT;
    char *arguments[1] = {(char *)argument};
    stn_msg *answer = NULL;
    const void *text;
    m.what = (char *)what;
    m.arguments = arguments;
    m.n_arguments = argument != NULL;
    stn_status st =
        stn_ask_for(door, STENNESS__CONTROL_KIND__CTL_TEXT_GET, &m.base, 10 * STN_S, &answer, err);
    if (st == STN_OK)
        st = stn_ask_unpack(door, answer, &stenness__text__descriptor, &text, err);
    if (st == STN_OK)
        fputs(((const Stenness__Text *)text)->text, stdout);
    if (answer)
        stn_msg_unref(answer);
    return st;
}

int stn_rl_words(const char *instance, const char *what, const char *argument)
{
    stn_ask *door;
    stn_err err = {0};
    if (stn_ask_open(instance_of(instance), "ctl/loader.0", UP_NS, &door, &err) != STN_OK)
        return failed(err.text);
    stn_status st = words(door, what, argument, &err);
    stn_ask_free(door);
    return st == STN_OK ? EXIT_SUCCESS : failed(err.text);
}
