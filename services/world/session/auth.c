#include "world/session/auth.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "session/wire.h"
#include "world/session/password.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_MAX 65535
#define DEPTH 64
#define PASSWORD_MAX 1024

typedef enum step {
    STEP_NONE,
    STEP_PWDATA, /* waiting for the description of the hash */
    STEP_NAME, /* for an account name, an alias or an address */
    STEP_BYTES, /* for 32 bytes */
    STEP_HOSTS,
} step;

struct stn_auth {
    stn_auth_dialect dialect;
    step step;
    stn_buf out, in;
    stn_arena *arena;
    char user[256];
    uint8_t password[PASSWORD_MAX];
    size_t password_len;
    uint8_t secret[32];
    char text[1024];
    uint8_t bytes[32];
    stn_auth_host hosts[STN_AUTH_HOSTS];
    size_t n_hosts;
};

stn_auth *stn_auth_new(stn_auth_dialect dialect)
{
    stn_auth *a = calloc(1, sizeof *a);

    if (!a || !(a->arena = stn_arena_new(4096, 1u << 20))) {
        free(a);
        return NULL;
    }
    a->dialect = dialect;
    return a;
}

void stn_auth_free(stn_auth *a)
{
    if (!a)
        return;
    if (a->out.data)
        OPENSSL_cleanse(a->out.data, a->out.cap);
    if (a->in.data)
        OPENSSL_cleanse(a->in.data, a->in.cap);
    stn_buf_fini(&a->out);
    stn_buf_fini(&a->in);
    stn_arena_free(a->arena);
    OPENSSL_cleanse(a, sizeof *a);
    free(a);
}

/* ---- requests */

static void put_bytes(stn_buf *b, const uint8_t *data, size_t len)
{
    stn_buf_u8(b, STN_TAG_BYTES);
    if (len < 128) {
        stn_buf_u8(b, (uint8_t)len);
    } else {
        stn_buf_u8(b, 0x80);
        stn_buf_u32(b, (uint32_t)len);
    }
    stn_buf_put(b, data, len);
}

static void put_text(stn_buf *b, const char *text)
{
    stn_buf_u8(b, STN_TAG_TEXT);
    stn_buf_cstr(b, text);
}

static void put_command(const stn_auth *a, stn_buf *b, const char *command)
{
    stn_buf_put(b, command, strlen(command));
    if (a->dialect == STN_AUTH_KEYWORDED)
        stn_buf_u8(b, '*');
    stn_buf_u8(b, 0);
}

static void put_text_arg(const stn_auth *a, stn_buf *b, const char *key, const char *text)
{
    if (a->dialect == STN_AUTH_KEYWORDED) {
        stn_buf_cstr(b, key);
        put_text(b, text);
    } else {
        stn_buf_cstr(b, text);
    }
}

static void put_bytes_arg(const stn_auth *a, stn_buf *b, const char *key, const uint8_t *data, size_t len)
{
    if (a->dialect == STN_AUTH_KEYWORDED) {
        stn_buf_cstr(b, key);
        put_bytes(b, data, len);
    } else {
        stn_buf_put(b, data, len);
    }
}

/* Frames a message; it is wiped, since it may hold a secret. */
static stn_status send_message(stn_auth *a, stn_buf *m, step next, stn_err *err)
{
    stn_status st = STN_OK;

    if (m->failed || m->len > MESSAGE_MAX) {
        st = stn_fail(err, STN_TOO_BIG, "login message of %zu bytes, the most is %d", m->len, MESSAGE_MAX);
    } else {
        stn_buf_u8(&a->out, (uint8_t)(m->len >> 8));
        stn_buf_u8(&a->out, (uint8_t)m->len);
        stn_buf_put(&a->out, m->data, m->len);
        a->step = next;
        if (a->out.failed)
            st = stn_fail(err, STN_NO_MEMORY, "login message of %zu bytes", m->len);
    }
    if (m->data)
        OPENSSL_cleanse(m->data, m->cap);
    stn_buf_fini(m);
    return st;
}

