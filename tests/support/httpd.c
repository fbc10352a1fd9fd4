#include "support/httpd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_MAX 16384
#define CONNECTIONS_MAX 512

typedef struct connection {
    test_httpd *server;
    pthread_t thread;
    int fd;
} connection;

struct test_httpd {
    test_httpd_fn *fn;
    void *ctx;
    int listener;
    int stop[2]; /* a pipe: closed at the end, which every waiting thread sees */
    unsigned port;
    pthread_t acceptor;
    pthread_mutex_t lock;
    unsigned requests, connections;
    connection all[CONNECTIONS_MAX];
};

/* True when fd is readable; false when the server stops. */
static bool wait_readable(const test_httpd *s, int fd)
{
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = s->stop[0], .events = POLLIN}};
    while (poll(p, 2, -1) < 0 && errno == EINTR)
        ;
    return p[1].revents == 0;
}

/* Reads one request head. False at the end of the connection. */
static bool read_head(const test_httpd *s, int fd, char head[HEAD_MAX + 1])
{
    size_t len = 0;
    while (len < HEAD_MAX) {
        if (!wait_readable(s, fd))
            return false;
        ssize_t n = recv(fd, head + len, HEAD_MAX - len, 0);
        if (n <= 0)
            return false;
        len += (size_t)n;
        head[len] = 0;
        if (strstr(head, "\r\n\r\n"))
            return true;
    }
    return false;
}

static bool answer(test_httpd *s, int fd, const char *head)
{
    test_reply r = {0};
    char path[2048] = "";
    sscanf(head, "%*s %2047s", path);
    pthread_mutex_lock(&s->lock);
    s->fn(s->ctx, s->requests++, path, head, &r);
    pthread_mutex_unlock(&s->lock);
    if (r.delay_ms) {
        struct pollfd p = {.fd = s->stop[0], .events = POLLIN};
        poll(&p, 1, (int)r.delay_ms);
    }
    size_t at = 0;
    while (at < r.len) {
        ssize_t n = send(fd, (char *)r.data + at, r.len - at, MSG_NOSIGNAL);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    bool whole = at == r.len;
    free(r.data);
    if (r.hang) {
        struct pollfd p[2] = {{.fd = fd, .events = 0}, {.fd = s->stop[0], .events = POLLIN}};
        poll(p, 2, -1);
    }
    return whole && r.keep && !r.hang;
}

static void *serve(void *arg)
{
    connection *c = arg;
    char head[HEAD_MAX + 1];
    while (read_head(c->server, c->fd, head) && answer(c->server, c->fd, head))
        ;
    /* The end is told before the descriptor goes: unread bytes would turn it into a reset. */
    shutdown(c->fd, SHUT_WR);
    struct pollfd p[2] = {{.fd = c->fd, .events = POLLIN}, {.fd = c->server->stop[0], .events = POLLIN}};
    while (poll(p, 2, 2000) > 0 && !p[1].revents && recv(c->fd, head, HEAD_MAX, 0) > 0)
        ;
    close(c->fd);
    return NULL;
}

static void *accept_all(void *arg)
{
    test_httpd *s = arg;
    while (wait_readable(s, s->listener)) {
        int fd = accept(s->listener, NULL, NULL);
        if (fd < 0)
            continue;
        if (s->connections == CONNECTIONS_MAX) {
            close(fd);
            continue;
        }
        connection *c = &s->all[s->connections];
        *c = (connection){.server = s, .fd = fd};
        if (pthread_create(&c->thread, NULL, serve, c) != 0) {
            close(fd);
            continue;
        }
        pthread_mutex_lock(&s->lock);
        s->connections++;
        pthread_mutex_unlock(&s->lock);
    }
    return NULL;
}

test_httpd *test_httpd_new(test_httpd_fn *fn, void *ctx)
{
    test_httpd *s = calloc(1, sizeof *s);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    s->fn = fn;
    s->ctx = ctx;
    pthread_mutex_init(&s->lock, NULL);
    s->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&a, len) != 0 ||
        listen(s->listener, 128) != 0 || getsockname(s->listener, (struct sockaddr *)&a, &len) != 0 ||
        pipe(s->stop) != 0 || pthread_create(&s->acceptor, NULL, accept_all, s) != 0) {
        perror("test server");
        exit(1);
    }
    s->port = ntohs(a.sin_port);
    return s;
}

unsigned test_httpd_port(const test_httpd *s)
{
    return s->port;
}

unsigned test_httpd_requests(test_httpd *s)
{
    pthread_mutex_lock(&s->lock);
    unsigned n = s->requests;
    pthread_mutex_unlock(&s->lock);
    return n;
}

unsigned test_httpd_connections(test_httpd *s)
{
    pthread_mutex_lock(&s->lock);
    unsigned n = s->connections;
    pthread_mutex_unlock(&s->lock);
    return n;
}

void test_httpd_free(test_httpd *s)
{
    if (!s)
        return;
    close(s->stop[1]);
    pthread_join(s->acceptor, NULL);
    for (unsigned i = 0; i < s->connections; i++)
        pthread_join(s->all[i].thread, NULL);
    close(s->listener);
    close(s->stop[0]);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void test_reply_set(test_reply *out, const char *status, const char *headers, const void *body, size_t len)
{
    char *head;
    int n =
        asprintf(&head, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n%s\r\n", status, len, headers ? headers : "");
    if (n < 0)
        abort();
    out->data = malloc((size_t)n + len);
    memcpy(out->data, head, (size_t)n);
    if (len)
        memcpy((char *)out->data + n, body, len);
    out->len = (size_t)n + len;
    free(head);
}
