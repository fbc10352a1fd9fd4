/* Password hashes, SRP, key derivation, sealed packets, and the exchanges with the login service. */
#include "vec_session.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "session/crypt.h"
#include "world/session/auth.h"
#include "world/session/password.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A field's bytes against what we have. */
static bool field_is(const json_t *o, const char *key, const uint8_t *data, size_t len)
{
    size_t n;
    uint8_t *want = vec_field_hex(o, key, &n);
    bool same = want && n == len && !memcmp(want, data, len);

    free(want);
    return same;
}

static bool field_into(const json_t *o, const char *key, uint8_t *out, size_t len)
{
    size_t n;
    uint8_t *data = vec_field_hex(o, key, &n);
    bool fits = data && n == len;

    if (fits)
        memcpy(out, data, len);
    free(data);
    return fits;
}

/* The typed values of a hash description: text, integers and bytes. */
static size_t description(const json_t *list, stn_value *out, size_t cap, stn_arena *arena)
{
    size_t n = 0;

    for (; n < json_array_size(list) && n < cap; n++) {
        const json_t *o = json_array_get(list, n), *v = json_object_get(o, "v");
        const char *t = vec_text(o, "t", "");

        if (!strcmp(t, "str")) {
            out[n] = stn_value_text(json_string_value(v));
        } else if (!strcmp(t, "int")) {
            out[n] = stn_value_int((int32_t)json_integer_value(v));
        } else {
            size_t len;
            uint8_t *data = vec_field_hex(o, "v", &len);

            out[n] = (stn_value){.kind = STN_VALUE_BYTES, .len = (uint32_t)len};
            out[n].u.bytes = stn_arena_dup(arena, data, len ? len : 1);
            free(data);
        }
    }
    return n;
}

static bool prehash(const json_t *o, stn_arena *arena)
{
    stn_value spec[8];
    size_t n = description(json_object_get(o, "spec"), spec, 8, arena), pw_len, len;
    uint8_t *pw = vec_field_hex(o, "pw", &pw_len), out[STN_HASH_MAX];
    bool good =
        stn_password_hash(spec, n, pw, pw_len, out, &len, NULL) == STN_OK && field_is(o, "out", out, len);

    free(pw);
    return good;
}

static bool srp(const json_t *o)
{
    size_t hash_len, b_len, chal_len;
    uint8_t *hash = vec_field_hex(o, "phash", &hash_len), *b = vec_field_hex(o, "B", &b_len);
    uint8_t *chal = vec_field_hex(o, "chal", &chal_len), a[32];
    stn_buf answer = {0};
    stn_srp out;
    bool good = field_into(o, "a", a, sizeof a) &&
                stn_srp_answer(hash, hash_len, b, b_len, a, chal, chal_len, &out, NULL) == STN_OK &&
                field_is(o, "A", out.a_public, out.a_len);

    stn_srp_write(&answer, &out, chal, chal_len);
    good = good && field_is(o, "K", out.key, sizeof out.key) &&
           field_is(o, "sig", out.proof, sizeof out.proof) &&
           field_is(o, "response", answer.data, answer.len);
    stn_buf_fini(&answer);
    free(chal);
    free(b);
    free(hash);
    return good;
}

/* k is the hash of N and g; that N is our prime shows in the answer to it: 0 modulo a prime is that prime. */
static bool srp_const(const json_t *o)
{
    static const uint8_t nought[32];
    size_t n_len;
    uint8_t *n = vec_field_hex(o, "N", &n_len), *both = malloc(n_len + 1), k[32];
    stn_srp out;
    bool good = n && both;

    if (good) {
        memcpy(both, n, n_len);
        both[n_len] = (uint8_t)json_integer_value(json_object_get(o, "g"));
        good = EVP_Digest(both, n_len + 1, k, NULL, EVP_sha256(), NULL) > 0 &&
               field_is(o, "kmul", k, sizeof k) && both[n_len] == 2 && n_len == 512 &&
               stn_srp_answer(nought, 32, n, n_len, nought, nought, 32, &out, NULL) == STN_DENIED;
    }
    free(both);
    free(n);
    return good;
}

