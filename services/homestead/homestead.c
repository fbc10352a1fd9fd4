#include "homestead/homestead.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "bus/control.h"
#include "bus/lock.h"
#include "homestead/accounts.h"
#include "homestead/http.h"
#include "homestead/identity.h"
#include "homestead/land_file.h"
#include "homestead/login.h"
#include "homestead/server.h"
#include "homestead/udp.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECEIVE_MOST 16 /* batches of datagrams in one turn */

static const stn_opt options[] = {
    {"listen", STN_OPT_TEXT, "127.0.0.1", 0, 0, "ADDRESS", "address to listen at"},
    {"port", STN_OPT_INT, "1870", 0, 65535, "N",
     "game port (UDP); 0 = any free one, as when the usual one is taken"},
    {"auth-port", STN_OPT_INT, "1871", 0, 65535, "N", "port of the login service, likewise"},
    {"http-port", STN_OPT_INT, "1872", 0, 65535, "N", "port of the resources, likewise"},
    {"pack", STN_OPT_TEXT, NULL, 0, 0, "DIR", "folder of the resources (default: beside the program)"},
    {"seed", STN_OPT_INT, "1", 0, 9e15, "N", "seed of the land and of what happens on it"},
    {"land", STN_OPT_TEXT, NULL, 0, 0, "FILE", "a recorded land instead of a generated one"},
    {"at", STN_OPT_TEXT, "", 0, 0, "X,Y", "where people enter, map units (default: the land's own place)"},
    {"bare", STN_OPT_SWITCH, NULL, 0, 0, NULL, "recorded land: only what was recorded, nothing grown"},
    {"objects", STN_OPT_INT, "0", 0, 400000, "N", "more things, scattered about the spawn"},
    {"movers", STN_OPT_INT, "0", 0, 400000, "N", "more beasts, roaming there"},
    {"scatter", STN_OPT_REAL, "0", 0, 1e6, "UNITS", "radius of that; 0 = by their number"},
    {"rate", STN_OPT_REAL, "4", 0.1, 20, "HZ", "how often the place of a moving object is told"},
    {"hour", STN_OPT_REAL, "10.5", 0, 24, "H", "time of day at the start"},
    {"clouds", STN_OPT_SWITCH, "on", 0, 0, NULL, "shadows of clouds go over the land"},
    {"day-speed", STN_OPT_REAL, "3", 0.001, 100000, "X", "game seconds a second"},
    {"year", STN_OPT_REAL, "0", 0, 1, "PART",
     "time of year at the start, from the first day of spring; 0 = in summer"},
    {"range", STN_OPT_REAL, "1100", 50, 5000, "UNITS", "how far a client sees"},
    {"map-reach", STN_OPT_INT, "-1", -1, 120, "N",
     "grids in each direction from a client that it is sent; -1 = all it asks for"},
    {"clients", STN_OPT_INT, "64", 1, 1000, "N", "most clients at once"},
    {"accounts", STN_OPT_TEXT, NULL, 0, 0, "FILE", "who may enter (default: everyone)"},
    {"refuse-second", STN_OPT_SWITCH, NULL, 0, 0, NULL,
     "refuse who is in session already, instead of closing the old one"},
    {"one-party", STN_OPT_SWITCH, NULL, 0, 0, NULL, "all people are of one party as they come"},
    {"no-login", STN_OPT_SWITCH, NULL, 0, 0, NULL, "no login service"},
    {"hash-password", STN_OPT_TEXT, NULL, 0, 0, "NAME",
     "read a password and write a line for the accounts file"},
};
const stn_opts_spec stn_homestead_options = {
    .program = "stenness-homestead",
    .summary = "A small game server with a land of its own.",
    .opts = options,
    .count = sizeof options / sizeof *options,
};

