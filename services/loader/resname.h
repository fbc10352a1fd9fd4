/* resname.h - which resource names are valid, and the URL a name is fetched from.
 *
 * Valid   1..512 bytes of UTF-8; segments of 1..200 bytes between single slashes, none of them "." or
 *         ".."; none of the bytes 00-20, 7F, " < > \ ^ ` { | } % # ? [ ] : and none of the characters that
 *         a URL or a terminal would swallow (C1 controls, all kinds of blank, byte order mark). Case
 *         counts; nothing is normalised.
 * URL     base path up to its last slash + name + ".res" (".res.vN" at a version cache), bytes >= 0x80 as
 *         %XX. A valid name needs no other escape, so it can never change host, path or scheme of the
 *         request.
 * Source  docs/spec/resource-loading.md 5.1 and 9.
 */
#ifndef STN_LOADER_RESNAME_H
#define STN_LOADER_RESNAME_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_RESNAME_MAX 512 /* bytes of a name */
#define STN_RESNAME_SEGMENT_MAX 200 /* bytes between two slashes */
#define STN_VERSION_ANY (-1)
#define STN_VERSION_MAX 65535

/* STN_OK, or STN_USAGE with a text that names the first offending byte or segment. */
stn_status stn_resname_check(const char *name, size_t len, stn_err *err);

static inline bool stn_version_valid(int64_t version)
{
    return version >= STN_VERSION_ANY && version <= STN_VERSION_MAX;
}

/* "dyn/" + lowercase hex without padding: the name of a dynamic resource (section 2.7). out holds >= 24
 * bytes. */
void stn_resname_dynamic(uint64_t uid, char out[24]);

/* Where a network source fetches from. */
typedef struct stn_url_base {
    char *prefix; /* scheme, authority and path up to the last slash */
    char *host; /* lower case, without port and brackets */
    bool secure; /* https */
    bool credentials; /* has a user or password: no configuration may, they would go to whoever a redirect
                         names */
} stn_url_base;

/* Takes an absolute http or https URL apart. STN_USAGE for anything else. */
stn_status stn_url_base_init(stn_url_base *base, const char *url, stn_err *err);
void stn_url_base_fini(stn_url_base *base);

/* Appends the URL of a valid name, NUL-terminated. `versioned`: the source is a version cache, which is asked
 * for
 * ".res.vN" when a version is wanted. The name is checked (STN_USAGE). */
stn_status stn_url_of(const stn_url_base *base, const char *name, int want, bool versioned, stn_buf *out,
                      stn_err *err);

#endif
