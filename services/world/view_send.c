/* The conversation `world`, the telling side. Order within a tick: frame, session, ground, globals, grids,
 * entities, cuts, the tick. State goes out at once on one stream; products follow on a bulk stream as credit
 * allows. */
#include "world/world_impl.h"

#include "base/clock.h"
#include "base/hash.h"
#include "bus/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PART_BYTES 60000 /* an entity packet is cut behind the entry that goes over this */
#define GRIDS_A_TICK 6
#define PRODUCTS_A_TICK 32
#define GLOBALS_EVERY_NS (5 * STN_S)
#define PARTY_EVERY_NS (STN_S / 2) /* while one of its members walks */

void stn_view_lag(stn_world *w, stn_view *v)
{
    if (v->lagging)
        return;
    v->lagging = true;
    if (v->id)
        stn_tracker_detach(w->tracker, v->id);
    stn_log_info("viewer %s is behind; it gets the whole again when there is room", stn_peer_id(v->peer));
}

static bool send_with(stn_world *w, stn_view *v, uint32_t kind, const ProtobufCMessage *body,
                      stn_frame **bulk, size_t n)
{
    stn_status st = stn_peer_send(
        v->peer,
        &(stn_send){.kind = kind, .stream = STN_STATE_STREAM, .body = body, .bulk = bulk, .n_bulk = n}, NULL);
    if (st == STN_BUSY)
        stn_view_lag(w, v);
    return st == STN_OK;
}

bool stn_view_tell(stn_world *w, stn_view *v, uint32_t kind, const ProtobufCMessage *body)
{
    return send_with(w, v, kind, body, NULL, 0);
}

/* ---- the frame */

void stn_view_frame(stn_world *w)
{
    for (size_t i = 0; i < STN_VIEWERS_MAX; i++) {
        stn_view *v = &w->views[i];
        v->id = 0;
        v->begin = v->subscribed;
        v->player_told = false;
    }
}

static bool tell_frame(stn_world *w, stn_view *v)
{
    Stenness__FrameBegin f = STENNESS__FRAME_BEGIN__INIT;
    const stn_game_place *p = w->game ? stn_game_where(w->game) : NULL;

    f.session = w->session;
    f.driver = w->driver == v;
    f.has_player = p && p->has_player;
    f.player = f.has_player ? (int64_t)p->player : -1;
    f.server = (char *)(uintptr_t)stn_line_server(w->line);
    v->player_told = f.has_player;
    v->player = p ? p->player : 0;
    v->driver_told = f.driver;
    return stn_view_tell(w, v, STENNESS__VIEW_KIND__VIEW_FRAME_BEGIN, &f.base);
}

/* Everything from the start: nothing is taken as known. */
static void begin(stn_world *w, stn_view *v)
{
    if (!tell_frame(w, v))
        return;
    v->begin = false;
    v->snapshot_due = true;
    v->lagging = false;
    stn_table_clear(v->grids);
    stn_table_clear(v->cuts);
    v->swap_sent = v->swap_closed = 0;
    v->session_told = 0;
    v->ground_told = v->globals_told = 0;
    v->menu_told = v->ghost_told = UINT32_MAX;
    if (!w->tracker)
        return;
    if (!v->id)
        v->id = stn_tracker_add_viewer(w->tracker);
    else
        stn_tracker_clear(w->tracker, v->id);
    v->hide_again = true;
}