struct stn_homestead {
    stn_loop *loop;
    stn_lock *lock; /* one in an instance: it owns the file with the addresses */
    stn_bus *bus;
    stn_control *control;
    stn_land *land;
    stn_sim *sim;
    stn_server *server;
    stn_accounts *accounts;
    stn_udp *udp;
    stn_watch *watch;
    stn_timer *timer;
    stn_http *http;
    stn_login_server *login;
    int64_t start_ns;
    uint64_t send_lost;
    stn_hist tick_time; /* processor time of turns with a tick */
    uint64_t busy_late; /* ticks that were late because this process was at work */
    int64_t cpu_at_tick;
    char address_file[4200];
};

/* ---- the game */

static double seconds(const stn_homestead *h, int64_t now_ns)
{
    return (double)(now_ns - h->start_ns) * 1e-9;
}

static void step(stn_homestead *h, const stn_turn *turn, const stn_server_datagram *in, size_t n)
{
    const stn_server_datagram *send;
    double wait;
    uint64_t ticks, late, ticks_now, late_now;
    int64_t begun = stn_clock_thread_cpu_ns(), ended;
    size_t n_send;

    stn_server_get_ticks(h->server, &ticks, &late);
    n_send = stn_server_step(h->server, seconds(h, turn->now_ns), in, n, &send, &wait);
    h->send_lost += stn_udp_send(h->udp, send, n_send);
    stn_server_get_ticks(h->server, &ticks_now, &late_now);
    if (ticks_now != ticks) {
        ended = stn_clock_thread_cpu_ns();
        stn_hist_add(&h->tick_time, ended - begun);
        /* Late, and over a period of work since the tick before: ours. Else the machine did not let us run.
         */
        h->busy_late += late_now != late && begun - h->cpu_at_tick > (int64_t)(STN_SIM_TICK_S * 1e9);
        h->cpu_at_tick = ended;
    }
    stn_timer_in(h->timer, (int64_t)(wait * 1e9));
}

static void on_datagrams(void *ctx, const stn_turn *turn, int fd, unsigned ready)
{
    stn_homestead *h = ctx;
    const stn_server_datagram *in;

    (void)fd;
    (void)ready;
    for (unsigned i = 0; i < RECEIVE_MOST; i++) {
        size_t n = stn_udp_receive(h->udp, &in);

        if (n)
            step(h, turn, in, n);
        if (n < STN_UDP_BATCH)
            return;
    }
}

static void on_timer(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    (void)timer;
    step(ctx, turn, NULL, 0);
}

/* ---- what it says about itself */

static void report(void *ctx, stn_report *r)
{
    stn_homestead *h = ctx;
    stn_server_stats s;
    stn_sim_stats w;
    stn_http_stats f;

    stn_server_get_stats(h->server, &s);
    stn_sim_get_stats(h->sim, &w);
    stn_http_get_stats(h->http, &f);
    stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_OK, "%zu clients, %zu objects awake", s.clients,
                      w.objects);
    stn_report_gauge(r, "clients", (double)s.clients);
    stn_report_gauge(r, "objects", (double)w.objects);
    stn_report_gauge(r, "objects.moving", (double)w.moving);
    stn_report_gauge(r, "objects.in-view", (double)s.objects_in_view);
    stn_report_gauge(r, "grids.awake", (double)w.grids_awake);
    stn_report_gauge(r, "messages.waiting", (double)s.messages_waiting);
    stn_report_counter(r, "entered", s.entered);
    stn_report_counter(r, "refused", s.refused);
    stn_report_counter(r, "displaced", s.displaced);
    stn_report_counter(r, "silent", s.silent);
    stn_report_counter(r, "handed-over", s.handed);
    stn_report_counter(r, "datagrams.in", s.datagrams_in);
    stn_report_counter(r, "datagrams.out", s.datagrams_out);
    stn_report_counter(r, "datagrams.unsent", h->send_lost);
    stn_report_counter(r, "datagrams.malformed", s.dropped);
    stn_report_counter(r, "bytes.in", s.bytes_in);
    stn_report_counter(r, "bytes.out", s.bytes_out);
    stn_report_counter(r, "grids.sent", s.grids_sent);
    stn_report_counter(r, "ticks", s.ticks);
    stn_report_counter(r, "ticks.late", s.ticks_late);
    stn_report_counter(r, "ticks.late.busy", h->busy_late);
    stn_report_gauge(r, "ticks.longest.ms", s.latest_tick * 1e3);
    stn_report_hist(r, "tick.time", &h->tick_time);
    stn_report_counter(r, "http.requests", f.requests);
    stn_report_counter(r, "http.not-found", f.not_found);
    stn_report_counter(r, "http.bytes", f.bytes);
}

