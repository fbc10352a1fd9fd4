/* tape.h - captures: tap records of many processes in one MCAP file.
 *
 * Shape   For every record of process P, in the order they came:
 *           channel "/P/turns", schema stenness.TapRecord: the record, with the envelope and the lengths of
 * its frames; then each frame as a message of its own. The body of a message is on "/P/in/CONVERSATION/KIND"
 * or
 *           "/P/out/…" with the schema of its type, so that other tools read it; the data of an input on
 * "/P/input/NAME"; bulk frames on "/P/bulk" without a schema. Log time is wall time in ns; the sequence
 * number is the low half of the record's `order`. Reading joins them again. A record whose frames are not all
 * there is left out and counted. Limits  as in mcap.h; a record has at most STN_BULK_FRAMES_MAX frames.
 */
#ifndef STN_TAPE_TAPE_H
#define STN_TAPE_TAPE_H

#include "base/err.h"
#include "bus/envelope.h"
#include "bus/frame.h"
#include "tape/mcap.h"

#include "proto/tape.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --- writing --- */

typedef struct stn_tape_writer stn_tape_writer;

/* Writes PATH.part, which stn_tape_close() renames to PATH. */
stn_status stn_tape_create(const char *path, stn_tape_writer **out, stn_err *err);
/* A record as the tap sends it: frames are [envelope, body, bulk…] of a message, [data] else. */
stn_status stn_tape_write(stn_tape_writer *w, const char *process, const Stenness__TapRecord *record,
                          stn_frame *const *frames, size_t n, stn_err *err);
/* What was written so far survives a crash. */
stn_status stn_tape_flush(stn_tape_writer *w, stn_err *err);
stn_status stn_tape_close(stn_tape_writer *w, stn_err *err); /* frees w in any case */
void stn_tape_abandon(stn_tape_writer *w); /* leaves PATH.part; NULL is fine */
uint64_t stn_tape_bytes(const stn_tape_writer *w);

/* --- reading --- */

typedef struct stn_tape_reader stn_tape_reader;

typedef struct stn_tape_item {
    const char *process; /* "renderer.0" */
    const Stenness__TapRecord *record; /* its frames are not in it */
    stn_envelope envelope; /* of a message */
    stn_frame *body; /* of a message; the data of an input; NULL when there is none */
    stn_frame *const *bulk;
    size_t n_bulk;
} stn_tape_item; /* all borrowed until the next stn_tape_next(); frames can be referenced */

/* Maps the file; STN_BAD_DATA: not a capture. */
stn_status stn_tape_open(const char *path, stn_tape_reader **out, stn_err *err);
stn_status stn_tape_open_memory(const void *data, size_t len, stn_tape_reader **out,
                                stn_err *err); /* borrowed */
void stn_tape_reader_free(stn_tape_reader *r);
/* STN_NOT_FOUND at the end. Damaged parts are passed over and counted. */
stn_status stn_tape_next(stn_tape_reader *r, stn_tape_item *out, stn_err *err);
bool stn_tape_torn(const stn_tape_reader *r);
uint64_t stn_tape_damaged(const stn_tape_reader *r);
/* Channels as far as read; NULL behind the last. */
const stn_mcap_channel *stn_tape_channel(const stn_tape_reader *r, size_t i);

/* What a capture holds, for people: processes with times, turns and losses, then every channel with counts
 * and bytes. */
stn_status stn_tape_list(const char *path, FILE *out, stn_err *err);

#endif
