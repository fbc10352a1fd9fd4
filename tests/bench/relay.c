#include "relay.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHUNK 65536u

typedef struct chunk {
    struct chunk *next;
    int64_t due_ns;
    size_t len, sent;
    uint8_t data[];
} chunk;

/* From one socket to the other. */
typedef struct way {
    chunk *first, **last;
    size_t held;
} way;

typedef struct pair {
    int fd[2]; /* -1: free */
    way way[2]; /* way[i] leads away from fd[i] */
} pair;

static void close_pair(pair *p)
{
    for (int i = 0; i < 2; i++) {
        close(p->fd[i]);
        p->fd[i] = -1;
        for (chunk *c = p->way[i].first, *next; c; c = next) {
            next = c->next;
            free(c);
        }
    }
}

static struct sockaddr_in local(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void take(pair *pairs, int listener, uint16_t target)
{
    struct sockaddr_in to = local(target);
    int in = accept4(listener, NULL, NULL, SOCK_NONBLOCK), out;

    if (in < 0)
        return;
    out = socket(AF_INET, SOCK_STREAM, 0);
    for (size_t i = 0; i < RELAY_CONNECTIONS && out >= 0; i++) {
        if (pairs[i].fd[0] >= 0)
            continue;
        if (connect(out, (struct sockaddr *)&to, sizeof to) != 0)
            break;
        pairs[i] = (pair){.fd = {in, out}};
        for (int k = 0; k < 2; k++)
            pairs[i].way[k].last = &pairs[i].way[k].first;
        return;
    }
    close(in);
    close(out);
}

/* False: the connection is over. */
static bool take_bytes(int fd, way *w, int64_t due_ns)
{
    chunk *c = malloc(sizeof *c + CHUNK);
    ssize_t n = c ? recv(fd, c->data, CHUNK, MSG_DONTWAIT) : -1;

    if (n <= 0) {
        bool goes_on = c && n < 0 && (errno == EAGAIN || errno == EINTR);
        free(c);
        return goes_on;
    }
    c->next = NULL;
    c->due_ns = due_ns;
    c->len = (size_t)n;
    c->sent = 0;
    *w->last = c;
    w->last = &c->next;
    w->held += c->len;
    return true;
}

static bool give_bytes(int fd, way *w, int64_t now)
{
    while (w->first && w->first->due_ns <= now) {
        chunk *c = w->first;
        ssize_t n = send(fd, c->data + c->sent, c->len - c->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0)
            return errno == EAGAIN || errno == EINTR;
        c->sent += (size_t)n;
        if (c->sent < c->len)
            return true;
        w->first = c->next;
        if (!w->first)
            w->last = &w->first;
        w->held -= c->len;
        free(c);
    }
    return true;
}

/* What a way waits for at the socket that it leads to: room if something is due, else the time it is due. */
static short wants_room(const way *w, int64_t now, int64_t *wake)
{
    if (!w->first)
        return 0;
    if (w->first->due_ns <= now)
        return POLLOUT;
    if (w->first->due_ns < *wake)
        *wake = w->first->due_ns;
    return 0;
}

static _Noreturn void relay(int listener, uint16_t target, int64_t delay_ns)
{
    pair pairs[RELAY_CONNECTIONS];
    struct pollfd polls[1 + 2 * RELAY_CONNECTIONS];

    for (size_t i = 0; i < RELAY_CONNECTIONS; i++)
        pairs[i].fd[0] = pairs[i].fd[1] = -1;
    for (;;) {
        int64_t now = stn_clock_ns(), wake = now + STN_S;
        struct timespec wait;

        polls[0] = (struct pollfd){.fd = listener, .events = POLLIN};
        for (size_t i = 0; i < RELAY_CONNECTIONS; i++)
            for (size_t k = 0; k < 2; k++) {
                const pair *p = &pairs[i];
                struct pollfd *f = &polls[1 + 2 * i + k];
                *f = (struct pollfd){.fd = p->fd[k]};
                if (p->fd[k] < 0)
                    continue;
                f->events = (short)((p->way[k].held < RELAY_BYTES ? POLLIN : 0) |
                                    wants_room(&p->way[1 - k], now, &wake));
            }
        wait = (struct timespec){(wake - now) / STN_S, (wake - now) % STN_S};
        if (ppoll(polls, 1 + 2 * RELAY_CONNECTIONS, &wait, NULL) < 0 && errno != EINTR)
            _exit(1);
        now = stn_clock_ns();
        if (polls[0].revents & POLLIN)
            take(pairs, listener, target);
        for (size_t i = 0; i < RELAY_CONNECTIONS; i++) {
            pair *p = &pairs[i];
            bool goes_on = true;
            for (size_t k = 0; k < 2 && p->fd[0] >= 0; k++) {
                if (polls[1 + 2 * i + k].revents & (POLLIN | POLLHUP | POLLERR))
                    goes_on &= take_bytes(p->fd[k], &p->way[k], now + delay_ns);
                goes_on &= give_bytes(p->fd[1 - k], &p->way[k], now);
            }
            if (p->fd[0] >= 0 && !goes_on)
                close_pair(p);
        }
    }
}

stn_status relay_start(const char *target, int delay_ms, char *endpoint, size_t cap, pid_t *pid, stn_err *err)
{
    struct sockaddr_in at = local(0);
    socklen_t len = sizeof at;
    unsigned port;
    int listener;

    if (sscanf(target, "tcp://127.0.0.1:%u", &port) != 1 || port > 65535)
        return stn_fail(err, STN_USAGE, "relay: expected tcp://127.0.0.1:PORT, got \"%.60s\"", target);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof at) != 0 ||
        listen(listener, RELAY_CONNECTIONS) != 0 ||
        getsockname(listener, (struct sockaddr *)&at, &len) != 0 || (*pid = fork()) < 0) {
        close(listener);
        return stn_fail(err, STN_IO, "relay: %s", strerror(errno));
    }
    if (*pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        relay(listener, (uint16_t)port, delay_ms * STN_MS);
    }
    close(listener);
    snprintf(endpoint, cap, "tcp://127.0.0.1:%u", ntohs(at.sin_port));
    return STN_OK;
}