static stn_status begin(stn_auth *a, stn_err *err)
{
    if (a->step != STEP_NONE)
        return stn_fail(err, STN_USAGE, "the login service has not answered the request before");
    a->text[0] = 0;
    a->n_hosts = 0;
    return STN_OK;
}

stn_status stn_auth_password(stn_auth *a, const char *user, const uint8_t *password, size_t len,
                             const uint8_t secret[32], stn_err *err)
{
    stn_status st = begin(a, err);
    stn_buf m = {0};

    if (st)
        return st;
    if (len > sizeof a->password || strlen(user) >= sizeof a->user)
        return stn_fail(err, STN_TOO_BIG, "user name of %zu or password of %zu bytes is too long",
                        strlen(user), len);
    snprintf(a->user, sizeof a->user, "%s", user);
    memcpy(a->password, password, len);
    a->password_len = len;
    memcpy(a->secret, secret, sizeof a->secret);
    put_command(a, &m, "pwdata");
    put_text_arg(a, &m, "user", user);
    return send_message(a, &m, STEP_PWDATA, err);
}

stn_status stn_auth_token(stn_auth *a, const char *user, const uint8_t token[STN_AUTH_TOKEN], stn_err *err)
{
    stn_status st = begin(a, err);
    stn_buf m = {0};

    if (st)
        return st;
    put_command(a, &m, "token");
    put_text_arg(a, &m, "user", user);
    put_bytes_arg(a, &m, "token", token, STN_AUTH_TOKEN);
    return send_message(a, &m, STEP_NAME, err);
}

/* A command with one text argument, or none. */
static stn_status simple(stn_auth *a, const char *command, const char *key, const char *text, step next,
                         stn_err *err)
{
    stn_status st = begin(a, err);
    stn_buf m = {0};

    if (st)
        return st;
    put_command(a, &m, command);
    if (text)
        put_text_arg(a, &m, key, text);
    return send_message(a, &m, next, err);
}

stn_status stn_auth_steam(stn_auth *a, const char *ticket, stn_err *err)
{
    return simple(a, "steam", "ticket", ticket, STEP_NAME, err);
}

stn_status stn_auth_web(stn_auth *a, const char *method, stn_err *err)
{
    if (a->dialect != STN_AUTH_POSITIONAL)
        return stn_fail(err, STN_UNSUPPORTED,
                        "logging in on a web page exists in the positional dialect alone");
    return simple(a, "web", "", method, STEP_NAME, err);
}

stn_status stn_auth_wait(stn_auth *a, stn_err *err)
{
    return simple(a, "wait", NULL, NULL, STEP_NAME, err);
}

stn_status stn_auth_cookie(stn_auth *a, stn_err *err)
{
    return simple(a, "cookie", NULL, NULL, STEP_BYTES, err);
}

stn_status stn_auth_alias(stn_auth *a, stn_err *err)
{
    return simple(a, "logalias", NULL, NULL, STEP_NAME, err);
}

stn_status stn_auth_hosts(stn_auth *a, stn_err *err)
{
    return simple(a, "hosts", NULL, NULL, STEP_HOSTS, err);
}

stn_status stn_auth_mktoken(stn_auth *a, const uint8_t *id, size_t id_len, const char *desc, stn_err *err)
{
    stn_status st = begin(a, err);
    stn_buf m = {0};
    bool keyed = a->dialect == STN_AUTH_KEYWORDED;

    if (st)
        return st;
    put_command(a, &m, "mktoken");
    if (id_len && keyed) {
        stn_buf_cstr(&m, "id");
        put_bytes(&m, id, id_len);
    } else if (id_len) {
        stn_buf_u8(&m, STN_TAG_LIST);
        put_text(&m, "id");
        put_bytes(&m, id, id_len);
        stn_buf_u8(&m, STN_TAG_END);
    }
    if (desc[0] && keyed) {
        stn_buf_cstr(&m, "desc");
        put_text(&m, desc);
    } else if (desc[0]) {
        stn_buf_u8(&m, STN_TAG_LIST);
        put_text(&m, "desc");
        put_text(&m, desc);
        stn_buf_u8(&m, STN_TAG_END);
    }
    return send_message(a, &m, STEP_BYTES, err);
}

