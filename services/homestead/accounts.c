#include "homestead/accounts.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/table.h"
#include "base/text.h"
#include "res/values.h"
#include "session/wire.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COST 14 /* of new accounts */
#define COST_MAX 24
#define SALT_MAX 64
#define FILE_MAX (4u << 20)

typedef struct account {
    char name[STN_ACCOUNT_NAME + 1];
    uint8_t cost, salt_len;
    uint8_t salt[SALT_MAX], hash[32];
} account;

typedef struct given {
    char user[STN_ACCOUNT_NAME + 1];
    uint8_t bytes[STN_GIVEN_BYTES];
} given;

struct stn_accounts {
    pthread_mutex_t lock;
    bool open;
    account *list;
    size_t n;
    stn_names *by_name;
    uint8_t pepper[16]; /* salt of names that have no account */
    given cookies[STN_ACCOUNTS_GIVEN], tokens[STN_ACCOUNTS_GIVEN];
    uint64_t n_cookies, n_tokens;
};

/* ---- the file */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_hex(const char *text, uint8_t *out, size_t cap, size_t *len)
{
    size_t n = strlen(text) / 2;

    if (strlen(text) % 2 || n > cap)
        return false;
    for (size_t i = 0; i < n; i++) {
        int hi = hex_digit(text[2 * i]), lo = hex_digit(text[2 * i + 1]);

        if (hi < 0 || lo < 0)
            return false;
        out[i] = (uint8_t)(hi << 4 | lo);
    }
    *len = n;
    return true;
}

static bool read_account(char *line, account *a)
{
    char *field[5], *save = NULL;
    int64_t cost;
    size_t salt_len, hash_len;
    int n = 0;

    for (char *f = strtok_r(line, ":", &save); f && n < 5; f = strtok_r(NULL, ":", &save))
        field[n++] = f;
    if (n != 5 || strlen(field[0]) > STN_ACCOUNT_NAME || strcmp(field[1], "pbkdf2") ||
        !stn_text_i64(field[2], 0, COST_MAX, &cost) ||
        !read_hex(field[3], a->salt, sizeof a->salt, &salt_len) ||
        !read_hex(field[4], a->hash, sizeof a->hash, &hash_len) || hash_len != sizeof a->hash)
        return false;
    snprintf(a->name, sizeof a->name, "%s", field[0]);
    a->cost = (uint8_t)cost;
    a->salt_len = (uint8_t)salt_len;
    return true;
}

static stn_status read_file(stn_accounts *a, const char *file, stn_err *err)
{
    uint8_t *data = NULL;
    size_t len;
    char *save = NULL;
    unsigned number = 0;
    stn_status st = stn_file_read(file, FILE_MAX, &data, &len, err);

    if (st)
        return st;
    a->list = calloc(STN_ACCOUNTS_MAX, sizeof *a->list);
    if (!a->list)
        st = stn_fail(err, STN_NO_MEMORY, "accounts");
    for (char *line = (char *)data; st == STN_OK && line && *line; line = save) {
        save = strchr(line, '\n');
        if (save)
            *save++ = 0;
        number++;
        if (!*line || *line == '#')
            continue;
        if (a->n == STN_ACCOUNTS_MAX)
            st = stn_fail(err, STN_TOO_BIG, "%s holds more than %d accounts", file, STN_ACCOUNTS_MAX);
        else if (!read_account(line, &a->list[a->n]))
            st =
                stn_fail(err, STN_BAD_DATA,
                         "%s line %u: wanted NAME:pbkdf2:COST:SALT:HASH (see --hash-password)", file, number);
        else if (!stn_names_put(a->by_name, a->list[a->n].name, &a->list[a->n], NULL))
            st = stn_fail(err, STN_NO_MEMORY, "accounts");
        else
            a->n++;
    }
    OPENSSL_cleanse(data, len);
    free(data);
    return st;
}

stn_status stn_accounts_open(const char *file, stn_accounts **out, stn_err *err)
{
    stn_accounts *a = calloc(1, sizeof *a);
    stn_status st;

    *out = NULL;
    if (!a || !(a->by_name = stn_names_new())) {
        free(a);
        return stn_fail(err, STN_NO_MEMORY, "accounts");
    }
    pthread_mutex_init(&a->lock, NULL);
    stn_random_bytes(a->pepper, sizeof a->pepper);
    a->open = !file || !*file;
    if (!a->open && (st = read_file(a, file, err)) != STN_OK) {
        stn_accounts_free(a);
        return st;
    }
    *out = a;
    return STN_OK;
}

void stn_accounts_free(stn_accounts *a)
{
    if (!a)
        return;
    pthread_mutex_destroy(&a->lock);
    stn_names_free(a->by_name);
    if (a->list)
        OPENSSL_cleanse(a->list, STN_ACCOUNTS_MAX * sizeof *a->list);
    free(a->list);
    OPENSSL_cleanse(a, sizeof *a);
    free(a);
}

bool stn_accounts_is_open(const stn_accounts *a)
{
    return a->open;
}

