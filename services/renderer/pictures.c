#include "renderer/renderer_impl.h"

#include "base/clock.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

stn_status renderer_pictures_open(stn_renderer *r, stn_err *err)
{
    r->pictures.spare = calloc(1, sizeof *r->pictures.spare);
    if (!r->pictures.spare)
        return stn_fail(err, STN_NO_MEMORY, "figures of frames");
    return stn_scribe_new(r->net, &r->pictures.scribe, err);
}

void renderer_pictures_close(stn_renderer *r)
{
    stn_scribe_free(r->pictures.scribe);
    for (int i = 0; i < STN_PICTURES; i++)
        stn_readback_fini(&r->pictures.at[i].readback, r->rec);
    free(r->pictures.spare);
    free(r->pictures.lent);
}

/* --- drawing --- */

/* From where the question says; with perspective, whatever the camera. */
static void place_eye(stn_renderer *r, const stn_net_question *q, int w, int h)
{
    float near = 2.0f, up = 0.5f * near * (float)h / (float)w;
    stn_v3 at = {r->focus.x + (float)q->eye_x, r->focus.y - (float)q->eye_y, r->focus.z};

    stn_stage_height(r->stage, (double)at.x, -(double)at.y, &at.z);
    at.z += 10.0f;
    r->frame.view = stn_m4_pointed(at, (float)q->eye_distance, (float)q->eye_elevation, (float)q->eye_angle);
    r->frame.proj = stn_m4_frustum(-0.5f * near, 0.5f * near, -up, up, near, 8000.0f);
}

/* Draws the scene into the picture's screen; the frame in the window is then as it was. */
static void draw(stn_renderer *r, stn_picture *p)
{
    int w = p->task.width, h = p->task.height, was_w = r->width, was_h = r->height;
    const stn_net_question *q = p->task.asked ? &p->task.question : NULL;
    stn_camera_world world = {.target = r->focus};
    stn_frame frame = r->frame; /* clicks are looked up in the one on the screen */

    r->width = w;
    r->height = h;
    stn_camera_resize(r->camera, w, h, w, h);
    stn_camera_tick(r->camera, 0.0, &world);
    r->frame.view = stn_camera_view(r->camera);
    r->frame.proj = renderer_proj(r);
    if (q && q->eye_distance > 0.0)
        place_eye(r, q, w, h);
    stn_view_aim(r->view, &p->readback.screen);
    renderer_draw_scene(r, p->shadows, p->outlines, p->full);
    if (q && q->hud) {
        stn_view_bind(r->view);
        renderer_draw_hud(r);
    }
    stn_view_aim(r->view, NULL);
    r->frame = frame;
    r->width = was_w;
    r->height = was_h;
    stn_camera_resize(r->camera, was_w, was_h, was_w, was_h);
}

static void ask(stn_renderer *r, stn_picture *p, int w, int h, bool hud, int64_t now)
{
    bool full = !hud && r->o.preset[0] != 'l'; /* a preset that was asked for holds for pictures too */

    p->state = STN_PICTURE_ASKED;
    p->full = full;
    p->shadows = full || r->settings.shadows;
    p->outlines = full || r->settings.outlines;
    p->smooth = full || r->settings.smooth;
    p->since_ns = now;
    p->task.kind = STN_SCRIBE_PICTURE;
    p->task.width = w;
    p->task.height = h;
    p->task.rows = NULL;
}

/* The first drawing asks for the programs that it needs; when all were there it is the last. */
static void begin(stn_renderer *r, stn_picture *p)
{
    stn_err err = {0};
    stn_stage_facts facts;

    if (stn_view_fit(r->view, &p->readback.screen, p->task.width, p->task.height, p->outlines, p->smooth,
                     &err) != STN_OK) {
        snprintf(p->task.text, sizeof p->task.text, "%s", err.text);
        p->state = STN_PICTURE_READ;
        return;
    }
    stn_stage_get(r->stage, &facts);
    p->task.cuts = (uint32_t)facts.cuts;
    p->task.entities = (uint32_t)facts.gobs;
    draw(r, p);
    p->state = STN_PICTURE_WARMING;
    if (!stn_surface_has_window(r->surface)) {
        stn_view_warm(r->view, INT64_MAX);
    } else if (stn_view_waiting(r->view) == 0) {
        stn_readback_drawn(&p->readback);
        p->state = STN_PICTURE_READING;
    }
}

static void finish(stn_renderer *r, stn_picture *p)
{
    char note[740];

    stn_readback_end(&p->readback);
    p->state = STN_PICTURE_FREE;
    if (!p->said)
        return;
    snprintf(note, sizeof note, "%s%s",
             p->task.text[0] ? "no picture: " : "written: ", p->task.text[0] ? p->task.text : p->task.path);
    stn_hud_note(r->hud, note);
    stn_log_info("%s", note);
}

/* One step of a picture that is under way. True: it drew. */
static bool step(stn_renderer *r, stn_picture *p, int64_t now)
{
    switch (p->state) {
    case STN_PICTURE_ASKED:
        begin(r, p);
        return true;
    case STN_PICTURE_WARMING:
        if (stn_view_waiting(r->view) > 0 && now - p->since_ns < STN_PICTURE_WARM_SECONDS * STN_S)
            return false;
        draw(r, p);
        stn_readback_drawn(&p->readback);
        p->state = STN_PICTURE_READING;
        return true;
    case STN_PICTURE_READING:
        if (!stn_readback_step(&p->readback, r->rec))
            return false;
        p->task.rows = p->readback.rows;
        if (!p->task.rows)
            snprintf(p->task.text, sizeof p->task.text, "the driver does not let the picture be read");
        p->state = STN_PICTURE_READ;
        return false;
    case STN_PICTURE_READ:
        if (stn_scribe_give(r->pictures.scribe, &p->task))
            p->state = STN_PICTURE_WRITING;
        return false;
    case STN_PICTURE_FREE:
    case STN_PICTURE_WRITING:
        return false;
    }
    return false;
}

