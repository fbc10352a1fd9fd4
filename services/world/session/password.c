#include "world/session/password.h"

#include <argon2.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

static stn_status int_at(const stn_value *d, size_t n, size_t i, const char *what, int32_t most, int32_t *out,
                         stn_err *err)
{
    if (i >= n || stn_value_as_int(&d[i], out, NULL) != STN_OK || *out < 0)
        return stn_fail(err, STN_BAD_DATA, "password hash %s: argument %zu is no cost", what, i);
    if (*out > most)
        return stn_fail(err, STN_TOO_BIG, "password hash %s: the server wants cost %d, the most is %d", what,
                        *out, most);
    return STN_OK;
}

static stn_status salt_at(const stn_value *d, size_t n, size_t i, const char *what, const uint8_t **salt,
                          size_t *len, stn_err *err)
{
    if (i >= n || d[i].kind != STN_VALUE_BYTES)
        return stn_fail(err, STN_BAD_DATA, "password hash %s: argument %zu is no salt", what, i);
    *salt = d[i].u.bytes;
    *len = d[i].len;
    return STN_OK;
}

static stn_status hash_sha256(const uint8_t *pw, size_t pw_len, uint8_t *out, stn_err *err)
{
    if (EVP_Digest(pw, pw_len, out, NULL, EVP_sha256(), NULL) > 0)
        return STN_OK;
    return stn_fail(err, STN_IO, "OpenSSL does not make a SHA-256");
}

static stn_status hash_pbkdf2(const stn_value *d, size_t n, const uint8_t *pw, size_t pw_len, uint8_t *out,
                              stn_err *err)
{
    int32_t cost;
    const uint8_t *salt = NULL;
    size_t salt_len = 0;
    stn_status st;

    if ((st = int_at(d, n, 1, "pbkdf2", 24, &cost, err)) ||
        (st = salt_at(d, n, 2, "pbkdf2", &salt, &salt_len, err)))
        return st;
    if (PKCS5_PBKDF2_HMAC((const char *)pw, (int)pw_len, salt, (int)salt_len, 1 << cost, EVP_sha256(), 32,
                          out) > 0)
        return STN_OK;
    return stn_fail(err, STN_IO, "OpenSSL does not make a PBKDF2");
}

static stn_status hash_argon2(const stn_value *d, size_t n, const uint8_t *pw, size_t pw_len, uint8_t *out,
                              stn_err *err)
{
    int32_t t, m, p;
    const uint8_t *salt = NULL;
    size_t salt_len = 0;
    stn_status st;
    argon2_context ctx;
    int rc;

    if ((st = int_at(d, n, 1, "argon2", 1 << 23, &t, err)) || (st = int_at(d, n, 2, "argon2", 21, &m, err)) ||
        (st = int_at(d, n, 3, "argon2", 255, &p, err)) ||
        (st = salt_at(d, n, 4, "argon2", &salt, &salt_len, err)))
        return st;
    if ((int64_t)t << m > INT64_C(1) << 23)
        return stn_fail(
            err, STN_TOO_BIG,
            "password hash argon2: the server wants %d passes over 2^%d KiB, the most is 2^23 together", t,
            m);
    memset(&ctx, 0, sizeof ctx);
    ctx.out = out;
    ctx.outlen = 32;
    ctx.pwd = (uint8_t *)(uintptr_t)pw; /* not written to */
    ctx.pwdlen = (uint32_t)pw_len;
    ctx.salt = (uint8_t *)(uintptr_t)salt;
    ctx.saltlen = (uint32_t)salt_len;
    ctx.t_cost = (uint32_t)t;
    ctx.m_cost = UINT32_C(1) << m;
    ctx.lanes = (uint32_t)p;
    ctx.threads = 1; /* the result depends on the lanes alone */
    ctx.version = ARGON2_VERSION_13;
    rc = argon2id_ctx(&ctx);
    return rc == ARGON2_OK
               ? STN_OK
               : stn_fail(err, STN_BAD_DATA, "password hash argon2: %s", argon2_error_message(rc));
}

static stn_status hash_pfcrypt(const stn_value *d, size_t n, const uint8_t *pw, size_t pw_len, uint8_t *out,
                               stn_err *err)
{
    int32_t t, m;
    const uint8_t *salt = NULL;
    size_t salt_len = 0;
    stn_status st;

    if ((st = int_at(d, n, 1, "pfcrypt", 16, &t, err)) || (st = int_at(d, n, 2, "pfcrypt", 18, &m, err)) ||
        (st = salt_at(d, n, 3, "pfcrypt", &salt, &salt_len, err)))
        return st;
    return stn_pufferfish2((unsigned)t, (unsigned)m, salt, salt_len, pw, pw_len, out, err);
}

stn_status stn_password_hash(const stn_value *description, size_t count, const uint8_t *password,
                             size_t password_len, uint8_t out[STN_HASH_MAX], size_t *len, stn_err *err)
{
    const char *kind;

    *len = 32;
    if (!count || stn_value_as_text(&description[0], &kind, NULL) != STN_OK)
        return stn_fail(err, STN_BAD_DATA, "the login service sent no description of a password hash");
    if (!strcmp(kind, "sha256"))
        return hash_sha256(password, password_len, out, err);
    if (!strcmp(kind, "pbkdf2"))
        return hash_pbkdf2(description, count, password, password_len, out, err);
    if (!strcmp(kind, "argon2"))
        return hash_argon2(description, count, password, password_len, out, err);
    if (!strcmp(kind, "pfcrypt")) {
        *len = 64;
        return hash_pfcrypt(description, count, password, password_len, out, err);
    }
    return stn_fail(err, STN_UNSUPPORTED, "Unknown password prehash: %.64s", kind);
}

