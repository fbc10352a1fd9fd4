/* http.h - homestead's resources over HTTP, from a folder. A thin shell about libmicrohttpd.
 *
 * GET and HEAD of /res/NAME.res; NAME is the resource's name, parts of a-z A-Z 0-9 . _ - joined by '/', no
 * part beginning with '.'. Answers carry an ETag and a length; If-None-Match, and Range of the form
 * "bytes=N-" with If-Range are understood, so a broken transfer can go on. The server runs in one thread of
 * its own.
 *
 * Limits  STN_HTTP_CONNECTIONS at once, STN_HTTP_FILE_MAX bytes a file, 30 s without progress.
 */
#ifndef STN_HOMESTEAD_HTTP_H
#define STN_HOMESTEAD_HTTP_H

#include "base/err.h"

#include <stdint.h>

#define STN_HTTP_CONNECTIONS 64
#define STN_HTTP_FILE_MAX (64u << 20)

typedef struct stn_http stn_http;

typedef struct stn_http_stats {
    uint64_t requests, sent, not_modified, not_found, refused, bytes;
} stn_http_stats;

/* host: an address literal; port 0 = any free one. */
stn_status stn_http_start(const char *host, unsigned port, const char *folder, stn_http **out, stn_err *err);
void stn_http_free(stn_http *h); /* stops the thread */
unsigned stn_http_port(const stn_http *h);
void stn_http_get_stats(stn_http *h, stn_http_stats *out);

#endif