/* ---- starting */

static stn_status place_spawn(stn_homestead *h, const char *at, stn_err *err)
{
    double x, y;
    char end;

    if (!*at)
        return STN_OK;
    if (sscanf(at, "%lf,%lf%c", &x, &y, &end) != 2 || !(fabs(x) < 1e8) || !(fabs(y) < 1e8))
        return stn_fail(err, STN_USAGE, "--at %s: expected X,Y in map units (11 a tile)", at);
    stn_land_set_spawn(h->land, x, y);
    return STN_OK;
}

static stn_status make_land(stn_homestead *h, const stn_opts *opts, stn_err *err)
{
    const char *file = stn_opts_text(opts, "land");
    stn_land_report r;
    stn_status st;

    if (!file || !*file) {
        h->land = stn_land_new((uint64_t)stn_opts_int(opts, "seed"));
        return h->land ? STN_OK : stn_fail(err, STN_NO_MEMORY, "land");
    }
    st = stn_land_load(file, !stn_opts_switch(opts, "bare"), &h->land, &r, err);
    if (st)
        return st;
    stn_log_info("land %s: %zu grids, %zu tilesets, %zu objects; %zu placed, %zu without a name", file,
                 r.grids, r.tilesets, r.objects, r.objects_placed, r.objects_unnamed);
    for (size_t i = 0; i < r.n_unmapped; i++)
        stn_log_warn("land %s: nothing of ours is like %s", file, r.unmapped[i]);
    return STN_OK;
}

/* The folder of the resources: as given, or share/stenness/homestead beside the folder of the program. */
static void find_pack(const stn_opts *opts, char *out, size_t cap)
{
    const char *given = stn_opts_text(opts, "pack");
    char exe[3000];
    ssize_t n;

    if (given && *given) {
        snprintf(out, cap, "%s", given);
        return;
    }
    n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = 0;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(exe, '/');

        if (slash)
            *slash = 0;
    }
    snprintf(out, cap, "%s/share/stenness/homestead", exe);
}

/* A port that was asked for must be had; the usual one may be taken by another instance, then any will do.
 * The usual one is worth trying: caches know a server by its address. */
static bool may_take_another(const stn_opts *opts, const char *option, stn_status st)
{
    return st != STN_OK && !stn_opts_given(opts, option);
}

static stn_status start_login(stn_homestead *h, const stn_opts *opts, const char *folder, char *ca,
                              size_t cap, stn_err *err)
{
    char own[3900], cert[4000], key[4000];
    stn_login_settings set = {
        .host = stn_opts_text(opts, "listen"),
        .port = (unsigned)stn_opts_int(opts, "auth-port"),
        .cert_pem = cert,
        .key_pem = key,
        .accounts = h->accounts,
        .game_port = stn_udp_port(h->udp),
    };
    stn_status st;

    snprintf(own, sizeof own, "%s/homestead", folder);
    snprintf(cert, sizeof cert, "%s/cert.pem", own);
    snprintf(key, sizeof key, "%s/key.pem", own);
    snprintf(ca, cap, "%s/ca.pem", own);
    if ((st = stn_login_make_certificate(own, err)) != STN_OK)
        return st;
    st = stn_login_start(&set, &h->login, err);
    if (may_take_another(opts, "auth-port", st)) {
        set.port = 0;
        stn_err_clear(err);
        st = stn_login_start(&set, &h->login, err);
    }
    return st;
}