static void tell_session(stn_world *w, stn_view *v)
{
    static const Stenness__SessionState states[] = {
        [STN_LINE_WAITING] = STENNESS__SESSION_STATE__SESSION_RETRYING,
        [STN_LINE_FINDING] = STENNESS__SESSION_STATE__SESSION_LOGIN,
        [STN_LINE_CONNECTING] = STENNESS__SESSION_STATE__SESSION_CONNECTING,
        [STN_LINE_RUNNING] = STENNESS__SESSION_STATE__SESSION_RUNNING,
        [STN_LINE_REFUSED] = STENNESS__SESSION_STATE__SESSION_REFUSED,
    };
    Stenness__Session s = STENNESS__SESSION__INIT;
    uint64_t hash = STN_HASH_START;
    uint8_t packed[1024];
    size_t len;

    s.state = states[stn_line_state_now(w->line)];
    s.text = (char *)(uintptr_t)stn_line_text(w->line);
    s.cuts_wanted = (uint32_t)v->wanted;
    s.cuts_ready = (uint32_t)v->ready;
    if (w->map) {
        s.grids_ready = (uint32_t)stn_mapcache_count(w->map);
        s.grids_wanted = s.grids_ready + (uint32_t)stn_mapcache_requests(w->map);
    }
    s.meshers = (uint32_t)stn_mesh_count(w);
    if (w->cuts) {
        stn_cuts_stats c;
        stn_cuts_get_stats(w->cuts, &c);
        s.leases = (uint32_t)c.leased;
    }
    for (size_t i = 0; i < STN_VIEWERS_MAX; i++)
        s.viewers += w->views[i].subscribed;
    s.driver = w->driver == v;
    len = stenness__session__get_packed_size(&s);
    if (len > sizeof packed)
        return;
    stenness__session__pack(&s, packed);
    hash = stn_hash_feed(hash, packed, len);
    if (hash != v->session_told && stn_view_tell(w, v, STENNESS__VIEW_KIND__VIEW_SESSION, &s.base))
        v->session_told = hash;
}

static void tell_ground(stn_world *w, stn_view *v)
{
    Stenness__GroundSettings s = STENNESS__GROUND_SETTINGS__INIT;
    Stenness__Ground g = STENNESS__GROUND__INIT;

    if (v->ground_told == w->ground_changes)
        return;
    s.blend_passes = w->ground.blend_passes;
    s.transitions = w->ground.transitions;
    s.flat = w->ground.flat;
    s.flavor_density = w->ground.density;
    g.settings = &s;
    if (w->cuts) {
        g.ground_generation = stn_cuts_generation(w->cuts, STN_CUT_GROUND);
        g.decoration_generation = stn_cuts_generation(w->cuts, STN_CUT_DECORATION);
    }
    if (stn_view_tell(w, v, STENNESS__VIEW_KIND__VIEW_GROUND, &g.base))
        v->ground_told = w->ground_changes;
}

static uint32_t rgba(const uint8_t c[4])
{
    return (uint32_t)c[0] << 24 | (uint32_t)c[1] << 16 | (uint32_t)c[2] << 8 | c[3];
}

static char *name_or_empty(stn_world *w, bool has, uint16_t resid)
{
    int32_t version;
    const char *name = has ? stn_world_resid_name(w, resid, &version) : NULL;
    return (char *)(uintptr_t)(name ? name : "");
}

typedef struct party_told {
    uint32_t colours[STN_PARTY_MAX];
    int64_t ids[STN_PARTY_MAX];
    double x[STN_PARTY_MAX], y[STN_PARTY_MAX], angles[STN_PARTY_MAX];
    protobuf_c_boolean placed[STN_PARTY_MAX];
} party_told;

static bool party_walks(const stn_world *w, const stn_party *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const stn_gob *g = stn_ocache_get(w->objects, (int64_t)p->members[i].id);
        if (g && g->moving.kind != STN_MOVING_NONE)
            return true;
    }
    return false;
}

