/* http_rules.h - what an HTTP answer means for a resource, without any network. Pure.
 * Source  docs/spec/resource-loading.md 5.3, 5.4, 9.
 */
#ifndef STN_LOADER_HTTP_RULES_H
#define STN_LOADER_HTTP_RULES_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_HTTP_ATTEMPTS 7
#define STN_HTTP_REDIRECTS 5
#define STN_HTTP_BODY_MAX ((size_t)64 << 20) /* after decoding */
#define STN_HTTP_HEADERS_MAX ((size_t)64 << 10)
#define STN_HTTP_RATIO 200 /* decoded : coded, beyond the first MiB */

typedef enum stn_http_step {
    STN_HTTP_TAKE, /* the body is the stream */
    STN_HTTP_ABSENT, /* the server has no such resource: final */
    STN_HTTP_REDIRECT,
    STN_HTTP_RETRY, /* this attempt failed */
    STN_HTTP_GIVE_UP, /* final failure: asking again changes nothing */
} stn_http_step;

/* resumed: the request asked for the rest of a body, so 206 is a good answer. */
stn_http_step stn_http_step_of(long status, bool resumed);

/* The pause before attempt `n` (1 = the second attempt); -1 when no attempt is left. */
int64_t stn_http_pause_ns(unsigned n);

/* A redirect stays within its scheme; upgrade allows http to https too, never the other way. Both absolute
 * URLs. */
bool stn_http_redirect_ok(const char *from, const char *to, bool upgrade);

typedef enum stn_http_coding {
    STN_CODING_NONE,
    STN_CODING_GZIP,
    STN_CODING_DEFLATE,
    STN_CODING_OTHER
} stn_http_coding;

/* Of a Content-Encoding value, without case and blanks. OTHER: one we do not know, whose bytes are used as
 * they are. */
stn_http_coding stn_http_coding_of(const char *value, size_t len);

/* Decodes a whole body. STN_TOO_BIG: over the body limit or the ratio (final); STN_TRUNCATED, STN_BAD_DATA:
 * the coding did not end cleanly (a failed attempt). */
stn_status stn_http_decode(stn_http_coding coding, const uint8_t *data, size_t len, stn_buf *out,
                           stn_err *err);

/* "bytes 100-199/200": the first byte, when the value is well-formed. */
bool stn_http_content_range(const char *value, size_t len, uint64_t *first);

#endif
