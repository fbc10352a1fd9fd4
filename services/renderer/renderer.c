#include "renderer/renderer_impl.h"

#include "base/clock.h"
#include "base/folders.h"
#include "base/log.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* What a frame spends on taking finished things: docs/spec/rendering.md 22.3. */
#define UPLOAD_PART 32 /* of what the frame before lasted, within the next two */
#define UPLOAD_LEAST_NS (STN_MS / 2)
#define UPLOAD_MOST_NS (3 * STN_MS / 2)
#define UPLOAD_LOADING_NS (15 * STN_MS)
#define UPLOAD_WAIT_NS STN_S
#define UPLOAD_BYTES (4u << 20)
#define UPLOAD_BYTES_LATE (1u << 20)
#define SIGHT_NS (200 * STN_MS) /* how often world may hear where we look */
#define PROGRAM_NS (2 * STN_MS)
#define PROGRAM_QUIET_NS (5 * STN_S)
#define FULL_DETAIL 100 /* percent, as the reference */
#define LOW_DETAIL 35
#define SPARE_DETAIL 2 /* a frame that would be late has so many times less of it */
#define CONTEXT 1 /* its key */

static void spent(void *arg, stn_job *job)
{
    stn_renderer *r = arg;

    if (!stn_spsc_give(stn_build_spent(r->build), job))
        stn_job_free(job);
}

static bool want_levels(void *arg, uint32_t asset)
{
    return stn_build_want_levels(((stn_renderer *)arg)->build, asset);
}

static void choose_preset(stn_renderer *r)
{
    bool software = stn_surface_is_software(r->surface);
    const char *p = r->o.preset;

    r->low = strcmp(p, "low") == 0 || (strcmp(p, "high") != 0 && software);
    r->settings = (stn_hud_settings){.shadows = r->o.shadows < 0 ? !r->low : r->o.shadows > 0,
                                     .outlines = r->o.outlines < 0 ? !r->low : r->o.outlines > 0,
                                     .smooth = r->o.smooth < 0 ? !r->low : r->o.smooth > 0,
                                     .fog = r->o.haze,
                                     .sway = r->o.sway,
                                     .clouds = r->o.clouds,
                                     .grid = r->o.grid,
                                     .overlays = r->o.overlays,
                                     .fov = r->o.fov,
                                     .ui_percent = (int)lround(r->o.ui_scale * 100.0),
                                     .names = r->o.names,
                                     .minimap = r->o.minimap,
                                     .line = r->o.line,
                                     .place_steps = r->o.place_steps,
                                     .frame_cap = r->o.fps >= 0         ? r->o.fps
                                                  : r->o.frame_cap >= 0 ? r->o.frame_cap
                                                  : r->low              ? 30
                                                                        : 60,
                                     .fog_distance = r->o.haze_distance,
                                     .detail = r->o.detail >= 0 ? r->o.detail
                                               : r->low         ? LOW_DETAIL
                                                                : FULL_DETAIL};
    snprintf(r->preset, sizeof r->preset, "%s", r->low ? "low detail" : "");
    if (r->low && strcmp(p, "low") != 0)
        stn_log_info(
            "drawing in software (%s): the low-detail preset is used; pictures are taken in full detail",
            stn_surface_renderer(r->surface));
}

/* NULL: programs are not kept. */
static const char *program_folder(const stn_renderer *r, char *out, size_t room)
{
    const char *given = r->o.program_cache;

    if (strcmp(given, "none") == 0)
        return NULL;
    if (*given)
        return given;
    return stn_folder(STN_FOLDER_CACHE, "programs", out, room, NULL) == STN_OK ? out : NULL;
}

/* The one context of this process. */
static stn_status open_context(stn_renderer *r, stn_err *err)
{
    stn_status st;

    r->contexts = stn_contexts_new();
    if (!r->contexts)
        return stn_fail(err, STN_NO_MEMORY, "renderer");
    st = stn_contexts_add(r->contexts, CONTEXT, 0, err);
    if (st == STN_OK)
        st = stn_contexts_switch(r->contexts, CONTEXT, err);
    r->rec = stn_contexts_record(r->contexts);
    return st;
}