stn_status stn_accounts_line(const char *name, const char *password, stn_buf *out, stn_err *err)
{
    uint8_t salt[16], hash[32];

    if (!*name || strlen(name) > STN_ACCOUNT_NAME || strpbrk(name, ":\n#"))
        return stn_fail(err, STN_USAGE, "account name \"%.80s\": 1 to %d bytes without ':' and '#'", name,
                        STN_ACCOUNT_NAME);
    stn_random_bytes(salt, sizeof salt);
    if (PKCS5_PBKDF2_HMAC(password, (int)strlen(password), salt, sizeof salt, 1 << COST, EVP_sha256(),
                          sizeof hash, hash) <= 0)
        return stn_fail(err, STN_IO, "OpenSSL does not make a PBKDF2");
    stn_buf_printf(out, "%s:pbkdf2:%d:", name, COST);
    for (size_t i = 0; i < sizeof salt; i++)
        stn_buf_printf(out, "%02x", salt[i]);
    stn_buf_u8(out, ':');
    for (size_t i = 0; i < sizeof hash; i++)
        stn_buf_printf(out, "%02x", hash[i]);
    stn_buf_u8(out, '\n');
    OPENSSL_cleanse(hash, sizeof hash);
    return out->failed ? stn_fail(err, STN_NO_MEMORY, "account line") : STN_OK;
}

/* ---- passwords */

void stn_accounts_describe(stn_accounts *a, const char *user, stn_buf *out)
{
    const account *acc = stn_names_get(a->by_name, user);
    uint8_t salt[16];
    const uint8_t *s = acc ? acc->salt : salt;
    uint8_t salt_len = acc ? acc->salt_len : sizeof salt;

    stn_buf_u8(out, STN_TAG_TEXT);
    stn_buf_cstr(out, "prehash");
    stn_buf_u8(out, STN_TAG_TEXT);
    if (a->open) {
        stn_buf_cstr(out, "sha256");
        return;
    }
    if (!acc) {
        stn_st64(salt, stn_hash_feed(STN_HASH_START ^ stn_ld64(a->pepper), user, strlen(user)));
        stn_st64(salt + 8, stn_hash_feed(STN_HASH_START ^ stn_ld64(a->pepper + 8), user, strlen(user)));
    }
    stn_buf_cstr(out, "pbkdf2");
    stn_buf_u8(out, STN_TAG_UINT8);
    stn_buf_u8(out, acc ? acc->cost : COST);
    stn_buf_u8(out, STN_TAG_BYTES);
    stn_buf_u8(out, salt_len);
    stn_buf_put(out, s, salt_len);
}

bool stn_accounts_check(stn_accounts *a, const char *user, const uint8_t *hash, size_t len)
{
    const account *acc = stn_names_get(a->by_name, user);

    if (a->open)
        return *user && strlen(user) <= STN_ACCOUNT_NAME;
    return acc && len == sizeof acc->hash && !CRYPTO_memcmp(acc->hash, hash, len);
}

/* ---- cookies and tokens */

static void give(stn_accounts *a, given *ring, uint64_t *count, const char *user,
                 uint8_t out[STN_GIVEN_BYTES])
{
    given *g;

    pthread_mutex_lock(&a->lock);
    g = &ring[(*count)++ % STN_ACCOUNTS_GIVEN];
    snprintf(g->user, sizeof g->user, "%s", user);
    stn_random_bytes(g->bytes, sizeof g->bytes);
    memcpy(out, g->bytes, sizeof g->bytes);
    pthread_mutex_unlock(&a->lock);
}

static bool was_given(stn_accounts *a, const given *ring, const char *user, const uint8_t *bytes, size_t len)
{
    bool found = false;

    if (len != STN_GIVEN_BYTES)
        return false;
    pthread_mutex_lock(&a->lock);
    for (size_t i = 0; i < STN_ACCOUNTS_GIVEN && !found; i++)
        found = ring[i].user[0] && !strcmp(ring[i].user, user) && !CRYPTO_memcmp(ring[i].bytes, bytes, len);
    pthread_mutex_unlock(&a->lock);
    return found;
}

void stn_accounts_give_cookie(stn_accounts *a, const char *user, uint8_t out[STN_GIVEN_BYTES])
{
    give(a, a->cookies, &a->n_cookies, user, out);
}

void stn_accounts_give_token(stn_accounts *a, const char *user, uint8_t out[STN_GIVEN_BYTES])
{
    give(a, a->tokens, &a->n_tokens, user, out);
}

bool stn_accounts_check_token(stn_accounts *a, const char *user, const uint8_t *token, size_t len)
{
    return was_given(a, a->tokens, user, token, len);
}

unsigned stn_accounts_admit(void *user, const char *name, const uint8_t *cookie, size_t len)
{
    stn_accounts *a = user;

    return a->open || was_given(a, a->cookies, name, cookie, len) ? STN_SESS_OK : STN_SESS_BAD_COOKIE;
}

bool stn_accounts_cookie(void *user, const char *name, uint8_t *cookie, size_t *len)
{
    stn_accounts *a = user;
    bool found = false;

    if (*len < STN_GIVEN_BYTES)
        return false;
    pthread_mutex_lock(&a->lock);
    /* Newest first. */
    for (uint64_t i = a->n_cookies; !found && i > 0 && a->n_cookies - i < STN_ACCOUNTS_GIVEN; i--) {
        const given *g = &a->cookies[(i - 1) % STN_ACCOUNTS_GIVEN];

        if (strcmp(g->user, name))
            continue;
        memcpy(cookie, g->bytes, sizeof g->bytes);
        *len = sizeof g->bytes;
        found = true;
    }
    pthread_mutex_unlock(&a->lock);
    if (!found && a->open) {
        cookie[0] = 0;
        *len = 1;
        found = true;
    }
    return found;
}
