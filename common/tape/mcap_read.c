#include "base/bytes.h"
#include "base/table.h"
#include "tape/mcap.h"
#include "tape/mcap_format.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

struct stn_mcap_reader {
    stn_bytes file;
    stn_bytes chunk; /* what is left of the unpacked chunk */
    bool in_chunk;
    uint8_t *unpacked;
    size_t unpacked_cap;
    bool ended, torn;
    uint64_t damaged;
    stn_table *schemas, *channels; /* id -> what follows */
    stn_mcap_channel *order[STN_MCAP_SCHEMAS];
    size_t n_order;
    uint8_t **kept; /* copies of schemas and channels that came in chunks, whose memory is reused */
    size_t n_kept, cap_kept;
};

stn_status stn_mcap_reader_new(const uint8_t *data, size_t len, stn_mcap_reader **out, stn_err *err)
{
    stn_mcap_reader *r;

    *out = NULL;
    if (len < MCAP_MAGIC_LEN || memcmp(data, MCAP_MAGIC, MCAP_MAGIC_LEN) != 0)
        return stn_fail(err, STN_BAD_DATA, "not an MCAP file: its first bytes are other ones");
    r = calloc(1, sizeof *r);
    if (r) {
        r->schemas = stn_table_new();
        r->channels = stn_table_new();
    }
    if (!r || !r->schemas || !r->channels) {
        stn_mcap_reader_free(r);
        return stn_fail(err, STN_NO_MEMORY, "MCAP reader");
    }
    r->file = stn_bytes_of(data, len);
    stn_bytes_skip(&r->file, MCAP_MAGIC_LEN);
    *out = r;
    return STN_OK;
}

static void free_values(stn_table *t)
{
    uint64_t key;
    void *value;
    for (size_t it = 0; t && stn_table_next(t, &it, &key, &value);)
        free(value);
    stn_table_free(t);
}

void stn_mcap_reader_free(stn_mcap_reader *r)
{
    if (!r)
        return;
    free_values(r->schemas);
    free_values(r->channels);
    for (size_t i = 0; i < r->n_kept; i++)
        free(r->kept[i]);
    free(r->kept);
    free(r->unpacked);
    free(r);
}

static stn_mcap_text text(stn_bytes *b)
{
    uint32_t len = stn_bytes_u32(b);
    const uint8_t *p = stn_bytes_take(b, len);
    return p ? (stn_mcap_text){(const char *)p, len} : (stn_mcap_text){"", 0};
}

/* The content of a Schema or Channel record, copied when it lies in a chunk. */
static bool keep(stn_mcap_reader *r, stn_bytes *content)
{
    uint8_t *copy;

    if (!r->in_chunk)
        return true;
    if (r->n_kept == r->cap_kept) {
        size_t cap = r->cap_kept ? 2 * r->cap_kept : 64;
        uint8_t **more = realloc(r->kept, cap * sizeof *more);
        if (!more)
            return false;
        r->kept = more;
        r->cap_kept = cap;
    }
    copy = malloc(content->len + 1);
    if (!copy)
        return false;
    memcpy(copy, content->data, content->len);
    r->kept[r->n_kept++] = copy;
    *content = stn_bytes_of(copy, content->len);
    return true;
}

/* Repeated in the summary: the first one counts, and must not be copied each time. */
static stn_status take_schema(stn_mcap_reader *r, stn_bytes content, stn_err *err)
{
    uint16_t id = content.len >= 2 ? stn_ld16(content.data) : 0;
    stn_mcap_schema s = {.id = id}, *put;
    uint32_t len;

    if (id == 0)
        return stn_fail(err, STN_BAD_DATA, "schema without an id");
    if (stn_table_get(r->schemas, id))
        return STN_OK;
    if (stn_table_count(r->schemas) >= STN_MCAP_SCHEMAS)
        return stn_fail(err, STN_TOO_BIG, "more than %u schemas", STN_MCAP_SCHEMAS);
    if (!keep(r, &content))
        return stn_fail(err, STN_NO_MEMORY, "schema %u", id);
    stn_bytes_skip(&content, 2);
    s.name = text(&content);
    s.encoding = text(&content);
    len = stn_bytes_u32(&content);
    s.data = stn_bytes_take(&content, len);
    s.len = len;
    if (!stn_bytes_ok(&content))
        return stn_fail(err, STN_TRUNCATED, "schema %u: its record is too short", id);
    put = malloc(sizeof *put);
    if (!put || !stn_table_put(r->schemas, id, put, NULL)) {
        free(put);
        return stn_fail(err, STN_NO_MEMORY, "schema %u", id);
    }
    *put = s;
    return STN_OK;
}