static stn_status open_gl(stn_renderer *r, stn_err *err)
{
    stn_surface_options so = {.kind = r->o.surface,
                              .title = "Stenness",
                              .width = r->o.width,
                              .height = r->o.height,
                              .vsync = r->o.vsync,
                              .debug = r->o.gl_debug};
    char folder[4096];
    stn_status st = stn_surface_new(&so, &r->surface, err);

    if (st != STN_OK)
        return st;
    stn_log_info("drawing with %s, OpenGL %s", stn_surface_renderer(r->surface),
                 stn_surface_version(r->surface));
    choose_preset(r);
    r->meshes = stn_meshes_new(r->rec);
    r->textures = stn_textures_new(r->rec, stn_surface_is_software(r->surface) ? 1.0f : 8.0f);
    if (!r->meshes || !r->textures)
        return stn_fail(err, STN_NO_MEMORY, "renderer");
    st = stn_programs_new(r->rec, program_folder(r, folder, sizeof folder), &r->programs, err);
    if (st == STN_OK)
        st = stn_view_new(r->rec, r->programs, r->meshes, r->textures, 2048, &r->view, err);
    if (st != STN_OK)
        return st;
    stn_surface_size(r->surface, &r->width, &r->height);
    st = stn_view_resize(r->view, r->width, r->height, r->settings.outlines, r->settings.smooth, err);
    if (st == STN_OK)
        st = stn_paint_new(r->rec, r->textures, r->o.font, (float)r->o.ui_scale, &r->paint, err);
    if (st != STN_OK)
        return st;
    r->around = stn_surroundings_new(r->rec, r->textures);
    if (!r->around)
        return stn_fail(err, STN_NO_MEMORY, "renderer");
    stn_view_surround(r->view, r->around);
    r->hud = stn_hud_new(r->paint, r->textures);
    return r->hud ? STN_OK : stn_fail(err, STN_NO_MEMORY, "hud");
}

static int camera_kind(const char *name)
{
    for (int i = 0; i < 5; i++)
        if (strcmp(stn_hud_cameras[i], name) == 0)
            return i;
    stn_log_warn("camera \"%s\" is not known: ortho is used", name);
    return 0;
}

/* The materials that every scene has: their programs are made before the first picture. */
static void ask_common_programs(stn_renderer *r, bool shadows, bool outlines)
{
    static const uint32_t ground = STN_MAT_TERRAIN | STN_MAT_GRID;
    static const uint32_t sets[] = {
        STN_MAT_LIT | STN_MAT_TEX | ground | STN_MAT_VCOL,
        STN_MAT_LIT | STN_MAT_TEX | ground | STN_MAT_VCOL | STN_MAT_BUMP,
        STN_MAT_LIT | STN_MAT_TEX | ground | STN_MAT_VCOL | STN_MAT_CLIP,
        STN_MAT_LIT | STN_MAT_TEX | ground | STN_MAT_VCOL | STN_MAT_CLIP | STN_MAT_BUMP,
        STN_MAT_LIT | STN_MAT_TEX,
        STN_MAT_LIT | STN_MAT_TEX | STN_MAT_ALPHATEST,
        STN_MAT_LIT | STN_MAT_TEX | STN_MAT_ALPHATEST | STN_MAT_SWAY,
        STN_MAT_LIT | STN_MAT_TEX | STN_MAT_ALPHATEST | STN_MAT_SKIN,
        STN_MAT_WATER | ground,
    };

    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        stn_view_ask(r->view, sets[i], shadows ? STN_SHADOWS_PCF : STN_SHADOWS_NONE, outlines);
}

static void prepare_programs(stn_renderer *r)
{
    unsigned ready, pending, failed;
    int64_t start = stn_clock_ns();

    stn_view_warm(r->view, INT64_MAX);
    stn_programs_counts(r->programs, &ready, &pending, &failed);
    stn_log_info("%u shader programs in %.0f ms, %u of them kept from an earlier start", ready,
                 (double)(stn_clock_ns() - start) / 1e6, stn_programs_from_cache(r->programs));
}

