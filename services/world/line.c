#include "world/line.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "world/line_find.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DRAIN_MAX 256 /* datagrams a turn */
#define FIRST_WAIT_NS (100 * STN_MS)
#define MOST_WAIT_NS (5 * STN_S)
#define LOOK_AGAIN_NS (200 * STN_MS) /* for the embedded server's file */
#define DENIED_WAIT_NS (300 * STN_S) /* the same words will be refused again */
#define SILENCE_S 15.0
#define SEND_QUEUE (4 << 20)

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
    stn_session *session;
    bool running; /* started was called */
    int fd;
    stn_watch *watch, *inbox_watch;
    stn_inbox *inbox;
    stn_find *find; /* under way */
    stn_finding *found; /* where to try, and with what */
    size_t place; /* the one that is tried */
    stn_timer *step_timer, *retry_timer;
    unsigned failures;
    uint64_t tries;
    uint8_t *buffer; /* DRAIN_MAX datagrams back to back */
    bool stepping, woken; /* woken: something was queued while stepping */
};

static void retry_later(stn_line *l, int64_t wait_ns);
static void open_place(stn_line *l);

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

static double seconds(const stn_line *l)
{
    return (double)stn_loop_now(l->loop)->now_ns * 1e-9;
}

static void close_socket(stn_line *l)
{
    stn_watch_free(l->watch);
    l->watch = NULL;
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}

