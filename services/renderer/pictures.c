/* pictures.c - pictures on demand: for the control door and for the key. */
#include "renderer/renderer_impl.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "renderer/gl/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

/* Draws the scene at w x h in full detail and gives its pixels (malloc); the picture is then as it was. q
 * NULL: as the camera has it. */
static uint8_t *take(stn_renderer *r, const stn_net_question *q, int w, int h, stn_err *err)
{
    int was_w = r->width, was_h = r->height;
    uint8_t *rgba = malloc((size_t)w * (size_t)h * 4);
    bool full = !(r->o.preset[0] == 'l'); /* a preset that was asked for holds for pictures too */
    stn_camera_world world = {.target = r->focus};
    stn_frame frame = r->frame; /* clicks are looked up in the one on the screen */

    if (!rgba) {
        stn_fail(err, STN_NO_MEMORY, "no memory for a picture of %dx%d", w, h);
        return NULL;
    }
    if (stn_view_resize(r->view, w, h, full, full, err) != STN_OK) {
        free(rgba);
        return NULL;
    }
    r->width = w;
    r->height = h;
    stn_camera_resize(r->camera, w, h, w, h);
    stn_camera_tick(r->camera, 0.0, &world);
    r->frame.view = stn_camera_view(r->camera);
    r->frame.proj = renderer_proj(r);
    if (q && q->eye_distance > 0.0)
        place_eye(r, q, w, h);
    /* The first pass asks for the programs that it needs, the second has them. */
    renderer_draw_scene(r, full, full);
    stn_view_warm(r->view, INT64_MAX);
    renderer_draw_scene(r, full, full);
    if (q && q->hud) {
        stn_view_bind(r->view);
        renderer_draw_hud(r);
    }
    stn_view_read(r->view, rgba);
    r->frame = frame;
    r->width = was_w;
    r->height = was_h;
    stn_camera_resize(r->camera, was_w, was_h, was_w, was_h);
    if (stn_view_resize(r->view, was_w, was_h, r->settings.outlines, r->settings.smooth, err) != STN_OK)
        stn_log_error("%s", err->text);
    return rgba;
}

static void answer_picture(stn_renderer *r, const stn_net_question *q, bool partial, const char *missing)
{
    int w = q->width ? (int)q->width : r->width, h = q->height ? (int)q->height : r->height;
    uint8_t *rgba, *png = NULL;
    size_t len = 0;
    stn_err err = {0};
    stn_stage_facts facts;

    stn_stage_get(r->stage, &facts);
    rgba = take(r, q, w, h, &err);
    if (rgba && stn_picture_to_png(rgba, w, h, 0, &png, &len, &err) != STN_OK)
        png = NULL;
    free(rgba);
    stn_net_answer_picture(r->net, q, png, len, (uint32_t)w, (uint32_t)h, (uint32_t)facts.cuts,
                           (uint32_t)facts.gobs, partial, png ? missing : err.text);
}

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

void renderer_answer_questions(stn_renderer *r)
{
    stn_net_question *came;
    int64_t now = stn_clock_ns();

    while (r->question_count < sizeof r->questions / sizeof r->questions[0] &&
           (came = stn_spsc_take(stn_net_questions(r->net))) != NULL)
        r->questions[r->question_count++] = *came;
    for (size_t i = 0; i < r->question_count; i++) {
        stn_net_question *q = &r->questions[i];
        char missing[160] = "";

        if (q->kind == STN_NET_FRAMES) {
            stn_buf b = {.max = 1u << 16};

            stn_frames_json(&r->frames, now, &b);
            stn_buf_u8(&b, 0);
            stn_net_answer_frames(r->net, q, b.failed ? "{}" : (const char *)b.data);
            stn_buf_fini(&b);
            if (q->reset)
                stn_frames_reset(&r->frames, now);
        } else {
            bool done = ready(r, q, now, missing);

            if (!done && now - q->came_ns < (int64_t)q->timeout_ms * STN_MS)
                continue;
            answer_picture(r, q, !done, missing);
        }
        r->questions[i--] = r->questions[--r->question_count];
    }
}

void renderer_save_shot(stn_renderer *r)
{
    char path[512], note[640], stamp[32];
    time_t t = (time_t)(stn_clock_wall_ns() / STN_S);
    struct tm tm;
    stn_err err = {0};
    uint8_t *rgba = take(r, NULL, r->width, r->height, &err), *png = NULL;
    size_t len = 0;
    stn_status st = rgba ? stn_picture_to_png(rgba, r->width, r->height, 0, &png, &len, &err) : err.code;

    free(rgba);
    localtime_r(&t, &tm);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm);
    snprintf(path, sizeof path, "%s/stenness-%s-%u.png", r->o.shot_folder, stamp, ++r->shots);
    if (st == STN_OK)
        st = stn_file_mkdirs(r->o.shot_folder, 0755, &err);
    if (st == STN_OK)
        st = stn_file_write(path, png, len, 0644, false, &err);
    free(png);
    snprintf(note, sizeof note, "%s%s",
             st == STN_OK ? "written: " : "no picture: ", st == STN_OK ? path : err.text);
    stn_hud_note(r->hud, note);
    stn_log_info("%s", note);
}