static void update_input(void *arg, double seconds);
static void update_queues(void *arg, double seconds);
static void update_clocks(void *arg, double seconds);
static void draw_canvas(void *arg, stn_canvas_turn *turn);

static stn_status open_handler(stn_renderer *r, stn_err *err)
{
    static void (*const updates[])(void *, double) = {update_input, update_queues, update_clocks};
    stn_status st = STN_OK;

    r->handler = stn_frame_handler_new(0);
    if (!r->handler)
        return stn_fail(err, STN_NO_MEMORY, "frame handler");
    for (size_t i = 0; i < sizeof updates / sizeof *updates && st == STN_OK; i++)
        st = stn_frame_handler_add_updater(r->handler, &(stn_updater){.update = updates[i], .arg = r}, err);
    if (st == STN_OK)
        st = stn_frame_handler_add_canvas(r->handler, &(stn_canvas){.draw = draw_canvas, .arg = r}, err);
    return st;
}

static stn_status open_rest(stn_renderer *r, stn_err *err)
{
    stn_input_source source;
    stn_stage_parts parts = {.levels = want_levels,
                             .view = r->view,
                             .meshes = r->meshes,
                             .textures = r->textures,
                             .around = r->around,
                             .spent = spent,
                             .arg = r,
                             .defer = !r->film.on};
    stn_build_way way = r->film.on                            ? STN_BUILD_IN_STEPS
                        : stn_surface_is_software(r->surface) ? STN_BUILD_BEHIND
                                                              : STN_BUILD_BESIDE;
    stn_feed feed = r->film.reel ? stn_reel_feed(r->film.reel) : stn_net_feed(r->net);
    stn_status st = stn_build_new(&feed, way, &r->build, err);

    if (st == STN_OK)
        st = renderer_pictures_open(r, err);
    if (st != STN_OK)
        return st;
    r->stage = stn_stage_new(&parts);
    if (r->stage) {
        st = stn_picker_new(
            &(stn_picker_parts){.rec = r->rec,
                                .view = r->view,
                                .stage = r->stage,
                                .numbers = stn_surface_kind_of(r->surface) != STN_SURFACE_NULL},
            &r->picker, err);
        if (st != STN_OK)
            return st;
    }
    r->source = stn_sdl_source_new();
    r->logical = stn_logical_new();
    if (!r->stage || !r->source || !r->logical)
        return stn_fail(err, STN_NO_MEMORY, "renderer");
    source = stn_sdl_source_as_input(r->source);
    stn_physical_init(&r->physical, &source);
    stn_logical_listen(r->logical, &r->physical, NULL);
    stn_bindings_default(&r->bindings);
    st = stn_bindings_change(&r->bindings, r->o.bindings, err);
    if (st != STN_OK)
        return st;
    renderer_set_camera(r, camera_kind(r->o.camera), r->o.camera_args);
    if (!r->camera)
        return stn_fail(err, STN_NO_MEMORY, "camera");
    renderer_bind_controls(r);
    ask_common_programs(r, r->settings.shadows, r->settings.outlines);
    prepare_programs(r);
    return open_handler(r, err);
}

stn_status stn_renderer_new(const stn_renderer_options *o, stn_renderer **out, stn_err *err)
{
    stn_renderer *r = calloc(1, sizeof *r);
    stn_net_options no = {.instance = o->instance,
                          .range = o->range,
                          .cut_view = o->cuts,
                          .spectator = o->spectator,
                          .alone = o->film_of[0] != '\0'};
    stn_status st;

    *out = NULL;
    if (!r || !(r->frames = calloc(1, sizeof *r->frames))) {
        free(r);
        return stn_fail(err, STN_NO_MEMORY, "renderer");
    }
    r->o = *o;
    st = open_context(r, err);
    if (st != STN_OK) {
        stn_renderer_free(r);
        return st;
    }
    /* The net first: it blocks the signals before the driver makes threads of its own. */
    st = stn_net_new(&no, &r->net, err);
    if (st == STN_OK)
        st = renderer_film_open(r, err);
    if (st == STN_OK)
        st = open_gl(r, err);
    if (st == STN_OK)
        st = open_rest(r, err);
    if (st != STN_OK) {
        stn_renderer_free(r);
        return st;
    }
    r->settings_kept = r->settings_seen = renderer_settings(r);
    r->started_ns = stn_clock_ns();
    r->opened = true;
    *out = r;
    return STN_OK;
}

