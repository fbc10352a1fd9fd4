#include "session/crypt.h"

#include "base/bytes.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

#define IV 8

struct stn_crypt {
    uint8_t seal_key[STN_CRYPT_KEY];
    uint8_t open_key[STN_CRYPT_KEY];
    uint64_t next;
    int64_t newest; /* greatest packet number accepted */
    int64_t seen[STN_CRYPT_WINDOW]; /* ascending */
    unsigned n_seen;
};

stn_status stn_hkdf_sha256(const uint8_t *salt, size_t salt_len, const uint8_t *key, size_t key_len,
                           const uint8_t *info, size_t info_len, uint8_t *out, size_t out_len, stn_err *err)
{
    static const uint8_t no_salt[32];
    static char digest[] = "SHA256";
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *ctx = kdf ? EVP_KDF_CTX_new(kdf) : NULL;
    OSSL_PARAM p[5];
    int ok = 0;

    if (!salt) {
        salt = no_salt;
        salt_len = sizeof no_salt;
    }
    p[0] = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0);
    /* The parameter type is not const, but a key derivation only reads these. */
    p[1] = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)(uintptr_t)key, key_len);
    p[2] = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)(uintptr_t)salt, salt_len);
    p[3] = OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)(uintptr_t)info, info_len);
    p[4] = OSSL_PARAM_construct_end();
    if (ctx)
        ok = EVP_KDF_derive(ctx, out, out_len, p) > 0;
    EVP_KDF_CTX_free(ctx);
    EVP_KDF_free(kdf);
    return ok ? STN_OK
              : stn_fail(err, STN_IO, "OpenSSL does not derive %zu bytes with HKDF-SHA-256", out_len);
}

stn_status stn_crypt_keys(const uint8_t *cookie, size_t cookie_len, const uint8_t *salt, size_t salt_len,
                          uint8_t client_key[STN_CRYPT_KEY], uint8_t server_key[STN_CRYPT_KEY], stn_err *err)
{
    stn_status st = stn_hkdf_sha256(salt, salt_len, cookie, cookie_len, (const uint8_t *)"client", 6,
                                    client_key, STN_CRYPT_KEY, err);

    if (st == STN_OK)
        st = stn_hkdf_sha256(salt, salt_len, cookie, cookie_len, (const uint8_t *)"server", 6, server_key,
                             STN_CRYPT_KEY, err);
    return st;
}

stn_status stn_packet_seal(const uint8_t key[STN_CRYPT_KEY], uint64_t number, const uint8_t *plain,
                           size_t len, uint8_t *out, stn_err *err)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    uint8_t iv[IV];
    int n = 0, m = 0, ok;

    stn_st64(iv, number);
    ok = ctx && EVP_EncryptInit_ex(ctx, EVP_aes_128_gcm(), NULL, NULL, NULL) > 0 &&
         EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_IVLEN, IV, NULL) > 0 &&
         EVP_EncryptInit_ex(ctx, NULL, NULL, key, iv) > 0 &&
         (!len || EVP_EncryptUpdate(ctx, out, &n, plain, (int)len) > 0) &&
         EVP_EncryptFinal_ex(ctx, out + n, &m) > 0 &&
         EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_GET_TAG, STN_CRYPT_TAG, out + len) > 0;
    EVP_CIPHER_CTX_free(ctx);
    return ok ? STN_OK : stn_fail(err, STN_IO, "OpenSSL does not seal a packet of %zu bytes", len);
}

stn_status stn_packet_open(const uint8_t key[STN_CRYPT_KEY], uint64_t number, const uint8_t *sealed,
                           size_t len, uint8_t *out, stn_err *err)
{
    EVP_CIPHER_CTX *ctx;
    uint8_t iv[IV], tag[STN_CRYPT_TAG];
    int n = 0, m = 0, ok;
    size_t plain = len - STN_CRYPT_TAG;

    if (len < STN_CRYPT_TAG)
        return stn_fail(err, STN_TRUNCATED, "sealed packet of %zu bytes: the tag alone has %d", len,
                        STN_CRYPT_TAG);
    ctx = EVP_CIPHER_CTX_new();
    stn_st64(iv, number);
    memcpy(tag, sealed + plain, STN_CRYPT_TAG);
    ok = ctx && EVP_DecryptInit_ex(ctx, EVP_aes_128_gcm(), NULL, NULL, NULL) > 0 &&
         EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_IVLEN, IV, NULL) > 0 &&
         EVP_DecryptInit_ex(ctx, NULL, NULL, key, iv) > 0 &&
         (!plain || EVP_DecryptUpdate(ctx, out, &n, sealed, (int)plain) > 0) &&
         EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_GCM_SET_TAG, STN_CRYPT_TAG, tag) > 0 &&
         EVP_DecryptFinal_ex(ctx, out + n, &m) > 0;
    EVP_CIPHER_CTX_free(ctx);
    return ok ? STN_OK : stn_fail(err, STN_DENIED, "sealed packet of %zu bytes: the tag does not match", len);
}

