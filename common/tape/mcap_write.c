#include "base/buf.h"
#include "tape/mcap.h"
#include "tape/mcap_format.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define CHUNK_BYTES ((size_t)1 << 20) /* a chunk ends after the message that goes over this */
#define LEVEL 1 /* captures are written while everything runs */

struct index_entry {
    uint64_t log_ns, offset;
    uint16_t channel;
};

struct stn_mcap_writer {
    stn_mcap_put_fn put;
    void *ctx;
    uint64_t at; /* bytes given to put() */
    uint32_t summary_crc;
    bool in_summary;
    stn_status failed;

    stn_buf schemas, channels;
    uint16_t n_schemas, n_channels;
    uint64_t *counts; /* messages a channel, by id */
    stn_buf chunk, packed, record;
    struct index_entry *index;
    size_t n_index, cap_index;
    uint64_t first_ns, last_ns, chunk_first_ns, chunk_last_ns;
    stn_buf chunk_indexes;
    uint64_t messages;
    uint32_t chunks;
};

static stn_status put(stn_mcap_writer *w, const void *data, size_t len, stn_err *err)
{
    stn_status st;

    if (len == 0)
        return STN_OK; /* crc32() of no data would begin anew */
    if (w->failed != STN_OK)
        return stn_fail(err, w->failed, "an earlier write to the capture failed");
    st = w->put(w->ctx, data, len, err);
    if (st != STN_OK) {
        w->failed = st;
        return st;
    }
    if (w->in_summary)
        w->summary_crc = (uint32_t)crc32_z(w->summary_crc, data, len);
    w->at += len;
    return STN_OK;
}

static void put_text(stn_buf *b, const char *text)
{
    stn_buf_u32(b, (uint32_t)strlen(text));
    stn_buf_put(b, text, strlen(text));
}

/* A record is begun with its length left open, and ended when its content is there. */
static size_t begin(stn_buf *b, enum mcap_opcode opcode)
{
    stn_buf_u8(b, (uint8_t)opcode);
    stn_buf_u64(b, 0);
    return b->len;
}

static void end(stn_buf *b, size_t start)
{
    uint64_t len = b->len - start;

    if (b->failed)
        return;
    for (int i = 0; i < 8; i++)
        b->data[start - 8 + (size_t)i] = (uint8_t)(len >> (8 * i));
}

static stn_status put_buf(stn_mcap_writer *w, stn_buf *b, stn_err *err)
{
    stn_status st = b->failed ? stn_fail(err, STN_NO_MEMORY, "capture") : put(w, b->data, b->len, err);
    stn_buf_clear(b);
    return st;
}

stn_status stn_mcap_writer_new(stn_mcap_put_fn put_fn, void *ctx, const char *profile, const char *library,
                               stn_mcap_writer **out, stn_err *err)
{
    stn_mcap_writer *w = calloc(1, sizeof *w);
    size_t start;
    stn_status st;

    *out = NULL;
    if (w)
        w->counts = calloc(STN_MCAP_SCHEMAS + 1, sizeof *w->counts);
    if (!w || !w->counts) {
        free(w);
        return stn_fail(err, STN_NO_MEMORY, "MCAP writer");
    }
    w->put = put_fn;
    w->ctx = ctx;
    stn_buf_put(&w->record, MCAP_MAGIC, MCAP_MAGIC_LEN);
    start = begin(&w->record, MCAP_HEADER);
    put_text(&w->record, profile);
    put_text(&w->record, library);
    end(&w->record, start);
    if ((st = put_buf(w, &w->record, err)) != STN_OK) {
        stn_mcap_writer_free(w);
        return st;
    }
    *out = w;
    return STN_OK;
}

void stn_mcap_writer_free(stn_mcap_writer *w)
{
    if (!w)
        return;
    stn_buf_fini(&w->schemas);
    stn_buf_fini(&w->channels);
    stn_buf_fini(&w->chunk);
    stn_buf_fini(&w->packed);
    stn_buf_fini(&w->record);
    stn_buf_fini(&w->chunk_indexes);
    free(w->index);
    free(w->counts);
    free(w);
}