void stn_renderer_free(stn_renderer *r)
{
    if (!r)
        return;
    if (r->opened)
        renderer_keep_last_settings(r);
    renderer_pictures_close(r);
    renderer_film_close(r);
    stn_picker_free(r->picker);
    /* The stage gives its jobs back to the build thread's queue; both threads then stop. */
    stn_stage_free(r->stage);
    stn_build_free(r->build);
    stn_reel_free(r->film.reel);
    stn_net_free(r->net);
    stn_camera_free(r->camera);
    stn_logical_free(r->logical);
    stn_sdl_source_free(r->source);
    stn_hud_free(r->hud);
    stn_paint_free(r->paint);
    stn_view_free(r->view);
    stn_surroundings_free(r->around);
    stn_programs_free(r->programs);
    stn_meshes_free(r->meshes);
    stn_textures_free(r->textures);
    stn_surface_free(r->surface);
    stn_contexts_free(r->contexts);
    stn_frame_handler_free(r->handler);
    free(r->frames);
    free(r);
}

/* --- the frame --- */

static void on_message(stn_renderer *r, const stn_job *job)
{
    const stn_input_state *in = stn_logical_last(r->logical);

    if (job->kind == STN_JOB_CHAT)
        stn_hud_chat(r->hud, job->u.text.from, job->u.text.text);
    else if (job->kind == STN_JOB_MENU)
        stn_hud_menu(r->hud, job->u.text.menu, job->u.text.text, (float)in->mouse.x, (float)in->mouse.y);
    else if (job->kind == STN_JOB_GHOST)
        renderer_ghost_begin(r, (uint32_t)job->u.id);
}

/* How long and how many bytes a frame spends on finished things: a small part of what a frame lasts, so that
 * a frame in which much comes is hardly longer than the others. */
static int64_t upload_budget(stn_renderer *r, size_t *bytes)
{
    int64_t budget = (int64_t)(r->dt * 1e9) / UPLOAD_PART;
    bool short_of_time = r->strain.level >= STN_STRAIN_UPLOADS;
    stn_stage_facts facts;

    stn_stage_get(r->stage, &facts);
    *bytes = short_of_time ? UPLOAD_BYTES_LATE : UPLOAD_BYTES;
    /* Before there is a picture nothing can be late: it comes sooner. */
    if (facts.cuts == 0) {
        *bytes = UPLOAD_BYTES * 8;
        return UPLOAD_LOADING_NS;
    }
    r->was_complete = r->was_complete || stn_stage_complete(r->stage);
    if (!r->was_complete || r->last_ns - r->all_taken_ns > UPLOAD_WAIT_NS)
        return UPLOAD_MOST_NS; /* it is still coming into sight, or something would wait for long */
    budget = budget > UPLOAD_MOST_NS ? UPLOAD_MOST_NS : budget;
    return short_of_time || budget < UPLOAD_LEAST_NS ? UPLOAD_LEAST_NS : budget;
}

void renderer_take(stn_renderer *r, stn_job *job)
{
    on_message(r, job);
    stn_stage_take(r->stage, job);
}

/* Finished things: what is cheap is applied in the order in which it came, in half of the time when something
 * waits for the driver; what goes to the driver goes in the order in which it is needed. */
static uint32_t take_jobs(stn_renderer *r, int64_t now)
{
    stn_spsc *jobs = stn_build_jobs(r->build);
    size_t bytes;
    int64_t budget = upload_budget(r, &bytes), taking = stn_stage_waits(r->stage) ? budget / 2 : budget;
    stn_job *job;
    uint32_t taken = 0;

    while (stn_clock_ns() - now < taking && stn_stage_room(r->stage) && (job = stn_spsc_take(jobs)) != NULL) {
        taken++;
        renderer_take(r, job);
    }
    r->uploaded += stn_stage_upload(r->stage, now + budget, bytes);
    /* Behind the taking: something that moves comes in every frame, and is no sign of being behind. */
    if (stn_spsc_count(jobs) == 0 && !stn_stage_waits(r->stage))
        r->all_taken_ns = now;
    return taken;
}

