/* world/world_impl.h - the inside of the service, shared by world.c, view*.c and mesh_door.c alone. */
#ifndef STN_WORLD_WORLD_IMPL_H
#define STN_WORLD_WORLD_IMPL_H

#include "base/log.h"
#include "base/table.h"
#include "bus/credit.h"
#include "map/height.h"
#include "world/cuts.h"
#include "world/encode.h"
#include "world/game.h"
#include "world/mapcache.h"
#include "world/memory.h"
#include "world/ocache.h"
#include "world/resources.h"
#include "world/sight.h"
#include "world/tracker.h"
#include "world/world.h"

#include "proto/resource.pb-c.h"
#include "proto/world.pb-c.h"

#define STN_WORLD_TICK_NS (50 * INT64_C(1000000))
#define STN_STATE_STREAM 0u
#define STN_VIEWERS_MAX STN_CUTS_VIEWERS
#define STN_MESHERS_MAX 64
#define STN_VIEW_RANGE 1100.0 /* map units: 100 tiles */
#define STN_VIEW_RANGE_MAX 11000.0
#define STN_VIEW_LOD 3.5e-5
#define STN_VIEW_CUTS 2 /* cuts drawn around the focus cut */
#define STN_VIEW_CUTS_MAX 10
#define STN_MARGIN 1 /* tiles around a cut that a build reads */
#define STN_MARGIN_WATER 12

typedef struct stn_ground {
    uint32_t blend_passes; /* 0..12 */
    bool transitions, flat;
    double density; /* percent, 0..100 */
} stn_ground;

typedef struct stn_focus {
    bool follow_player;
    double x, y, range, lod_bias;
    uint32_t cut_view;
    stn_sight sight;
    uint64_t session; /* in whose coordinates x, y and the sight are */
} stn_focus;

/* A product as it is kept: the mesher's own frame. */
typedef struct stn_payload {
    stn_frame *frame;
    uint32_t compression;
    uint64_t unpacked_bytes;
} stn_payload;

typedef struct stn_view {
    bool used, subscribed, spectator, lagging;
    bool begin; /* FrameBegin and a full snapshot are due */
    bool snapshot_due; /* the next Tick says that the snapshot is complete */
    stn_peer *peer;
    stn_focus focus;
    stn_viewer_id id; /* in the tracker of this frame; 0 = none yet */
    int64_t *hidden;
    size_t n_hidden;
    bool hide_again; /* hidden ids are to be looked up */
    stn_credit credit;
    stn_table *grids; /* coordinate key -> fill number told + 1 */
    stn_table *cuts; /* cut key -> product number told + 1 */
    uint64_t session_told; /* hash of what was last told */
    uint32_t globals_told, ground_told;
    uint32_t menu_told, ghost_told; /* its number; 0: none is open, UINT32_MAX: not told yet */
    int64_t globals_ns;
    size_t wanted, ready; /* cut halves, in the last tick */
    uint64_t swap_sent; /* the newest change of which a product was sent */
    uint64_t swap_closed; /* it and what came before it are told as complete */
    uint64_t swap_open; /* the oldest change of which something is still to come, in this tick; 0 = none */
    bool player_told;
    uint32_t player;
    bool driver_told;
} stn_view;

typedef struct stn_mesher {
    bool used;
    stn_peer *peer;
    uint32_t number; /* of the lease owner; never used again */
    uint32_t jobs; /* leases it takes at once; 0 = not said yet */
    stn_table *sent; /* tileset handle -> something: definitions it has */
    uint64_t built, failed;
} stn_mesher;

/* Scratch for jobs: the largest window and what occurs in it. */
typedef struct stn_job_scratch {
    uint32_t margin;
    uint16_t tiles[49 * 49];
    float heights[50 * 50];
    uint32_t ids[256];
    stn_tileset *sets[256];
    size_t n_ids;
    int64_t grid_id;
} stn_job_scratch;

