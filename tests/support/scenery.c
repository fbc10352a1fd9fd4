#include "support/scenery.h"

#include "base/bytes.h"
#include "base/file.h"
#include "map/coords.h"
#include "renderer/build/cutmesh.h"
#include "renderer/build/decor.h"
#include "renderer/build/gobs.h"
#include "renderer/build/opened.h"

#include "proto/resource.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME 1
#define STEP 0.05
#define FOREVER INT64_C(3600000000000)
#define COMPONENTS 4
#define WANTED 256

struct scenery_parts {
    scenery *s;
    char pack[512];
    stn_store *store;
    stn_gobs *gobs;
    stn_decor *decor;
    stn_opened *opened;
    uint32_t wanted[WANTED]; /* meshes whose levels of detail were asked for */
    unsigned wanted_count;
};

/* --- resources --- */

static void ask(void *ctx, const char *name, int32_t version, int32_t priority)
{
    struct scenery_parts *p = ctx;
    char path[800];
    uint8_t *data = NULL;
    size_t len = 0;
    stn_wire *wire = NULL;
    stn_err err = {0};

    (void)priority;
    snprintf(path, sizeof path, "%s/%s.res", p->pack, name);
    if (stn_file_read(path, 64u << 20, &data, &len, &err) == STN_OK &&
        stn_opened_add(&p->opened, data, len, &wire, &err) == STN_OK)
        stn_store_ready(p->store, name, version, wire, NULL, NULL);
    else
        stn_store_failed(p->store, name, version, err.text);
    free(data);
}

static bool give(void *ctx, stn_job *job)
{
    struct scenery_parts *p = ctx;

    stn_stage_take(p->s->stage, job);
    return true;
}

static bool grid_id(void *ctx, int32_t gx, int32_t gy, int64_t *id)
{
    struct scenery_parts *p = ctx;
    const stn_land_grid_data *grid = scenery_ground_grid(p->s->ground, gx, gy);

    *id = grid ? grid->id : 0;
    return grid != NULL;
}

static void spent(void *arg, stn_job *job)
{
    (void)arg;
    stn_job_free(job);
}

static bool want_levels(void *arg, uint32_t asset)
{
    struct scenery_parts *p = arg;

    if (p->wanted_count == WANTED)
        return false;
    p->wanted[p->wanted_count++] = asset;
    return true;
}

static void make_levels(struct scenery_parts *p)
{
    while (p->wanted_count > 0)
        stn_store_levels(p->store, p->wanted[--p->wanted_count]);
}

/* --- open and close --- */

static stn_status open_gl(scenery *s, stn_surface_kind kind, stn_err *err)
{
    stn_surface_options so = {.kind = kind, .width = s->width, .height = s->height, .debug = true};
    stn_status st = stn_surface_new(&so, &s->surface, err);

    if (st != STN_OK)
        return st;
    stn_glrec_invalidate(&s->rec);
    s->meshes = stn_meshes_new(&s->rec);
    s->textures = stn_textures_new(&s->rec, 1.0f);
    if (!s->meshes || !s->textures)
        return stn_fail(err, STN_NO_MEMORY, "scenery");
    if ((st = stn_programs_new(&s->rec, NULL, &s->programs, err)) != STN_OK ||
        (st = stn_view_new(&s->rec, s->programs, s->meshes, s->textures, 2048, &s->view, err)) != STN_OK)
        return st;
    s->around = stn_surroundings_new(&s->rec, s->textures);
    if (!s->around)
        return stn_fail(err, STN_NO_MEMORY, "scenery");
    stn_view_surround(s->view, s->around);
    return stn_view_resize(s->view, s->width, s->height, true, false, err);
}

stn_status scenery_open(scenery *s, uint64_t seed, const char *pack, int width, int height, stn_err *err)
{
    return scenery_open_on(s, STN_SURFACE_HEADLESS, seed, pack, width, height, err);
}