static bool ground_height(void *arg, double x, double y, float *z)
{
    return stn_stage_height(((stn_renderer *)arg)->stage, x, y, z);
}

/* An eight over the land about the focus, once in 1,800 frames: by frames and not by time, so that each
 * flight sees the same. */
static void fly(stn_renderer *r)
{
    double turn = 2.0 * STN_PI * (double)(r->flown++ % 1800) / 1800.0;
    stn_v3 at = {r->focus.x + 320.0f * (float)sin(turn), r->focus.y + 200.0f * (float)sin(2.0 * turn),
                 r->focus.z};

    stn_stage_height(r->stage, (double)at.x, -(double)at.y, &at.z);
    at.z += 15.0f;
    r->frame.view = stn_m4_pointed(at, 280.0f, 0.55f, (float)turn);
    r->frame.proj = stn_camera_proj(r->camera);
}

stn_m4 renderer_proj(const stn_renderer *r)
{
    stn_m4 p = stn_camera_proj(r->camera);
    float k = 0.5f / tanf((float)r->settings.fov * (STN_PI32 / 360.0f));

    if (r->settings.fov == STN_HUD_FOV || p.m[15] != 0.0f)
        return p; /* the reference's own, to the bit; a parallel view has no such angle */
    p.m[0] *= k;
    p.m[5] *= k;
    return p;
}

static void move_camera(stn_renderer *r)
{
    stn_camera_world world = {.height = ground_height, .arg = r};
    stn_v3 at;

    if (stn_stage_focus(r->stage, &at)) {
        r->focus = at;
        r->has_view = true;
    }
    world.target = r->focus;
    stn_camera_tick(r->camera, r->dt, &world);
    r->frame.view = stn_camera_view(r->camera);
    r->frame.proj = renderer_proj(r);
    if (r->o.fly)
        fly(r);
}

/* World builds what is seen first, so it is told where that is; seldom, and not when nothing has changed. */
static void tell_sight(stn_renderer *r, int64_t now)
{
    stn_camera_sight sight;
    stn_stage_facts facts;

    if (!r->has_view || r->film.reel || now - r->sight_ns < SIGHT_NS)
        return;
    r->sight_ns = now;
    stn_stage_get(r->stage, &facts);
    sight = stn_camera_sight_of(&r->frame.view, &r->frame.proj);
    if (facts.session == r->sight_frame && !stn_camera_sight_moved(&sight, &r->sight))
        return;
    if (!stn_net_set_sight(r->net, facts.session, &sight))
        return; /* too much is on its way to the net thread: the next time */
    r->sight = sight;
    r->sight_frame = facts.session;
}

/* What is seen, with its light: everything but the drawing. */
static void gather_scene(stn_renderer *r, bool shadows, bool outlines, int detail, bool keep_shadows)
{
    stn_stage_look look = {.shadows = shadows,
                           .keep_shadows = keep_shadows,
                           .outlines = outlines,
                           .fog = r->settings.fog,
                           .sway = r->settings.sway,
                           .clouds = r->settings.clouds,
                           .grid = r->settings.grid,
                           .overlays = r->settings.overlays,
                           .fog_distance = (float)r->settings.fog_distance,
                           .detail = (float)detail / 100.0f,
                           .time = (double)r->scene_ns / 1e9};
    stn_m4 view = r->frame.view, proj = r->frame.proj;

    memset(&r->frame, 0, sizeof r->frame);
    r->frame.view = view;
    r->frame.proj = proj;
    stn_view_begin(r->view);
    stn_stage_fill(r->stage, &look, r->focus, &r->frame);
}

void renderer_draw_scene(stn_renderer *r, bool shadows, bool outlines, bool full)
{
    int detail = r->settings.detail;

    /* What the preset chose is no wish for coarser pictures. */
    if (full && r->low && r->o.detail < 0 && detail == LOW_DETAIL)
        detail = FULL_DETAIL;
    gather_scene(r, shadows, outlines, detail, false);
    stn_view_draw(r->view, &r->frame);
}

