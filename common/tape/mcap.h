/* mcap.h - the MCAP container: an open file format for logs of messages. Writing, and reading from memory.
 * Pure.
 *
 * Shape   magic, then records (u8 opcode, u64 length, content), little-endian: Header; Schema, Channel and
 * Message records in zstd-compressed Chunks, each followed by its MessageIndex records; DataEnd; a summary
 * section (Schemas, Channels, Statistics, ChunkIndexes, SummaryOffsets); Footer; magic. Texts are a u32
 * length and bytes; maps a u32 length in bytes and entries. CRC-32 (the zlib one) guards each chunk, the data
 * section and the summary; 0 = not computed. Limits  a chunk unpacks to at most STN_MCAP_CHUNK_MAX bytes; at
 * most STN_MCAP_SCHEMAS schemas and channels each; every length is checked against the bytes left before use.
 * Torn    a file whose end is missing is read up to the last whole record; stn_mcap_torn() says so. A chunk
 * that is damaged is left out and counted. Source  mcap.dev, specification of the format, version 0.
 */
#ifndef STN_TAPE_MCAP_H
#define STN_TAPE_MCAP_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_MCAP_CHUNK_MAX                                                                                   \
    (UINT64_C(320) << 20) /* the largest bulk of one message, and what stands around it */
#define STN_MCAP_SCHEMAS 4096u

/* --- reading --- */

typedef struct stn_mcap_reader stn_mcap_reader;

typedef struct stn_mcap_text { /* borrowed from the reader, not terminated */
    const char *text;
    size_t len;
} stn_mcap_text;

typedef struct stn_mcap_schema {
    uint16_t id;
    stn_mcap_text name, encoding;
    const uint8_t *data;
    size_t len;
} stn_mcap_schema;

typedef struct stn_mcap_channel {
    uint16_t id, schema; /* schema 0 = none */
    stn_mcap_text topic, encoding;
    uint64_t messages; /* seen so far */
    uint64_t bytes;
} stn_mcap_channel;

typedef struct stn_mcap_message {
    const stn_mcap_channel *channel;
    uint32_t sequence;
    uint64_t log_ns, publish_ns;
    const uint8_t *data; /* borrowed until the next stn_mcap_next() */
    size_t len;
} stn_mcap_message;

/* `data` is borrowed for the reader's life. STN_BAD_DATA: not an MCAP file. */
stn_status stn_mcap_reader_new(const uint8_t *data, size_t len, stn_mcap_reader **out, stn_err *err);
void stn_mcap_reader_free(stn_mcap_reader *r);
/* STN_NOT_FOUND at the end. STN_BAD_DATA: a record breaks the format; reading can go on behind it where its
 * length was right, else the next call says STN_NOT_FOUND. Messages come in file order. */
stn_status stn_mcap_next(stn_mcap_reader *r, stn_mcap_message *out, stn_err *err);
bool stn_mcap_torn(const stn_mcap_reader *r); /* the end of the file is missing */
uint64_t stn_mcap_damaged(const stn_mcap_reader *r); /* chunks and records left out */
const stn_mcap_channel *stn_mcap_channel_at(const stn_mcap_reader *r,
                                            size_t i); /* in order of appearance; NULL behind */
const stn_mcap_schema *stn_mcap_schema_of(const stn_mcap_reader *r,
                                          const stn_mcap_channel *c); /* NULL: none */

/* --- writing --- */

typedef struct stn_mcap_writer stn_mcap_writer;

/* put() appends to the file; its error ends the writing. */
typedef stn_status (*stn_mcap_put_fn)(void *ctx, const void *data, size_t len, stn_err *err);

stn_status stn_mcap_writer_new(stn_mcap_put_fn put, void *ctx, const char *profile, const char *library,
                               stn_mcap_writer **out, stn_err *err);
void stn_mcap_writer_free(stn_mcap_writer *w); /* without closing: the file is then torn */
/* Ids from 1. `encoding` "protobuf", data a FileDescriptorSet. */
stn_status stn_mcap_add_schema(stn_mcap_writer *w, const char *name, const char *encoding, const void *data,
                               size_t len, uint16_t *id, stn_err *err);
/* schema 0 = none. */
stn_status stn_mcap_add_channel(stn_mcap_writer *w, uint16_t schema, const char *topic, const char *encoding,
                                uint16_t *id, stn_err *err);
stn_status stn_mcap_write(stn_mcap_writer *w, uint16_t channel, uint32_t sequence, uint64_t log_ns,
                          uint64_t publish_ns, const void *data, size_t len, stn_err *err);
/* Ends the chunk, so that a crash after this loses nothing of what was written before. */
stn_status stn_mcap_flush(stn_mcap_writer *w, stn_err *err);
/* Index, statistics, footer. */
stn_status stn_mcap_close(stn_mcap_writer *w, stn_err *err);
uint64_t stn_mcap_written(const stn_mcap_writer *w); /* bytes given to put() */

#endif