stn_status scenery_open_on(scenery *s, stn_surface_kind kind, uint64_t seed, const char *pack, int width,
                           int height, stn_err *err)
{
    struct scenery_parts *p = calloc(1, sizeof *p);
    stn_stage_parts sp;
    stn_status st;

    *s = (scenery){.width = width, .height = height, .parts = p};
    s->look = (stn_stage_look){
        .shadows = true, .outlines = true, .fog = true, .sway = true, .fog_distance = 700.0f, .detail = 1.0f};
    if (!p)
        return stn_fail(err, STN_NO_MEMORY, "scenery");
    p->s = s;
    snprintf(p->pack, sizeof p->pack, "%s", pack);
    st = scenery_ground_new(seed, pack, &s->ground, err);
    if (st == STN_OK)
        st = open_gl(s, kind, err);
    if (st == STN_OK) {
        sp = (stn_stage_parts){.view = s->view,
                               .meshes = s->meshes,
                               .textures = s->textures,
                               .around = s->around,
                               .spent = spent,
                               .levels = want_levels,
                               .arg = p};
        s->stage = stn_stage_new(&sp);
        p->store = stn_store_new(&(stn_store_ops){p, ask, give});
        p->gobs = p->store ? stn_gobs_new(p->store, &(stn_gobs_ops){.ctx = p, .give = give, .grid = grid_id})
                           : NULL;
        p->decor = p->gobs ? stn_decor_new(p->gobs) : NULL;
        if (!s->stage || !p->decor)
            st = stn_fail(err, STN_NO_MEMORY, "scenery");
        else
            stn_store_surround(p->store);
    }
    if (st == STN_OK) {
        stn_job *job = stn_job_new(STN_JOB_FRAME, FRAME);

        if (job)
            give(p, job);
        stn_gobs_frame(p->gobs, FRAME);
        stn_decor_frame(p->decor);
        return STN_OK;
    }
    scenery_close(s);
    return st;
}

void scenery_close(scenery *s)
{
    struct scenery_parts *p = s->parts;

    if (!p)
        return;
    stn_stage_free(s->stage);
    stn_decor_free(p->decor);
    stn_gobs_free(p->gobs);
    stn_store_free(p->store);
    stn_opened_free(p->opened);
    scenery_ground_free(s->ground);
    stn_view_free(s->view);
    stn_surroundings_free(s->around);
    stn_programs_free(s->programs);
    if (s->meshes)
        stn_meshes_free(s->meshes);
    if (s->textures)
        stn_textures_free(s->textures);
    stn_surface_free(s->surface);
    free(p);
    s->parts = NULL;
}

/* --- ground --- */

static stn_status give_grid(struct scenery_parts *p, int32_t gx, int32_t gy, stn_err *err)
{
    const stn_land_grid_data *grid = scenery_ground_grid(p->s->ground, gx, gy);
    stn_job *job = grid ? stn_job_new(STN_JOB_GRID, FRAME) : NULL;
    uint8_t *colours = job ? stn_job_memory(job, STN_GRID_CELLS * 4) : NULL;
    uint8_t *water = job ? stn_job_memory(job, STN_GRID_CELLS) : NULL;

    if (!water || !colours) {
        stn_job_free(job);
        return stn_fail(err, grid ? STN_NO_MEMORY : STN_NOT_FOUND, "grid %d,%d", gx, gy);
    }
    memset(colours, 255, STN_GRID_CELLS * 4);
    memset(water, 0, STN_GRID_CELLS);
    /* Its heights are the ground's, which outlives the stage. */
    job->u.grid = (stn_job_grid){grid->id, gx, gy, grid->z, colours, water, false};
    give(p, job);
    return STN_OK;
}

static stn_status give_cut(struct scenery_parts *p, int32_t cx, int32_t cy, stn_err *err)
{
    static uint64_t product;
    uint8_t *data = NULL;
    size_t len;
    stn_job *job = NULL;
    stn_status st = scenery_ground_cut(p->s->ground, cx, cy, false, &data, &len, err);

    if (st != STN_OK)
        return st;
    if (stn_cutmesh_job(p->store, data, len, &job, err) != STN_SPRITE_OK || !stn_job_adopt(job, data)) {
        free(data);
        stn_job_free(job);
        return STN_BAD_DATA;
    }
    job->frame = FRAME;
    job->u.cut.x = cx;
    job->u.cut.y = cy;
    job->u.cut.product = ++product;
    give(p, job);
    st = scenery_ground_cut(p->s->ground, cx, cy, true, &data, &len, err);
    if (st == STN_OK) {
        st = stn_decor_put(p->decor, cx, cy, product, data, len, err);
        stn_decor_tick(p->decor, FOREVER);
        free(data);
    }
    return st;
}