void renderer_draw_hud(stn_renderer *r)
{
    stn_hud_frame f = {.width = r->width,
                       .height = r->height,
                       .frame_ms = stn_frames_mean(r->frames, 30),
                       .fps = r->dt > 0.0 ? 1.0 / r->dt : 0.0,
                       .stage = r->stage,
                       .view = r->frame.view,
                       .proj = r->frame.proj,
                       .angle = stn_camera_angle(r->camera),
                       .focus = r->focus,
                       .bindings = &r->bindings,
                       .driver = stn_surface_renderer(r->surface),
                       .preset = r->preset,
                       .typing = r->typing ? r->typed : NULL};
    unsigned ready, pending;
    const stn_view_counts *v = stn_view_last(r->view);

    f.draws = v->draws + v->shadow_draws;
    f.triangles = v->triangles + v->shadow_triangles;
    f.saved = v->saved;
    renderer_pointer(r, &f.pointer_x, &f.pointer_y);

    stn_programs_counts(r->programs, &ready, &pending, &f.programs_failed);
    stn_stage_get(r->stage, &f.facts);
    stn_net_links(r->net, &f.facts.world.world, &f.facts.world.loader);
    stn_hud_draw(r->hud, &f, &r->settings, r->dt);
}

static void follow_window(stn_renderer *r)
{
    int w, h;
    stn_err err = {0};

    stn_surface_size(r->surface, &w, &h);
    if (w != r->width || h != r->height)
        stn_camera_resize(r->camera, w, h, w, h);
    r->width = w;
    r->height = h;
    if (stn_view_resize(r->view, w, h, r->settings.outlines, r->settings.smooth, &err) != STN_OK)
        stn_log_error("%s", err.text);
}

static void tell_stats(stn_renderer *r, int64_t now)
{
    stn_net_stats s = {0};
    stn_stage_facts f;
    const stn_view_counts *v = stn_view_last(r->view);
    size_t targets, buffers, leaves, slots;

    if (now - r->stats_ns < STN_S / 2)
        return;
    s.idle = r->stats_ns ? fmax(0.0, 1.0 - r->busy_ms * 1e6 / (double)(now - r->stats_ns)) : -1.0;
    r->busy_ms = 0.0;
    r->stats_ns = now;
    stn_stage_get(r->stage, &f);
    s.frame_ms_mean = stn_frames_mean(r->frames, 120);
    s.frame_ms_p99 = (double)stn_hist_quantile(&r->times, 0.99) / 1e6;
    s.frame_ms_worst = (double)r->times.max_ns / 1e6;
    s.fps = r->dt > 0.0 ? 1.0 / r->dt : 0.0;
    s.frames = r->drawn;
    s.draws = v->draws;
    s.shadow_draws = v->shadow_draws;
    s.triangles = v->triangles;
    s.shadow_triangles = v->shadow_triangles;
    s.saved = v->saved;
    s.lone = v->lone;
    s.batches = v->batches;
    s.members = v->members;
    s.bypassed = v->bypassed;
    s.binds = v->binds;
    stn_stage_tree(r->stage, &leaves, &slots);
    s.leaves = (uint32_t)leaves;
    s.slots = (uint32_t)slots;
    s.queued = (uint32_t)(stn_spsc_count(stn_build_jobs(r->build)) + f.uploads);
    s.lag = stn_surface_lag(r->surface);
    s.cuts = (uint32_t)f.cuts;
    s.gobs = (uint32_t)f.gobs;
    s.gobs_seen = (uint32_t)f.gobs_seen;
    stn_programs_counts(r->programs, &s.programs_ready, &s.programs_pending, &s.programs_failed);
    stn_view_bytes(r->view, &targets, &buffers);
    s.gl_meshes = stn_meshes_bytes(r->meshes);
    s.gl_textures = stn_textures_bytes(r->textures);
    s.gl_targets = targets;
    s.gl_buffers = buffers;
    s.gl_calls = r->rec->issued;
    s.gl_skipped = r->rec->skipped;
    s.uploads = r->uploaded;
    s.left_out = (uint32_t)r->strain.level;
    snprintf(s.driver, sizeof s.driver, "%s", stn_surface_renderer(r->surface));
    snprintf(s.preset, sizeof s.preset, "%s", r->preset[0] ? r->preset : "high detail");
    stn_net_tell_stats(r->net, &s);
}