/* A member stands where its object is shown, else where the server said last (object-cache.md A7). */
static void put_party(const stn_world *w, const stn_party *p, party_told *out, Stenness__Global *m)
{
    for (size_t i = 0; i < p->n; i++) {
        const stn_party_member *one = &p->members[i];
        const stn_gob *g = stn_ocache_get(w->objects, (int64_t)one->id);
        float pos[3];

        out->ids[i] = (int64_t)one->id;
        out->colours[i] = rgba(one->colour);
        out->placed[i] = g || one->placed;
        out->x[i] = one->placed ? one->x : 0;
        out->y[i] = one->placed ? one->y : 0;
        out->angles[i] = g ? g->angle : one->heading;
        if (g) {
            stn_ocache_position(w->objects, g, pos);
            out->x[i] = (double)pos[0];
            out->y[i] = (double)pos[1];
        }
    }
    m->party_ids = out->ids;
    m->party_colours = out->colours;
    m->party_placed = out->placed;
    m->party_x = out->x;
    m->party_y = out->y;
    m->party_angle = out->angles;
    m->n_party_ids = m->n_party_colours = m->n_party_placed = m->n_party_x = m->n_party_y = m->n_party_angle =
        p->n;
    m->party_leader = p->has_leader ? (int64_t)p->leader : -1;
    m->party_own = p->has_own ? (int64_t)p->own : -1;
    m->party_number = p->id;
}

static void tell_globals(stn_world *w, stn_view *v)
{
    const stn_globals *g = stn_game_globals(w->game);
    const stn_party *party = stn_game_party(w->game);
    uint32_t changes = g->changes + party->changes;
    party_told told;
    int64_t now = stn_loop_now(w->loop)->now_ns;
    Stenness__Global m = STENNESS__GLOBAL__INIT;
    char *names[STN_WEATHER_MAX];
    ProtobufCBinaryData args[STN_WEATHER_MAX];

    if (v->globals_told == changes + 1 &&
        now - v->globals_ns < (party_walks(w, party) ? PARTY_EVERY_NS : GLOBALS_EVERY_NS))
        return;
    m.game_time = g->gtime;
    m.time_rate = g->ctimefac;
    m.at_ns = now;
    m.has_light = g->has_light;
    m.light_ambient = rgba(g->light.ambient);
    m.light_diffuse = rgba(g->light.diffuse);
    m.light_specular = rgba(g->light.specular);
    m.light_angle = g->light.angle;
    m.light_elevation = g->light.elevation;
    m.sky = name_or_empty(w, g->has_sky, g->sky);
    m.sky_mix = name_or_empty(w, g->has_mix, g->mix);
    m.sky_amount = g->blend;
    for (size_t i = 0; i < g->n_weather; i++) {
        names[i] = name_or_empty(w, true, g->weather[i].resid);
        args[i] = (ProtobufCBinaryData){g->weather[i].args_len, g->weather[i].args};
    }
    m.weather = names;
    m.weather_args = args;
    m.n_weather = m.n_weather_args = g->n_weather;
    m.day_progress = g->day - floor(g->day);
    m.moon_phase = (uint32_t)((g->moon - floor(g->moon)) * 8);
    m.night = g->night;
    put_party(w, party, &told, &m);
    if (stn_view_tell(w, v, STENNESS__VIEW_KIND__VIEW_GLOBAL, &m.base)) {
        v->globals_told = changes + 1;
        v->globals_ns = now;
    }
}

/* ---- grids */