/* --- objects --- */

struct entity {
    Stenness__Entity e;
    Stenness__Component parts[COMPONENTS], *pointers[COMPONENTS];
};

static void add_component(struct entity *to, uint32_t type, const ProtobufCMessage *m)
{
    Stenness__Component *c = &to->parts[to->e.n_components];

    stenness__component__init(c);
    c->type = type;
    c->value.len = protobuf_c_message_get_packed_size(m);
    c->value.data = malloc(c->value.len ? c->value.len : 1);
    if (!c->value.data)
        return;
    protobuf_c_message_pack(m, c->value.data);
    to->pointers[to->e.n_components++] = c;
}

static void begin_entity(struct entity *to, int64_t id, double x, double y, double angle)
{
    Stenness__Placement at = STENNESS__PLACEMENT__INIT;

    memset(to, 0, sizeof *to);
    stenness__entity__init(&to->e);
    to->e.id = id;
    to->e.fresh = true;
    to->e.components = to->pointers;
    at.x = x;
    at.y = y;
    at.angle = angle;
    add_component(to, STENNESS__COMPONENT_TYPE__COMPONENT_PLACEMENT, &at.base);
}

static stn_status end_entity(struct scenery_parts *p, struct entity *e, stn_err *err)
{
    stn_status st = stn_gobs_entity(p->gobs, &e->e, err);

    for (size_t i = 0; i < e->e.n_components; i++)
        free(e->parts[i].value.data);
    /* Made at once: tables are walked in another order in each run, and what objects draw by chance would
     * then fall to them in another order too. */
    stn_gobs_tick(p->gobs, 0.0, FOREVER);
    return st;
}

static Stenness__ResourceRef ref_of(const char *name, int32_t version)
{
    Stenness__ResourceRef r = STENNESS__RESOURCE_REF__INIT;

    r.name = (char *)(uintptr_t)name;
    r.version = version;
    return r;
}

static void add_materials(struct entity *e, const stn_land_object *o)
{
    Stenness__Published m = STENNESS__PUBLISHED__INIT;
    Stenness__ResourceRef code = ref_of(STN_LAND_VMAT, STN_LAND_VMAT_VERSION), refs[STN_LAND_MAX_MATERIALS];
    Stenness__ResourceRef *pointers[STN_LAND_MAX_MATERIALS];
    uint32_t ids[STN_LAND_MAX_MATERIALS];
    uint8_t data[3 * STN_LAND_MAX_MATERIALS];

    for (uint8_t i = 0; i < o->n_materials; i++) {
        refs[i] = ref_of(o->materials[i].name, o->materials[i].version);
        pointers[i] = &refs[i];
        ids[i] = i + 1u;
        stn_st16(data + 3 * i, (uint16_t)(i + 1));
        data[3 * i + 2] = (uint8_t)o->materials[i].id;
    }
    m.resource = &code;
    m.data = (ProtobufCBinaryData){3u * o->n_materials, data};
    m.map_ids = ids;
    m.n_map_ids = m.n_map_resources = o->n_materials;
    m.map_resources = pointers;
    add_component(e, UINT32_MAX, &m.base);
}

stn_status scenery_thing(scenery *s, const stn_land_object *o, stn_err *err)
{
    struct entity e;
    Stenness__Drawable d = STENNESS__DRAWABLE__INIT;
    Stenness__ResourceRef r = ref_of(o->name, o->version);

    begin_entity(&e, o->id, o->x, o->y, o->angle);
    r.sdt = (ProtobufCBinaryData){o->sdt_len, (uint8_t *)(uintptr_t)o->sdt};
    d.kind = STENNESS__DRAWABLE_KIND__DRAWABLE_RESOURCE;
    d.resource = &r;
    add_component(&e, STENNESS__COMPONENT_TYPE__COMPONENT_DRAWABLE, &d.base);
    if (o->n_materials)
        add_materials(&e, o);
    return end_entity(s->parts, &e, err);
}

