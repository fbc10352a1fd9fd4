#include "support/loader_client.h"

#include "base/clock.h"
#include "base/hash.h"
#include "bus/bus.h"
#include "bus/control.h"

#include "proto/control.pb-c.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct test_loader {
    char *dir, *program;
    char *args[32];
    pid_t pid;
};

struct test_client {
    stn_loop *loop;
    stn_bus *bus;
    stn_conv *link;
    test_get *gets;
    size_t n, open;
    char *why;
    size_t why_cap;
    int why_state, changed;
};

static void die(const char *what, const char *why)
{
    fprintf(stderr, "test loader: %s: %s\n", what, why);
    exit(1);
}

/* ---- the process ---- */

static void run(test_loader *l)
{
    l->pid = fork();
    if (l->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execv(l->program, l->args);
        _exit(127);
    }
    if (l->pid < 0)
        die("fork", strerror(errno));
}

void test_loader_start(test_loader *l)
{
    run(l);
}

test_loader *test_loader_new(const char *program, const char *const *args)
{
    test_loader *l = calloc(1, sizeof *l);
    const char *tmp = getenv("TMPDIR");
    if (asprintf(&l->dir, "%s/stn-loader-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0 || !mkdtemp(l->dir))
        die("folder", strerror(errno));
    setenv("XDG_RUNTIME_DIR", l->dir, 1);
    setenv("XDG_CACHE_HOME", l->dir, 1);
    setenv("XDG_CONFIG_HOME", l->dir, 1);
    setenv("XDG_DATA_HOME", l->dir, 1);
    l->program = strdup(program);
    size_t n = 0;
    l->args[n++] = strdup("stenness-loader");
    for (; args && args[n - 1]; n++)
        l->args[n] = strdup(args[n - 1]);
    run(l);
    return l;
}

static void end(test_loader *l, int sig)
{
    int status;
    if (l->pid <= 0)
        return;
    kill(l->pid, sig);
    while (waitpid(l->pid, &status, 0) < 0 && errno == EINTR)
        ;
    l->pid = 0;
}

void test_loader_stop(test_loader *l)
{
    end(l, SIGTERM);
}

void test_loader_kill(test_loader *l)
{
    end(l, SIGKILL);
}

pid_t test_loader_pid(const test_loader *l)
{
    return l->pid;
}

const char *test_loader_dir(const test_loader *l)
{
    return l->dir;
}

static int remove_one(const char *path, const struct stat *sb, int type, struct FTW *ftw)
{
    (void)sb;
    (void)type;
    (void)ftw;
    return remove(path);
}

void test_loader_free(test_loader *l)
{
    if (!l)
        return;
    test_loader_stop(l);
    nftw(l->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; l->args[i]; i++)
        free(l->args[i]);
    free(l->program);
    free(l->dir);
    free(l);
}

/* ---- the client ---- */

static test_get *get_of(test_client *c, const stn_msg *msg)
{
    uint64_t id = stn_msg_correlation(msg);
    for (size_t i = 0; i < c->n; i++)
        if (c->gets[i].correlation == id)
            return &c->gets[i];
    return NULL;
}

static void ended(test_client *c, test_get *g, test_end how)
{
    if (g->end > TEST_PENDING)
        return; /* a second answer, after the loader came back */
    g->end = how;
    g->ended_ns = stn_clock_ns();
    c->open--;
}

static stn_status on_pending(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    test_get *g = get_of(ctx, msg);
    (void)peer;
    (void)err;
    if (g && g->end == TEST_NONE)
        g->end = TEST_PENDING;
    if (g)
        g->ask = ((const Stenness__Pending *)stn_msg_body(msg))->ask;
    return STN_OK;
}

static stn_status on_ready(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    const Stenness__Ready *r = stn_msg_body(msg);
    test_get *g = get_of(ctx, msg);
    stn_wire_span spans[STN_WIRE_FRAMES] = {{0}};
    stn_wire *wire;
    (void)peer;
    if (!g)
        return STN_OK;
    g->bytes = 0;
    for (size_t i = 0; i < STN_WIRE_FRAMES; i++) {
        spans[i].data = stn_frame_data(stn_msg_bulk(msg, i));
        spans[i].len = stn_frame_len(stn_msg_bulk(msg, i));
        g->bytes += spans[i].len;
    }
    stn_status st = stn_wire_open(r, spans, STN_WIRE_FRAMES, &wire, err);
    if (st != STN_OK)
        die("Ready does not open", err->text);
    g->object = r->object;
    g->got_version = r->version;
    g->layers = stn_wire_count(wire);
    g->problems = 0;
    g->pixels_hash = stn_hash_feed(STN_HASH_START, spans[STN_WIRE_PIXELS].data, spans[STN_WIRE_PIXELS].len);
    for (uint32_t i = 0; i < stn_wire_count(wire); i++)
        g->problems += *stn_wire_layer_at(wire, i)->problem != 0;
    snprintf(g->source, sizeof g->source, "%s", r->source);
    stn_wire_free(wire);
    ended(ctx, g, TEST_READY);
    return STN_OK;
}

static void put_chain(char *out, size_t cap, Stenness__SourceError *const *list, size_t n)
{
    size_t at = 0;
    out[0] = 0;
    for (size_t i = 0; i < n && at < cap; i++)
        at += (size_t)snprintf(out + at, cap - at, "%s%s:%s", i ? " " : "", list[i]->source, list[i]->kind);
}

static stn_status on_failed(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    const Stenness__Failed *f = stn_msg_body(msg);
    test_client *c = ctx;
    test_get *g = get_of(c, msg);
    (void)peer;
    (void)err;
    c->changed = c->changed == 0 ? -1 : c->changed;
    if (!g)
        return STN_OK;
    snprintf(g->kind, sizeof g->kind, "%s", f->kind);
    put_chain(g->chain, sizeof g->chain, f->chain, f->n_chain);
    ended(c, g, TEST_FAILED);
    return STN_OK;
}

static stn_status on_refused(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    const Stenness__Refused *r = stn_msg_body(msg);
    test_get *g = get_of(ctx, msg);
    (void)peer;
    (void)err;
    if (!g)
        return STN_OK;
    g->got_version = r->current;
    ended(ctx, g, TEST_REFUSED);
    return STN_OK;
}

static stn_status on_changed(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    test_client *c = ctx;
    (void)peer;
    (void)err;
    (void)msg;
    c->changed = 1;
    return STN_OK;
}

static stn_status on_why(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    const Stenness__WhyAnswer *a = stn_msg_body(msg);
    test_client *c = ctx;
    (void)peer;
    (void)err;
    c->why_state = 1;
    if (!c->why)
        return STN_OK;
    put_chain(c->why, c->why_cap, a->walk, a->n_walk);
    size_t at = strlen(c->why);
    snprintf(c->why + at, c->why_cap - at, " = %s", a->outcome);
    return STN_OK;
}

static const stn_handler handlers[] = {
    {STENNESS__RESOURCE_KIND__RESOURCE_PENDING, "pending", 64, &stenness__pending__descriptor, on_pending,
     false},
    {STENNESS__RESOURCE_KIND__RESOURCE_READY, "ready", 220u << 20, &stenness__ready__descriptor, on_ready,
     false},
    {STENNESS__RESOURCE_KIND__RESOURCE_FAILED, "failed", 65536, &stenness__failed__descriptor, on_failed,
     false},
    {STENNESS__RESOURCE_KIND__RESOURCE_REFUSED, "refused", 4096, &stenness__refused__descriptor, on_refused,
     false},
    {STENNESS__RESOURCE_KIND__RESOURCE_CHANGED, "changed", 4096, &stenness__changed__descriptor, on_changed,
     false},
    {STENNESS__RESOURCE_KIND__RESOURCE_WHY_ANSWER, "why", 65536, &stenness__why_answer__descriptor, on_why,
     false},
};

static void send_get(stn_peer *peer, const test_get *g)
{
    Stenness__Get m = STENNESS__GET__INIT;
    stn_err err = {0};
    m.name = (char *)g->name;
    m.version = g->version;
    m.priority = g->priority;
    m.want = g->want;
    m.saved = g->saved;
    if (stn_peer_say(peer, STENNESS__RESOURCE_KIND__RESOURCE_GET, 0, g->correlation, &m.base, &err) != STN_OK)
        die("Get", err.text);
}

static void on_up(void *ctx, stn_peer *peer)
{
    test_client *c = ctx;
    for (size_t i = 0; i < c->n; i++)
        if (c->gets[i].end <= TEST_PENDING)
            send_get(peer, &c->gets[i]);
}

test_client *test_client_new(const test_loader *l)
{
    test_client *c = calloc(1, sizeof *c);
    stn_err err = {0};
    const stn_conv_spec spec = {.name = "loader",
                                .handlers = handlers,
                                .n_handlers = sizeof handlers / sizeof *handlers,
                                .ctx = c,
                                .up = on_up};
    (void)l;
    if (stn_loop_new(&c->loop, &err) != STN_OK ||
        stn_bus_new(c->loop, &(stn_bus_spec){.kind = "test", .unnumbered = true}, &c->bus, &err) != STN_OK ||
        stn_bus_connect(c->bus, &spec, &c->link, &err) != STN_OK)
        die("client", err.text);
    return c;
}

void test_client_free(test_client *c)
{
    if (!c)
        return;
    stn_conv_free(c->link);
    stn_bus_free(c->bus);
    stn_loop_free(c->loop);
    free(c);
}

bool test_client_run(test_client *c, test_get *gets, size_t n, int64_t timeout_ns, void (*between)(void *ctx),
                     void *ctx)
{
    stn_err err = {0};
    int64_t deadline = stn_clock_ns() + timeout_ns;
    c->gets = gets;
    c->n = c->open = n;
    stn_peer *peer = stn_conv_peer(c->link);
    for (size_t i = 0; i < n; i++) {
        gets[i].end = TEST_NONE;
        gets[i].correlation = stn_bus_correlation(c->bus);
        gets[i].asked_ns = stn_clock_ns();
        if (peer)
            send_get(peer, &gets[i]);
    }
    while (c->open && stn_clock_ns() < deadline) {
        stn_loop_turn(c->loop, between ? 10 * STN_MS : 100 * STN_MS, &err);
        if (between)
            between(ctx);
    }
    bool all = c->open == 0;
    c->n = c->open = 0;
    return all;
}

void test_client_release(test_client *c, const uint64_t *objects, size_t n)
{
    Stenness__Release m = STENNESS__RELEASE__INIT;
    stn_err err = {0};
    m.objects = (uint64_t *)objects;
    m.n_objects = n;
    stn_peer *peer = stn_conv_peer(c->link);
    if (peer)
        stn_peer_say(peer, STENNESS__RESOURCE_KIND__RESOURCE_RELEASE, 0, 0, &m.base, &err);
    stn_loop_turn(c->loop, 20 * STN_MS, &err);
}

bool test_client_why(test_client *c, const char *name, char *out, size_t cap)
{
    Stenness__Why m = STENNESS__WHY__INIT;
    stn_err err = {0};
    int64_t deadline = stn_clock_ns() + 20 * STN_S;
    m.name = (char *)name;
    m.version = -1;
    c->why = out;
    c->why_cap = cap;
    c->why_state = 0;
    stn_peer *peer = stn_conv_peer(c->link);
    if (!peer || stn_peer_say(peer, STENNESS__RESOURCE_KIND__RESOURCE_WHY, 0, 7, &m.base, &err) != STN_OK)
        return false;
    while (!c->why_state && stn_clock_ns() < deadline)
        stn_loop_turn(c->loop, 50 * STN_MS, &err);
    c->why = NULL;
    return c->why_state == 1;
}

bool test_client_reload(test_client *c, const char *name)
{
    Stenness__Reload m = STENNESS__RELOAD__INIT;
    stn_err err = {0};
    int64_t deadline = stn_clock_ns() + 20 * STN_S;
    m.name = (char *)name;
    c->changed = 0;
    stn_peer *peer = stn_conv_peer(c->link);
    if (!peer || stn_peer_say(peer, STENNESS__RESOURCE_KIND__RESOURCE_RELOAD, 0, 9, &m.base, &err) != STN_OK)
        return false;
    while (!c->changed && stn_clock_ns() < deadline)
        stn_loop_turn(c->loop, 50 * STN_MS, &err);
    return c->changed == 1;
}

/* ---- the control door ---- */

char *test_client_words(const test_loader *l, const char *what, const char *arg)
{
    stn_ask *ask;
    stn_err err = {0};
    stn_msg *answer = NULL;
    const void *body;
    char *out = NULL;
    Stenness__TextGet m = STENNESS__TEXT_GET__INIT;
    char *args[1] = {(char *)arg};
    (void)l;
    m.what = (char *)what;
    m.arguments = args;
    m.n_arguments = arg != NULL;
    if (stn_ask_open("default", "ctl/loader.0", 10 * STN_S, &ask, &err) != STN_OK) {
        fprintf(stderr, "control door: %s\n", err.text);
        return NULL;
    }
    if (stn_ask_for(ask, STENNESS__CONTROL_KIND__CTL_TEXT_GET, &m.base, 10 * STN_S, &answer, &err) ==
            STN_OK &&
        stn_ask_unpack(ask, answer, &stenness__text__descriptor, &body, &err) == STN_OK)
        out = strdup(((const Stenness__Text *)body)->text);
    if (answer)
        stn_msg_unref(answer);
    stn_ask_free(ask);
    return out;
}

double test_client_figure(const test_loader *l, const char *item)
{
    stn_ask *ask;
    stn_err err = {0};
    stn_msg *answer = NULL;
    const void *body;
    double out = -1;
    Stenness__StatusGet m = STENNESS__STATUS_GET__INIT;
    (void)l;
    if (stn_ask_open("default", "ctl/loader.0", 10 * STN_S, &ask, &err) != STN_OK) {
        fprintf(stderr, "control door: %s\n", err.text);
        return -1;
    }
    if (stn_ask_for(ask, STENNESS__CONTROL_KIND__CTL_STATUS_GET, &m.base, 10 * STN_S, &answer, &err) ==
            STN_OK &&
        stn_ask_unpack(ask, answer, &stenness__status__descriptor, &body, &err) == STN_OK) {
        const Stenness__Status *s = body;
        for (size_t i = 0; i < s->n_items; i++)
            if (strcmp(s->items[i]->name, item) == 0)
                out = s->items[i]->value;
    } else {
        fprintf(stderr, "status: %s\n", err.text);
    }
    if (answer)
        stn_msg_unref(answer);
    stn_ask_free(ask);
    return out;
}