/* Into the chunk, where a reader of a torn file finds it, and kept for the summary. */
static stn_status describe(stn_mcap_writer *w, stn_buf *list, size_t from, stn_err *err)
{
    if (!list->failed)
        stn_buf_put(&w->chunk, list->data + from, list->len - from);
    return list->failed || w->chunk.failed ? stn_fail(err, STN_NO_MEMORY, "capture") : STN_OK;
}

stn_status stn_mcap_add_schema(stn_mcap_writer *w, const char *name, const char *encoding, const void *data,
                               size_t len, uint16_t *id, stn_err *err)
{
    size_t from = w->schemas.len, start;

    if (w->n_schemas >= STN_MCAP_SCHEMAS - 1)
        return stn_fail(err, STN_TOO_BIG, "capture: more than %u schemas", STN_MCAP_SCHEMAS - 1);
    start = begin(&w->schemas, MCAP_SCHEMA);
    stn_buf_u16(&w->schemas, *id = ++w->n_schemas);
    put_text(&w->schemas, name);
    put_text(&w->schemas, encoding);
    stn_buf_u32(&w->schemas, (uint32_t)len);
    stn_buf_put(&w->schemas, data, len);
    end(&w->schemas, start);
    return describe(w, &w->schemas, from, err);
}

stn_status stn_mcap_add_channel(stn_mcap_writer *w, uint16_t schema, const char *topic, const char *encoding,
                                uint16_t *id, stn_err *err)
{
    size_t from = w->channels.len, start;

    if (w->n_channels >= STN_MCAP_SCHEMAS - 1)
        return stn_fail(err, STN_TOO_BIG, "capture: more than %u channels", STN_MCAP_SCHEMAS - 1);
    start = begin(&w->channels, MCAP_CHANNEL);
    stn_buf_u16(&w->channels, *id = ++w->n_channels);
    stn_buf_u16(&w->channels, schema);
    put_text(&w->channels, topic);
    put_text(&w->channels, encoding);
    stn_buf_u32(&w->channels, 0); /* no metadata */
    end(&w->channels, start);
    return describe(w, &w->channels, from, err);
}

stn_status stn_mcap_write(stn_mcap_writer *w, uint16_t channel, uint32_t sequence, uint64_t log_ns,
                          uint64_t publish_ns, const void *data, size_t len, stn_err *err)
{
    size_t start, offset;

    if (channel == 0 || channel > w->n_channels)
        return stn_fail(err, STN_USAGE, "capture: channel %u of %u", channel, w->n_channels);
    if (len > STN_MCAP_CHUNK_MAX - 2 * CHUNK_BYTES)
        return stn_fail(err, STN_TOO_BIG, "capture: message of %zu bytes", len);
    /* A message that is large by itself gets a chunk of its own, so that the limit of a chunk holds. */
    if (w->chunk.len > 0 && w->chunk.len + len > CHUNK_BYTES + STN_MCAP_CHUNK_MAX / 2) {
        stn_status st = stn_mcap_flush(w, err);
        if (st != STN_OK)
            return st;
    }
    if (w->n_index == w->cap_index) {
        size_t cap = w->cap_index ? 2 * w->cap_index : 1024;
        struct index_entry *more = realloc(w->index, cap * sizeof *more);
        if (!more)
            return stn_fail(err, STN_NO_MEMORY, "capture index");
        w->index = more;
        w->cap_index = cap;
    }
    offset = w->chunk.len;
    start = begin(&w->chunk, MCAP_MESSAGE);
    stn_buf_u16(&w->chunk, channel);
    stn_buf_u32(&w->chunk, sequence);
    stn_buf_u64(&w->chunk, log_ns);
    stn_buf_u64(&w->chunk, publish_ns);
    stn_buf_put(&w->chunk, data, len);
    end(&w->chunk, start);
    if (w->chunk.failed)
        return stn_fail(err, STN_NO_MEMORY, "capture: message of %zu bytes", len);
    if (w->n_index == 0 || log_ns < w->chunk_first_ns)
        w->chunk_first_ns = log_ns;
    if (w->n_index == 0 || log_ns > w->chunk_last_ns)
        w->chunk_last_ns = log_ns;
    w->index[w->n_index++] = (struct index_entry){log_ns, offset, channel};
    w->counts[channel]++;
    w->messages++;
    return w->chunk.len > CHUNK_BYTES ? stn_mcap_flush(w, err) : STN_OK;
}

