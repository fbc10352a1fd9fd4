/* err.h - errors as values: a status for code, a text for people.
 *
 * Every function that can fail returns stn_status; results come through out-parameters. The text says what
 * was read, where, what was expected and what came, and what the person can do: `layer "image" at 412:
 * payload 90000 bytes, 1180 left`. STN_AGAIN is not a failure and is never logged as one.
 */
#ifndef STN_BASE_ERR_H
#define STN_BASE_ERR_H

typedef enum stn_status {
    STN_OK = 0,
    STN_AGAIN, /* not yet: keep the old value, ask again later */
    STN_NOT_FOUND, /* every source said no */
    STN_TRUNCATED, /* the input ends before what it announces */
    STN_BAD_DATA, /* the input breaks a rule of its format */
    STN_TOO_BIG, /* a count, size or depth over the limit */
    STN_VERSION, /* a version that is not the wanted or known one */
    STN_NO_MEMORY, /* allocation failed */
    STN_IO, /* file, socket or device */
    STN_DENIED, /* not allowed: keys, permissions, credentials */
    STN_TIMEOUT, /* a deadline passed */
    STN_BUSY, /* taken by another: a lock, a full queue */
    STN_USAGE, /* the caller or the person asked for something that makes no sense */
    STN_UNSUPPORTED, /* well formed, but not something this build does */
    STN_CANCELLED, /* given up on request */
    STN_STATUS_COUNT
} stn_status;

#define STN_ERR_TEXT 320

typedef struct stn_err {
    stn_status code;
    char text[STN_ERR_TEXT];
} stn_err;

/* Sets *err (NULL is fine) and returns `code`. A text that does not fit is cut at the end. */
stn_status stn_fail(stn_err *err, stn_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before the text of *err, for a caller that knows where the failure happened. Returns
 * err->code; `code` when err is NULL. */
stn_status stn_fail_in(stn_err *err, stn_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

void stn_err_clear(stn_err *err);

/* "ok", "again", "not-found", …: stable words, also used in JSON. Never NULL. */
const char *stn_status_name(stn_status code);

#endif