static bool hkdf(const json_t *o)
{
    size_t salt_len, ikm_len, info_len, len = (size_t)json_integer_value(json_object_get(o, "len"));
    uint8_t *salt = vec_field_hex(o, "salt", &salt_len), *ikm = vec_field_hex(o, "ikm", &ikm_len);
    uint8_t *info = vec_field_hex(o, "info", &info_len), *out = malloc(len + 1);
    bool good = out &&
                stn_hkdf_sha256(salt, salt_len, ikm, ikm_len, info, info_len, out, len, NULL) == STN_OK &&
                field_is(o, "out", out, len);

    free(out);
    free(info);
    free(ikm);
    free(salt);
    return good;
}

static bool packet(const json_t *o)
{
    size_t cookie_len, salt_len, len, sealed_len;
    uint8_t *cookie = vec_field_hex(o, "cookie", &cookie_len), *salt = vec_field_hex(o, "salt", &salt_len);
    uint8_t *plain = vec_field_hex(o, "plain", &len),
            *sealed = vec_field_hex(o, "cipher_and_tag", &sealed_len);
    uint8_t client[STN_CRYPT_KEY], server[STN_CRYPT_KEY], iv[8], *out = malloc(len + STN_CRYPT_TAG + 1);
    uint64_t seq = strtoull(vec_text(o, "seq", "0"), NULL, 10);
    bool good;

    stn_st64(iv, seq);
    good = out && stn_crypt_keys(cookie, cookie_len, salt, salt_len, client, server, NULL) == STN_OK &&
           field_is(o, "key_client", client, sizeof client) &&
           field_is(o, "key_server", server, sizeof server) && field_is(o, "iv", iv, sizeof iv) &&
           stn_packet_seal(client, seq, plain, len, out, NULL) == STN_OK &&
           sealed_len == len + STN_CRYPT_TAG && !memcmp(out, sealed, sealed_len) &&
           stn_packet_open(client, seq, sealed, sealed_len, out, NULL) == STN_OK && !memcmp(out, plain, len);
    if (good && len) {
        sealed[0] ^= 1;
        good = stn_packet_open(client, seq, sealed, sealed_len, out, NULL) == STN_DENIED;
    }
    free(out);
    free(sealed);
    free(plain);
    free(salt);
    free(cookie);
    return good;
}

static void crypto_cases(vec_report *r, const char *dir)
{
    size_t len, it = 0;
    uint8_t *text = vec_read(dir, "auth.jsonl", &len);
    stn_arena *arena = stn_arena_new(4096, 1u << 20);
    unsigned line = 0;
    json_t *o;

    while (arena && text && (o = vec_jsonl_next((const char *)text, len, &it)) != NULL) {
        const char *k = vec_text(o, "k", "");
        bool good;

        line++;
        stn_arena_reset(arena);
        if (!strcmp(k, "prehash"))
            good = prehash(o, arena);
        else if (!strcmp(k, "srp"))
            good = srp(o);
        else if (!strcmp(k, "hkdf-sha256"))
            good = hkdf(o);
        else if (!strcmp(k, "packet-crypt"))
            good = packet(o);
        else
            good = !strcmp(k, "srp-const") && srp_const(o);
        if (good)
            vec_pass(r);
        else
            vec_fail(r, "auth line %u: %s differs", line, k);
        json_decref(o);
    }
    stn_arena_free(arena);
    free(text);
}

/* ---- exchanges */

static stn_status begin(stn_auth *a, const char *op, stn_err *err)
{
    static const uint8_t id[3] = {9, 8, 7}, secret[32];
    uint8_t token[32];

    for (unsigned i = 0; i < 32; i++)
        token[i] = (uint8_t)(i * 7);
    if (!strncmp(op, "password", 8))
        return stn_auth_password(a, "Bj\xc3\xb6rn", (const uint8_t *)"hemligt", 7, secret, err);
    if (!strncmp(op, "token", 5))
        return stn_auth_token(a, "demo", token, err);
    if (!strncmp(op, "cookie", 6))
        return stn_auth_cookie(a, err);
    if (!strncmp(op, "logalias", 8))
        return stn_auth_alias(a, err);
    if (!strncmp(op, "hosts", 5))
        return stn_auth_hosts(a, err);
    if (!strcmp(op, "mktoken-noinfo"))
        return stn_auth_mktoken(a, NULL, 0, "", err);
    if (!strncmp(op, "mktoken", 7))
        return stn_auth_mktoken(a, id, sizeof id, "pc", err);
    return stn_fail(err, STN_UNSUPPORTED, "unknown operation %s", op);
}

