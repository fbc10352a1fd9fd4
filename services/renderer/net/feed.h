/* feed.h - where the build thread's events come from and its questions go: the net thread (net.h), or a
 * capture (reel.h).
 */
#ifndef STN_RENDERER_NET_FEED_H
#define STN_RENDERER_NET_FEED_H

#include "bus/bus.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum stn_net_event_kind {
    STN_NET_WORLD_UP,
    STN_NET_WORLD_DOWN,
    STN_NET_WORLD_MESSAGE,
    STN_NET_LOADER_UP,
    STN_NET_LOADER_DOWN,
    STN_NET_RESOURCE /* Ready, Failed or Refused; `name` and `version` as asked */
} stn_net_event_kind;

typedef struct stn_net_event {
    stn_net_event_kind kind;
    stn_msg
        *msg; /* referenced; stn_net_event_free() lets go. NULL of a resource: there is no answer to be had */
    uint64_t epoch; /* of the peer */
    int64_t came_ns;
    char name[256];
    int32_t version;
} stn_net_event;

void stn_net_event_free(stn_net_event *e); /* NULL is fine */

/* All are called by the one thread that builds. */
typedef struct stn_feed {
    void *ctx;
    stn_net_event *(*take)(void *ctx); /* the caller's; NULL: nothing is there now */
    /* False: too much is waiting, ask again later. */
    bool (*ask)(void *ctx, const char *name, int32_t version, int32_t priority);
    /* A product was taken out of the queue: credit for more. */
    void (*took)(void *ctx, size_t bytes);
    /* An overlay that was to play once has. */
    void (*overlay_over)(void *ctx, int64_t object, uint64_t incarnation, int32_t overlay);
    /* As they are now: 0 away, 2 up. */
    void (*links)(void *ctx, int *world, int *loader);
} stn_feed;

#endif