static bool tell_grid(stn_world *w, stn_view *v, const stn_grid *g, uint64_t fill)
{
    Stenness__Grid m = STENNESS__GRID__INIT;
    Stenness__Array tiles = STENNESS__ARRAY__INIT, heights = STENNESS__ARRAY__INIT;
    Stenness__Array *masks = calloc(g->n_overlays + 1, sizeof *masks);
    Stenness__Array **mask_ptrs = calloc(g->n_overlays + 1, sizeof(Stenness__Array *));
    char **mask_names = calloc(g->n_overlays + 1, sizeof(char *));
    bool seen[65536 / 8] = {0};
    uint32_t ids[1024];
    char *names[1024];
    int32_t versions[1024];
    stn_array_plan plan = {0};
    size_t at_tiles, at_heights, at_masks[STN_GRID_MAX_OVERLAYS], n_masks = 0, n = 0;
    stn_frame *frame = NULL;
    bool sent = false;

    if (!masks || !mask_ptrs || !mask_names)
        goto out;
    for (size_t i = 0; i < STN_GRID_CELLS && n < 1024; i++) {
        uint16_t id = g->tiles[i];
        const char *name;
        stn_status st;
        if (seen[id / 8])
            for (size_t k = 0; k < n; k++)
                if (ids[k] == id)
                    goto next;
        seen[id / 8] = true;
        st = stn_world_tileset(w, id, &name, &versions[n]);
        if (st == STN_NOT_FOUND)
            continue;
        if (st != STN_OK)
            goto out; /* told when the name has come */
        ids[n] = id;
        names[n++] = (char *)(uintptr_t)name;
    next:;
    }
    at_tiles = stn_array_add(&plan, &tiles, STENNESS__ELEMENT_FORMAT__ELEMENT_U16, STN_GRID_CELLS);
    at_heights = stn_array_add(&plan, &heights, STENNESS__ELEMENT_FORMAT__ELEMENT_F32, STN_GRID_CELLS);
    for (size_t i = 0; i < g->n_overlays; i++) {
        int32_t version;
        const char *name = stn_world_resid_name(w, g->overlays[i].resid, &version);
        if (!name)
            continue;
        stenness__array__init(&masks[n_masks]);
        mask_ptrs[n_masks] = &masks[n_masks];
        mask_names[n_masks] = (char *)(uintptr_t)name;
        at_masks[n_masks] = stn_array_add(&plan, &masks[n_masks], STENNESS__ELEMENT_FORMAT__ELEMENT_BYTES,
                                          STN_GRID_MASK_BYTES);
        n_masks++;
    }
    if (!(frame = stn_array_plan_frame(&plan)))
        goto out;
    memcpy(stn_frame_writable(frame) + at_tiles, g->tiles, sizeof g->tiles);
    memcpy(stn_frame_writable(frame) + at_heights, g->z, sizeof g->z);
    for (size_t i = 0, k = 0; i < g->n_overlays && k < n_masks; i++) {
        int32_t version;
        if (stn_world_resid_name(w, g->overlays[i].resid, &version))
            memcpy(stn_frame_writable(frame) + at_masks[k++], g->overlays[i].bits, STN_GRID_MASK_BYTES);
    }
    m.id = g->id;
    m.x = g->gc.x;
    m.y = g->gc.y;
    m.sequence = fill;
    m.remembered = g->remembered;
    m.tiles = &tiles;
    m.heights = &heights;
    m.tile_ids = ids;
    m.tileset_names = names;
    m.tileset_versions = versions;
    m.n_tile_ids = m.n_tileset_names = m.n_tileset_versions = n;
    m.overlay_names = mask_names;
    m.overlays = mask_ptrs;
    m.n_overlay_names = m.n_overlays = n_masks;
    sent = send_with(w, v, STENNESS__VIEW_KIND__VIEW_GRID, &m.base, &frame, 1);
out:
    stn_frame_unref(frame);
    free(masks);
    free(mask_ptrs);
    free(mask_names);
    return sent;
}

static void drop_grids(stn_world *w, stn_view *v, stn_coord ul, stn_coord lr)
{
    int32_t x[256], y[256];
    size_t n = 0, it = 0;
    uint64_t key;
    void *told;
    Stenness__GridDrop m = STENNESS__GRID_DROP__INIT;

    while (n < 256 && stn_table_next(v->grids, &it, &key, &told)) {
        stn_coord gc = stn_coord_of_key(key);
        bool inside = gc.x >= ul.x && gc.x <= lr.x && gc.y >= ul.y && gc.y <= lr.y;
        if (inside && stn_mapcache_ground(w->map, gc))
            continue;
        x[n] = gc.x;
        y[n++] = gc.y;
    }
    if (n == 0)
        return;
    m.x = x;
    m.y = y;
    m.n_x = m.n_y = n;
    if (!stn_view_tell(w, v, STENNESS__VIEW_KIND__VIEW_GRID_DROP, &m.base))
        return;
    for (size_t i = 0; i < n; i++)
        stn_table_remove(v->grids, stn_coord_key((stn_coord){x[i], y[i]}));
}

