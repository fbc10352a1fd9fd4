/* container.h - the list of records of one .res file, read and written.
 *
 * Shape   16 bytes "Haven Resource 1", uint16 version, then to the end of the input: NUL-terminated type name
 *         (may be empty), int32 payload length, payload. All integers little-endian.
 * Limits  stn_res_limits: input bytes, records. A length is checked against the bytes left first.
 * Errors  stn_res_fault, with the offset of the record's name.
 * Source  docs/spec/resource-format.md 1.
 */
#ifndef STN_RES_CONTAINER_H
#define STN_RES_CONTAINER_H

#include "base/arena.h"
#include "base/buf.h"
#include "res/fault.h"

#include <stdbool.h>

#define STN_RES_SIGNATURE "Haven Resource 1"
#define STN_RES_SIGNATURE_BYTES 16
#define STN_RES_ANY_VERSION (-1)

typedef struct stn_res_record {
    const char *type; /* NUL-terminated inside the input; raw bytes, perhaps not UTF-8 */
    size_t offset; /* of the type name in the file */
    const uint8_t *data; /* payload, borrowed from the input */
    uint32_t len;
} stn_res_record;

typedef struct stn_res_container {
    uint16_t version;
    uint32_t count;
    const stn_res_record *records; /* in the arena */
} stn_res_container;

/* Reads the list; no payload is looked into. The records point into `data`, which must outlive them.
 * want_version: STN_RES_ANY_VERSION or the only version accepted. limits NULL: the defaults. fault and err
 * may be NULL. */
stn_status stn_res_container_read(const uint8_t *data, size_t len, int want_version,
                                  const stn_res_limits *limits, stn_arena *arena, stn_res_container *out,
                                  stn_res_fault *fault, stn_err *err);

/* The signature and version alone, for who wants to know the version of a stored file. */
stn_status stn_res_peek_version(const uint8_t *data, size_t len, uint16_t *version, stn_res_fault *fault,
                                stn_err *err);

/* Writing: the head once, then each record. STN_USAGE when a payload is longer than an int32 or a type holds
 * a NUL (type_len counts its bytes). */
void stn_res_put_head(stn_buf *out, uint16_t version);
stn_status stn_res_put_record(stn_buf *out, const char *type, size_t type_len, const void *payload,
                              size_t len, stn_err *err);

#endif