static int pacing_hz(stn_renderer *r)
{
    stn_pacing_facts f = {.wanted_hz = r->o.fps,
                          .cap_hz = r->settings.frame_cap,
                          .background = stn_surface_in_background(r->surface) ||
                                        stn_surface_kind_of(r->surface) == STN_SURFACE_HEADLESS,
                          .awaited = renderer_pictures_due(r)};

    return stn_pacing_hz(&f);
}

/* With vertical sync the swap lasts until the display is ready, which is no work. */
static void judge(stn_renderer *r, int hz)
{
    bool display = r->o.vsync && stn_surface_has_window(r->surface);
    double busy = (double)r->cost.work_ms - (display ? (double)r->cost.swap_ms : 0.0);

    stn_strain_frame(&r->strain, busy, r->dt * 1000.0, 1000.0 / (hz > 0 ? hz : 60));
    stn_picker_spare(r->picker, r->strain.level >= STN_STRAIN_PICKS);
}

static struct moment moment_now(void)
{
    struct moment m = {.at_ns = stn_clock_ns(), .cpu_ns = stn_clock_thread_cpu_ns()};
    struct rusage u;

    if (getrusage(RUSAGE_THREAD, &u) == 0) {
        m.faults = u.ru_minflt;
        m.waits = u.ru_nvcsw;
        m.taken = u.ru_nivcsw;
    }
    return m;
}

static float ms(int64_t ns)
{
    return (float)((double)ns / 1e6);
}

/* The phase under way is over; what the swap waits for is no wait of ours. */
static void phase(stn_renderer *r, stn_phase p)
{
    stn_frame_cost *c = &r->cost;
    const struct moment *last = &r->last;
    struct moment m = moment_now();
    int64_t wall = m.at_ns - last->at_ns, cpu = m.cpu_ns - last->cpu_ns;

    c->phase_ms[p] = ms(cpu);
    c->work_ms += ms(wall);
    c->cpu_ms += ms(cpu);
    c->counts[STN_COUNT_FAULTS] += (uint32_t)(m.faults - last->faults);
    if (p == STN_PHASE_SWAP) {
        c->swap_ms = ms(wall);
    } else {
        c->off_ms += ms(wall - cpu);
        c->counts[STN_COUNT_WAITS] += (uint32_t)(m.waits - last->waits);
        c->counts[STN_COUNT_TAKEN] += (uint32_t)(m.taken - last->taken);
    }
    r->last = m;
}

/* Some seconds after the last new one, so that a burst is written once. */
static void keep_programs(stn_renderer *r, int64_t now)
{
    unsigned ready, pending, failed;

    stn_programs_counts(r->programs, &ready, &pending, &failed);
    if (ready != r->programs_seen) {
        r->programs_seen = ready;
        r->programs_ns = now;
    } else if (now - r->programs_ns > PROGRAM_QUIET_NS) {
        stn_programs_keep(r->programs);
        r->programs_ns = now;
    }
}

/* Behind the frame: new programs a few at a time, pictures, figures. */
static void behind(stn_renderer *r, int64_t now)
{
    if (stn_view_warm(r->view, PROGRAM_NS) == 0)
        keep_programs(r, now);
    renderer_pictures(r);
    renderer_keep_settings(r, now);
    tell_sight(r, now);
    tell_stats(r, now);
}

/* ---- what a frame is made of, for the frame handler ---- */

static void update_input(void *arg, double seconds)
{
    stn_renderer *r = arg;
    bool closed = false;

    r->dt = seconds > 0.0 ? fmin(seconds, 0.5) : 0.0;
    if (stn_surface_has_window(r->surface)) {
        stn_sdl_source_pump(r->source, &closed);
        stn_logical_check(r->logical, r->dt);
        if (r->rebind)
            renderer_bind_controls(r);
        renderer_send_clicks(r);
        renderer_ghost_follow(r);
    }
    r->stop = r->stop || closed;
    follow_window(r);
    phase(r, STN_PHASE_INPUT);
}