void stn_view_grids(const stn_view *v, double x, double y, stn_coord *ul, stn_coord *lr)
{
    double cuts = (v->focus.cut_view + 1) * STN_CUT_TILES * STN_TILE_UNITS;
    double reach = v->focus.range > cuts ? v->focus.range : cuts;

    *ul = stn_coord_add(stn_grid_of_tile(stn_tile_of_point(x - reach, y - reach)), -1, -1);
    *lr = stn_coord_add(stn_grid_of_tile(stn_tile_of_point(x + reach, y + reach)), 1, 1);
}

/* Grids stay with a viewer a ring longer than they are told. */
static void tell_grids(stn_world *w, stn_view *v, double fx, double fy)
{
    stn_coord ul, lr;
    stn_coord at = stn_grid_of_tile(stn_tile_of_point(fx, fy));
    int most, told = 0;

    stn_view_grids(v, fx, fy, &ul, &lr);
    most = lr.x - at.x > at.x - ul.x ? lr.x - at.x : at.x - ul.x;
    if (lr.y - at.y > most)
        most = lr.y - at.y;
    if (at.y - ul.y > most)
        most = at.y - ul.y;
    /* Rings around the focus, so that what is near comes first. */
    for (int ring = 0; ring <= most && told < GRIDS_A_TICK; ring++)
        for (int dy = -ring; dy <= ring && told < GRIDS_A_TICK; dy++)
            for (int dx = -ring; dx <= ring; dx += dy == -ring || dy == ring || ring == 0 ? 1 : 2 * ring) {
                stn_coord gc = stn_coord_add(at, dx, dy);
                const stn_grid *g;
                uint64_t key = stn_coord_key(gc), fill;
                if (gc.x < ul.x || gc.x > lr.x || gc.y < ul.y || gc.y > lr.y ||
                    !(g = stn_mapcache_ground(w->map, gc)))
                    continue;
                fill = (uint64_t)(uintptr_t)stn_table_get(w->fills, key);
                if ((uint64_t)(uintptr_t)stn_table_get(v->grids, key) == fill)
                    continue;
                if (!tell_grid(w, v, g, fill))
                    continue;
                stn_table_put(v->grids, key, (void *)(uintptr_t)fill, NULL);
                if (++told == GRIDS_A_TICK || v->lagging)
                    return;
            }
    drop_grids(w, v, stn_coord_add(ul, -1, -1), stn_coord_add(lr, 1, 1));
}

/* ---- before the entities */

static void place_viewer(stn_world *w, stn_view *v)
{
    double x, y, lod = STN_VIEW_LOD * exp2(-v->focus.lod_bias);

    if (!v->id)
        return;
    stn_tracker_look(w->tracker, v->id, v->focus.range, lod, NULL);
    if (stn_world_focus(w, v, &x, &y))
        stn_tracker_place_at(w->tracker, v->id, x, y);
    if (!v->hide_again)
        return;
    v->hide_again = false;
    for (size_t i = 0; i < v->n_hidden; i++) {
        const stn_gob *g = stn_ocache_get(w->objects, v->hidden[i]);
        if (g)
            stn_tracker_hide(w->tracker, v->id, g->tag, true);
    }
}

void stn_view_before(stn_world *w, stn_view *v)
{
    double x, y;
    const stn_game_place *p = w->game ? stn_game_where(w->game) : NULL;

    if (v->begin)
        begin(w, v);
    if (v->begin || v->lagging)
        return;
    if (v->driver_told != (w->driver == v) ||
        (p && p->has_player && (!v->player_told || v->player != p->player)))
        tell_frame(w, v);
    tell_session(w, v);
    tell_ground(w, v);
    if (!w->game)
        return;
    tell_globals(w, v);
    stn_view_offers(w, v);
    if (!v->lagging && stn_world_focus(w, v, &x, &y))
        tell_grids(w, v, x, y);
    if (!v->lagging)
        place_viewer(w, v);
}

/* ---- entities */

