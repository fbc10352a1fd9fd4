#include "loader/resname.h"

#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool ascii_refused(uint8_t c)
{
    return c <= 0x20 || c == 0x7f || strchr("\"<>\\^`{|}%#?[]:", c) != NULL;
}

/* Blanks and controls beyond ASCII (section 9). */
static bool char_refused(uint32_t c)
{
    return (c >= 0x80 && c <= 0xa0) || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) || c == 0x2028 ||
           c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000 || c == 0xfeff;
}

/* One character of well-formed UTF-8. */
static uint32_t next_char(const char *s, size_t *at)
{
    const uint8_t *b = (const uint8_t *)s + *at;
    if (b[0] < 0x80) {
        *at += 1;
        return b[0];
    }
    if (b[0] < 0xe0) {
        *at += 2;
        return (uint32_t)(b[0] & 0x1f) << 6 | (b[1] & 0x3f);
    }
    if (b[0] < 0xf0) {
        *at += 3;
        return (uint32_t)(b[0] & 0x0f) << 12 | (uint32_t)(b[1] & 0x3f) << 6 | (b[2] & 0x3f);
    }
    *at += 4;
    return (uint32_t)(b[0] & 0x07) << 18 | (uint32_t)(b[1] & 0x3f) << 12 | (uint32_t)(b[2] & 0x3f) << 6 |
           (b[3] & 0x3f);
}

static stn_status check_segment(const char *seg, size_t len, size_t at, stn_err *err)
{
    if (len == 0)
        return stn_fail(err, STN_USAGE, "resource name: empty segment at byte %zu", at);
    if (len > STN_RESNAME_SEGMENT_MAX)
        return stn_fail(err, STN_USAGE, "resource name: segment at byte %zu has %zu bytes, at most %d", at,
                        len, STN_RESNAME_SEGMENT_MAX);
    if ((len == 1 && seg[0] == '.') || (len == 2 && seg[0] == '.' && seg[1] == '.'))
        return stn_fail(err, STN_USAGE, "resource name: segment \"%.*s\" at byte %zu", (int)len, seg, at);
    return STN_OK;
}

stn_status stn_resname_check(const char *name, size_t len, stn_err *err)
{
    if (len < 1 || len > STN_RESNAME_MAX)
        return stn_fail(err, STN_USAGE, "resource name: %zu bytes, 1 to %d expected", len, STN_RESNAME_MAX);
    if (!stn_text_is_utf8(name, len))
        return stn_fail(err, STN_USAGE, "resource name: not UTF-8");
    size_t start = 0;
    for (size_t at = 0; at < len;) {
        size_t here = at;
        uint32_t c = next_char(name, &at);
        if (c < 0x80 ? ascii_refused((uint8_t)c) : char_refused(c))
            return stn_fail(err, STN_USAGE, "resource name: character U+%04" PRIX32 " at byte %zu", c, here);
        if (c == '/') {
            stn_status st = check_segment(name + start, here - start, start, err);
            if (st != STN_OK)
                return st;
            start = at;
        }
    }
    return check_segment(name + start, len - start, start, err);
}

void stn_resname_dynamic(uint64_t uid, char out[24])
{
    snprintf(out, 24, "dyn/%" PRIx64, uid);
}

/* The host of an authority "host", "host:port" or "[v6]:port", in lower case. */
static char *host_of(const char *auth, size_t len)
{
    size_t end = len;
    if (len > 0 && auth[0] == '[') {
        const char *close = memchr(auth, ']', len);
        if (!close)
            return NULL;
        auth++;
        end = (size_t)(close - auth);
    } else {
        const char *colon = memchr(auth, ':', len);
        if (colon)
            end = (size_t)(colon - auth);
    }
    if (end == 0)
        return NULL;
    char *host = malloc(end + 1);
    if (!host)
        return NULL;
    for (size_t i = 0; i < end; i++)
        host[i] = (char)tolower((unsigned char)auth[i]);
    host[end] = 0;
    return host;
}

stn_status stn_url_base_init(stn_url_base *base, const char *url, stn_err *err)
{
    *base = (stn_url_base){0};
    size_t scheme;
    if (strncasecmp(url, "https://", 8) == 0) {
        base->secure = true;
        scheme = 8;
    } else if (strncasecmp(url, "http://", 7) == 0) {
        scheme = 7;
    } else {
        return stn_fail(err, STN_USAGE, "resource URL \"%.120s\": http:// or https:// expected", url);
    }
    for (const uint8_t *c = (const uint8_t *)url; *c; c++)
        if (*c <= 0x20 || *c >= 0x7f)
            return stn_fail(err, STN_USAGE, "resource URL \"%.120s\": byte 0x%02x must be escaped", url, *c);
    size_t auth_len = strcspn(url + scheme, "/?#");
    const char *at = memrchr(url + scheme, '@', auth_len);
    size_t skip = at ? (size_t)(at + 1 - url) - scheme : 0;
    base->credentials = at != NULL;
    base->host = host_of(url + scheme + skip, auth_len - skip);
    if (!base->host)
        return stn_fail(err, STN_USAGE, "resource URL \"%.120s\": no host", url);
    size_t path = scheme + auth_len;
    size_t path_len = strcspn(url + path, "?#");
    while (path_len > 0 && url[path + path_len - 1] != '/')
        path_len--;
    stn_buf b = {0};
    stn_buf_put(&b, url, path + path_len);
    if (path_len == 0)
        stn_buf_u8(&b, '/');
    stn_buf_u8(&b, 0);
    size_t len;
    base->prefix = (char *)stn_buf_take(&b, &len);
    if (!base->prefix) {
        stn_url_base_fini(base);
        return stn_fail(err, STN_NO_MEMORY, "resource URL");
    }
    return STN_OK;
}

void stn_url_base_fini(stn_url_base *base)
{
    free(base->prefix);
    free(base->host);
    *base = (stn_url_base){0};
}

stn_status stn_url_of(const stn_url_base *base, const char *name, int want, bool versioned, stn_buf *out,
                      stn_err *err)
{
    stn_status st = stn_resname_check(name, strlen(name), err);
    if (st != STN_OK)
        return st;
    stn_buf_put(out, base->prefix, strlen(base->prefix));
    for (const uint8_t *c = (const uint8_t *)name; *c; c++) {
        if (*c < 0x80)
            stn_buf_u8(out, *c);
        else
            stn_buf_printf(out, "%%%02X", *c);
    }
    if (versioned && want >= 0)
        stn_buf_printf(out, ".res.v%d", want);
    else
        stn_buf_printf(out, ".res");
    stn_buf_u8(out, 0);
    return out->failed ? stn_fail(err, STN_NO_MEMORY, "URL of \"%s\"", name) : STN_OK;
}