static void over_for(stn_line *l, stn_line_state state, const char *why, int64_t wait)
{
    bool was_running = l->running;

    l->failures++;
    l->running = false;
    stn_timer_stop(l->step_timer);
    close_socket(l);
    stn_session_free(l->session);
    l->session = NULL;
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

static void send_all(stn_line *l, const stn_session_out *out)
{
    for (size_t i = 0; i < out->n_send; i++)
        /* A failed send counts as loss: what matters is sent again. */
        if (send(l->fd, out->send[i].data, out->send[i].len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
            errno == ECONNREFUSED)
            stn_log_debug("session: nobody listens at %s", l->address);
}

static void step(stn_line *l, const stn_datagram *in, size_t n)
{
    const stn_session_out *out;
    size_t at = 0;

    l->stepping = true;
    l->woken = false;
    do {
        out = stn_session_step(l->session, seconds(l), in + at, n - at);
        send_all(l, out);
        if (!l->running && out->phase == STN_SESSION_MAIN) {
            l->running = true;
            l->failures = 0;
            say(l, STN_LINE_RUNNING, "in session with %s", l->address);
            l->on.started(l->on.arg);
        }
        for (size_t i = 0; i < out->n_deliver && l->running; i++)
            l->on.deliver(l->on.arg, &out->deliver[i]);
        at += out->taken;
    } while (out->phase != STN_SESSION_DONE && (at < n || out->wait <= 0));
    l->stepping = false;
    if (out->phase == STN_SESSION_DONE) {
        stn_session_result r = stn_session_get_result(l->session);
        char why[160];

        /* A place that does not answer leaves the next one; any other refusal is the last word. */
        if (!l->running && r.code == STN_SESS_NO_CONNECTION && l->found &&
            l->place + 1 < l->found->n_places) {
            l->place++;
            open_place(l);
            return;
        }
        snprintf(why, sizeof why, "%.150s", r.text);
        over(l,
             r.end == STN_SESSION_END_REFUSED && r.code != STN_SESS_NO_CONNECTION ? STN_LINE_REFUSED
                                                                                  : STN_LINE_WAITING,
             why);
        return;
    }
    stn_timer_in(l->step_timer, l->woken ? 0 : (int64_t)(out->wait * 1e9) + 1);
}

static void on_step_timer(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_line *l = ctx;
    (void)turn;
    (void)timer;
    if (l->session)
        step(l, NULL, 0);
}

static void on_socket(void *ctx, const stn_turn *turn, int fd, unsigned ready)
{
    stn_line *l = ctx;
    stn_datagram in[DRAIN_MAX];
    size_t n = 0, used = 0;

    (void)turn;
    (void)ready;
    while (n < DRAIN_MAX) {
        ssize_t got = recv(fd, l->buffer + used, STN_DATAGRAM_MAX, MSG_DONTWAIT);
        if (got < 0 && errno == ECONNREFUSED) {
            stn_session_lost(l->session, "nobody listens there");
            break;
        }
        if (got < 0)
            break;
        in[n++] = (stn_datagram){l->buffer + used, (size_t)got};
        used += (size_t)got;
        if (used > (size_t)DRAIN_MAX * 2048)
            break; /* the buffer has room for one more of the largest only */
    }
    step(l, in, n);
}

static stn_status open_session(stn_line *l, const stn_find_place *f, stn_err *err)
{
    stn_session_settings s = stn_session_defaults();
    stn_status st;

    l->fd = socket(f->addr.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (l->fd < 0 || connect(l->fd, (const struct sockaddr *)&f->addr, f->addr_len) < 0)
        return stn_fail(err, STN_IO, "no way to %s: %s", l->address, strerror(errno));
    setsockopt(l->fd, SOL_SOCKET, SO_RCVBUF, &(int){SEND_QUEUE}, sizeof(int));
    s.user = l->found->logged_in ? l->found->user : l->user;
    s.cookie = l->found->logged_in ? l->found->cookie : l->cookie;
    s.cookie_len = l->found->logged_in ? sizeof l->found->cookie : l->cookie_len;
    s.version = l->version;
    s.encrypt = l->encrypt;
    s.idle_timeout = SILENCE_S;
    s.protocol = "Hafen/stenness";
    if (s.encrypt)
        stn_random_bytes(s.salt, sizeof s.salt);
    if ((st = stn_session_new(&s, &l->session, err)) != STN_OK)
        return st;
    return stn_loop_watch_fd(l->loop, l->fd, STN_FD_READ, on_socket, l, &l->watch, err);
}

/* ---- finding the server */

/* Tries the place whose turn it is. */
static void open_place(stn_line *l)
{
    const stn_find_place *p = &l->found->places[l->place];
    stn_err err = {0};

    close_socket(l);
    stn_session_free(l->session);
    l->session = NULL;
    snprintf(l->address, sizeof l->address, "%.*s", (int)sizeof l->address - 1, p->text);
    say(l, STN_LINE_CONNECTING, "opening a session with %s", l->address);
    if (open_session(l, p, &err) == STN_OK)
        step(l, NULL, 0);
    else
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
    l->fd = -1;
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
    l->buffer = malloc((size_t)DRAIN_MAX * 2048 + 2 * STN_DATAGRAM_MAX);
    l->step_timer = stn_timer_new(loop, "session step", on_step_timer, l);
    l->retry_timer = stn_timer_new(loop, "session retry", on_retry, l);
    if (!l->server || !l->user || !l->runtime || !l->auth_ca || !l->token_folder || !l->buffer ||
        !l->step_timer || !l->retry_timer)
        st = stn_fail(err, STN_NO_MEMORY, "line to the server");
    else if (settings->cookie_len > sizeof l->cookie)
        st = stn_fail(err, STN_TOO_BIG, "a cookie of %zu bytes, at most %d", settings->cookie_len,
                      STN_COOKIE_MAX);
    else if (settings->password_len > sizeof l->password)
        st = stn_fail(err, STN_TOO_BIG, "a password of %zu bytes, at most %d", settings->password_len,
                      STN_FIND_PASSWORD);
    else if ((st = stn_inbox_new(4, &l->inbox, err)) == STN_OK)
        st = stn_loop_watch_inbox(loop, l->inbox, on_found, l, &l->inbox_watch, err);
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
    if (l->session) {
        stn_session_close(l->session);
        send_all(l, stn_session_step(l->session, seconds(l), NULL, 0));
    }
    close_socket(l);
    stn_session_free(l->session);
    stn_watch_free(l->inbox_watch);
    if (l->inbox)
        stn_inbox_free(l->inbox, drop_finding, NULL);
    stn_timer_free(l->step_timer);
    stn_timer_free(l->retry_timer);
    stn_finding_free(l->found);
    explicit_bzero(l->cookie, sizeof l->cookie);
    explicit_bzero(l->password, sizeof l->password);
    free(l->auth_ca);
    free(l->token_folder);
    free(l->server);
    free(l->user);
    free(l->runtime);
    free(l->buffer);
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

/* The machine is stepped for what was queued: in this turn or, from inside a step, right after it. */
static void wake(stn_line *l)
{
    l->woken = true;
    if (!l->stepping)
        stn_timer_in(l->step_timer, 0);
}

bool stn_line_send(stn_line *l, uint8_t type, const void *data, size_t len)
{
    stn_err err = {0};
    if (!l->session || stn_session_queue(l->session, type, data, len, &err) != STN_OK)
        return false;
    wake(l);
    return true;
}

void stn_line_mapreq(stn_line *l, int32_t x, int32_t y)
{
    if (!l->session)
        return;
    stn_session_mapreq(l->session, x, y);
    wake(l);
}

void stn_line_malformed(stn_line *l)
{
    if (l->session)
        stn_session_malformed(l->session);
}

bool stn_line_stats(const stn_line *l, stn_session_stats *out)
{
    if (!l->session)
        return false;
    stn_session_get_stats(l->session, out);
    return true;
}
