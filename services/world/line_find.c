#include "world/line_find.h"

#include "base/text.h"

#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stn_find {
    pthread_t thread;
    atomic_bool cancel;
    stn_inbox *answer;
    stn_finding *finding;
    char host[256], user[256], ca[1024], token_folder[1024];
    unsigned port, auth_port;
    bool port_given, login, remember, positional, want_alias, has_password;
    uint8_t password[STN_FIND_PASSWORD];
    size_t password_len;
};

bool stn_find_split(const char *text, char *host, size_t cap, unsigned fallback, unsigned *port, bool *given)
{
    const char *colon = strrchr(text, ':'), *end = colon;
    uint64_t n = fallback;

    if (text[0] == '[' && (end = strchr(text, ']')) != NULL) {
        text++;
        colon = end[1] == ':' ? end + 1 : NULL;
    } else if (colon && strchr(text, ':') != colon) {
        colon = NULL; /* a bare IPv6 address */
        end = NULL;
    }
    if (!end)
        end = text + strlen(text);
    if (end == text || (size_t)(end - text) >= cap || (colon && !stn_text_u64(colon + 1, 65535, &n)) ||
        n == 0)
        return false;
    memcpy(host, text, (size_t)(end - text));
    host[end - text] = '\0';
    *port = (unsigned)n;
    *given = colon != NULL;
    return true;
}

/* All addresses of a host, as far as there is room. */
static void resolve(stn_finding *out, const char *host, unsigned port)
{
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM}, *list = NULL;
    char service[8];
    int rc;

    snprintf(service, sizeof service, "%u", port);
    rc = getaddrinfo(host, service, &hints, &list);
    if (rc)
        stn_fail(&out->err, STN_NOT_FOUND, "%s: %s", host, gai_strerror(rc));
    for (const struct addrinfo *a = list; a && out->n_places < STN_FIND_PLACES; a = a->ai_next) {
        stn_find_place *p = &out->places[out->n_places++];

        memcpy(&p->addr, a->ai_addr, a->ai_addrlen);
        p->addr_len = a->ai_addrlen;
        snprintf(p->text, sizeof p->text, strchr(host, ':') ? "[%.255s]:%u" : "%.255s:%u", host, port);
    }
    if (list)
        freeaddrinfo(list);
    if (out->n_places)
        stn_err_clear(&out->err); /* one of several hosts may be unknown */
}

static void log_in(stn_find *f)
{
    stn_login_request r = {
        .host = f->host,
        .port = f->auth_port,
        .ca = f->ca,
        .dialect = f->positional ? STN_AUTH_POSITIONAL : STN_AUTH_KEYWORDED,
        .user = f->user,
        .token_folder = f->token_folder[0] ? f->token_folder : NULL,
        .password = f->has_password ? f->password : NULL,
        .password_len = f->password_len,
        .remember = f->remember,
        .want_alias = f->want_alias,
        .game_host = f->port_given ? f->host : NULL,
        .game_port = f->port_given ? f->port : 0,
        .cancel = &f->cancel,
    };
    stn_login_result got;

    if (stn_login_run(&r, &got, &f->finding->err) != STN_OK)
        return;
    f->finding->logged_in = true;
    memcpy(f->finding->user, got.user, sizeof f->finding->user);
    memcpy(f->finding->cookie, got.cookie, sizeof f->finding->cookie);
    for (size_t i = 0; i < got.n_hosts; i++)
        resolve(f->finding, got.hosts[i].host, got.hosts[i].port);
    stn_login_wipe(&got);
}

static void *find_thread(void *arg)
{
    stn_find *f = arg;

    if (f->login)
        log_in(f);
    else
        resolve(f->finding, f->host, f->port);
    /* There is room for one answer, and one question is under way at a time. */
    if (stn_inbox_give(f->answer, &f->finding->link) == STN_OK)
        f->finding = NULL;
    return NULL;
}

static void keep(char *out, size_t cap, const char *text)
{
    snprintf(out, cap, "%s", text ? text : "");
}

stn_status stn_find_start(const stn_find_request *request, stn_inbox *answer, stn_find **out, stn_err *err)
{
    stn_find *f = calloc(1, sizeof *f);
    stn_status st = STN_OK;

    *out = NULL;
    if (!f || !(f->finding = calloc(1, sizeof *f->finding)))
        st = stn_fail(err, STN_NO_MEMORY, "out of memory");
    else if (request->password_len > sizeof f->password)
        st = stn_fail(err, STN_TOO_BIG, "a password of %zu bytes, at most %d", request->password_len,
                      STN_FIND_PASSWORD);
    else if (!stn_find_split(request->address, f->host, sizeof f->host, STN_GAME_PORT, &f->port,
                             &f->port_given))
        st = stn_fail(err, STN_USAGE, "the server's address is not HOST[:PORT]");
    if (st == STN_OK) {
        f->answer = answer;
        f->login = request->login;
        f->auth_port = request->auth_port;
        f->remember = request->remember;
        f->positional = request->positional;
        f->want_alias = request->want_alias;
        keep(f->user, sizeof f->user, request->user);
        keep(f->ca, sizeof f->ca, request->ca);
        keep(f->token_folder, sizeof f->token_folder, request->token_folder);
        f->has_password = request->password != NULL;
        f->password_len = request->password ? request->password_len : 0;
        if (f->password_len)
            memcpy(f->password, request->password, f->password_len);
        if (pthread_create(&f->thread, NULL, find_thread, f) != 0)
            st = stn_fail(err, STN_IO, "no thread to look for the server");
    }
    if (st) {
        if (f)
            free(f->finding);
        free(f);
        return st;
    }
    *out = f;
    return STN_OK;
}

void stn_find_end(stn_find *f)
{
    if (!f)
        return;
    atomic_store(&f->cancel, true);
    pthread_join(f->thread, NULL);
    stn_finding_free(f->finding);
    explicit_bzero(f, sizeof *f);
    free(f);
}

void stn_finding_free(stn_finding *answer)
{
    if (!answer)
        return;
    explicit_bzero(answer, sizeof *answer);
    free(answer);
}