stn_status scenery_person(scenery *s, int64_t id, double x, double y, double angle, const char *pose,
                          const char *dye, stn_err *err)
{
    static const char *const garments[] = {"homestead/people/body",     "homestead/people/hair",
                                           "homestead/people/trousers", "homestead/people/boots",
                                           "homestead/people/belt",     "homestead/people/shirt"};
    enum { N = sizeof garments / sizeof garments[0] };
    struct entity e;
    Stenness__Drawable d = STENNESS__DRAWABLE__INIT;
    Stenness__Mods mods = STENNESS__MODS__INIT;
    Stenness__Poses poses = STENNESS__POSES__INIT;
    Stenness__ResourceRef body = ref_of("homestead/people/skeleton", STN_PACK_VERSION);
    Stenness__ResourceRef models[N], textures[N], stance = ref_of(pose, STN_PACK_VERSION), *stances = &stance;
    Stenness__ResourceRef *texture_pointers[N];
    Stenness__CompositeMod one[N], *all[N];

    begin_entity(&e, id, x, y, angle);
    d.kind = STENNESS__DRAWABLE_KIND__DRAWABLE_COMPOSITE;
    d.resource = &body;
    add_component(&e, STENNESS__COMPONENT_TYPE__COMPONENT_DRAWABLE, &d.base);
    for (int i = 0; i < N; i++) {
        models[i] = ref_of(garments[i], STN_PACK_VERSION);
        textures[i] = ref_of(i == N - 1 ? dye : garments[i], STN_PACK_VERSION);
        texture_pointers[i] = &textures[i];
        stenness__composite_mod__init(&one[i]);
        one[i].mod = &models[i];
        one[i].n_textures = 1;
        one[i].textures = &texture_pointers[i];
        all[i] = &one[i];
    }
    mods.n_mods = N;
    mods.mods = all;
    add_component(&e, STENNESS__COMPONENT_TYPE__COMPONENT_MODS, &mods.base);
    poses.has_poses = true;
    poses.n_poses = 1;
    poses.poses = &stances;
    add_component(&e, STENNESS__COMPONENT_TYPE__COMPONENT_POSES, &poses.base);
    return end_entity(s->parts, &e, err);
}

stn_status scenery_name(scenery *s, int64_t id, unsigned slot, const char *name, uint8_t group, stn_err *err)
{
    struct entity e;
    Stenness__Published m = STENNESS__PUBLISHED__INIT;
    Stenness__ResourceRef code = ref_of(STN_LAND_NAMES, STN_PACK_VERSION);
    uint32_t type = (uint32_t)STENNESS__COMPONENT_TYPE__COMPONENT_PUBLISHED + slot;
    uint8_t data[512];
    size_t n = name ? strlen(name) + 1 : 0;

    if (n + 2 > sizeof data)
        return stn_fail(err, STN_TOO_BIG, "a name of %zu bytes", n);
    memset(&e, 0, sizeof e);
    stenness__entity__init(&e.e);
    e.e.id = id;
    e.e.components = e.pointers;
    if (name) {
        memcpy(data, name, n);
        data[n] = group;
        data[n + 1] = 0;
        m.resource = &code;
        m.data = (ProtobufCBinaryData){n + 2, data};
        add_component(&e, type, &m.base);
    } else {
        e.e.removed_components = &type;
        e.e.n_removed_components = 1;
    }
    return end_entity(s->parts, &e, err);
}

void scenery_ghost(scenery *s, const char *resource)
{
    Stenness__Ghost g = STENNESS__GHOST__INIT;
    Stenness__ResourceRef r = ref_of(resource, STN_PACK_VERSION);

    g.number = 1;
    g.resource = &r;
    stn_gobs_ghost(s->parts->gobs, resource ? &g : NULL);
    stn_gobs_tick(s->parts->gobs, 0.0, FOREVER);
}