static stn_status take_channel(stn_mcap_reader *r, stn_bytes content, stn_err *err)
{
    uint16_t id = content.len >= 2 ? stn_ld16(content.data) : 0;
    stn_mcap_channel c = {.id = id}, *put;

    if (content.len < 4)
        return stn_fail(err, STN_TRUNCATED, "channel record of %zu bytes", content.len);
    if (stn_table_get(r->channels, id))
        return STN_OK;
    if (r->n_order >= STN_MCAP_SCHEMAS)
        return stn_fail(err, STN_TOO_BIG, "more than %u channels", STN_MCAP_SCHEMAS);
    if (!keep(r, &content))
        return stn_fail(err, STN_NO_MEMORY, "channel %u", id);
    stn_bytes_skip(&content, 2);
    c.schema = stn_bytes_u16(&content);
    c.topic = text(&content);
    c.encoding = text(&content);
    stn_bytes_skip(&content, stn_bytes_u32(&content)); /* metadata */
    if (!stn_bytes_ok(&content))
        return stn_fail(err, STN_TRUNCATED, "channel %u: its record is too short", id);
    put = malloc(sizeof *put);
    if (!put || !stn_table_put(r->channels, id, put, NULL)) {
        free(put);
        return stn_fail(err, STN_NO_MEMORY, "channel %u", id);
    }
    *put = c;
    r->order[r->n_order++] = put;
    return STN_OK;
}

static stn_status take_message(stn_mcap_reader *r, stn_bytes content, stn_mcap_message *out, stn_err *err)
{
    uint16_t id = stn_bytes_u16(&content);
    stn_mcap_channel *c = stn_table_get(r->channels, id);

    out->sequence = stn_bytes_u32(&content);
    out->log_ns = stn_bytes_u64(&content);
    out->publish_ns = stn_bytes_u64(&content);
    if (!stn_bytes_ok(&content))
        return stn_fail(err, STN_TRUNCATED, "message record of %zu bytes", content.len);
    if (!c)
        return stn_fail(err, STN_BAD_DATA, "message of channel %u, which was not described", id);
    out->channel = c;
    out->data = content.data + content.pos;
    out->len = stn_bytes_left(&content);
    c->messages++;
    c->bytes += out->len;
    return STN_OK;
}

static bool is(stn_mcap_text t, const char *word)
{
    return t.len == strlen(word) && memcmp(t.text, word, t.len) == 0;
}

