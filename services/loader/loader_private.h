/* loader_private.h - shared by loader.c (asks), loader_tools.c (reload, why) and loader_status.c
 * (control).
 */
#ifndef STN_LOADER_PRIVATE_H
#define STN_LOADER_PRIVATE_H

#include "loader/loader.h"

#include "base/table.h"
#include "bus/control.h"
#include "bus/unpack.h"
#include "loader/clients.h"
#include "loader/dirwatch.h"
#include "loader/payload.h"

#define STN_LOADER_STREAM 0u /* answers without bulk, in order */
#define STN_LOADER_BULK 16u /* Ready */
#define STN_LOADER_WHY_BIT (UINT64_C(1) << 63) /* fetches of a Why are none of the engine's */

/* A Ready that waits for room at its peer. */
typedef struct late {
    struct late *next;
    uint64_t correlation, object;
    uint32_t want;
} late;

/* What a peer has here. */
typedef struct seat {
    stn_client *client;
    late *late, *last_late;
    size_t late_count;
} seat;

/* Somebody wants to know how a reload ended. */
typedef struct reload_wait {
    struct reload_wait *next;
    stn_peer *peer;
    uint64_t correlation, object;
} reload_wait;

typedef struct why_walk why_walk;

struct stn_loader {
    stn_bus *bus;
    stn_conv *door;
    stn_control *control;
    stn_asks *asks;
    stn_sources *sources;
    stn_clients *clients;
    stn_unpacker *unpacker;
    stn_frame *empty;
    stn_names *scolded;
    stn_dirwatch *dirwatch; /* NULL: the developer folder is not watched */
    reload_wait *reloads;
    why_walk *whys;
    uint64_t last_why;
    uint64_t gets, readies, failed, damaged, resdir_refused, reloaded, unsaid;
};

typedef struct stn_loader_failure {
    uint64_t ask;
    const char *name;
    int version;
    const char *kind;
    const stn_miss *chain; /* or, without a chain: */
    stn_miss_kind miss;
    const char *text;
} stn_loader_failure;

void stn_loader_say_failed(stn_loader *l, stn_peer *peer, uint64_t correlation, const stn_loader_failure *f);

/* loader_tools.c */
stn_status stn_loader_on_reload(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err);
void stn_loader_reloaded(void *ctx, stn_object *object, bool good, const stn_miss *chain);
stn_status stn_loader_on_why(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err);
void stn_loader_why_answered(stn_loader *l, uint64_t fetch, unsigned source, const stn_fetched *got);
void stn_loader_forget_peer(stn_loader *l, const stn_peer *peer);
void stn_loader_drop_walks(stn_loader *l);
/* A file of the developer folder changed: ctx is the loader. */
void stn_loader_file_changed(void *ctx, const char *name);

/* loader_status.c */
stn_status stn_loader_control_new(stn_loader *l, stn_err *err);

#endif
