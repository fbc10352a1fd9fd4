#include "cache/cache_entry.h"

#include "base/bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One character of UTF-8; false at the end or on malformed bytes. */
static bool utf8_next(stn_bytes *in, uint32_t *out)
{
    if (!stn_bytes_left(in))
        return false;
    uint32_t b = stn_bytes_u8(in);
    unsigned more = b < 0x80                ? 0
                    : b >= 0xc2 && b < 0xe0 ? 1
                    : b >= 0xe0 && b < 0xf0 ? 2
                    : b >= 0xf0 && b < 0xf5 ? 3
                                            : 9;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    if (more == 9)
        return false;
    uint32_t c = more == 0 ? b : b & (0x3fu >> more);
    for (unsigned i = 0; i < more; i++) {
        uint8_t next = stn_bytes_u8(in);
        if ((next & 0xc0) != 0x80)
            return false;
        c = c << 6 | (next & 0x3f);
    }
    *out = c;
    return c >= least[more] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
}

static uint64_t hash_feed(uint64_t h, const char *text, size_t len)
{
    stn_bytes in = stn_bytes_of(text, len);
    uint32_t c;
    while (utf8_next(&in, &c)) {
        if (c >= 0x10000) {
            h = h * 31 + (0xd800 + ((c - 0x10000) >> 10));
            c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        h = h * 31 + c;
    }
    return h;
}

uint64_t stn_cache_hash(const char *identity, size_t identity_len, const char *key, size_t key_len)
{
    return hash_feed(hash_feed(0, identity, identity_len), key, key_len);
}

void stn_cache_file_name(uint64_t hash, unsigned slot, char out[STN_CACHE_FILE_MAX])
{
    snprintf(out, STN_CACHE_FILE_MAX, "%016" PRIx64 ".%u", hash, slot % 100000);
}

bool stn_cache_file_parse(const char *file, uint64_t *hash, uint32_t *slot)
{
    uint64_t h = 0;
    for (int i = 0; i < 16; i++) {
        char c = file[i];
        unsigned d;
        if (c >= '0' && c <= '9')
            d = (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            d = (unsigned)(c - 'a') + 10;
        else
            return false;
        h = h << 4 | d;
    }
    if (file[16] != '.' || !file[17])
        return false;
    uint32_t s = 0;
    for (const char *c = file + 17; *c; c++) {
        if (*c < '0' || *c > '9' || c - file > 22)
            return false;
        s = s * 10 + (uint32_t)(*c - '0');
    }
    *hash = h;
    *slot = s;
    return true;
}

static void put_unit(stn_buf *out, uint32_t c)
{
    if (c != 0 && c < 0x80) {
        stn_buf_u8(out, (uint8_t)c);
    } else if (c < 0x800) {
        stn_buf_u8(out, (uint8_t)(0xc0 | c >> 6));
        stn_buf_u8(out, (uint8_t)(0x80 | (c & 0x3f)));
    } else {
        stn_buf_u8(out, (uint8_t)(0xe0 | c >> 12));
        stn_buf_u8(out, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
        stn_buf_u8(out, (uint8_t)(0x80 | (c & 0x3f)));
    }
}

static stn_status put_text(const char *what, const char *text, size_t len, stn_buf *out, stn_err *err)
{
    size_t at = out->len;
    stn_buf_u16(out, 0);
    stn_bytes in = stn_bytes_of(text, len);
    while (stn_bytes_left(&in)) {
        uint32_t c;
        if (!utf8_next(&in, &c))
            return stn_fail(err, STN_USAGE, "cache %s: not UTF-8 at byte %zu", what, in.pos);
        if (c >= 0x10000) {
            put_unit(out, 0xd800 + ((c - 0x10000) >> 10));
            c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        put_unit(out, c);
        if (out->failed)
            return stn_fail(err, STN_NO_MEMORY, "cache %s", what);
        if (out->len - at - 2 > 65535)
            return stn_fail(err, STN_TOO_BIG, "cache %s: over 65535 bytes, does not fit an entry", what);
    }
    if (out->failed)
        return stn_fail(err, STN_NO_MEMORY, "cache %s", what);
    size_t n = out->len - at - 2;
    out->data[at] = (uint8_t)(n >> 8);
    out->data[at + 1] = (uint8_t)n;
    return STN_OK;
}

stn_status stn_cache_header(const char *identity, size_t identity_len, const char *key, size_t key_len,
                            stn_buf *out, stn_err *err)
{
    stn_buf_u8(out, 1);
    stn_status st = put_text("identity", identity, identity_len, out, err);
    return st != STN_OK ? st : put_text("key", key, key_len, out, err);
}

/* One UTF-16 unit of modified UTF-8. Like the reference's reader it takes overlong forms of two and three
 * bytes. */
static bool modified_next(stn_bytes *in, uint32_t *unit)
{
    uint32_t b = stn_bytes_u8(in);
    if (b < 0x80) {
        *unit = b;
        return true;
    }
    unsigned more = (b & 0xe0) == 0xc0 ? 1 : (b & 0xf0) == 0xe0 ? 2 : 0;
    if (!more)
        return false;
    uint32_t c = b & (0x3fu >> more);
    for (unsigned i = 0; i < more; i++) {
        uint8_t next = stn_bytes_u8(in);
        if ((next & 0xc0) != 0x80)
            return false;
        c = c << 6 | (next & 0x3f);
    }
    *unit = c;
    return stn_bytes_ok(in);
}

static void put_utf8(stn_buf *out, uint32_t c)
{
    if (c == 0) {
        stn_buf_u8(out, 0);
    } else if (c < 0x10000) {
        put_unit(out, c);
    } else {
        stn_buf_u8(out, (uint8_t)(0xf0 | c >> 18));
        stn_buf_u8(out, (uint8_t)(0x80 | (c >> 12 & 0x3f)));
        stn_buf_u8(out, (uint8_t)(0x80 | (c >> 6 & 0x3f)));
        stn_buf_u8(out, (uint8_t)(0x80 | (c & 0x3f)));
    }
}

/* To UTF-8; a lone surrogate becomes U+FFFD. False on malformed bytes. */
static bool modified_text(const uint8_t *data, size_t len, stn_buf *out)
{
    stn_bytes in = stn_bytes_of(data, len);
    uint32_t high = 0;
    while (stn_bytes_left(&in)) {
        uint32_t u;
        if (!modified_next(&in, &u))
            return false;
        bool low = u >= 0xdc00 && u <= 0xdfff;
        if (high && low) {
            put_utf8(out, 0x10000 + ((high - 0xd800) << 10) + (u - 0xdc00));
            high = 0;
            continue;
        }
        if (high)
            put_utf8(out, 0xfffd);
        high = u >= 0xd800 && u <= 0xdbff ? u : 0;
        if (!high)
            put_utf8(out, low ? 0xfffd : u);
    }
    if (high)
        put_utf8(out, 0xfffd);
    return true;
}

/* The two texts as they stand. False: the file ends inside the header. */
static bool split(const uint8_t *file, size_t len, stn_bytes *identity, stn_bytes *key, size_t *body)
{
    stn_bytes in = stn_bytes_of(file, len);
    if (stn_bytes_u8(&in) != 1)
        return false;
    *identity = stn_bytes_sub(&in, stn_bytes_u16be(&in));
    *key = stn_bytes_sub(&in, stn_bytes_u16be(&in));
    *body = in.pos;
    return stn_bytes_ok(&in);
}

stn_slot stn_cache_slot(const uint8_t *file, size_t len, const uint8_t *header, size_t header_len,
                        size_t *body)
{
    stn_bytes identity, key;
    if (!split(file, len, &identity, &key, body))
        return STN_SLOT_FREE;
    return *body == header_len && memcmp(file, header, header_len) == 0 ? STN_SLOT_OURS : STN_SLOT_OTHER;
}

stn_status stn_cache_header_read(const uint8_t *file, size_t len, stn_buf *identity, stn_buf *key,
                                 size_t *body, stn_err *err)
{
    stn_bytes id, k;
    if (!split(file, len, &id, &k, body))
        return stn_fail(err, STN_TRUNCATED, "cache entry: the header is cut");
    if (!modified_text(id.data, id.len, identity) || !modified_text(k.data, k.len, key))
        return stn_fail(err, STN_BAD_DATA, "cache entry: malformed text in the header");
    stn_buf_u8(identity, 0);
    stn_buf_u8(key, 0);
    return identity->failed || key->failed ? stn_fail(err, STN_NO_MEMORY, "cache entry header") : STN_OK;
}