static stn_status open_chunk(stn_mcap_reader *r, stn_bytes content, stn_err *err)
{
    uint64_t size, packed;
    uint32_t crc;
    stn_mcap_text how;
    const uint8_t *data;

    stn_bytes_skip(&content, 16); /* first and last time: an index, which we do not need */
    size = stn_bytes_u64(&content);
    crc = stn_bytes_u32(&content);
    how = text(&content);
    packed = stn_bytes_u64(&content);
    if (!stn_bytes_ok(&content) || packed > stn_bytes_left(&content))
        return stn_fail(err, STN_TRUNCATED, "chunk: %llu packed bytes, %zu are there",
                        (unsigned long long)packed, stn_bytes_left(&content));
    if (size > STN_MCAP_CHUNK_MAX)
        return stn_fail(err, STN_TOO_BIG, "chunk of %llu bytes, at most %llu", (unsigned long long)size,
                        (unsigned long long)STN_MCAP_CHUNK_MAX);
    data = stn_bytes_take(&content, (size_t)packed);
    if (is(how, "")) {
        if (size != packed)
            return stn_fail(err, STN_BAD_DATA, "chunk: %llu bytes announced, %llu are there",
                            (unsigned long long)size, (unsigned long long)packed);
    } else if (is(how, "zstd")) {
        unsigned long long says = ZSTD_getFrameContentSize(data, (size_t)packed);
        size_t n;
        /* The frame's own word before memory is taken for it. */
        if (says == ZSTD_CONTENTSIZE_ERROR || (says != ZSTD_CONTENTSIZE_UNKNOWN && says != size))
            return stn_fail(err, STN_BAD_DATA, "chunk: not the zstd frame of %llu bytes that it says",
                            (unsigned long long)size);
        if (size > r->unpacked_cap) {
            uint8_t *more = realloc(r->unpacked, (size_t)size);
            if (!more)
                return stn_fail(err, STN_NO_MEMORY, "chunk of %llu bytes", (unsigned long long)size);
            r->unpacked = more;
            r->unpacked_cap = (size_t)size;
        }
        n = ZSTD_decompress(r->unpacked, (size_t)size, data, (size_t)packed);
        if (ZSTD_isError(n) || n != size)
            return stn_fail(err, STN_BAD_DATA, "chunk: %s",
                            ZSTD_isError(n) ? ZSTD_getErrorName(n) : "too short");
        data = r->unpacked;
    } else {
        return stn_fail(err, STN_UNSUPPORTED, "chunk compressed by \"%.*s\"",
                        how.len < 20 ? (int)how.len : 20, how.text);
    }
    if (crc != 0 && crc32_z(0, data, (size_t)size) != crc)
        return stn_fail(err, STN_BAD_DATA, "chunk: its checksum differs");
    r->chunk = stn_bytes_of(data, (size_t)size);
    r->in_chunk = true;
    return STN_OK;
}

/* The head of the next record. False at the end, and when the rest is not a whole record. */
static bool record(stn_bytes *in, uint8_t *opcode, stn_bytes *content)
{
    uint64_t len;

    if (stn_bytes_left(in) < MCAP_RECORD_HEAD)
        return false;
    *opcode = stn_bytes_u8(in);
    len = stn_bytes_u64(in);
    if (len > stn_bytes_left(in))
        return false;
    *content = stn_bytes_sub(in, (size_t)len);
    return true;
}

stn_status stn_mcap_next(stn_mcap_reader *r, stn_mcap_message *out, stn_err *err)
{
    while (!r->ended) {
        stn_bytes *in = r->in_chunk ? &r->chunk : &r->file, content;
        stn_status st = STN_OK;
        uint8_t opcode;

        if (!record(in, &opcode, &content)) {
            if (r->in_chunk) {
                r->in_chunk = false;
                if (stn_bytes_left(&r->chunk) > 0)
                    r->damaged++;
                continue;
            }
            r->torn = true;
            r->ended = true;
            break;
        }
        switch (opcode) {
        case MCAP_SCHEMA:
            st = take_schema(r, content, err);
            break;
        case MCAP_CHANNEL:
            st = take_channel(r, content, err);
            break;
        case MCAP_MESSAGE:
            st = take_message(r, content, out, err);
            if (st == STN_OK)
                return STN_OK;
            break;
        case MCAP_CHUNK:
            st = r->in_chunk ? stn_fail(err, STN_BAD_DATA, "chunk within a chunk")
                             : open_chunk(r, content, err);
            break;
        case MCAP_FOOTER:
            r->ended = true;
            break;
        default: /* indexes, statistics, and what later versions add */
            break;
        }
        if (st != STN_OK) {
            r->damaged++;
            return st;
        }
    }
    return STN_NOT_FOUND;
}

bool stn_mcap_torn(const stn_mcap_reader *r)
{
    return r->torn;
}

uint64_t stn_mcap_damaged(const stn_mcap_reader *r)
{
    return r->damaged;
}

const stn_mcap_channel *stn_mcap_channel_at(const stn_mcap_reader *r, size_t i)
{
    return i < r->n_order ? r->order[i] : NULL;
}

const stn_mcap_schema *stn_mcap_schema_of(const stn_mcap_reader *r, const stn_mcap_channel *c)
{
    return c->schema == 0 ? NULL : stn_table_get(r->schemas, c->schema);
}
