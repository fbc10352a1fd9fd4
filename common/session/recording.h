/* recording.h - a session written down as text, in the reference client's own form.
 *
 * Lines end with LF; words are separated by white space; empty lines and those that begin with '#' are
 * skipped. Word 1 is the time in seconds since the recording began (a decimal comma is understood too), word
 * 2 the kind: `rmsg` type bytes, `objd` flags id frame [initframe] TYPE:bytes…, `map` base64, `close`.
 * Unknown kinds are skipped and counted. Reading and writing are pure; what comes back borrows from the
 * reader.
 *
 * Limits  a line of at most STN_RECORDING_LINE bytes.
 *
 * Errors  STN_BAD_DATA with the number of the line; what came before it stands.
 *
 * Source  docs/spec/session-protocol.md 17.
 */
#ifndef STN_SESSION_RECORDING_H
#define STN_SESSION_RECORDING_H

#include "base/arena.h"
#include "session/objdata.h"

#define STN_RECORDING_LINE (16u << 20)

typedef enum stn_recorded_kind {
    STN_RECORDED_RMSG,
    STN_RECORDED_OBJD,
    STN_RECORDED_MAP,
    STN_RECORDED_CLOSE,
} stn_recorded_kind;

typedef struct stn_recorded {
    double time; /* seconds */
    stn_recorded_kind kind;
    uint8_t type; /* RMSG */
    const uint8_t *data; /* RMSG, MAP */
    size_t len;
    stn_objdelta obj; /* OBJD: flags show STN_OBJ_VIRTUAL and STN_OBJ_OLD alone */
} stn_recorded;

typedef struct stn_recording stn_recording;

/* text is borrowed for the reader's life. NULL when out of memory. */
stn_recording *stn_recording_new(const char *text, size_t len);
void stn_recording_free(stn_recording *r);
/* STN_OK: *out is the next one, borrowed until the next call. STN_NOT_FOUND: the end. */
stn_status stn_recording_next(stn_recording *r, stn_recorded *out, stn_err *err);
uint64_t stn_recording_skipped(const stn_recording *r); /* lines of unknown kinds */

/* One line, to the byte as the reference writes it. */
void stn_recording_write(stn_buf *out, const stn_recorded *rec);

#endif
