/* build_impl.h - the inside of the build thread: for build.c and build_cuts.c alone. */
#ifndef STN_RENDERER_BUILD_IMPL_H
#define STN_RENDERER_BUILD_IMPL_H

#include "base/log.h"
#include "base/table.h"
#include "bus/unpack.h"
#include "renderer/build/build.h"
#include "renderer/build/cutline.h"
#include "renderer/build/decor.h"
#include "renderer/build/gobs.h"
#include "renderer/build/sheets.h"
#include "renderer/build/store.h"

#include <pthread.h>
#include <stdatomic.h>

/* A grid, kept to colour it when its tilesets have come. */
struct known_grid {
    stn_msg *msg;
    int64_t id;
    int32_t x, y;
    bool coloured;
};

struct stn_build {
    stn_feed feed;
    stn_spsc *jobs, *spent;
    stn_spsc *wanted; /* assets whose levels of detail are asked for */
    stn_store *store;
    stn_gobs *gobs;
    stn_decor *decor;
    stn_sheets *sheets;
    stn_unpacker *unpacker;
    stn_table *grids; /* -> known_grid */
    stn_cutline *cuts;
    stn_table *came; /* the halves of cuts that world has sent */
    stn_job *held[256]; /* small jobs that found no room, in order */
    size_t held_count;
    uint64_t frame, session; /* the frame of reference that is shown or filled, and world's number of it */
    stn_job_facts facts;
    bool facts_due;
    int64_t now_ns; /* of the round under way */
    int64_t facts_ns, colour_ns;
    bool poses_due; /* of the step under way */
    stn_log_once bad;
    pthread_t thread;
    bool running;
    atomic_bool stop;
};

/* Whether the GL thread keeps up: when not, events and cuts wait where they are. */
bool build_room(const stn_build *b);
/* State is never dropped: without room it waits here, and events are not taken until there is some. */
void build_give(stn_build *b, stn_job *job);
/* The body of a message; NULL when it cannot be read (said once). */
const void *build_unpack(stn_build *b, const ProtobufCMessageDescriptor *type, const stn_msg *msg);

/* build_cuts.c */
void build_on_cut(stn_build *b, const stn_net_event *e);
void build_on_cut_drop(stn_build *b, const stn_net_event *e);
/* Hands over what is due, for at most budget_ns. */
void build_cuts(stn_build *b, int64_t budget_ns);

#endif