static stn_status open_sockets(stn_homestead *h, const stn_opts *opts, const char *pack, stn_err *err)
{
    const char *host = stn_opts_text(opts, "listen");
    stn_status st = stn_udp_open(host, (unsigned)stn_opts_int(opts, "port"), &h->udp, err);

    if (may_take_another(opts, "port", st)) {
        stn_err_clear(err);
        st = stn_udp_open(host, 0, &h->udp, err);
    }
    if (st)
        return st;
    st = stn_http_start(host, (unsigned)stn_opts_int(opts, "http-port"), pack, &h->http, err);
    if (may_take_another(opts, "http-port", st)) {
        stn_err_clear(err);
        st = stn_http_start(host, 0, pack, &h->http, err);
    }
    return st;
}

/* Clients do without: they then cache by the address, and a changed pack may be answered by an old copy. */
static void add_identity(json_t *o, const char *pack)
{
    char identity[STN_PACK_IDENTITY];
    stn_err err = {0};

    if (stn_pack_identity(pack, identity, &err) == STN_OK)
        json_object_set_new(o, "identity", json_string(identity));
    else
        stn_log_warn("clients cache resources by this server's address alone: %s", err.text);
}

static stn_status write_addresses(stn_homestead *h, const stn_opts *opts, const char *folder, const char *ca,
                                  const char *pack, stn_err *err)
{
    const char *host = stn_opts_text(opts, "listen");
    bool six = strchr(host, ':') != NULL;
    const char *open = six ? "[" : "", *close = six ? "]" : "";
    json_t *o = json_pack("{s:o, s:o, s:i}", "udp",
                          json_sprintf("%s%s%s:%u", open, host, close, stn_udp_port(h->udp)), "http",
                          json_sprintf("http://%s%s%s:%u/res/", open, host, close, stn_http_port(h->http)),
                          "pid", (int)getpid());
    char *text;
    stn_status st;

    if (o && h->login) {
        json_object_set_new(o, "auth",
                            json_sprintf("%s%s%s:%u", open, host, close, stn_login_port(h->login)));
        json_object_set_new(o, "ca", json_string(ca));
    }
    if (o)
        add_identity(o, pack);
    text = o ? json_dumps(o, JSON_INDENT(1) | JSON_SORT_KEYS) : NULL;
    json_decref(o);
    if (!text)
        return stn_fail(err, STN_NO_MEMORY, "addresses");
    snprintf(h->address_file, sizeof h->address_file, "%s/homestead.json", folder);
    st = stn_file_write(h->address_file, text, strlen(text), 0600, false, err);
    if (st)
        h->address_file[0] = 0;
    free(text);
    return st;
}

static void chance(void *user, uint8_t *out, size_t len)
{
    (void)user;
    stn_random_bytes(out, len);
}

static stn_status start_game(stn_homestead *h, const stn_opts *opts, stn_err *err)
{
    stn_sim_settings sim = {
        .land = h->land,
        .seed = (uint64_t)stn_opts_int(opts, "seed"),
        .objects = (uint32_t)stn_opts_int(opts, "objects"),
        .movers = (uint32_t)stn_opts_int(opts, "movers"),
        .scatter = stn_opts_real(opts, "scatter"),
        .step_rate = stn_opts_real(opts, "rate"),
        .hour = stn_opts_real(opts, "hour"),
        .clouds = stn_opts_switch(opts, "clouds"),
        .day_speed = stn_opts_real(opts, "day-speed"),
        .year = stn_opts_real(opts, "year"),
        .one_party = stn_opts_switch(opts, "one-party"),
        .travel = true,
    };
    stn_server_settings set = {
        .land = h->land,
        .range = stn_opts_real(opts, "range"),
        .map_side = (unsigned)(stn_opts_int(opts, "map-reach") + 1),
        .max_clients = (unsigned)stn_opts_int(opts, "clients"),
        .refuse_second = stn_opts_switch(opts, "refuse-second"),
        .admit = stn_accounts_admit,
        .cookie = stn_accounts_cookie,
        .host = stn_opts_text(opts, "listen"),
        .port = stn_udp_port(h->udp),
        .chance = chance,
        .user = h->accounts,
    };
    stn_status st = stn_sim_new(&sim, &h->sim, err);

    if (st)
        return st;
    set.sim = h->sim;
    return stn_server_new(&set, &h->server, err);
}