/* ---- replies */

stn_buf *stn_auth_output(stn_auth *a)
{
    return &a->out;
}

stn_status stn_auth_input(stn_auth *a, const uint8_t *data, size_t len, stn_err *err)
{
    if (a->in.len + len > MESSAGE_MAX + 2)
        return stn_fail(err, STN_BAD_DATA, "the login service sends without being asked");
    stn_buf_put(&a->in, data, len);
    return a->in.failed ? stn_fail(err, STN_NO_MEMORY, "login reply") : STN_OK;
}

/* Text from the other side: repaired, and cut where it does not fit. */
static void keep_text(char *out, size_t cap, const char *text)
{
    stn_buf b = {0};

    stn_wire_text(&b, (const uint8_t *)text, strlen(text));
    stn_buf_u8(&b, 0);
    snprintf(out, cap, "%s", b.failed ? "" : (const char *)b.data);
    stn_buf_fini(&b);
}

static stn_status answer_password(stn_auth *a, stn_bytes *in, stn_err *err)
{
    stn_values d;
    const char *kind = "";
    uint8_t hash[STN_HASH_MAX];
    size_t hash_len;
    stn_buf m = {0}, proof = {0};
    stn_srp srp;
    stn_status st = stn_values_read(in, a->arena, DEPTH, &d, NULL, NULL, err);

    if (st)
        return st;
    if (!d.count || stn_value_as_text(&d.items[0], &kind, NULL) != STN_OK)
        return stn_fail(err, STN_BAD_DATA, "the login service sent no description of a password hash");
    if (!strcmp(kind, "srp")) {
        if (d.count < 4 || d.items[1].kind != STN_VALUE_LIST || d.items[2].kind != STN_VALUE_BYTES ||
            d.items[3].kind != STN_VALUE_BYTES)
            return stn_fail(err, STN_BAD_DATA,
                            "the login service's SRP needs a hash, a number and a challenge");
        st = stn_password_hash(d.items[1].u.list.items, d.items[1].u.list.count, a->password, a->password_len,
                               hash, &hash_len, err);
        if (st == STN_OK)
            st = stn_srp_answer(hash, hash_len, d.items[2].u.bytes, d.items[2].len, a->secret,
                                d.items[3].u.bytes, d.items[3].len, &srp, err);
        if (st == STN_OK)
            stn_srp_write(&proof, &srp, d.items[3].u.bytes, d.items[3].len);
        OPENSSL_cleanse(&srp, sizeof srp);
    } else {
        /* With "prehash" in front the rest is the description; without, all of it. */
        size_t skip = !strcmp(kind, "prehash") ? 1 : 0;

        st = stn_password_hash(d.items + skip, d.count - skip, a->password, a->password_len, hash, &hash_len,
                               err);
        if (st == STN_OK)
            stn_buf_put(&proof, hash, hash_len);
    }
    OPENSSL_cleanse(hash, sizeof hash);
    OPENSSL_cleanse(a->password, sizeof a->password);
    OPENSSL_cleanse(a->secret, sizeof a->secret);
    if (st == STN_OK) {
        put_command(a, &m, "pw");
        put_text_arg(a, &m, "user", a->user);
        put_bytes_arg(a, &m, "phash", proof.data, proof.len);
        st = send_message(a, &m, STEP_NAME, err);
    }
    if (proof.data)
        OPENSSL_cleanse(proof.data, proof.cap);
    stn_buf_fini(&proof);
    return st == STN_OK ? STN_AGAIN : st;
}