static stn_status give_objects(scenery *s, int32_t gx, int32_t gy, double x, double y, double reach,
                               stn_err *err)
{
    static stn_land_object objects[STN_LAND_MAX_OBJECTS];
    size_t n;
    stn_status st =
        stn_land_objects(scenery_ground_land(s->ground), gx, gy, objects, STN_LAND_MAX_OBJECTS, &n);

    for (size_t i = 0; st == STN_OK && i < n; i++)
        if (fabs(objects[i].x - x) < reach && fabs(objects[i].y - y) < reach)
            st = scenery_thing(s, &objects[i], err);
    return st;
}

stn_status scenery_land(scenery *s, double x, double y, int cuts, stn_err *err)
{
    const double side = STN_CUT_TILES * STN_TILE_UNITS;
    int32_t cx = (int32_t)floor(x / side), cy = (int32_t)floor(y / side);
    stn_coord first = stn_grid_of_cut((stn_coord){cx - cuts, cy - cuts});
    stn_coord last = stn_grid_of_cut((stn_coord){cx + cuts, cy + cuts});
    stn_status st = STN_OK;

    for (int32_t gy = first.y - 1; st == STN_OK && gy <= last.y + 1; gy++)
        for (int32_t gx = first.x - 1; st == STN_OK && gx <= last.x + 1; gx++)
            st = give_grid(s->parts, gx, gy, err);
    for (int32_t gy = first.y; st == STN_OK && gy <= last.y; gy++)
        for (int32_t gx = first.x; st == STN_OK && gx <= last.x; gx++)
            st = give_objects(s, gx, gy, x, y, (cuts + 0.5) * side, err);
    for (int32_t dy = -cuts; st == STN_OK && dy <= cuts; dy++)
        for (int32_t dx = -cuts; st == STN_OK && dx <= cuts; dx++)
            st = give_cut(s->parts, cx + dx, cy + dy, err);
    return st;
}

/* --- light, time, eyes --- */

void scenery_light(scenery *s, stn_colour ambient, stn_colour diffuse, double angle, double elevation)
{
    stn_job *job = stn_job_new(STN_JOB_GLOBAL, 0);

    if (!job)
        return;
    job->u.global.light = (stn_daylight){ambient, diffuse, diffuse, angle, elevation};
    job->u.global.has_light = true;
    give(s->parts, job);
}

void scenery_run(scenery *s, double seconds)
{
    for (double t = 0.0; t < seconds; t += STEP) {
        stn_gobs_tick(s->parts->gobs, STEP, FOREVER);
        stn_decor_tick(s->parts->decor, FOREVER);
        stn_stage_tick(s->stage, STEP);
        s->clock += STEP;
    }
}

double scenery_ground_z(const scenery *s, double x, double y)
{
    float z = 0.0f;

    stn_stage_height(s->stage, x, y, &z);
    return (double)z;
}

void scenery_eye(scenery *s, double x, double y, double up, double distance, double elevation, double angle,
                 double field)
{
    float aspect = (float)s->width / (float)s->height, near = 5.0f, far = 6000.0f;

    s->focus = (stn_v3){(float)x, -(float)y, (float)(scenery_ground_z(s, x, y) + up)};
    memset(&s->frame, 0, sizeof s->frame);
    s->frame.view = stn_m4_pointed(s->focus, (float)distance, (float)elevation, (float)angle);
    if (field > 0.0)
        s->frame.proj = stn_m4_ortho(-(float)field * aspect, (float)field * aspect, -(float)field,
                                     (float)field, near, far);
    else
        s->frame.proj =
            stn_m4_frustum(-0.5f * near * aspect, 0.5f * near * aspect, -0.5f * near, 0.5f * near, near, far);
}

void scenery_draw(scenery *s, uint8_t *rgba)
{
    stn_m4 view = s->frame.view, proj = s->frame.proj;

    /* The first pass asks for the programs and the levels of detail that the second has. */
    for (int pass = 0; pass < 2; pass++) {
        memset(&s->frame, 0, sizeof s->frame);
        s->frame.view = view;
        s->frame.proj = proj;
        s->look.time = s->clock;
        stn_view_begin(s->view);
        stn_stage_fill(s->stage, &s->look, s->focus, &s->frame);
        stn_view_draw(s->view, &s->frame);
        stn_view_warm(s->view, INT64_MAX);
        make_levels(s->parts);
    }
    if (rgba)
        stn_view_read(s->view, rgba);
}
