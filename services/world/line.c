#include "world/line.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "world/leg.h"
#include "world/line_find.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_WAIT_NS (100 * STN_MS)
#define MOST_WAIT_NS (5 * STN_S)
#define LOOK_AGAIN_NS (200 * STN_MS) /* for the embedded server's file */
#define DENIED_WAIT_NS (300 * STN_S) /* the same words will be refused again */
#define SILENCE_S 15.0
#define GO_WAIT_NS (10 * STN_S) /* for the server's word to go, once the second session is open */

struct stn_line {
    stn_loop *loop;
    stn_line_hooks on;
    char *server, *user, *runtime;
    uint8_t cookie[STN_COOKIE_MAX];
    size_t cookie_len;
    bool encrypt;
    char *auth_ca, *token_folder;
    uint8_t password[STN_FIND_PASSWORD];
    size_t password_len;
    bool has_password, remember, positional;
    unsigned auth_port;
    uint16_t version;
    stn_line_state state;
    char text[200];
    char address[128];
    stn_leg *leg; /* the session */
    bool running; /* started was called */
    stn_watch *inbox_watch;
    stn_inbox *inbox;
    stn_find *find; /* under way */
    stn_finding *found; /* where to try, and with what */
    size_t place; /* the one that is tried */
    stn_timer *retry_timer;
    unsigned failures;
    uint64_t tries;
    /* The session that is to follow this one. */
    stn_hand_over *hand; /* what the server said; NULL: nothing is under way */
    stn_find *hand_find;
    uint32_t hands, hand_found; /* number of the newest, and of the one that is looked for */
    stn_leg *next;
    stn_inbox *hand_inbox;
    stn_watch *hand_watch;
    stn_timer *go_timer;
    bool going; /* `leg` quits, `next` takes its place */
};

static void retry_later(stn_line *l, int64_t wait_ns);
static void open_place(stn_line *l);
static void change_over(stn_line *l);