static int by_channel_and_time(const void *a, const void *b)
{
    const struct index_entry *x = a, *y = b;

    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    if (x->log_ns != y->log_ns)
        return x->log_ns < y->log_ns ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* One MessageIndex record a channel, and their places for the ChunkIndex. */
static stn_status put_message_indexes(stn_mcap_writer *w, stn_buf *places, stn_err *err)
{
    stn_status st = STN_OK;

    if (w->n_index > 0)
        qsort(w->index, w->n_index, sizeof *w->index, by_channel_and_time);
    for (size_t i = 0; i < w->n_index && st == STN_OK;) {
        size_t n = 1, start;

        while (i + n < w->n_index && w->index[i + n].channel == w->index[i].channel)
            n++;
        stn_buf_u16(places, w->index[i].channel);
        stn_buf_u64(places, w->at);
        start = begin(&w->record, MCAP_MESSAGE_INDEX);
        stn_buf_u16(&w->record, w->index[i].channel);
        stn_buf_u32(&w->record, (uint32_t)(16 * n));
        for (size_t k = 0; k < n; k++) {
            stn_buf_u64(&w->record, w->index[i + k].log_ns);
            stn_buf_u64(&w->record, w->index[i + k].offset);
        }
        end(&w->record, start);
        st = put_buf(w, &w->record, err);
        i += n;
    }
    return st;
}

stn_status stn_mcap_flush(stn_mcap_writer *w, stn_err *err)
{
    uint64_t chunk_at = w->at, chunk_len, size = w->chunk.len, indexes_at, indexes_len;
    uint64_t first = w->n_index > 0 ? w->chunk_first_ns : 0, last = w->n_index > 0 ? w->chunk_last_ns : 0;
    stn_buf places = {0};
    size_t start, packed;
    stn_status st;

    if (size == 0)
        return STN_OK;
    stn_buf_clear(&w->packed);
    if (!stn_buf_add(&w->packed, ZSTD_compressBound((size_t)size)))
        return stn_fail(err, STN_NO_MEMORY, "capture: chunk of %llu bytes", (unsigned long long)size);
    packed = ZSTD_compress(w->packed.data, w->packed.len, w->chunk.data, (size_t)size, LEVEL);
    if (ZSTD_isError(packed))
        return stn_fail(err, STN_IO, "capture: zstd: %s", ZSTD_getErrorName(packed));
    start = begin(&w->record, MCAP_CHUNK);
    stn_buf_u64(&w->record, first);
    stn_buf_u64(&w->record, last);
    stn_buf_u64(&w->record, size);
    stn_buf_u32(&w->record, (uint32_t)crc32_z(0, w->chunk.data, (size_t)size));
    put_text(&w->record, "zstd");
    stn_buf_u64(&w->record, packed);
    stn_buf_put(&w->record, w->packed.data, packed);
    end(&w->record, start);
    st = put_buf(w, &w->record, err);
    chunk_len = w->at - chunk_at;
    indexes_at = w->at;
    if (st == STN_OK)
        st = put_message_indexes(w, &places, err);
    indexes_len = w->at - indexes_at;
    if (st == STN_OK && places.failed)
        st = stn_fail(err, STN_NO_MEMORY, "capture index");
    if (st == STN_OK) {
        start = begin(&w->chunk_indexes, MCAP_CHUNK_INDEX);
        stn_buf_u64(&w->chunk_indexes, first);
        stn_buf_u64(&w->chunk_indexes, last);
        stn_buf_u64(&w->chunk_indexes, chunk_at);
        stn_buf_u64(&w->chunk_indexes, chunk_len);
        stn_buf_u32(&w->chunk_indexes, (uint32_t)places.len);
        stn_buf_put(&w->chunk_indexes, places.data, places.len);
        stn_buf_u64(&w->chunk_indexes, indexes_len);
        put_text(&w->chunk_indexes, "zstd");
        stn_buf_u64(&w->chunk_indexes, packed);
        stn_buf_u64(&w->chunk_indexes, size);
        end(&w->chunk_indexes, start);
        if (w->n_index > 0) {
            bool any = w->messages > w->n_index;
            if (!any || first < w->first_ns)
                w->first_ns = first;
            if (!any || last > w->last_ns)
                w->last_ns = last;
        }
        w->chunks++;
    }
    stn_buf_fini(&places);
    stn_buf_clear(&w->chunk);
    w->n_index = 0;
    return st;
}

static void put_statistics(stn_mcap_writer *w, stn_buf *b)
{
    size_t start = begin(b, MCAP_STATISTICS);
    uint32_t used = 0;

    for (uint16_t id = 1; id <= w->n_channels; id++)
        used += w->counts[id] > 0;
    stn_buf_u64(b, w->messages);
    stn_buf_u16(b, w->n_schemas);
    stn_buf_u32(b, w->n_channels);
    stn_buf_u32(b, 0); /* attachments */
    stn_buf_u32(b, 0); /* metadata */
    stn_buf_u32(b, w->chunks);
    stn_buf_u64(b, w->first_ns);
    stn_buf_u64(b, w->last_ns);
    stn_buf_u32(b, 10 * used);
    for (uint16_t id = 1; id <= w->n_channels; id++)
        if (w->counts[id] > 0) {
            stn_buf_u16(b, id);
            stn_buf_u64(b, w->counts[id]);
        }
    end(b, start);
}

static void put_group(stn_buf *offsets, enum mcap_opcode opcode, uint64_t from, uint64_t to)
{
    size_t start;

    if (from == to)
        return;
    start = begin(offsets, MCAP_SUMMARY_OFFSET);
    stn_buf_u8(offsets, (uint8_t)opcode);
    stn_buf_u64(offsets, from);
    stn_buf_u64(offsets, to - from);
    end(offsets, start);
}

stn_status stn_mcap_close(stn_mcap_writer *w, stn_err *err)
{
    stn_buf offsets = {0}, statistics = {0};
    struct {
        enum mcap_opcode opcode;
        stn_buf *records;
    } groups[] = {{MCAP_SCHEMA, &w->schemas},
                  {MCAP_CHANNEL, &w->channels},
                  {MCAP_STATISTICS, &statistics},
                  {MCAP_CHUNK_INDEX, &w->chunk_indexes}};
    uint64_t summary_at, offsets_at;
    size_t start;
    stn_status st = stn_mcap_flush(w, err);

    if (st == STN_OK) {
        start = begin(&w->record, MCAP_DATA_END);
        stn_buf_u32(&w->record, 0); /* no checksum of the whole: each chunk has its own */
        end(&w->record, start);
        st = put_buf(w, &w->record, err);
    }
    w->in_summary = true;
    summary_at = w->at;
    put_statistics(w, &statistics);
    for (size_t i = 0; i < sizeof groups / sizeof *groups && st == STN_OK; i++) {
        uint64_t from = w->at;
        st = put_buf(w, groups[i].records, err);
        put_group(&offsets, groups[i].opcode, from, w->at);
    }
    offsets_at = w->at;
    if (st == STN_OK)
        st = put_buf(w, &offsets, err);
    if (st == STN_OK) {
        /* The summary's checksum covers the footer up to itself. */
        start = begin(&w->record, MCAP_FOOTER);
        stn_buf_u64(&w->record, summary_at);
        stn_buf_u64(&w->record, offsets_at);
        stn_buf_u32(&w->record, 0);
        end(&w->record, start);
        if (!w->record.failed) {
            size_t at = w->record.len - 4;
            uint32_t crc = (uint32_t)crc32_z(w->summary_crc, w->record.data, at);
            for (int i = 0; i < 4; i++)
                w->record.data[at + (size_t)i] = (uint8_t)(crc >> (8 * i));
        }
        stn_buf_put(&w->record, MCAP_MAGIC, MCAP_MAGIC_LEN);
        st = put_buf(w, &w->record, err);
    }
    stn_buf_fini(&offsets);
    stn_buf_fini(&statistics);
    return st;
}

uint64_t stn_mcap_written(const stn_mcap_writer *w)
{
    return w->at;
}
