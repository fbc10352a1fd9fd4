/* http.h - fetching over HTTP(S): one curl multi handle inside the loop.
 *
 * Requests wait in order of priority; at most `active_max` transfers that move, and `host_max` of them to
 * one host, run at once. A transfer without a byte for STN_HTTP_IDLE_NS no longer counts, so that hung
 * servers do not hold up the others (over `total_max` even those wait). Keep-alive, HTTP/2 where offered,
 * retries with pauses, and the rest of a broken body by Range when the server gave a strong ETag. Bodies
 * come complete and decoded, or not at all.
 * Source  docs/spec/resource-loading.md 5.
 */
#ifndef STN_LOADER_HTTP_H
#define STN_LOADER_HTTP_H

#include "base/err.h"
#include "bus/loop.h"
#include "loader/http_rules.h"

#define STN_HTTP_IDLE_NS (INT64_C(1500) * 1000 * 1000)

typedef struct stn_http stn_http;

typedef struct stn_http_opts {
    const char *agent; /* User-Agent */
    unsigned active_max; /* 0 = 32 */
    unsigned host_max; /* 0 = 16 (64 for a host that speaks HTTP/2) */
    unsigned total_max; /* 0 = 256 */
    int64_t connect_ms; /* TCP and TLS together; 0 = 10000 */
    int64_t stall_ms; /* without a byte; whole seconds; 0 = 30000 */
    int64_t attempt_ms; /* one attempt, redirects apart; 0 = 120000 */
    bool allow_upgrade; /* redirects from http to https */
    const char
        *pinned_hosts; /* domains, comma-separated; they and what is under them are checked against the pinned
                          certificate alone, without a host name check. NULL = "havenandhearth.com" */
    const char *pinned_file; /* PEM instead of the game server's own */
    bool pinned_fallback; /* those hosts may also be good by the system's store with a name check */
} stn_http_opts;

typedef enum stn_http_outcome { STN_HTTP_BODY, STN_HTTP_NOT_FOUND, STN_HTTP_FAILED } stn_http_outcome;

typedef struct stn_http_answer {
    stn_http_outcome outcome;
    uint8_t *data; /* BODY: taken by the receiver (free()); perhaps NULL with len 0 */
    size_t len;
    const char *text; /* of a failure */
    unsigned requests; /* that were made in all */
} stn_http_answer;

typedef void (*stn_http_fn)(void *ctx, uint64_t token, const stn_http_answer *answer);

stn_status stn_http_new(stn_loop *loop, const stn_http_opts *opts, stn_http **out, stn_err *err);
void stn_http_free(stn_http *h); /* open requests end without an answer */

/* url: absolute http or https, as stn_url_of() makes it. version: sent as the wanted version when >= 0. fn
 * runs once, from the loop, never inside this call. */
stn_status stn_http_get(stn_http *h, const char *url, int version, int prio, stn_http_fn fn, void *ctx,
                        uint64_t token, stn_err *err);
/* Of a request that has not been answered yet; only its place among those that wait changes. */
void stn_http_raise(stn_http *h, uint64_t token, int prio);

/* Ends a request without an answer; nothing when there is none. */
void stn_http_cancel(stn_http *h, uint64_t token);

typedef struct stn_http_figures {
    uint64_t requests, retries, resumed, redirects, bytes, answered, failed;
    size_t waiting, running, idle; /* idle: of the running, without a byte for a while */
} stn_http_figures;
void stn_http_report(const stn_http *h, stn_http_figures *out);

#endif
