#include "world/session/login.h"

#include "base/clock.h"
#include "base/hash.h"
#include "world/session/tls.h"

#include <netdb.h>
#include <openssl/crypto.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TIMEOUT_S 30.0

typedef struct flow {
    const stn_login_request *req;
    stn_login_result *out;
    stn_tls *tls;
    stn_auth *auth;
} flow;

/* Carries the operation that was just begun to its end. */
static stn_status carry(flow *f, stn_status begun, stn_err *err)
{
    stn_status st = begun;
    uint8_t bytes[4096];

    while (st == STN_OK) {
        stn_buf *send = stn_auth_output(f->auth);
        size_t len;

        if (send->len) {
            st = stn_tls_write(f->tls, send->data, send->len, err);
            OPENSSL_cleanse(send->data, send->cap);
            stn_buf_clear(send);
            if (st)
                break;
        }
        st = stn_auth_poll(f->auth, err);
        if (st != STN_AGAIN)
            break;
        st = STN_OK;
        if (stn_auth_output(f->auth)->len)
            continue;
        if ((st = stn_tls_read(f->tls, bytes, sizeof bytes, &len, err)) != STN_OK)
            break;
        if (!len)
            st = stn_fail(err, STN_IO, "the login service closed the connection");
        else
            st = stn_auth_input(f->auth, bytes, len, err);
    }
    OPENSSL_cleanse(bytes, sizeof bytes);
    return st;
}

static stn_status by_token(flow *f, stn_err *err)
{
    const stn_login_request *r = f->req;
    uint8_t token[STN_AUTH_TOKEN];
    stn_status st;

    if (!r->token_folder)
        return stn_fail(err, STN_NOT_FOUND, "no tokens are kept");
    st = stn_token_load(r->token_folder, r->user, r->host, token, err);
    if (st)
        return st;
    st = carry(f, stn_auth_token(f->auth, r->user, token, err), err);
    OPENSSL_cleanse(token, sizeof token);
    if (st == STN_DENIED)
        stn_token_forget(r->token_folder, r->user, r->host);
    f->out->by_token = st == STN_OK;
    return st;
}

static stn_status authenticate(flow *f, stn_err *err)
{
    const stn_login_request *r = f->req;
    uint8_t secret[32];
    stn_status st = by_token(f, err);

    /* A token that is missing or refused leaves the password; a broken line does not. */
    if (st == STN_OK || (st != STN_NOT_FOUND && st != STN_DENIED && st != STN_BAD_DATA))
        return st;
    if (!r->password)
        return st == STN_DENIED ? st
                                : stn_fail(err, STN_DENIED, "logging in as %s needs the password", r->user);
    stn_err_clear(err);
    stn_random_bytes(secret, sizeof secret);
    st = carry(f, stn_auth_password(f->auth, r->user, r->password, r->password_len, secret, err), err);
    OPENSSL_cleanse(secret, sizeof secret);
    return st;
}

/* A token for the next time. That none could be had or kept is no reason not to play. */
static void remember(flow *f)
{
    const stn_login_request *r = f->req;
    uint8_t id[16];
    char name[65] = "";

    if (!r->remember || !r->token_folder || f->out->by_token)
        return;
    stn_random_bytes(id, sizeof id);
    if (gethostname(name, sizeof name - 1))
        name[0] = 0;
    if (carry(f, stn_auth_mktoken(f->auth, id, sizeof id, name, NULL), NULL) == STN_OK)
        stn_token_store(r->token_folder, r->user, r->host, stn_auth_bytes(f->auth), NULL);
}

/* Whether a host has the address at which the login service answered. */
static bool is_reached(const char *host, const char *reached)
{
    struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *list = NULL;
    bool same = false;
    char text[64];

    if (getaddrinfo(host, NULL, &hints, &list))
        return false;
    for (const struct addrinfo *a = list; a && !same; a = a->ai_next)
        same = !getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST) &&
               !strcmp(text, reached);
    freeaddrinfo(list);
    return same;
}

