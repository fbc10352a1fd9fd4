#include "loader/http_rules.h"

#include "base/clock.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

stn_http_step stn_http_step_of(long status, bool resumed)
{
    switch (status) {
    case 200:
    case 204:
        return STN_HTTP_TAKE;
    case 206:
        return resumed ? STN_HTTP_TAKE : STN_HTTP_RETRY;
    case 404:
    case 410:
        return STN_HTTP_ABSENT;
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
        return STN_HTTP_REDIRECT;
    case 408:
    case 425:
    case 429:
        return STN_HTTP_RETRY;
    default:
        return status >= 400 && status < 500 ? STN_HTTP_GIVE_UP : STN_HTTP_RETRY;
    }
}

int64_t stn_http_pause_ns(unsigned n)
{
    static const int64_t ms[STN_HTTP_ATTEMPTS] = {0, 10, 100, 500, 1000, 2000, 5000};
    return n < STN_HTTP_ATTEMPTS ? ms[n] * STN_MS : -1;
}

static bool is_https(const char *url)
{
    return strncasecmp(url, "https://", 8) == 0;
}

static bool is_http(const char *url)
{
    return strncasecmp(url, "http://", 7) == 0;
}

bool stn_http_redirect_ok(const char *from, const char *to, bool upgrade)
{
    if (is_https(from))
        return is_https(to);
    return is_http(to) || (upgrade && is_https(to));
}

stn_http_coding stn_http_coding_of(const char *value, size_t len)
{
    while (len && isspace((unsigned char)value[0]))
        value++, len--;
    while (len && isspace((unsigned char)value[len - 1]))
        len--;
    if (len == 0 || (len == 8 && strncasecmp(value, "identity", 8) == 0))
        return STN_CODING_NONE;
    if ((len == 4 && strncasecmp(value, "gzip", 4) == 0) ||
        (len == 6 && strncasecmp(value, "x-gzip", 6) == 0))
        return STN_CODING_GZIP;
    if (len == 7 && strncasecmp(value, "deflate", 7) == 0)
        return STN_CODING_DEFLATE;
    return STN_CODING_OTHER;
}

static stn_status inflate_all(z_stream *z, stn_buf *out, stn_err *err)
{
    size_t coded = z->avail_in;
    for (;;) {
        uint8_t *to = stn_buf_add(out, 65536);
        if (!to)
            return stn_fail(err, STN_NO_MEMORY, "content coding: %zu bytes decoded", out->len);
        z->next_out = to;
        z->avail_out = 65536;
        int rc = inflate(z, Z_NO_FLUSH);
        out->len -= z->avail_out;
        size_t over = out->len > (1u << 20) ? out->len - (1u << 20) : 0;
        if (out->len > STN_HTTP_BODY_MAX || over / STN_HTTP_RATIO > coded)
            return stn_fail(err, STN_TOO_BIG,
                            "content coding: %zu bytes become over %zu; at most %zu and 1:%d", coded,
                            out->len, STN_HTTP_BODY_MAX, STN_HTTP_RATIO);
        if (rc == Z_STREAM_END)
            return STN_OK;
        if (rc == Z_BUF_ERROR || (rc == Z_OK && z->avail_in == 0 && z->avail_out > 0))
            return stn_fail(err, STN_TRUNCATED, "content coding: cut after %zu bytes", coded);
        if (rc != Z_OK)
            return stn_fail(err, STN_BAD_DATA, "content coding: %s", z->msg ? z->msg : "malformed");
    }
}

stn_status stn_http_decode(stn_http_coding coding, const uint8_t *data, size_t len, stn_buf *out,
                           stn_err *err)
{
    if (coding == STN_CODING_NONE || coding == STN_CODING_OTHER) {
        stn_buf_put(out, data, len);
        return out->failed ? stn_fail(err, STN_NO_MEMORY, "body of %zu bytes", len) : STN_OK;
    }
    if (len == 0)
        return STN_OK; /* an answer without a body, whatever its headers say */
    z_stream z = {.next_in = (z_const Bytef *)data, .avail_in = (uInt)len};
    if (inflateInit2(&z, coding == STN_CODING_GZIP ? 16 + MAX_WBITS : MAX_WBITS) != Z_OK)
        return stn_fail(err, STN_NO_MEMORY, "content coding");
    stn_status st = inflate_all(&z, out, err);
    inflateEnd(&z);
    return st;
}

bool stn_http_content_range(const char *value, size_t len, uint64_t *first)
{
    size_t at = 0;
    uint64_t n = 0;
    while (at < len && value[at] == ' ')
        at++;
    if (len - at < 7 || strncasecmp(value + at, "bytes ", 6) != 0)
        return false;
    size_t start = at += 6;
    for (; at < len && isdigit((unsigned char)value[at]); at++) {
        if (n > UINT64_MAX / 10 - 1)
            return false;
        n = n * 10 + (unsigned)(value[at] - '0');
    }
    *first = n;
    return at > start && at < len && value[at] == '-';
}
