/* net_impl.h - the inside of the net thread: for the files of net/ alone. */
#ifndef STN_RENDERER_NET_IMPL_H
#define STN_RENDERER_NET_IMPL_H

#include "base/log.h"
#include "base/table.h"
#include "bus/control.h"
#include "bus/credit.h"
#include "bus/inbox.h"
#include "bus/loop.h"
#include "renderer/net/net.h"

#include "proto/control.pb-c.h"
#include "proto/resource.pb-c.h"
#include "proto/world.pb-c.h"

#include <pthread.h>
#include <stdatomic.h>

#define NET_POOL                                                                                             \
    64 /* items of the GL thread in flight: it takes one or goes without, and never allocates                \
        */

typedef enum net_item_kind {
    NET_ASK,
    NET_TOOK,
    NET_OVERLAY_OVER,
    NET_ACT,
    NET_SIGHT,
    NET_PICTURE_ANSWER,
    NET_FRAMES_ANSWER,
    NET_STATS
} net_item_kind;

/* Something from another thread. */
typedef struct net_item {
    stn_inbox_link link;
    net_item_kind kind;
    atomic_bool *busy; /* of a pool item; NULL: from the heap */
    union {
        struct {
            char name[256];
            int32_t version, priority;
        } ask;
        uint64_t bytes;
        struct {
            int64_t object;
            uint64_t incarnation;
            int32_t overlay;
        } over;
        stn_net_act act;
        struct {
            uint64_t frame;
            stn_camera_sight sight;
        } sight;
        struct {
            uint64_t token;
            uint8_t *png;
            size_t len;
            uint32_t w, h, cuts, entities;
            bool partial;
            char text[160];
            char *text_owned;
        } answer;
        stn_net_stats stats;
    } u;
} net_item;

typedef struct waiting_event {
    struct waiting_event *next;
    stn_net_event *event;
} waiting_event;

typedef struct pending_ask {
    struct pending_ask *next;
    uint64_t correlation;
    char name[256];
    int32_t version, priority;
    bool sent;
} pending_ask;

typedef struct open_question {
    stn_net_question q;
    bool used;
    stn_conv *conv;
    stn_peer *peer;
    uint64_t epoch, correlation;
} open_question;

struct stn_net {
    stn_net_options options;
    stn_camera_sight sight; /* last told */
    uint64_t sight_frame;
    stn_loop *loop;
    stn_bus *bus;
    stn_conv *world, *loader;
    stn_control *door;
    stn_inbox *inbox;
    stn_watch *watch;
    stn_timer *flush_timer;
    stn_spsc *events, *questions;
    waiting_event *first, *last;
    size_t waiting;
    stn_table *asks; /* correlation -> pending_ask */
    pending_ask *ask_list;
    size_t ask_count;
    stn_names
        *had; /* name -> version asked for + 2: what was ever answered, for a capture that begins late */
    bool ask_again;
    stn_grant grant;
    open_question open[32];
    uint64_t next_token;
    stn_net_stats stats;
    bool has_stats;
    stn_log_once behind;
    pthread_t thread;
    bool running;
    atomic_bool ended;
    atomic_int world_state, loader_state;
    /* The GL thread's items. */
    net_item pool[NET_POOL];
    atomic_bool pool_busy[NET_POOL];
};

bool net_feed_ask(void *ctx, const char *name, int32_t version, int32_t priority);
void net_feed_took(void *ctx, size_t bytes);
void net_feed_overlay_over(void *ctx, int64_t object, uint64_t incarnation, int32_t overlay);
stn_status net_open_door(stn_net *n, stn_err *err);
void net_answer(stn_net *n, net_item *it);
void net_item_done(net_item *it);

#endif