static void update_queues(void *arg, double seconds)
{
    stn_renderer *r = arg;

    r->cost.counts[STN_COUNT_JOBS] = r->film.on ? renderer_film_settle(r, seconds) : take_jobs(r, r->last_ns);
    phase(r, STN_PHASE_UPLOAD);
}

/* Motion, poses and sprites, then the camera that follows them. */
static void update_clocks(void *arg, double seconds)
{
    stn_renderer *r = arg;

    (void)seconds;
    stn_stage_tick(r->stage, r->dt);
    move_camera(r);
    phase(r, STN_PHASE_TICK);
}

static void show(stn_renderer *r)
{
    int detail = r->settings.detail;

    if (r->strain.level >= STN_STRAIN_DETAIL && detail >= SPARE_DETAIL) /* 0 would be all of it */
        detail /= SPARE_DETAIL;
    gather_scene(r, r->settings.shadows, r->settings.outlines, detail, stn_strain_keeps_shadows(&r->strain));
    phase(r, STN_PHASE_CULL);
    stn_view_draw(r->view, &r->frame);
    phase(r, STN_PHASE_DRAW);
    if (stn_surface_has_window(r->surface) || stn_surface_kind_of(r->surface) == STN_SURFACE_NULL) {
        stn_view_present(r->view, r->width, r->height);
        renderer_draw_hud(r);
    }
    phase(r, STN_PHASE_HUD);
    stn_surface_swap(r->surface, r->rec);
    phase(r, STN_PHASE_SWAP);
}

/* The window or what stands for it, drawn in place: not one that nobody can see, whose swap may never come
 * back. */
static void draw_canvas(void *arg, stn_canvas_turn *turn)
{
    stn_renderer *r = arg;

    if (r->film.on) {
        renderer_film_draw(r);
        phase(r, STN_PHASE_DRAW);
    } else if (!stn_surface_hidden(r->surface)) {
        show(r);
    }
    stn_canvas_done(turn);
}

static void one_frame(stn_renderer *r)
{
    stn_stage_facts before, after;
    uint64_t uploaded = r->uploaded, drawn_first = stn_view_warmed(r->view);

    r->last = moment_now();
    r->last_ns = r->last.at_ns;
    r->cost = (stn_frame_cost){.at_s = (float)((double)(r->last_ns - r->frames->started_ns) / 1e9)};
    stn_stage_get(r->stage, &before);
    r->scene_ns = r->film.on ? r->film.now_ns : r->last_ns - r->started_ns;
    stn_frame_handler_frame(r->handler, r->scene_ns);
    behind(r, r->last_ns);
    stn_stage_get(r->stage, &after);
    phase(r, STN_PHASE_BEHIND);
    r->cost.counts[STN_COUNT_BYTES] = (uint32_t)(r->uploaded - uploaded);
    r->cost.counts[STN_COUNT_FREES] = (uint32_t)(after.frees - before.frees);
    r->cost.counts[STN_COUNT_SCENES] = (uint32_t)(after.scenes - before.scenes);
    r->cost.counts[STN_COUNT_PROGRAMS] = (uint32_t)(stn_view_warmed(r->view) - drawn_first);
    r->busy_ms += (double)r->cost.cpu_ms;
    stn_frames_add(r->frames, &r->cost);
    stn_hist_add(&r->times, (int64_t)((double)r->cost.work_ms * 1e6));
    r->drawn++;
}

stn_status stn_renderer_run(stn_renderer *r, stn_err *err)
{
    int64_t due = stn_clock_ns();
    int hz;

    stn_frames_reset(r->frames, due);
    while (!r->stop && !stn_net_ended(r->net) && (!r->film.on || renderer_film_next(r))) {
        one_frame(r);
        if (r->o.frames > 0 && r->drawn >= (uint64_t)r->o.frames)
            break;
        if (r->film.on)
            continue;
        hz = pacing_hz(r);
        judge(r, hz);
        stn_sleep_ns(stn_pacing_next(&due, hz, stn_clock_ns()));
    }
    return r->film.on ? renderer_film_end(r, err) : STN_OK;
}