static stn_status start(stn_homestead *h, const stn_opts *opts, stn_err *err)
{
    const char *host = stn_opts_text(opts, "listen"), *instance = stn_opts_instance(opts);
    stn_bus_spec bus = {.kind = "homestead", .instance = instance};
    stn_control_spec control = {.ctx = h, .report = report};
    char pack[4000], folder[3800], ca[4000] = "";
    stn_status st;

    find_pack(opts, pack, sizeof pack);
    if ((st = stn_address_prepare(instance, err)) ||
        (st = stn_lock_take(instance, "homestead", &h->lock, err)) ||
        (st = stn_address_folder(instance, folder, sizeof folder, err)) || (st = make_land(h, opts, err)) ||
        (st = place_spawn(h, stn_opts_text(opts, "at"), err)) ||
        (st = stn_accounts_open(stn_opts_text(opts, "accounts"), &h->accounts, err)) ||
        (st = open_sockets(h, opts, pack, err)) || (st = start_game(h, opts, err)) ||
        (st = stn_bus_new(h->loop, &bus, &h->bus, err)) ||
        (st = stn_control_new(h->bus, &control, &h->control, err)))
        return st;
    if (!stn_opts_switch(opts, "no-login") &&
        (st = start_login(h, opts, folder, ca, sizeof ca, err)) != STN_OK)
        return st;
    h->timer = stn_timer_new(h->loop, "game", on_timer, h);
    if (!h->timer)
        return stn_fail(err, STN_NO_MEMORY, "timer");
    if ((st = stn_loop_watch_fd(h->loop, stn_udp_fd(h->udp), STN_FD_READ, on_datagrams, h, &h->watch, err)) ||
        (st = write_addresses(h, opts, folder, ca, pack, err)))
        return st;
    stn_timer_at(h->timer, stn_clock_ns());
    stn_log_info("game at %s udp %u, login %u, resources http://%s:%u/res/ from %s", host,
                 stn_udp_port(h->udp), h->login ? stn_login_port(h->login) : 0, host, stn_http_port(h->http),
                 pack);
    return STN_OK;
}

stn_status stn_homestead_new(stn_loop *loop, const stn_opts *opts, stn_homestead **out, stn_err *err)
{
    stn_homestead *h = calloc(1, sizeof *h);
    stn_status st;

    *out = NULL;
    if (!h)
        return stn_fail(err, STN_NO_MEMORY, "homestead");
    h->loop = loop;
    h->start_ns = stn_clock_ns();
    st = start(h, opts, err);
    if (st) {
        stn_homestead_free(h);
        return st;
    }
    *out = h;
    return STN_OK;
}

static void say_goodbye(stn_homestead *h)
{
    const stn_server_datagram *send;
    double wait;
    size_t n;

    stn_server_close_all(h->server);
    n = stn_server_step(h->server, seconds(h, stn_clock_ns()), NULL, 0, &send, &wait);
    stn_udp_send(h->udp, send, n);
}

void stn_homestead_free(stn_homestead *h)
{
    if (!h)
        return;
    if (h->address_file[0])
        unlink(h->address_file);
    if (h->server && h->udp)
        say_goodbye(h);
    stn_login_stop(h->login);
    stn_http_free(h->http);
    stn_watch_free(h->watch);
    stn_timer_free(h->timer);
    stn_udp_free(h->udp);
    stn_control_free(h->control);
    stn_bus_free(h->bus);
    stn_server_free(h->server);
    stn_sim_free(h->sim);
    stn_accounts_free(h->accounts);
    stn_land_free(h->land);
    stn_lock_free(h->lock);
    free(h);
}
