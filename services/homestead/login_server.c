/* The TLS server about the login service: a thread that accepts, and one for each connection. */
#include "homestead/login.h"

#include "base/clock.h"
#include "base/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#define SILENCE_S 10
#define LONGEST_S 60
#define MESSAGE_MAX 65535

typedef struct guest {
    stn_login_server *server;
    int fd; /* -1 = free */
} guest;

struct stn_login_server {
    int listen, wake[2];
    unsigned port, game_port;
    SSL_CTX *ctx;
    stn_accounts *accounts;
    pthread_t thread;
    bool running;
    pthread_mutex_t lock;
    pthread_cond_t gone;
    guest guests[STN_LOGIN_CONNECTIONS];
    unsigned n;
};

static bool read_all(SSL *ssl, uint8_t *out, size_t len)
{
    for (size_t at = 0; at < len;) {
        int n = SSL_read(ssl, out + at, (int)(len - at));

        if (n <= 0)
            return false;
        at += (size_t)n;
    }
    return true;
}

static void talk(stn_login_server *s, SSL *ssl)
{
    stn_login_talk state = {0};
    uint8_t *message = malloc(MESSAGE_MAX);
    int64_t end = stn_clock_ns() + LONGEST_S * STN_S;
    stn_buf reply = {0};
    uint8_t head[2];

    while (message && stn_clock_ns() < end && read_all(ssl, head, 2)) {
        size_t len = (size_t)head[0] << 8 | head[1];
        stn_err err = {0};

        if (!read_all(ssl, message, len))
            break;
        stn_buf_clear(&reply);
        stn_buf_zero(&reply, 2);
        if (stn_login_answer(&state, s->accounts, s->game_port, message, len, &reply, &err) != STN_OK) {
            stn_log_warn("login: %s", err.text);
            break;
        }
        if (reply.failed || reply.len - 2 > MESSAGE_MAX)
            break;
        reply.data[0] = (uint8_t)((reply.len - 2) >> 8);
        reply.data[1] = (uint8_t)(reply.len - 2);
        if (SSL_write(ssl, reply.data, (int)reply.len) <= 0)
            break;
    }
    if (message)
        OPENSSL_cleanse(message, MESSAGE_MAX);
    if (reply.data)
        OPENSSL_cleanse(reply.data, reply.cap);
    stn_buf_fini(&reply);
    free(message);
}

static void *serve(void *arg)
{
    guest *g = arg;
    stn_login_server *s = g->server;
    SSL *ssl = SSL_new(s->ctx);

    if (ssl && SSL_set_fd(ssl, g->fd) == 1 && SSL_accept(ssl) == 1) {
        talk(s, ssl);
        SSL_shutdown(ssl);
    }
    ERR_clear_error();
    SSL_free(ssl);
    pthread_mutex_lock(&s->lock);
    close(g->fd);
    g->fd = -1;
    s->n--;
    pthread_cond_signal(&s->gone);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void accept_one(stn_login_server *s)
{
    int fd = accept4(s->listen, NULL, NULL, SOCK_CLOEXEC);
    struct timeval limit = {.tv_sec = SILENCE_S};
    pthread_attr_t attr;
    pthread_t thread;
    guest *g = NULL;

    if (fd < 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    pthread_mutex_lock(&s->lock);
    for (unsigned i = 0; i < STN_LOGIN_CONNECTIONS && !g; i++)
        if (s->guests[i].fd < 0)
            g = &s->guests[i];
    if (g) {
        g->fd = fd;
        s->n++;
        pthread_attr_init(&attr);
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        if (pthread_create(&thread, &attr, serve, g)) {
            g->fd = -1;
            s->n--;
            g = NULL;
        }
        pthread_attr_destroy(&attr);
    }
    pthread_mutex_unlock(&s->lock);
    if (!g)
        close(fd); /* too many at once; the client tries again */
}

static void *accept_loop(void *arg)
{
    stn_login_server *s = arg;
    sigset_t pipe_signal;
    struct pollfd fds[2] = {{.fd = s->listen, .events = POLLIN}, {.fd = s->wake[0], .events = POLLIN}};

    /* A client that ends while it is written to is no reason to die; the connections' threads inherit this.
     */
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, NULL);
    for (;;) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return NULL;
        if (fds[1].revents)
            return NULL;
        if (fds[0].revents & POLLIN)
            accept_one(s);
    }
}

