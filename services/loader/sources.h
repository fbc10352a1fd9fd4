/* sources.h - the sources of this installation, in their order, and how each is asked.
 *
 *   pool local    builtin  builtin-res.jar            member res/NAME.res
 *                 resdir   --resdir DIR               file NAME.res
 *                 pack     --pack FILE,…              member res/NAME.res or NAME.res
 *   pool remote   preload  hafen-res.jar              member res-preload/NAME.res
 *                 cpack    brodgar-res.jar            member brodgar-res/NAME.res
 *                 disk     the disk cache
 *                 http     the resource URL; for the version cache's host `cdn` and then `proxy`
 *
 * The .jar files are sought in --packs, then $XDG_DATA_HOME/stenness/packs, then the installation's data
 * folder. Without --resurl the URL is that of this instance's homestead, read from its homestead.json and
 * followed when it changes; until it is known those who need the network wait for it, at most
 * STN_SOURCES_URL_NS.
 * Source  docs/spec/resource-loading.md 1, 4.2, 5.
 */
#ifndef STN_LOADER_SOURCES_H
#define STN_LOADER_SOURCES_H

#include "loader/ask.h"
#include "loader/http.h"
#include "loader/workers.h"

#define STN_SOURCES_URL_NS (120 * INT64_C(1000000000)) /* homestead may be painting its pack */

typedef struct stn_sources stn_sources;

typedef struct stn_sources_opts {
    const char *resurl; /* "" = homestead's; "none" = no network */
    const char *resdir; /* "" = none */
    const char *pack; /* files, comma-separated; "" = none */
    const char *packs; /* folder; "" = none */
    const char
        *cache; /* folder; "" = $XDG_CACHE_HOME/stenness/data; "shared" = the reference client's; "none" */
    const char *identity; /* of cache entries; "" = by the URL */
    uint64_t cache_cap; /* bytes; 0 = none */
    const char *watch_file; /* the homestead.json to follow */
    stn_http_opts http;
    stn_workers_opts workers;
} stn_sources_opts;

typedef struct stn_sources_hooks {
    void *ctx;
    /* got->payload is a stn_payload. `damage`: what a full decode found although the resource is good, or "".
     */
    void (*answered)(void *ctx, uint64_t fetch, unsigned source, const stn_fetched *got, const char *name,
                     const char *damage);
    /* A server is known, or another one: what failed before may be there now. */
    void (*server_changed)(void *ctx);
} stn_sources_hooks;

/* Adds pools "local" and "remote" and their sources to the engine. */
stn_status stn_sources_new(stn_loop *loop, stn_asks *asks, const stn_sources_opts *opts,
                           const stn_sources_hooks *hooks, stn_sources **out, stn_err *err);
void stn_sources_free(stn_sources *s); /* open fetches end without an answer */

/* judge_only: the verdict alone, nothing is stored. */
void stn_sources_fetch(stn_sources *s, const stn_fetch *fetch, bool judge_only);
void stn_sources_raise(stn_sources *s, uint64_t fetch, int prio);
/* Takes the name's entry out of the disk cache: it was found damaged. */
void stn_sources_drop_cached(stn_sources *s, const char *name);
bool stn_sources_is_stored(const stn_sources *s, unsigned source); /* disk or network */

unsigned stn_sources_remote_pool(const stn_sources *s);
const char *stn_sources_url(const stn_sources *s); /* "" = not known yet */
bool stn_sources_has_network(const stn_sources *s); /* false: switched off */
stn_http *stn_sources_http(const stn_sources *s);
stn_workers *stn_sources_workers(const stn_sources *s);
stn_diskcache_sum stn_sources_cache_sum(const stn_sources *s); /* of the last sweep */
const char *stn_sources_cache_trouble(const stn_sources *s); /* why there is no disk cache, or "" */

#endif