/* ---- SRP */

/* H(bytes of x, bytes of y), each big-endian without leading zero bytes; y may be NULL. */
static bool hash_numbers(const BIGNUM *x, const BIGNUM *y, uint8_t out[32])
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    uint8_t bytes[512];
    const BIGNUM *both[2] = {x, y};
    bool ok = ctx && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) > 0;

    for (int i = 0; i < 2 && ok && both[i]; i++) {
        int n = BN_num_bytes(both[i]);

        ok = n <= (int)sizeof bytes && BN_bn2bin(both[i], bytes) == n &&
             EVP_DigestUpdate(ctx, bytes, (size_t)n) > 0;
    }
    ok = ok && EVP_DigestFinal_ex(ctx, out, NULL) > 0;
    EVP_MD_CTX_free(ctx);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return ok;
}

typedef struct srp_numbers {
    BIGNUM *n, *g, *x, *k, *b, *a, *pub, *u, *s, *t;
} srp_numbers;

/* S = (B - k * g^x) ^ (a + u * x) mod N, with u = H(A, B) and k = H(N, g). */
static bool srp_secret(srp_numbers *v, BN_CTX *ctx, stn_srp *out)
{
    uint8_t h[32];

    return BN_mod_exp(v->pub, v->g, v->a, v->n, ctx) && hash_numbers(v->n, v->g, h) &&
           BN_bin2bn(h, 32, v->k) && hash_numbers(v->pub, v->b, h) && BN_bin2bn(h, 32, v->u) &&
           BN_mod_exp(v->t, v->g, v->x, v->n, ctx) && BN_mod_mul(v->t, v->k, v->t, v->n, ctx) &&
           BN_mod_sub(v->t, v->b, v->t, v->n, ctx) && BN_mul(v->s, v->u, v->x, ctx) &&
           BN_add(v->s, v->s, v->a) && BN_mod_exp(v->s, v->t, v->s, v->n, ctx) &&
           hash_numbers(v->s, NULL, out->key);
}

stn_status stn_srp_answer(const uint8_t *hash, size_t hash_len, const uint8_t *b_public, size_t b_len,
                          const uint8_t secret[STN_SRP_SECRET], const uint8_t *challenge,
                          size_t challenge_len, stn_srp *out, stn_err *err)
{
    BN_CTX *ctx = BN_CTX_secure_new();
    srp_numbers v = {0};
    stn_status st = STN_IO;
    unsigned proof_len = 32;

    if (!ctx)
        return stn_fail(err, STN_NO_MEMORY, "numbers of the login");
    BN_CTX_start(ctx);
    v.n = BN_get_rfc3526_prime_4096(NULL); /* the prime of the group; its generator is 2 here */
    v.g = BN_CTX_get(ctx);
    v.x = BN_CTX_get(ctx);
    v.k = BN_CTX_get(ctx);
    v.b = BN_CTX_get(ctx);
    v.a = BN_CTX_get(ctx);
    v.pub = BN_CTX_get(ctx);
    v.u = BN_CTX_get(ctx);
    v.s = BN_CTX_get(ctx);
    v.t = BN_CTX_get(ctx);
    if (b_len > 4096) {
        st = stn_fail(err, STN_TOO_BIG, "the login service's number has %zu bytes", b_len);
    } else if (!v.n || !v.t || !BN_set_word(v.g, 2) || !BN_bin2bn(hash, (int)hash_len, v.x) ||
               !BN_bin2bn(b_public, (int)b_len, v.b) || !BN_bin2bn(secret, STN_SRP_SECRET, v.a) ||
               !BN_nnmod(v.b, v.b, v.n, ctx)) {
        st = stn_fail(err, STN_NO_MEMORY, "numbers of the login");
    } else if (BN_is_zero(v.b)) {
        st = stn_fail(err, STN_DENIED, "the login service's number is 0, which would give the password away");
    } else if (srp_secret(&v, ctx, out) &&
               HMAC(EVP_sha256(), out->key, 32, challenge, challenge_len, out->proof, &proof_len)) {
        out->a_len = (size_t)BN_bn2bin(v.pub, out->a_public);
        st = STN_OK;
    } else {
        st = stn_fail(err, STN_IO, "OpenSSL does not compute the login's numbers");
    }
    BN_free(v.n);
    BN_CTX_end(ctx);
    BN_CTX_free(ctx);
    return st;
}

static void put_bytes(stn_buf *out, const uint8_t *data, size_t len)
{
    stn_value v = {.kind = STN_VALUE_BYTES, .len = (uint32_t)len};

    v.u.bytes = data;
    stn_value_write(out, &v, NULL); /* fails with the buffer alone, which the caller tests */
}

void stn_srp_write(stn_buf *out, const stn_srp *srp, const uint8_t *challenge, size_t challenge_len)
{
    put_bytes(out, srp->a_public, srp->a_len);
    put_bytes(out, challenge, challenge_len);
    put_bytes(out, srp->proof, sizeof srp->proof);
}