static void add_host(stn_login_result *out, const char *host, unsigned port)
{
    if (out->n_hosts == sizeof out->hosts / sizeof *out->hosts)
        return;
    snprintf(out->hosts[out->n_hosts].host, sizeof out->hosts[0].host, "%s", host);
    out->hosts[out->n_hosts++].port = (uint16_t)port;
}

/* The game's addresses: as set, or the service's list with its own host in front, or that host alone. */
static stn_status find_game(flow *f, stn_err *err)
{
    const stn_login_request *r = f->req;
    stn_login_result *out = f->out;
    unsigned port = r->game_port ? r->game_port : STN_GAME_PORT;
    const stn_auth_host *list;
    size_t n;
    bool near[STN_AUTH_HOSTS];
    stn_status st;

    if (r->game_host && *r->game_host) {
        add_host(out, r->game_host, port);
        return STN_OK;
    }
    if ((st = carry(f, stn_auth_hosts(f->auth, err), err)) != STN_OK)
        return st;
    n = stn_auth_host_list(f->auth, &list);
    for (size_t i = 0; i < n; i++)
        near[i] = !list[i].host[0] || is_reached(list[i].host, out->reached);
    for (int pass = 1; pass >= 0; pass--)
        for (size_t i = 0; i < n; i++)
            if (near[i] == (pass == 1))
                add_host(out, list[i].host[0] ? list[i].host : r->host, list[i].port);
    if (!out->n_hosts)
        add_host(out, r->host, port);
    return STN_OK;
}

static stn_status converse(flow *f, stn_err *err)
{
    stn_status st = authenticate(f, err);

    if (st)
        return st;
    snprintf(f->out->user, sizeof f->out->user, "%s", stn_auth_text(f->auth));
    if ((st = carry(f, stn_auth_cookie(f->auth, err), err)) != STN_OK)
        return st;
    memcpy(f->out->cookie, stn_auth_bytes(f->auth), sizeof f->out->cookie);
    if (f->req->want_alias) {
        if ((st = carry(f, stn_auth_alias(f->auth, err), err)) != STN_OK)
            return st;
        snprintf(f->out->user, sizeof f->out->user, "%s", stn_auth_text(f->auth));
    }
    remember(f);
    return find_game(f, err);
}

stn_status stn_login_run(const stn_login_request *request, stn_login_result *out, stn_err *err)
{
    flow f = {.req = request, .out = out};
    sigset_t pipe_signal, before;
    struct timespec at_once = {0};
    double timeout = request->timeout > 0.0 ? request->timeout : TIMEOUT_S;
    char *pem = NULL;
    stn_status st;

    *out = (stn_login_result){0};
    if ((st = stn_login_anchors(request->ca, &pem, err)) != STN_OK)
        return st;
    /* OpenSSL writes without MSG_NOSIGNAL: a service that hangs up must not end this process. */
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    f.auth = stn_auth_new(request->dialect);
    if (!f.auth)
        st = stn_fail(err, STN_NO_MEMORY, "login");
    if (st == STN_OK)
        st = stn_tls_connect(request->host, request->port ? request->port : STN_AUTH_PORT, pem,
                             stn_clock_ns() + (int64_t)(timeout * 1e9), request->cancel, out->reached,
                             sizeof out->reached, &f.tls, err);
    if (st == STN_OK)
        st = converse(&f, err);
    stn_tls_free(f.tls);
    stn_auth_free(f.auth);
    free(pem);
    if (!sigismember(&before, SIGPIPE)) {
        while (sigtimedwait(&pipe_signal, NULL, &at_once) > 0)
            ;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (st)
        stn_login_wipe(out);
    return st;
}

void stn_login_wipe(stn_login_result *result)
{
    OPENSSL_cleanse(result, sizeof *result);
}