stn_status stn_crypt_new(const uint8_t *cookie, size_t cookie_len, const uint8_t *salt, size_t salt_len,
                         bool client, stn_crypt **out, stn_err *err)
{
    stn_crypt *c = calloc(1, sizeof *c);
    stn_status st;

    *out = NULL;
    if (!c)
        return stn_fail(err, STN_NO_MEMORY, "session keys");
    st = stn_crypt_keys(cookie, cookie_len, salt, salt_len, client ? c->seal_key : c->open_key,
                        client ? c->open_key : c->seal_key, err);
    if (st) {
        stn_crypt_free(c);
        return st;
    }
    c->newest = -1;
    c->seen[0] = -1;
    c->n_seen = 1;
    *out = c;
    return STN_OK;
}

void stn_crypt_free(stn_crypt *c)
{
    if (!c)
        return;
    OPENSSL_cleanse(c, sizeof *c);
    free(c);
}

stn_status stn_crypt_seal(stn_crypt *c, const uint8_t *plain, size_t len, stn_buf *out, stn_err *err)
{
    uint64_t number = c->next;
    uint8_t *p = stn_buf_add(out, len + STN_CRYPT_OVERHEAD);

    if (!p)
        return stn_fail(err, STN_NO_MEMORY, "sealed packet of %zu bytes", len);
    c->next++;
    p[0] = (uint8_t)number;
    p[1] = (uint8_t)(number >> 8);
    p[2] = (uint8_t)(number >> 16);
    return stn_packet_seal(c->seal_key, number, plain, len, p + 3, err);
}

static int64_t sx24(int64_t v)
{
    v &= 0xffffff;
    return v & 0x800000 ? v - 0x1000000 : v;
}

/* The 64-bit number nearest to the newest accepted one that has these low 24 bits. */
static int64_t extend(const stn_crypt *c, uint32_t low)
{
    int64_t n = (c->newest & ~INT64_C(0xffffff)) | low;

    if (sx24(n - c->newest) > 0 && n < c->newest)
        n += 0x1000000;
    else if (sx24(n - c->newest) < 0 && n > c->newest)
        n -= 0x1000000;
    return n;
}

/* Where n belongs in the ascending list of accepted numbers. */
static unsigned place_of(const stn_crypt *c, int64_t n)
{
    unsigned lo = 0, hi = c->n_seen;

    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;

        if (c->seen[mid] < n)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void accept(stn_crypt *c, int64_t n)
{
    unsigned at = place_of(c, n);

    if (c->n_seen == STN_CRYPT_WINDOW) {
        /* The smallest goes; n is greater than it, so it keeps a place. */
        memmove(c->seen, c->seen + 1, (at - 1) * sizeof *c->seen);
        c->seen[at - 1] = n;
    } else {
        memmove(c->seen + at + 1, c->seen + at, (c->n_seen - at) * sizeof *c->seen);
        c->seen[at] = n;
        c->n_seen++;
    }
    if (n > c->newest)
        c->newest = n;
}

stn_status stn_crypt_open(stn_crypt *c, const uint8_t *blob, size_t len, stn_buf *out, stn_err *err)
{
    int64_t n;
    unsigned at;
    uint8_t *p;
    size_t plain = len - STN_CRYPT_OVERHEAD, before = out->len;
    stn_status st;

    if (len < STN_CRYPT_OVERHEAD)
        return stn_fail(err, STN_TRUNCATED, "sealed packet of %zu bytes: the least is %d", len,
                        STN_CRYPT_OVERHEAD);
    n = extend(c, blob[0] | (uint32_t)blob[1] << 8 | (uint32_t)blob[2] << 16);
    if (n <= c->seen[0])
        return stn_fail(err, STN_BUSY, "packet %lld is older than the replay window", (long long)n);
    p = stn_buf_add(out, plain);
    if (!p && plain)
        return stn_fail(err, STN_NO_MEMORY, "packet of %zu bytes", plain);
    st = stn_packet_open(c->open_key, (uint64_t)n, blob + 3, len - 3, p, err);
    if (st == STN_OK) {
        at = place_of(c, n);
        if (at < c->n_seen && c->seen[at] == n)
            st = stn_fail(err, STN_BUSY, "packet %lld came before", (long long)n);
    }
    if (st) {
        out->len = before;
        return st;
    }
    accept(c, n);
    return plain ? STN_OK : stn_fail(err, STN_BAD_DATA, "packet %lld is empty", (long long)n);
}