static bool room_for(stn_world *w, size_t entities, size_t components, size_t removed)
{
    struct {
        void *at;
        size_t *cap, n, size;
    } rows[] = {
        {&w->entities, &w->cap_entities, entities, sizeof *w->entities},
        {&w->entity_ptrs, &w->cap_entity_ptrs, entities, sizeof(void *)},
        {&w->components, &w->cap_components, components, sizeof *w->components},
        {&w->component_ptrs, &w->cap_component_ptrs, components, sizeof(void *)},
        {&w->removed_types, &w->cap_removed, removed, sizeof(uint32_t)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        void **at = rows[i].at, *more;
        if (rows[i].n <= *rows[i].cap)
            continue;
        if (!(more = realloc(*at, rows[i].n * 2 * rows[i].size)))
            return false;
        *at = more;
        *rows[i].cap = rows[i].n * 2;
    }
    return true;
}

/* Entries [from, to) as one message. */
static bool send_part(stn_world *w, stn_view *v, const stn_tracker_packet *p, size_t from, size_t to,
                      bool first, bool last)
{
    Stenness__Entities m = STENNESS__ENTITIES__INIT;
    size_t n_comp = 0, n_removed = 0;

    for (size_t i = from; i < to; i++) {
        n_comp += p->entries[i].n;
        n_removed += (size_t)__builtin_popcountll(p->entries[i].removed);
    }
    /* One more of each, so that the arrays are there also when nothing is in them. */
    if (!room_for(w, to - from + 1, n_comp + 1, n_removed + 1))
        return false;
    n_comp = n_removed = 0;
    for (size_t i = from; i < to; i++) {
        const stn_tracker_entry *e = &p->entries[i];
        Stenness__Entity *out = &w->entities[i - from];
        stenness__entity__init(out);
        w->entity_ptrs[i - from] = out;
        out->id = e->id;
        out->incarnation = e->entity;
        out->fresh = e->fresh;
        out->removed_components = &w->removed_types[n_removed];
        for (uint64_t bits = e->removed; bits; bits &= bits - 1) {
            w->removed_types[n_removed++] = (uint32_t)__builtin_ctzll(bits);
            out->n_removed_components++;
        }
        out->components = &w->component_ptrs[n_comp];
        out->n_components = e->n;
        for (uint32_t k = 0; k < e->n; k++, n_comp++) {
            const stn_tracker_update *u = &p->updates[e->first + k];
            stenness__component__init(&w->components[n_comp]);
            w->components[n_comp].type = u->type;
            w->components[n_comp].value = (ProtobufCBinaryData){u->len, (uint8_t *)(uintptr_t)u->data};
            w->component_ptrs[n_comp] = &w->components[n_comp];
        }
    }
    m.tick = w->ticks;
    if (first) {
        m.removed_ids = (int64_t *)(uintptr_t)p->removed;
        m.removed_incarnations = (uint64_t *)(uintptr_t)p->removed_entities;
        m.n_removed_ids = m.n_removed_incarnations = p->n_removed;
    }
    m.entities = w->entity_ptrs;
    m.n_entities = to - from;
    m.last = last;
    return stn_view_tell(w, v, STENNESS__VIEW_KIND__VIEW_ENTITIES, &m.base);
}

void stn_view_packet(void *world, const stn_tracker_packet *p)
{
    stn_world *w = world;
    stn_view *v = NULL;
    size_t from = 0;

    for (size_t i = 0; i < STN_VIEWERS_MAX && !v; i++)
        if (w->views[i].used && w->views[i].id == p->viewer)
            v = &w->views[i];
    /* The Tick message is the pace; a packet with nothing in it is not sent. */
    if (!v || v->lagging || v->begin || (p->n_entries == 0 && p->n_removed == 0))
        return;
    do {
        size_t to = from, bytes = 0;
        while (to < p->n_entries && bytes < PART_BYTES) {
            for (uint32_t k = 0; k < p->entries[to].n; k++)
                bytes += p->updates[p->entries[to].first + k].len + 8;
            bytes += 24;
            to++;
        }
        if (!send_part(w, v, p, from, to, from == 0, to == p->n_entries)) {
            stn_view_lag(w, v); /* the tracker takes this as sent: the whole must come again */
            return;
        }
        from = to;
    } while (from < p->n_entries);
}

/* ---- cuts */

static bool tell_cut(stn_world *w, stn_view *v, stn_coord cc, stn_cut_half half, const stn_product *p,
                     uint64_t swap, const char *failure)
{
    stn_coord gc = stn_grid_of_cut(cc), in = stn_cut_in_grid(cc);
    const stn_payload *payload = p->payload;
    Stenness__Cut m = STENNESS__CUT__INIT;
    Stenness__Array data = STENNESS__ARRAY__INIT;
    size_t bytes = payload ? stn_frame_len(payload->frame) : 0;
    stn_frame *frame = payload ? payload->frame : NULL;
    stn_status st;

    m.grid_x = gc.x;
    m.grid_y = gc.y;
    m.cut_x = (uint32_t)in.x;
    m.cut_y = (uint32_t)in.y;
    m.half = half == STN_CUT_GROUND ? STENNESS__CUT_HALF__CUT_GROUND : STENNESS__CUT_HALF__CUT_DECORATION;
    m.product = p->number;
    m.frame_session = w->session;
    m.generation = p->generation;
    if (payload) {
        data.count = bytes;
        data.format = STENNESS__ELEMENT_FORMAT__ELEMENT_BYTES;
        m.data = &data;
        m.compression = payload->compression;
        m.unpacked_bytes = payload->unpacked_bytes;
    }
    m.failed = (char *)(uintptr_t)failure;
    m.swap = swap;
    if (!stn_credit_fits(&v->credit, bytes))
        return false;
    st = stn_peer_send(v->peer,
                       &(stn_send){.kind = STENNESS__VIEW_KIND__VIEW_CUT,
                                   .stream = STN_STREAM_BULK,
                                   .body = &m.base,
                                   .bulk = &frame,
                                   .n_bulk = payload ? 1 : 0},
                       NULL);
    if (st != STN_OK)
        return false;
    stn_credit_spent(&v->credit, bytes);
    w->forwarded_bytes += bytes;
    if (swap > v->swap_sent)
        v->swap_sent = swap;
    return true;
}

/* Ends the changes of which products were sent, up to the oldest that lacks some: the last message of a
 * change is one without a product, since what a change waits for may also fail, be dropped or take too long.
 */
static void close_swaps(stn_world *w, stn_view *v)
{
    Stenness__Cut m = STENNESS__CUT__INIT;
    uint64_t upto = v->swap_open && v->swap_open <= v->swap_sent ? v->swap_open - 1 : v->swap_sent;

    if (upto <= v->swap_closed || !stn_credit_fits(&v->credit, 0))
        return;
    m.swap = upto;
    m.swap_last = true;
    m.frame_session = w->session;
    if (stn_peer_say(v->peer, STENNESS__VIEW_KIND__VIEW_CUT, STN_STREAM_BULK, 0, &m.base, NULL) != STN_OK)
        return;
    stn_credit_spent(&v->credit, 0);
    v->swap_closed = upto;
}

static void drop_cuts(const stn_world *w, stn_view *v, stn_coord at, int reach)
{
    int32_t x[128], y[128];
    uint32_t cut[128], half[128];
    uint64_t keys[128];
    size_t n = 0, it = 0;
    uint64_t key;
    void *told;
    Stenness__CutDrop m = STENNESS__CUT_DROP__INIT;

    while (n < 128 && stn_table_next(v->cuts, &it, &key, &told)) {
        /* Signed again from 31 bits. */
        stn_coord cc = {(int32_t)((uint32_t)(key >> 32) << 1) >> 1, (int32_t)(uint32_t)key >> 1}, in, gc;
        if (abs(cc.x - at.x) <= reach && abs(cc.y - at.y) <= reach)
            continue;
        in = stn_cut_in_grid(cc);
        gc = stn_grid_of_cut(cc);
        keys[n] = key;
        x[n] = gc.x;
        y[n] = gc.y;
        cut[n] = (uint32_t)(in.x + STN_GRID_CUTS * in.y);
        half[n++] = key & 1;
    }
    if (n == 0)
        return;
    m.grid_x = x;
    m.grid_y = y;
    m.cut = cut;
    m.half = half;
    m.n_grid_x = m.n_grid_y = m.n_cut = m.n_half = n;
    m.frame_session = w->session;
    /* On the products' own stream, so that a drop does not overtake what it drops. */
    if (stn_peer_say(v->peer, STENNESS__VIEW_KIND__VIEW_CUT_DROP, STN_STREAM_BULK, 0, &m.base, NULL) ==
        STN_OK)
        for (size_t i = 0; i < n; i++)
            stn_table_remove(v->cuts, keys[i]);
}

static void wait_for(stn_view *v, uint64_t change)
{
    if (change && (!v->swap_open || change < v->swap_open))
        v->swap_open = change;
}

static void one_cut(stn_world *w, stn_view *v, stn_coord cc, stn_cut_half half, int32_t distance, int *sent)
{
    stn_product p;
    stn_half_answer a = stn_cuts_get(w->cuts, (unsigned)(v - w->views), cc, half, distance, &p);
    uint64_t key = stn_view_cut_key(cc, half), told = (uint64_t)(uintptr_t)stn_table_get(v->cuts, key);
    const char *failure = a == STN_HALF_FAILED && !p.number ? stn_cuts_failure(w->cuts, cc, half) : "";

    bool shown = told > 1; /* else nothing is there that a change could tear */
    uint64_t swap = shown && p.swap > v->swap_closed ? p.swap : 0;

    v->wanted++;
    if (shown)
        wait_for(v, p.due);
    if (!p.number && !failure[0])
        return;
    v->ready++;
    /* A failure without an old product is told as product number 0, once. */
    if (told == p.number + 1)
        return;
    if (*sent < PRODUCTS_A_TICK && tell_cut(w, v, cc, half, &p, swap, failure)) {
        stn_table_put(v->cuts, key, (void *)(uintptr_t)(p.number + 1), NULL);
        ++*sent;
        return;
    }
    *sent = PRODUCTS_A_TICK; /* nothing more fits now; what is nearest goes first the next time too */
    wait_for(v, swap);
}

static void tell_cuts(stn_world *w, stn_view *v, double fx, double fy)
{
    stn_coord at = stn_cut_of_tile(stn_tile_of_point(fx, fy));
    static const stn_sight all_around = {0};
    const stn_sight *sight = v->focus.session == w->session ? &v->focus.sight : &all_around;
    int reach = (int)v->focus.cut_view, sent = 0;

    v->wanted = v->ready = 0;
    v->swap_open = 0;
    for (int ring = 0; ring <= reach; ring++)
        for (int dy = -ring; dy <= ring; dy++)
            for (int dx = -ring; dx <= ring; dx += dy == -ring || dy == ring || ring == 0 ? 1 : 2 * ring) {
                stn_coord cc = stn_coord_add(at, dx, dy);
                for (int h = 0; h < STN_CUT_HALVES; h++)
                    one_cut(w, v, cc, (stn_cut_half)h, stn_sight_distance(sight, cc, dx, dy), &sent);
            }
    drop_cuts(w, v, at, reach + 1);
    close_swaps(w, v);
}

void stn_view_after(stn_world *w, stn_view *v)
{
    Stenness__Tick t = STENNESS__TICK__INIT;
    double x, y;

    if (v->begin || v->lagging)
        return;
    if (w->cuts && stn_world_focus(w, v, &x, &y))
        tell_cuts(w, v, x, y);
    t.tick = w->ticks;
    t.now_ns = stn_loop_now(w->loop)->now_ns;
    t.snapshot_done = v->snapshot_due;
    if (stn_view_tell(w, v, STENNESS__VIEW_KIND__VIEW_TICK, &t.base))
        v->snapshot_due = false;
}