static stn_status read_hosts(stn_auth *a, stn_bytes *in, stn_err *err)
{
    stn_values list;
    stn_status st = stn_values_read(in, a->arena, DEPTH, &list, NULL, NULL, err);

    for (uint32_t i = 0; st == STN_OK && i < list.count && a->n_hosts < STN_AUTH_HOSTS; i++) {
        stn_auth_host *h = &a->hosts[a->n_hosts];
        const stn_value *host, *port;
        const char *name = "";
        int32_t number = STN_GAME_PORT;

        if (list.items[i].kind != STN_VALUE_MAP)
            return stn_fail(err, STN_BAD_DATA, "entry %u of the login service's hosts is a %s, wanted a map",
                            i, stn_value_kind_name(list.items[i].kind));
        host = stn_map_get(list.items[i].u.map, "host");
        port = stn_map_get(list.items[i].u.map, "port");
        if ((host && (st = stn_value_as_text(host, &name, err)) != STN_OK) ||
            (port && (st = stn_value_as_int(port, &number, err)) != STN_OK))
            return st;
        if (number < 1 || number > 65535 || strlen(name) >= sizeof h->host)
            return stn_fail(err, STN_BAD_DATA,
                            "entry %u of the login service's hosts: port %d, name of %zu bytes", i, number,
                            strlen(name));
        keep_text(h->host, sizeof h->host, name);
        h->port = (uint16_t)number;
        a->n_hosts++;
    }
    return st;
}

static stn_status on_ok(stn_auth *a, step was, stn_bytes *in, stn_err *err)
{
    const char *text;

    switch (was) {
    case STEP_PWDATA:
        return answer_password(a, in, err);
    case STEP_NAME:
        text = stn_bytes_cstr(in, NULL);
        if (!text)
            return stn_fail(err, STN_TRUNCATED, "the login service's reply holds no text");
        keep_text(a->text, sizeof a->text, text);
        return STN_OK;
    case STEP_BYTES:
        if (stn_bytes_left(in) < sizeof a->bytes)
            return stn_fail(err, STN_TRUNCATED, "the login service's reply holds %zu bytes, wanted %zu",
                            stn_bytes_left(in), sizeof a->bytes);
        memcpy(a->bytes, stn_bytes_take(in, sizeof a->bytes), sizeof a->bytes);
        return STN_OK;
    case STEP_HOSTS:
        return read_hosts(a, in, err);
    case STEP_NONE:
        break;
    }
    return stn_fail(err, STN_BAD_DATA, "the login service answered without being asked");
}

stn_status stn_auth_poll(stn_auth *a, stn_err *err)
{
    stn_bytes in;
    const char *status;
    step was = a->step;
    size_t len;
    stn_status st;

    if (was == STEP_NONE)
        return STN_OK;
    if (a->in.len < 2)
        return STN_AGAIN;
    len = (size_t)a->in.data[0] << 8 | a->in.data[1];
    if (a->in.len < len + 2)
        return STN_AGAIN;
    in = stn_bytes_of(a->in.data + 2, len);
    stn_arena_reset(a->arena);
    a->step = STEP_NONE;
    status = stn_bytes_cstr(&in, NULL);
    if (!status) {
        st = stn_fail(err, STN_TRUNCATED, "the login service's reply of %zu bytes holds no status", len);
    } else if (!strcmp(status, "ok")) {
        st = on_ok(a, was, &in, err);
    } else if (was == STEP_HOSTS) {
        st = STN_OK; /* it has no list of hosts to give */
    } else if (!strcmp(status, "no")) {
        char why[200];
        const char *text = stn_bytes_cstr(&in, NULL);

        keep_text(why, sizeof why, text ? text : "refused without a reason");
        st = stn_fail(err, STN_DENIED, "%s", why);
    } else {
        char shown[64];

        keep_text(shown, sizeof shown, status);
        st = stn_fail(err, STN_BAD_DATA,
                      "the login service's reply begins with \"%s\", wanted \"ok\" or \"no\"", shown);
    }
    OPENSSL_cleanse(a->in.data, len + 2);
    memmove(a->in.data, a->in.data + len + 2, a->in.len - len - 2);
    a->in.len -= len + 2;
    return st;
}

const char *stn_auth_text(const stn_auth *a)
{
    return a->text;
}

const uint8_t *stn_auth_bytes(const stn_auth *a)
{
    return a->bytes;
}

size_t stn_auth_host_list(const stn_auth *a, const stn_auth_host **hosts)
{
    *hosts = a->hosts;
    return a->n_hosts;
}