static void say(stn_line *l, stn_line_state state, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void say(stn_line *l, stn_line_state state, const char *fmt, ...)
{
    char text[sizeof l->text];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (l->state != state || strcmp(text, l->text) != 0)
        stn_log_info("session: %s", text);
    l->state = state;
    memcpy(l->text, text, sizeof text);
}

static void drop_hand(stn_line *l)
{
    stn_timer_stop(l->go_timer);
    stn_leg_free(l->next);
    l->next = NULL;
    if (l->hand)
        explicit_bzero(l->hand, sizeof *l->hand);
    free(l->hand);
    l->hand = NULL;
    l->going = false;
}

static void over_for(stn_line *l, stn_line_state state, const char *why, int64_t wait)
{
    bool was_running = l->running;

    l->failures++;
    l->running = false;
    drop_hand(l);
    stn_leg_free(l->leg);
    l->leg = NULL;
    stn_finding_free(l->found);
    l->found = NULL;
    say(l, state, "%s; next try in %.1f s", why, (double)wait * 1e-9);
    retry_later(l, wait);
    if (was_running)
        l->on.ended(l->on.arg);
}

/* The session is over, or could not begin. */
static void over(stn_line *l, stn_line_state state, const char *why)
{
    over_for(l, state, why,
             stn_backoff_ns(l->failures, FIRST_WAIT_NS, MOST_WAIT_NS, stn_turn_random(l->loop)));
}

/* ---- the running session */

static void on_opened(void *arg)
{
    stn_line *l = arg;

    l->running = true;
    l->failures = 0;
    say(l, STN_LINE_RUNNING, "in session with %s", l->address);
    l->on.started(l->on.arg);
}

static void on_deliver(void *arg, const stn_delivery *d)
{
    stn_line *l = arg;

    l->on.deliver(l->on.arg, d);
}

static void on_over(void *arg, stn_session_result r)
{
    stn_line *l = arg;
    char why[160];

    if (l->going) {
        change_over(l);
        return;
    }
    /* A place that does not answer leaves the next one; any other refusal is the last word. */
    if (!l->running && r.code == STN_SESS_NO_CONNECTION && l->found && l->place + 1 < l->found->n_places) {
        l->place++;
        open_place(l);
        return;
    }
    snprintf(why, sizeof why, "%.150s", r.text);
    over(l,
         r.end == STN_SESSION_END_REFUSED && r.code != STN_SESS_NO_CONNECTION ? STN_LINE_REFUSED
                                                                              : STN_LINE_WAITING,
         why);
}

/* Settings of a session as this user; cookie and arguments are the caller's. */
static stn_session_settings settings_of(const stn_line *l)
{
    stn_session_settings s = stn_session_defaults();

    s.user = l->found && l->found->logged_in ? l->found->user : l->user;
    s.version = l->version;
    s.encrypt = l->encrypt;
    s.idle_timeout = SILENCE_S;
    s.protocol = STN_SESS_TWINS;
    if (s.encrypt)
        stn_random_bytes(s.salt, sizeof s.salt);
    return s;
}

/* ---- on to another server */

static void handed(stn_line *l, unsigned code)
{
    int32_t widget = l->hand->widget;

    if (code != STN_SESS_OK)
        drop_hand(l);
    l->on.handed(l->on.arg, widget, code);
}

static void on_next_opened(void *arg)
{
    stn_line *l = arg;

    stn_log_info("session: %s is ready to go on with", stn_leg_address(l->next));
    /* Nothing of it is read until the server says to go. */
    stn_leg_hold(l->next, true);
    stn_timer_in(l->go_timer, GO_WAIT_NS);
    handed(l, STN_SESS_OK);
}

/* Before it has taken the place nothing is delivered: a held leg does not step. */
static void on_next_deliver(void *arg, const stn_delivery *d)
{
    stn_line *l = arg;

    if (!l->next)
        on_deliver(arg, d);
}

static void on_next_over(void *arg, stn_session_result r)
{
    stn_line *l = arg;

    if (!l->next) {
        on_over(arg, r);
        return;
    }
    stn_log_warn("session: %s cannot be gone on with: %s", stn_leg_address(l->next), r.text);
    handed(l, r.code ? r.code : STN_SESS_NO_CONNECTION);
}

static void open_next(stn_line *l, const stn_finding *f)
{
    stn_leg_hooks hooks = {on_next_opened, on_next_deliver, on_next_over, l};
    stn_session_settings s = settings_of(l);
    stn_err err = f->err;

    s.cookie = l->hand->cookie;
    s.cookie_len = l->hand->cookie_len;
    s.args = l->hand->args;
    s.args_len = l->hand->args_len;
    if (f->err.code == STN_OK && f->n_places > 0 &&
        stn_leg_new(l->loop, &s, &f->places[0], &hooks, &l->next, &err) == STN_OK)
        return;
    stn_log_warn("session: no way on to %s: %s", l->hand->host, err.code ? err.text : "it has no address");
    handed(l, STN_SESS_NO_CONNECTION);
}

/* The name is looked up on a thread; one that is not wanted any more is let finish first. */
static void find_next(stn_line *l)
{
    char address[STN_HAND_HOST + 16];
    stn_find_request r = {.address = address};
    stn_err err = {0};

    if (l->hand_find)
        return;
    snprintf(address, sizeof address, strchr(l->hand->host, ':') ? "[%s]:%u" : "%s:%u", l->hand->host,
             l->hand->port);
    l->hand_found = l->hands;
    if (stn_find_start(&r, l->hand_inbox, &l->hand_find, &err) == STN_OK)
        return;
    stn_log_warn("session: no way on to %s: %s", address, err.text);
    handed(l, STN_SESS_NO_CONNECTION);
}

static void on_hand_found(void *ctx, const stn_turn *turn, stn_inbox_link *item)
{
    stn_line *l = ctx;
    stn_finding *f = (stn_finding *)item;

    (void)turn;
    stn_find_end(l->hand_find);
    l->hand_find = NULL;
    if (l->hand && l->hand_found == l->hands)
        open_next(l, f);
    else if (l->hand)
        find_next(l);
    stn_finding_free(f);
}

static void on_go_timer(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_line *l = ctx;

    (void)turn;
    (void)timer;
    stn_log_warn("session: the server never said to go on at %s: given up", stn_leg_address(l->next));
    drop_hand(l);
}

void stn_line_hand_over(stn_line *l, const stn_hand_over *to)
{
    if (l->going)
        return; /* decided already */
    drop_hand(l);
    if (!to || !(l->hand = malloc(sizeof *l->hand)))
        return;
    *l->hand = *to;
    l->hands++;
    stn_log_info("session: the server hands over to %s port %u", to->host, to->port);
    find_next(l);
}

void stn_line_go(stn_line *l)
{
    if (!l->next || !stn_leg_is_open(l->next)) {
        stn_log_warn("session: told to go on elsewhere, but nothing is open there");
        return;
    }
    stn_timer_stop(l->go_timer);
    l->going = true;
    stn_leg_quit(l->leg);
}

/* The last thing that the old one does. */
static void change_over(stn_line *l)
{
    stn_leg_free(l->leg);
    l->leg = l->next;
    l->next = NULL;
    drop_hand(l);
    snprintf(l->address, sizeof l->address, "%.*s", (int)sizeof l->address - 1, stn_leg_address(l->leg));
    l->on.ended(l->on.arg);
    on_opened(l);
    stn_leg_hold(l->leg, false);
}

/* ---- finding the server */

/* Tries the place whose turn it is. */
static void open_place(stn_line *l)
{
    const stn_find_place *p = &l->found->places[l->place];
    stn_leg_hooks hooks = {on_opened, on_deliver, on_over, l};
    stn_session_settings s = settings_of(l);
    stn_err err = {0};

    s.cookie = l->found->logged_in ? l->found->cookie : l->cookie;
    s.cookie_len = l->found->logged_in ? sizeof l->found->cookie : l->cookie_len;
    stn_leg_free(l->leg);
    l->leg = NULL;
    snprintf(l->address, sizeof l->address, "%.*s", (int)sizeof l->address - 1, p->text);
    say(l, STN_LINE_CONNECTING, "opening a session with %s", l->address);
    if (stn_leg_new(l->loop, &s, p, &hooks, &l->leg, &err) != STN_OK)
        over(l, STN_LINE_WAITING, err.text);
}

static void on_found(void *ctx, const stn_turn *turn, stn_inbox_link *item)
{
    stn_line *l = ctx;

    (void)turn;
    stn_find_end(l->find);
    l->find = NULL;
    l->found = (stn_finding *)item;
    l->place = 0;
    if (l->found->err.code == STN_OK && l->found->n_places > 0) {
        open_place(l);
    } else {
        stn_err err = l->found->err;
        bool denied = err.code == STN_DENIED || err.code == STN_USAGE;

        over_for(l, denied ? STN_LINE_REFUSED : STN_LINE_WAITING,
                 err.code ? err.text : "the server has no address",
                 denied ? DENIED_WAIT_NS
                        : stn_backoff_ns(l->failures, FIRST_WAIT_NS, MOST_WAIT_NS, stn_turn_random(l->loop)));
    }
}

/* The embedded server's own word on where it is. */
static bool read_embedded(const stn_line *l, char *out, size_t cap)
{
    char path[512];
    uint8_t *data = NULL;
    size_t len;
    json_t *j;
    const char *udp;
    bool found;

    snprintf(path, sizeof path, "%s/homestead.json", l->runtime);
    if (stn_file_read(path, 1 << 16, &data, &len, NULL) != STN_OK)
        return false;
    j = json_loadb((const char *)data, len, 0, NULL);
    free(data);
    udp = json_string_value(json_object_get(j, "udp"));
    found = udp && strlen(udp) < cap;
    if (found)
        snprintf(out, cap, "%s", udp);
    json_decref(j);
    return found;
}

static void try_now(stn_line *l)
{
    bool own = !l->server[0]; /* the embedded one is entered without a login */
    stn_find_request r = {
        .address = l->address,
        .user = l->user,
        .login = !own && (l->has_password || l->auth_ca[0]),
        .ca = l->auth_ca,
        .token_folder = l->token_folder,
        .password = l->has_password ? l->password : NULL,
        .password_len = l->password_len,
        .remember = l->remember,
        .positional = l->positional,
        .want_alias = l->encrypt,
        .auth_port = l->auth_port,
    };
    stn_err err = {0};

    if (!own) {
        snprintf(l->address, sizeof l->address, "%s", l->server);
    } else if (!read_embedded(l, l->address, sizeof l->address)) {
        say(l, STN_LINE_WAITING, "waiting for the embedded server to start");
        retry_later(l, LOOK_AGAIN_NS);
        return;
    }
    l->tries++;
    say(l, STN_LINE_FINDING, r.login ? "logging in at %s" : "looking for %s", l->address);
    if (stn_find_start(&r, l->inbox, &l->find, &err) != STN_OK)
        over(l, STN_LINE_WAITING, err.text);
}

static void on_retry(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    (void)turn;
    (void)timer;
    try_now(ctx);
}

static void retry_later(stn_line *l, int64_t wait_ns)
{
    stn_timer_in(l->retry_timer, wait_ns);
}

/* ---- for the rest of world */

stn_status stn_line_new(stn_loop *loop, const stn_line_settings *settings, const stn_line_hooks *hooks,
                        stn_line **out, stn_err *err)
{
    stn_line *l = calloc(1, sizeof *l);
    stn_status st;

    *out = NULL;
    if (!l)
        return stn_fail(err, STN_NO_MEMORY, "line to the server");
    l->loop = loop;
    l->on = *hooks;
    l->encrypt = settings->encrypt;
    l->server = strdup(settings->server ? settings->server : "");
    l->user = strdup(settings->user && settings->user[0] ? settings->user : "stenness");
    l->runtime = strdup(settings->runtime);
    l->auth_ca = strdup(settings->auth_ca ? settings->auth_ca : "");
    l->token_folder = strdup(settings->token_folder ? settings->token_folder : "");
    l->has_password = settings->password != NULL;
    l->remember = settings->remember;
    l->positional = settings->positional;
    l->auth_port = settings->auth_port;
    l->version = settings->version;
    l->go_timer = stn_timer_new(loop, "session hand-over", on_go_timer, l);
    l->retry_timer = stn_timer_new(loop, "session retry", on_retry, l);
    if (!l->server || !l->user || !l->runtime || !l->auth_ca || !l->token_folder || !l->go_timer ||
        !l->retry_timer)
        st = stn_fail(err, STN_NO_MEMORY, "line to the server");
    else if (settings->cookie_len > sizeof l->cookie)
        st = stn_fail(err, STN_TOO_BIG, "a cookie of %zu bytes, at most %d", settings->cookie_len,
                      STN_COOKIE_MAX);
    else if (settings->password_len > sizeof l->password)
        st = stn_fail(err, STN_TOO_BIG, "a password of %zu bytes, at most %d", settings->password_len,
                      STN_FIND_PASSWORD);
    else if ((st = stn_inbox_new(4, &l->inbox, err)) == STN_OK &&
             (st = stn_inbox_new(4, &l->hand_inbox, err)) == STN_OK &&
             (st = stn_loop_watch_inbox(loop, l->inbox, on_found, l, &l->inbox_watch, err)) == STN_OK)
        st = stn_loop_watch_inbox(loop, l->hand_inbox, on_hand_found, l, &l->hand_watch, err);
    if (st != STN_OK) {
        stn_line_free(l);
        return st;
    }
    if (l->has_password && settings->password_len) {
        memcpy(l->password, settings->password, settings->password_len);
        l->password_len = settings->password_len;
    }
    if (settings->cookie_len > 0)
        memcpy(l->cookie, settings->cookie, settings->cookie_len);
    else
        l->cookie[0] = 0; /* an open door asks for none; one byte, as the reference sends */
    l->cookie_len = settings->cookie_len ? settings->cookie_len : 1;
    say(l, STN_LINE_WAITING, "starting");
    retry_later(l, 0);
    *out = l;
    return STN_OK;
}

static void drop_finding(void *ctx, stn_inbox_link *item)
{
    (void)ctx;
    stn_finding_free((stn_finding *)item);
}

void stn_line_free(stn_line *l)
{
    if (!l)
        return;
    stn_find_end(l->find); /* an answer that it gave is in the inbox, and freed with it */
    stn_find_end(l->hand_find);
    drop_hand(l);
    stn_leg_free(l->leg);
    stn_watch_free(l->inbox_watch);
    stn_watch_free(l->hand_watch);
    if (l->inbox)
        stn_inbox_free(l->inbox, drop_finding, NULL);
    if (l->hand_inbox)
        stn_inbox_free(l->hand_inbox, drop_finding, NULL);
    stn_timer_free(l->go_timer);
    stn_timer_free(l->retry_timer);
    stn_finding_free(l->found);
    explicit_bzero(l->cookie, sizeof l->cookie);
    explicit_bzero(l->password, sizeof l->password);
    free(l->auth_ca);
    free(l->token_folder);
    free(l->server);
    free(l->user);
    free(l->runtime);
    free(l);
}

stn_line_state stn_line_state_now(const stn_line *l)
{
    return l->state;
}
const char *stn_line_text(const stn_line *l)
{
    return l->text;
}
const char *stn_line_server(const stn_line *l)
{
    return l->address;
}
uint64_t stn_line_tries(const stn_line *l)
{
    return l->tries;
}

int64_t stn_line_retry_ns(const stn_line *l)
{
    int64_t left;
    if (!stn_timer_is_set(l->retry_timer))
        return 0;
    left = stn_timer_due(l->retry_timer) - stn_loop_now(l->loop)->now_ns;
    return left > 0 ? left : 1;
}

bool stn_line_send(stn_line *l, uint8_t type, const void *data, size_t len)
{
    return l->leg && stn_leg_send(l->leg, type, data, len);
}

void stn_line_mapreq(stn_line *l, int32_t x, int32_t y)
{
    if (l->leg)
        stn_leg_mapreq(l->leg, x, y);
}

void stn_line_malformed(stn_line *l)
{
    if (l->leg)
        stn_leg_malformed(l->leg);
}

bool stn_line_stats(const stn_line *l, stn_session_stats *out)
{
    if (!l->leg)
        return false;
    stn_leg_stats(l->leg, out);
    return true;
}