static stn_picture *free_place(stn_renderer *r)
{
    for (int i = 0; i < STN_PICTURES; i++)
        if (r->pictures.at[i].state == STN_PICTURE_FREE)
            return &r->pictures.at[i];
    return NULL;
}

/* --- questions --- */

static bool ready(const stn_renderer *r, const stn_net_question *q, int64_t now, char missing[160])
{
    stn_stage_facts f;

    stn_stage_get(r->stage, &f);
    missing[0] = '\0';
    if (now - q->came_ns < (int64_t)q->after_ms * STN_MS) {
        snprintf(missing, 160, "the time asked for has not passed");
        return false;
    }
    if (f.cuts < q->min_cuts || (q->complete && !stn_stage_complete(r->stage))) {
        snprintf(missing, 160,
                 "%zu cuts drawn (%u of %u wanted are ready), %u resources or objects still loading", f.cuts,
                 f.world.cuts_ready, f.world.cuts_wanted, f.world.resources_waiting);
        return false;
    }
    return true;
}

/* False: it waits. */
static bool answer_picture(stn_renderer *r, const stn_net_question *q, int64_t now)
{
    char missing[160] = "";
    bool done = ready(r, q, now, missing);
    stn_picture *p;

    if ((!done && now - q->came_ns < (int64_t)q->timeout_ms * STN_MS) || (p = free_place(r)) == NULL)
        return false;
    p->said = false;
    p->task.asked = true;
    p->task.question = *q;
    p->task.partial = !done;
    p->task.path[0] = '\0';
    snprintf(p->task.text, sizeof p->task.text, "%s", missing);
    ask(r, p, q->width ? (int)q->width : r->width, q->height ? (int)q->height : r->height, q->hud, now);
    return true;
}

/* The figures go to the scribe as they are; the frames to come are counted in the spare ones. */
static bool answer_figures(stn_renderer *r, const stn_net_question *q, int64_t now)
{
    stn_pictures *p = &r->pictures;
    stn_frames *full = r->frames;

    if (!p->spare)
        return false;
    p->figures = (stn_scribe_task){
        .kind = STN_SCRIBE_FRAMES, .asked = true, .question = *q, .frames = full, .now_ns = now};
    if (!stn_scribe_give(p->scribe, &p->figures))
        return false;
    if (q->reset) {
        stn_frames_reset(p->spare, now);
        r->flown = 0; /* what is measured next sees the same flight */
    } else {
        memcpy(p->spare, full, sizeof *full);
    }
    r->frames = p->spare;
    p->lent = full;
    p->spare = NULL;
    return true;
}

static void take_back(stn_renderer *r)
{
    stn_pictures *p = &r->pictures;
    stn_scribe_task *t;

    while ((t = stn_scribe_take(p->scribe)) != NULL) {
        if (t == &p->figures) {
            p->spare = p->lent;
            p->lent = NULL;
        }
        if (t == &p->figures || renderer_film_taken(r, t))
            continue;
        for (int i = 0; i < STN_PICTURES; i++)
            if (t == &p->at[i].task)
                finish(r, &p->at[i]);
    }
}

void renderer_pictures(stn_renderer *r)
{
    stn_pictures *p = &r->pictures;
    stn_net_question *came;
    int64_t now = stn_clock_ns();
    bool drew = false;

    take_back(r);
    for (int i = 0; i < STN_PICTURES && !drew; i++) /* one drawing a frame */
        drew = step(r, &p->at[i], now);
    while (p->question_count < sizeof p->questions / sizeof p->questions[0] &&
           (came = stn_spsc_take(stn_net_questions(r->net))) != NULL)
        p->questions[p->question_count++] = *came;
    for (unsigned i = 0; i < p->question_count;) {
        const stn_net_question *q = &p->questions[i];

        if (q->kind == STN_NET_FRAMES ? answer_figures(r, q, now) : answer_picture(r, q, now))
            p->questions[i] = p->questions[--p->question_count];
        else
            i++;
    }
}

bool renderer_pictures_due(const stn_renderer *r)
{
    bool due = r->pictures.question_count > 0;

    for (int i = 0; i < STN_PICTURES; i++)
        due |= r->pictures.at[i].state != STN_PICTURE_FREE;
    return due;
}

void renderer_save_shot(stn_renderer *r)
{
    stn_picture *p = free_place(r);
    char stamp[32];
    int64_t now = stn_clock_ns();
    time_t t = (time_t)(stn_clock_wall_ns() / STN_S);
    struct tm tm;

    if (!p) {
        stn_hud_note(r->hud, "no picture: the ones before are still being written");
        return;
    }
    localtime_r(&t, &tm);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm);
    p->said = true;
    p->task.asked = p->task.partial = false;
    p->task.text[0] = '\0';
    if (snprintf(p->task.path, sizeof p->task.path, "%s/stenness-%s-%u.png", r->o.shot_folder, stamp,
                 ++r->pictures.shots) >= (int)sizeof p->task.path) {
        stn_hud_note(r->hud, "no picture: the name of its folder is too long");
        return;
    }
    ask(r, p, r->width, r->height, false, now);
}