struct stn_world {
    stn_bus *bus;
    stn_loop *loop;
    stn_conv *view_door, *mesh_door;
    stn_timer *tick_timer;
    stn_resources *resources;
    stn_line *line;
    stn_encode *encode;
    char *character, *state_file;
    size_t max_grids, product_bytes;
    stn_ground ground;
    uint32_t ground_changes;
    /* The frame: one session's world. `session` 0: there was none yet. */
    uint64_t session;
    bool running; /* the frame's session is alive: else it is frozen */
    stn_game *game;
    stn_resids *resids;
    uint32_t resids_end; /* one above the highest number seen */
    stn_mapcache *map;
    stn_table *fills; /* coordinate key -> number of its last fill */
    uint64_t n_fills;
    stn_ocache *objects;
    stn_tracker *tracker;
    stn_cuts *cuts;
    stn_memory *memory; /* the recorded map; NULL = none is kept */
    bool unnamed; /* some component names a number whose name has not come */
    bool name_came;
    int64_t ticked_ns;
    int64_t pruned_ns;
    uint64_t ticks;
    stn_hist tick_time;
    double build_ms; /* mean over the latest builds */
    stn_view views[STN_VIEWERS_MAX];
    stn_view *driver;
    stn_mesher meshers[STN_MESHERS_MAX];
    uint32_t mesher_numbers;
    stn_job_scratch job;
    stn_log_once complaints;
    uint64_t objects_bad, messages_bad, maps_bad;
    uint64_t forwarded_bytes;
    /* Scratch for entity packets. */
    Stenness__Entity *entities;
    Stenness__Entity **entity_ptrs;
    Stenness__Component *components;
    Stenness__Component **component_ptrs;
    uint32_t *removed_types;
    size_t cap_entities, cap_entity_ptrs, cap_components, cap_component_ptrs, cap_removed;
};

/* world.c */
bool stn_world_player(const stn_world *w, double *x, double *y); /* where the session's centre is */
bool stn_world_focus(const stn_world *w, const stn_view *v, double *x, double *y);
void stn_world_set_ground(stn_world *w, const stn_ground *g);
const char *stn_world_resid_name(void *world, uint16_t resid, int32_t *version); /* NULL: not named yet */
/* The tileset of a tile id; version -1 = any. STN_NOT_FOUND: it has none; STN_AGAIN: not named yet. */
stn_status stn_world_tileset(stn_world *w, uint16_t tile, const char **name, int32_t *version);
/* Grids that a viewer is told of: under the entity range and the cuts, and one around. */
void stn_view_grids(const stn_view *v, double x, double y, stn_coord *ul, stn_coord *lr);

/* view_door.c: what viewers say. view_send.c: what they are told */
stn_status stn_view_open(stn_world *w, stn_err *err);
void stn_view_close(stn_world *w);
void stn_view_frame(stn_world *w); /* a new frame has begun: all start over */
void stn_view_before(stn_world *w, stn_view *v); /* frame, session, ground, globals, grids */
void stn_view_packet(void *world, const stn_tracker_packet *p); /* entities: the tracker's sink */
void stn_view_after(stn_world *w, stn_view *v); /* cuts and the tick */
void stn_view_lag(stn_world *w, stn_view *v); /* a send found no room */
bool stn_view_tell(stn_world *w, stn_view *v, uint32_t kind,
                   const ProtobufCMessage *body); /* false: not sent */
uint64_t stn_view_cut_key(stn_coord cc, stn_cut_half half);

/* view_offers.c: what the driver is offered */
void stn_view_offers(stn_world *w, stn_view *v);

/* mesh_door.c */
stn_status stn_mesh_open(stn_world *w, const stn_world_settings *s, stn_err *err);
void stn_mesh_close(stn_world *w);
void stn_mesh_lease(stn_world *w); /* gives out what can be built */
size_t stn_mesh_count(const stn_world *w);
void stn_mesh_release(void *world, void *payload); /* hooks of the cuts */
bool stn_mesh_cancel(void *world, uint32_t mesher, uint64_t ticket);

#endif
