#include "world/leg.h"

#include "base/clock.h"
#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define DRAIN_MAX 256 /* datagrams a turn */
#define RECEIVE_QUEUE (4 << 20)
#define USUAL_DATAGRAM 2048

struct stn_leg {
    stn_loop *loop;
    stn_leg_hooks on;
    stn_session *session;
    int fd;
    stn_watch *watch;
    stn_timer *timer;
    uint8_t *buffer; /* a turn's datagrams, back to back */
    char address[sizeof((stn_find_place *)0)->text];
    bool open, held, quits, over;
    bool stepping, woken; /* woken: something was queued while stepping */
};

static double seconds(const stn_leg *leg)
{
    return (double)stn_loop_now(leg->loop)->now_ns * 1e-9;
}

static void send_all(const stn_leg *leg, const stn_session_out *out)
{
    for (size_t i = 0; i < out->n_send; i++)
        /* A failed send counts as loss: what matters is sent again. */
        if (send(leg->fd, out->send[i].data, out->send[i].len, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
            errno == ECONNREFUSED)
            stn_log_debug("session: nobody listens at %s", leg->address);
}

static void say_close(stn_leg *leg)
{
    stn_session_close(leg->session);
    send_all(leg, stn_session_step(leg->session, seconds(leg), NULL, 0));
}

static void end(stn_leg *leg, stn_session_result why)
{
    leg->open = false;
    leg->over = true;
    stn_timer_stop(leg->timer);
    stn_watch_free(leg->watch);
    leg->watch = NULL;
    leg->on.over(leg->on.arg, why); /* which may have freed it */
}

static void step(stn_leg *leg, const stn_datagram *in, size_t n)
{
    const stn_session_out *out;
    size_t at = 0;

    leg->stepping = true;
    leg->woken = false;
    do {
        out = stn_session_step(leg->session, seconds(leg), in + at, n - at);
        send_all(leg, out);
        if (!leg->open && out->phase == STN_SESSION_MAIN) {
            leg->open = true;
            leg->on.opened(leg->on.arg);
        }
        for (size_t i = 0; i < out->n_deliver && !leg->quits; i++)
            leg->on.deliver(leg->on.arg, &out->deliver[i]);
        at += out->taken;
    } while (out->phase != STN_SESSION_DONE && !leg->quits && !leg->held && (at < n || out->wait <= 0));
    leg->stepping = false;
    if (out->phase == STN_SESSION_DONE) {
        end(leg, stn_session_get_result(leg->session));
    } else if (leg->quits) {
        say_close(leg);
        end(leg, (stn_session_result){.end = STN_SESSION_END_LOCAL, .text = "closed here"});
    } else if (!leg->held) {
        stn_timer_in(leg->timer, leg->woken ? 0 : (int64_t)(out->wait * 1e9) + 1);
    }
}

static void on_timer(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    (void)turn;
    (void)timer;
    step(ctx, NULL, 0);
}

static void on_socket(void *ctx, const stn_turn *turn, int fd, unsigned ready)
{
    stn_leg *leg = ctx;
    stn_datagram in[DRAIN_MAX];
    size_t n = 0, used = 0;

    (void)turn;
    (void)ready;
    while (n < DRAIN_MAX) {
        ssize_t got = recv(fd, leg->buffer + used, STN_DATAGRAM_MAX, MSG_DONTWAIT);
        if (got < 0 && errno == ECONNREFUSED) {
            stn_session_lost(leg->session, "nobody listens there");
            break;
        }
        if (got < 0)
            break;
        in[n++] = (stn_datagram){leg->buffer + used, (size_t)got};
        used += (size_t)got;
        if (used > (size_t)DRAIN_MAX * USUAL_DATAGRAM)
            break; /* the buffer has room for one more of the largest only */
    }
    step(leg, in, n);
}

stn_status stn_leg_new(stn_loop *loop, const stn_session_settings *settings, const stn_find_place *place,
                       const stn_leg_hooks *hooks, stn_leg **out, stn_err *err)
{
    stn_leg *leg = calloc(1, sizeof *leg);
    stn_status st = STN_OK;

    *out = NULL;
    if (!leg)
        return stn_fail(err, STN_NO_MEMORY, "session");
    leg->loop = loop;
    leg->on = *hooks;
    leg->fd = socket(place->addr.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    leg->buffer = malloc((size_t)DRAIN_MAX * USUAL_DATAGRAM + 2 * STN_DATAGRAM_MAX);
    leg->timer = stn_timer_new(loop, "session step", on_timer, leg);
    memcpy(leg->address, place->text, sizeof leg->address);
    if (!leg->buffer || !leg->timer)
        st = stn_fail(err, STN_NO_MEMORY, "session");
    else if (leg->fd < 0 || connect(leg->fd, (const struct sockaddr *)&place->addr, place->addr_len) < 0)
        st = stn_fail(err, STN_IO, "no way to %s: %s", leg->address, strerror(errno));
    if (st == STN_OK && (st = stn_session_new(settings, &leg->session, err)) == STN_OK)
        st = stn_loop_watch_fd(loop, leg->fd, STN_FD_READ, on_socket, leg, &leg->watch, err);
    if (st != STN_OK) {
        leg->over = true;
        stn_leg_free(leg);
        return st;
    }
    setsockopt(leg->fd, SOL_SOCKET, SO_RCVBUF, &(int){RECEIVE_QUEUE}, sizeof(int));
    stn_timer_in(leg->timer, 0);
    *out = leg;
    return STN_OK;
}

void stn_leg_free(stn_leg *leg)
{
    if (!leg)
        return;
    if (!leg->over)
        say_close(leg);
    stn_watch_free(leg->watch);
    stn_timer_free(leg->timer);
    if (leg->fd >= 0)
        close(leg->fd);
    stn_session_free(leg->session);
    free(leg->buffer);
    free(leg);
}

void stn_leg_hold(stn_leg *leg, bool hold)
{
    stn_err err = {0};

    if (leg->held == hold || leg->over)
        return;
    leg->held = hold;
    stn_timer_stop(leg->timer);
    stn_watch_free(leg->watch);
    leg->watch = NULL;
    if (hold)
        return;
    if (stn_loop_watch_fd(leg->loop, leg->fd, STN_FD_READ, on_socket, leg, &leg->watch, &err) != STN_OK) {
        stn_log_error("session: %s", err.text);
        stn_session_lost(leg->session, "its socket cannot be watched");
    }
    stn_timer_in(leg->timer, 0);
}

/* The machine is stepped for what was queued: in this turn or, from inside a step, right after it. */
static void wake(stn_leg *leg)
{
    leg->woken = true;
    if (!leg->stepping && !leg->held && !leg->over)
        stn_timer_in(leg->timer, 0);
}

void stn_leg_quit(stn_leg *leg)
{
    leg->quits = true;
    wake(leg);
}

bool stn_leg_is_open(const stn_leg *leg)
{
    return leg->open;
}

const char *stn_leg_address(const stn_leg *leg)
{
    return leg->address;
}

bool stn_leg_send(stn_leg *leg, uint8_t type, const void *data, size_t len)
{
    stn_err err = {0};

    if (stn_session_queue(leg->session, type, data, len, &err) != STN_OK)
        return false;
    wake(leg);
    return true;
}

void stn_leg_mapreq(stn_leg *leg, int32_t x, int32_t y)
{
    stn_session_mapreq(leg->session, x, y);
    wake(leg);
}

void stn_leg_malformed(stn_leg *leg)
{
    stn_session_malformed(leg->session);
}

void stn_leg_stats(const stn_leg *leg, stn_session_stats *out)
{
    stn_session_get_stats(leg->session, out);
}