/* What the operation gave, in the words of the file. */
static void result_text(const stn_auth *a, const char *op, char *out, size_t cap)
{
    const stn_auth_host *hosts;
    size_t n;

    out[0] = 0;
    if (!strncmp(op, "cookie", 6) || !strncmp(op, "mktoken", 7)) {
        for (size_t i = 0; i < 32; i++)
            snprintf(out + 2 * i, cap - 2 * i, "%02x", stn_auth_bytes(a)[i]);
    } else if (!strncmp(op, "hosts", 5)) {
        n = stn_auth_host_list(a, &hosts);
        if (!n)
            snprintf(out, cap, "0");
        for (size_t i = 0; i < n; i++)
            snprintf(out + strlen(out), cap - strlen(out), "%s%s:%u", i ? " " : "",
                     hosts[i].host[0] ? hosts[i].host : "auth.example", hosts[i].port);
    } else {
        snprintf(out, cap, "%s", stn_auth_text(a));
    }
}

static void one_exchange(vec_report *r, const char *file, const json_t *o)
{
    const char *op = vec_text(o, "op", ""), *want = vec_text(o, "result", "");
    stn_auth *a = stn_auth_new(!strcmp(vec_text(o, "dialect", ""), "positional") ? STN_AUTH_POSITIONAL
                                                                                 : STN_AUTH_KEYWORDED);
    stn_buf sent = {0};
    stn_err err = {0};
    stn_status st = begin(a, op, &err);
    size_t next = 0;
    char have[2048];

    while (st == STN_OK || st == STN_AGAIN) {
        const json_t *replies = json_object_get(o, "replies");
        uint8_t *data;
        size_t len;

        stn_buf_put(&sent, stn_auth_output(a)->data, stn_auth_output(a)->len);
        stn_buf_clear(stn_auth_output(a));
        if (next == json_array_size(replies))
            break;
        data = vec_unhex(json_string_value(json_array_get(replies, next++)), &len);
        /* In two parts: a reply may be cut anywhere on its way. */
        st = stn_auth_input(a, data, len / 2, &err);
        if (st == STN_OK && (st = stn_auth_poll(a, &err)) == STN_AGAIN &&
            (st = stn_auth_input(a, data + len / 2, len - len / 2, &err)) == STN_OK)
            st = stn_auth_poll(a, &err);
        free(data);
    }
    result_text(a, op, have, sizeof have);
    if (!field_is(o, "sent", sent.data, sent.len)) {
        vec_fail(r, "%s %s: what is sent differs", file, op);
    } else if (!strncmp(want, "error: ", 7)) {
        const char *said = strstr(want, "AuthException: ");

        /* A refusal keeps the service's words; what the reference dies of is an error of some kind. */
        if (st == STN_OK || st == STN_AGAIN || (said && !strstr(err.text, said + 15)))
            vec_fail(r, "%s %s: wanted \"%s\", have %s \"%s\"", file, op, want, stn_status_name(st),
                     err.text);
        else
            vec_pass(r);
    } else if (st != STN_OK || strcmp(have, want)) {
        vec_fail(r, "%s %s: wanted \"%s\", have \"%s\" (%s)", file, op, want, have, err.text);
    } else {
        vec_pass(r);
    }
    stn_buf_fini(&sent);
    stn_auth_free(a);
}

void vec_session_auth(vec_report *r, const char *dir)
{
    char **names = vec_list(dir, ".jsonl");
    json_t *o;

    crypto_cases(r, dir);
    for (size_t i = 0; names[i]; i++) {
        size_t len, it = 0;
        uint8_t *text;

        if (strncmp(names[i], "authframe", 9))
            continue;
        text = vec_read(dir, names[i], &len);
        while (text && (o = vec_jsonl_next((const char *)text, len, &it)) != NULL) {
            one_exchange(r, names[i], o);
            json_decref(o);
        }
        free(text);
    }
    vec_list_free(names);
}
