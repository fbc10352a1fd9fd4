#include "bus/zap.h"

#include "bus/keys.h"
#include "bus/loop_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

#define DOMAINS 16u
#define PARTS                                                                                                \
    12u /* of a request that is looked at: version, id, domain, address, identity, mechanism, credentials */
#define PART_MAX 256u
#define REQUESTS_A_TURN 16u

struct domain {
    char name[16];
    char folder[4096];
    void (*denied)(void *ctx, const char *text);
    void *ctx;
};

struct stn_zap {
    void *socket;
    stn_watch *watch;
    unsigned made;
    struct domain *domains[DOMAINS];
};

struct part {
    char bytes[PART_MAX];
    size_t len;
};

static void send_text(void *socket, const char *text, int flags)
{
    zmq_send(socket, text, strlen(text), flags | ZMQ_DONTWAIT);
}

/* REP remembers who asked; the id is repeated as the protocol wants it. */
static void answer(stn_zap *zap, const struct part *id, const char *code, const char *text, const char *user)
{
    send_text(zap->socket, "1.0", ZMQ_SNDMORE);
    zmq_send(zap->socket, id->bytes, id->len, ZMQ_SNDMORE | ZMQ_DONTWAIT);
    send_text(zap->socket, code, ZMQ_SNDMORE);
    send_text(zap->socket, text, ZMQ_SNDMORE);
    send_text(zap->socket, user, ZMQ_SNDMORE);
    send_text(zap->socket, "", 0);
}

static struct domain *find(stn_zap *zap, const char *name)
{
    for (unsigned i = 0; i < DOMAINS; i++)
        if (zap->domains[i] && strcmp(zap->domains[i]->name, name) == 0)
            return zap->domains[i];
    return NULL;
}

static void judge(stn_zap *zap, const struct part *parts, size_t n)
{
    char key[STN_KEY_TEXT], name[STN_KEY_NAME], text[STN_ERR_TEXT];
    struct domain *d;

    if (n < 7 || strcmp(parts[0].bytes, "1.0") != 0 || !(d = find(zap, parts[2].bytes))) {
        answer(zap, &parts[1], "500", "unknown request", "");
        return;
    }
    if (strcmp(parts[5].bytes, "CURVE") != 0 || parts[6].len != 32) {
        answer(zap, &parts[1], "400", "CURVE only", "");
        return;
    }
    zmq_z85_encode(key, (const uint8_t *)parts[6].bytes, 32);
    if (stn_keys_allowed(d->folder, key, name)) {
        answer(zap, &parts[1], "200", "OK", name);
        return;
    }
    answer(zap, &parts[1], "400", "not on the list", "");
    snprintf(text, sizeof text, "peer at %.60s is not on the list: put its public key (%s) into %.120s",
             parts[3].bytes, key, d->folder);
    d->denied(d->ctx, text);
}

static void on_request(void *ctx, const stn_turn *turn, int fd, unsigned ready)
{
    stn_zap *zap = ctx;
    (void)turn;
    (void)fd;
    (void)ready;

    for (unsigned i = 0; i < REQUESTS_A_TURN; i++) {
        struct part parts[PARTS] = {0};
        size_t n = 0;
        int more = 1;

        while (more) {
            zmq_msg_t msg;
            zmq_msg_init(&msg);
            if (zmq_msg_recv(&msg, zap->socket, ZMQ_DONTWAIT) < 0) {
                zmq_msg_close(&msg);
                return;
            }
            more = zmq_msg_more(&msg);
            if (n < PARTS) {
                size_t len = zmq_msg_size(&msg);
                parts[n].len = len < PART_MAX ? len : PART_MAX - 1;
                memcpy(parts[n].bytes, zmq_msg_data(&msg), parts[n].len);
                n++;
            }
            zmq_msg_close(&msg);
        }
        judge(zap, parts, n);
    }
}

stn_status stn_zap_new(void *zctx, stn_loop *loop, stn_zap **out, stn_err *err)
{
    stn_zap *zap = calloc(1, sizeof *zap);
    int linger = 0;
    stn_status st;

    *out = NULL;
    if (!zap)
        return stn_fail(err, STN_NO_MEMORY, "key check");
    zap->socket = zmq_socket(zctx, ZMQ_REP);
    if (!zap->socket || zmq_setsockopt(zap->socket, ZMQ_LINGER, &linger, sizeof linger) != 0 ||
        zmq_bind(zap->socket, "inproc://zeromq.zap.01") != 0) {
        st = stn_fail(err, STN_IO, "key check: %s", zmq_strerror(errno));
        stn_zap_free(zap);
        return st;
    }
    st = stn_loop_watch_socket(loop, zap->socket, on_request, zap, &zap->watch, err);
    if (st != STN_OK) {
        stn_zap_free(zap);
        return st;
    }
    *out = zap;
    return STN_OK;
}

void stn_zap_free(stn_zap *zap)
{
    if (!zap)
        return;
    stn_watch_free(zap->watch);
    if (zap->socket)
        zmq_close(zap->socket);
    for (unsigned i = 0; i < DOMAINS; i++)
        free(zap->domains[i]);
    free(zap);
}

stn_status stn_zap_add(stn_zap *zap, const char *folder, void (*denied)(void *ctx, const char *text),
                       void *ctx, const char **domain, stn_err *err)
{
    for (unsigned i = 0; i < DOMAINS; i++) {
        struct domain *d;

        if (zap->domains[i])
            continue;
        d = calloc(1, sizeof *d);
        if (!d)
            return stn_fail(err, STN_NO_MEMORY, "key check");
        if (strlen(folder) >= sizeof d->folder) {
            free(d);
            return stn_fail(err, STN_TOO_BIG, "allow list %.100s: path too long", folder);
        }
        strcpy(d->folder, folder);
        snprintf(d->name, sizeof d->name, "door%u", zap->made++ % 1000000);
        d->denied = denied;
        d->ctx = ctx;
        zap->domains[i] = d;
        *domain = d->name;
        return STN_OK;
    }
    return stn_fail(err, STN_TOO_BIG, "more than %u endpoints with keys", DOMAINS);
}

void stn_zap_remove(stn_zap *zap, const char *domain)
{
    for (unsigned i = 0; i < DOMAINS; i++)
        if (zap->domains[i] && strcmp(zap->domains[i]->name, domain) == 0) {
            free(zap->domains[i]);
            zap->domains[i] = NULL;
        }
}