static stn_status open_socket(stn_login_server *s, const char *host, unsigned port, stn_err *err)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    bool is_four = inet_pton(AF_INET, host, &four.sin_addr) == 1;
    struct sockaddr *addr = is_four ? (struct sockaddr *)&four : (struct sockaddr *)&six;
    socklen_t len = is_four ? sizeof four : sizeof six;
    int yes = 1;

    if (!is_four && inet_pton(AF_INET6, host, &six.sin6_addr) != 1)
        return stn_fail(err, STN_USAGE, "\"%s\" is no address to listen at; use 127.0.0.1 or ::1", host);
    s->listen = socket(addr->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (s->listen >= 0)
        setsockopt(s->listen, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (s->listen < 0 || bind(s->listen, addr, len) || listen(s->listen, STN_LOGIN_CONNECTIONS) ||
        getsockname(s->listen, addr, &len) || pipe(s->wake))
        return stn_fail(err, errno == EADDRINUSE ? STN_BUSY : STN_IO, "login service at %s port %u: %s", host,
                        port, strerror(errno));
    s->port = ntohs(is_four ? four.sin_port : six.sin6_port);
    return STN_OK;
}

stn_status stn_login_start(const stn_login_settings *set, stn_login_server **out, stn_err *err)
{
    stn_login_server *s = calloc(1, sizeof *s);
    stn_status st = STN_OK;

    *out = NULL;
    if (!s)
        return stn_fail(err, STN_NO_MEMORY, "login service");
    s->listen = s->wake[0] = s->wake[1] = -1;
    s->accounts = set->accounts;
    s->game_port = set->game_port;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->gone, NULL);
    for (unsigned i = 0; i < STN_LOGIN_CONNECTIONS; i++)
        s->guests[i] = (guest){s, -1};
    s->ctx = SSL_CTX_new(TLS_server_method());
    if (!s->ctx || SSL_CTX_set_min_proto_version(s->ctx, TLS1_2_VERSION) != 1 ||
        SSL_CTX_use_certificate_chain_file(s->ctx, set->cert_pem) != 1 ||
        SSL_CTX_use_PrivateKey_file(s->ctx, set->key_pem, SSL_FILETYPE_PEM) != 1)
        st = stn_fail(err, STN_IO, "login service: the certificate %s or its key %s cannot be used",
                      set->cert_pem, set->key_pem);
    if (st == STN_OK)
        st = open_socket(s, set->host, set->port, err);
    if (st == STN_OK && pthread_create(&s->thread, NULL, accept_loop, s))
        st = stn_fail(err, STN_IO, "login service: no thread");
    s->running = st == STN_OK;
    if (st) {
        stn_login_stop(s);
        return st;
    }
    *out = s;
    return STN_OK;
}

void stn_login_stop(stn_login_server *s)
{
    if (!s)
        return;
    if (s->running) {
        while (write(s->wake[1], "", 1) < 0 && errno == EINTR)
            ;
        pthread_join(s->thread, NULL);
    }
    pthread_mutex_lock(&s->lock);
    for (unsigned i = 0; i < STN_LOGIN_CONNECTIONS; i++)
        if (s->guests[i].fd >= 0)
            shutdown(s->guests[i].fd, SHUT_RDWR); /* its thread wakes and ends */
    while (s->n)
        pthread_cond_wait(&s->gone, &s->lock);
    pthread_mutex_unlock(&s->lock);
    for (int i = 0; i < 2; i++)
        if (s->wake[i] >= 0)
            close(s->wake[i]);
    if (s->listen >= 0)
        close(s->listen);
    SSL_CTX_free(s->ctx);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->gone);
    free(s);
}

unsigned stn_login_port(const stn_login_server *s)
{
    return s->port;
}
