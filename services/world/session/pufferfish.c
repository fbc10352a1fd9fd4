/* Pufferfish2, a password hash that needs much memory (docs/spec/session-protocol.md 2.4). */
#include "base/bytes.h"
#include "world/session/password.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

#define P_WORDS 18

/* The first 18 * 64 bits of the fraction of pi. */
static const uint64_t pi_words[P_WORDS] = {
    UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344), UINT64_C(0xa4093822299f31d0),
    UINT64_C(0x082efa98ec4e6c89), UINT64_C(0x452821e638d01377), UINT64_C(0xbe5466cf34e90c6c),
    UINT64_C(0xc0ac29b7c97c50dd), UINT64_C(0x3f84d5b5b5470917), UINT64_C(0x9216d5d98979fb1b),
    UINT64_C(0xd1310ba698dfb5ac), UINT64_C(0x2ffd72dbd01adfb7), UINT64_C(0xb8e1afed6a267e96),
    UINT64_C(0xba7c9045f12c7f99), UINT64_C(0x24a19947b3916cf7), UINT64_C(0x0801f2e2858efc16),
    UINT64_C(0x636920d871574e69), UINT64_C(0xa458fea3f4933d7e), UINT64_C(0x0d95748f728eb658),
};

typedef struct fish {
    unsigned shift; /* 64 - log2 of the words of a box */
    size_t words;
    uint64_t p[P_WORDS];
    uint8_t *box[4]; /* words as little-endian bytes, since they are hashed as such */
    uint8_t key[64], salt[64];
    uint64_t left, right;
} fish;

static void hmac512(const uint8_t *key, size_t key_len, const uint8_t *data, size_t len, uint8_t out[64])
{
    unsigned n = 64;

    HMAC(EVP_sha512(), key, (int)key_len, data, len, out, &n);
}

static uint64_t round_of(const fish *f, uint64_t x)
{
    uint64_t mask = f->words - 1; /* a power of two, so the modulus of the 32 low bits is a mask */

    return ((stn_ld64(f->box[0] + 8 * (x >> f->shift)) ^ stn_ld64(f->box[1] + 8 * (x >> 35 & mask))) +
            stn_ld64(f->box[2] + 8 * (x >> 19 & mask))) ^
           stn_ld64(f->box[3] + 8 * (x >> 3 & mask));
}

static void encrypt(fish *f)
{
    uint64_t l = f->left ^ f->p[0], r = f->right;

    for (int j = 1; j <= 16; j += 2) {
        r = (r ^ round_of(f, l)) ^ f->p[j];
        l = (l ^ round_of(f, r)) ^ f->p[j + 1];
    }
    f->left = r ^ f->p[17];
    f->right = l;
}

/* key = HS(key): through all boxes in turn. */
static void hash_boxes(fish *f)
{
    uint8_t next[64];

    for (int i = 0; i < 4; i++) {
        hmac512(f->key, 64, f->box[i], 8 * f->words, next);
        memcpy(f->key, next, 64);
    }
}

static void store(fish *f, uint8_t *at)
{
    encrypt(f);
    stn_st64(at, f->left);
    stn_st64(at + 8, f->right);
}

/* Encrypts everything once; salted passes mix the salt in. */
static void pass(fish *f, bool salted)
{
    for (size_t i = 0; i < P_WORDS; i += 2) {
        if (salted) {
            f->left ^= stn_ld64(f->salt + 8 * (i % 8));
            f->right ^= stn_ld64(f->salt + 8 * ((i + 1) % 8));
        }
        encrypt(f);
        f->p[i] = f->left;
        f->p[i + 1] = f->right;
    }
    for (int b = 0; b < 4; b++) {
        for (size_t i = 0; i < f->words; i += 2) {
            if (salted) {
                f->left ^= stn_ld64(f->salt + 8 * (i % 8));
                f->right ^= stn_ld64(f->salt + 8 * ((i + 1) % 8));
            }
            store(f, f->box[b] + 8 * i);
        }
    }
}

stn_status stn_pufferfish2(unsigned t, unsigned m, const uint8_t *salt, size_t salt_len,
                           const uint8_t *password, size_t password_len, uint8_t out[64], stn_err *err)
{
    fish f = {.shift = 64 - (m + 5), .words = (size_t)1 << (m + 5)};
    uint8_t *memory;
    uint8_t next[64];

    if (t > 16 || m > 18)
        return stn_fail(err, STN_TOO_BIG, "password hash pfcrypt: costs %u and %u, the most are 16 and 18", t,
                        m);
    memory = malloc(4 * 8 * f.words);
    if (!memory)
        return stn_fail(err, STN_NO_MEMORY, "password hash pfcrypt: %zu bytes", 4 * 8 * f.words);
    hmac512((const uint8_t *)"", 0, salt, salt_len, f.salt);
    hmac512(f.salt, 64, password, password_len, f.key);
    for (int b = 0; b < 4; b++) {
        f.box[b] = memory + (size_t)b * 8 * f.words;
        for (size_t i = 0; i < f.words; i += 8) {
            hmac512(f.key, 64, f.salt, 64, next);
            memcpy(f.key, next, 64);
            memcpy(f.box[b] + 8 * i, f.key, 64);
        }
    }
    hash_boxes(&f);
    for (size_t i = 0; i < P_WORDS; i++)
        f.p[i] = pi_words[i] ^ stn_ld64(f.key + 8 * (i % 8));
    pass(&f, true);
    for (uint64_t r = 0; r <= UINT64_C(1) << t; r++) {
        f.left = f.right = 0;
        hash_boxes(&f);
        for (size_t i = 0; i < P_WORDS; i++)
            f.p[i] ^= stn_ld64(f.key + 8 * (i % 8));
        pass(&f, false);
    }
    hash_boxes(&f);
    memcpy(out, f.key, 64);
    OPENSSL_cleanse(memory, 4 * 8 * f.words);
    OPENSSL_cleanse(&f, sizeof f);
    free(memory);
    return STN_OK;
}
