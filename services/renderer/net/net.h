/* net.h - the thread that talks: links to `world` and `loader`, and the control door.
 *
 * It owns the loop and the bus. What comes from world and loader goes on as it is, in order, to the build
 * thread through a bounded queue; questions of the control door go to the GL thread through another. The
 * other two threads give back through inboxes, which never block them. When the build thread is behind,
 * messages wait here up to a ceiling; then the view is asked for anew instead of growing (world merges what a
 * lagging viewer missed). Source: docs/design.md 4, 5, 6.
 */
#ifndef STN_RENDERER_NET_H
#define STN_RENDERER_NET_H

#include "base/err.h"
#include "bus/bus.h"
#include "bus/report.h"
#include "renderer/camera/sight.h"
#include "renderer/net/feed.h"
#include "renderer/net/spsc.h"

#include <stdbool.h>
#include <stdint.h>

/* A question of the control door that the GL thread answers. */
typedef enum stn_net_question_kind { STN_NET_PICTURE, STN_NET_FRAMES } stn_net_question_kind;
typedef struct stn_net_question {
    stn_net_question_kind kind;
    uint64_t token;
    uint32_t width, height, min_cuts, after_ms, timeout_ms;
    bool complete, reset, hud;
    double eye_distance, eye_elevation, eye_angle, eye_x,
        eye_y; /* as proto/control.proto has them, checked */
    int64_t came_ns;
} stn_net_question;

/* What the GL thread tells for status, about twice a second. */
typedef struct stn_net_stats {
    double frame_ms_mean, frame_ms_p99, frame_ms_worst, fps;
    uint64_t frames;
    uint32_t draws, shadow_draws, triangles, shadow_triangles, saved, cuts, gobs, gobs_seen;
    uint32_t leaves, slots; /* of the tree */
    uint32_t lone, batches, members, bypassed, binds; /* of the last frame: gl/view.h */
    uint32_t queued; /* finished things that are not taken, or not with the driver, yet */
    uint32_t left_out; /* what frames leave out so as not to be late (pacing.h), 0 = nothing */
    int lag; /* frames that the driver has before it, -1 = it does not tell */
    double idle; /* share of the time in which the thread that draws had nothing to do, < 0 = not known yet */
    uint32_t programs_ready, programs_pending, programs_failed;
    uint64_t gl_meshes, gl_textures, gl_targets, gl_buffers; /* bytes */
    uint64_t gl_calls, gl_skipped, uploads;
    char driver[128];
    char preset[32];
} stn_net_stats;

/* A click or a word: sent at most once, never again. */
typedef struct stn_net_act {
    int kind; /* STENNESS__ACT_KIND__… */
    uint64_t frame;
    double x, y;
    uint32_t button, modifiers;
    int64_t object;
    bool has_object;
    int32_t overlay, part; /* of the object: its overlay or 0, its mesh or -1 */
    char text[256];
    uint32_t menu, choice; /* a menu's number, and the option from 0; UINT32_MAX: none of them */
    int32_t screen_x, screen_y;
    uint32_t ghost; /* its number */
    double angle; /* at which it is put down */
} stn_net_act;

typedef struct stn_net_options {
    const char *instance; /* NULL = default */
    double range; /* of entities, map units */
    uint32_t cut_view;
    bool spectator;
    bool alone; /* without world and loader: the control door only */
} stn_net_options;

typedef struct stn_net stn_net;

/* Takes the number and the names, then starts the thread. To be called before any other thread exists
 * (signals). */
stn_status stn_net_new(const stn_net_options *o, stn_net **out, stn_err *err);
void stn_net_free(stn_net *n); /* stops and joins */
/* True when the thread has ended by itself: a signal, or Quit through the door. */
bool stn_net_ended(const stn_net *n);

stn_feed stn_net_feed(stn_net *n); /* for the build thread; borrows it */
stn_spsc *
stn_net_questions(stn_net *n); /* taken by the GL thread; items are the net thread's own (see answer) */

/* From the GL thread. */
bool stn_net_send_act(stn_net *n, const stn_net_act *act);
/* Where the camera looks in that frame; kept, and said again to a world that comes back. */
bool stn_net_set_sight(stn_net *n, uint64_t frame, const stn_camera_sight *sight);
void stn_net_tell_stats(stn_net *n, const stn_net_stats *stats);
/* From any thread but the GL one: they allocate. Takes png (malloc); NULL with a text = it could not be made.
 * Every question is answered exactly once. */
void stn_net_answer_picture(stn_net *n, const stn_net_question *q, uint8_t *png, size_t len, uint32_t w,
                            uint32_t h, uint32_t cuts, uint32_t entities, bool partial, const char *text);
void stn_net_answer_frames(stn_net *n, const stn_net_question *q, const char *json);
/* Links as they are now: 0 away, 2 up. Any thread. */
void stn_net_links(const stn_net *n, int *world, int *loader);

#endif
