/* renderer_impl.h - the inside of the renderer: for renderer.c, controls.c, placing.c, keep.c, pictures.c
 * and film.c alone.
 */
#ifndef STN_RENDERER_IMPL_H
#define STN_RENDERER_IMPL_H

#include "renderer/build/build.h"
#include "renderer/camera/camera.h"
#include "renderer/film.h"
#include "renderer/frames.h"
#include "renderer/gl/contexts.h"
#include "renderer/gl/picker.h"
#include "renderer/gl/stage.h"
#include "renderer/hud/hud.h"
#include "renderer/input/ghost.h"
#include "renderer/input/sdl_source.h"
#include "renderer/net/net.h"
#include "renderer/pacing.h"
#include "renderer/pictures.h"
#include "renderer/renderer.h"
#include "renderer/scene/handler.h"
#include "renderer/settings.h"

#include <pthread.h>
#include <stdatomic.h>

#define TYPED 200

/* What the system says of the thread that draws, so far. */
struct moment {
    int64_t at_ns, cpu_ns;
    long faults, waits, taken;
};

struct stn_renderer {
    stn_renderer_options o;
    stn_surface *surface;
    stn_contexts *contexts;
    stn_glrec *rec; /* of the one context that there is */
    stn_programs *programs;
    stn_meshes *meshes;
    stn_textures *textures;
    stn_view *view;
    stn_surroundings *around;
    stn_stage *stage;
    stn_picker *picker;
    stn_net_act clicks[STN_PICKER_ASKED]; /* one for each request to the picker, oldest first */
    unsigned click_count;
    stn_ghost ghost; /* what is being placed */
    bool ghost_due; /* the pointer moved since the ground under it was asked for */
    stn_paint *paint;
    stn_hud *hud;
    stn_net *net;
    stn_build *build;
    stn_camera *camera;
    stn_camera_sight sight; /* as last told to world, in the frame */
    uint64_t sight_frame;
    int64_t sight_ns;
    /* input */
    stn_sdl_source *source;
    stn_physical physical;
    stn_logical *logical;
    stn_bindings bindings;
    bool typing;
    char typed[TYPED];
    /* settings */
    stn_hud_settings settings;
    stn_settings settings_seen, settings_kept; /* at the last look, in the file */
    bool rebind; /* the triggers are to be made anew */
    int64_t settings_ns; /* of the last change */
    stn_setting writing[STN_SETTINGS_KEYS]; /* the writer's while it is on */
    size_t writing_count;
    pthread_t writer;
    bool writing_on, opened;
    atomic_bool writing_done;
    bool low;
    char preset[32];
    /* state */
    bool stop, fullscreen, has_view, warmed, was_complete;
    int width, height; /* of the picture */
    stn_v3 focus;
    stn_frame_handler *handler;
    stn_strain strain; /* what frames leave out */
    struct moment last; /* when the phase under way began */
    stn_frame_cost cost; /* of the frame under way */
    stn_frames *frames;
    stn_hist times; /* of all frames since the start */
    int64_t started_ns, last_ns, stats_ns, programs_ns, all_taken_ns;
    double busy_ms; /* processor time of the frames since the figures were told */
    unsigned programs_seen;
    double dt;
    uint64_t uploaded, flown, drawn; /* since the start */
    stn_frame frame;
    stn_pictures pictures;
    stn_film film;
    int64_t scene_ns; /* the clock of what moves by itself: since the start, or the film's */
};

void renderer_bind_controls(stn_renderer *r);
void renderer_set_camera(stn_renderer *r, int kind, const char *args);
void renderer_apply_settings(stn_renderer *r);
/* Where the pointer is in the picture, pixels; (-1, -1) without a window. */
void renderer_pointer(const stn_renderer *r, double *x, double *y);
/* Clicks whose places are known by now are sent. */
void renderer_send_clicks(stn_renderer *r);
/* placing.c. What is being placed, 0 = nothing; a click that is meant for it (true), a turn by the wheel
 * (true) or a key, and where it goes with the pointer. */
void renderer_ghost_begin(stn_renderer *r, uint32_t number);
bool renderer_ghost_click(stn_renderer *r, unsigned modifiers, uint32_t button);
bool renderer_ghost_wheel(stn_renderer *r, const stn_input_state *in);
void renderer_ghost_follow(stn_renderer *r);
/* Draws the scene into the view's target, `full`: with all that the preset may have left out; the camera has
 * been ticked. */
void renderer_draw_scene(stn_renderer *r, bool shadows, bool outlines, bool full);
/* Into what is bound, over the picture that was drawn last. */
void renderer_draw_hud(stn_renderer *r);
/* As the camera has it, with the field of view that was chosen. */
stn_m4 renderer_proj(const stn_renderer *r);
/* pictures.c. The next steps of what was asked for; whether something is under way. */
stn_status renderer_pictures_open(stn_renderer *r, stn_err *err);
void renderer_pictures(stn_renderer *r);
bool renderer_pictures_due(const stn_renderer *r);
void renderer_pictures_close(stn_renderer *r);
/* keep.c. As they are now; to be looked at behind each frame; at the end. */
stn_settings renderer_settings(const stn_renderer *r);
void renderer_keep_settings(stn_renderer *r, int64_t now);
void renderer_keep_last_settings(stn_renderer *r);
/* A finished thing goes to whom it is for. */
void renderer_take(stn_renderer *r, stn_job *job);
/* film.c, for a film alone. Before a frame: whether there is one more. */
stn_status renderer_film_open(stn_renderer *r, stn_err *err);
bool renderer_film_next(stn_renderer *r);
/* All that has come and what follows from it, `seconds` later; how many finished things there were. */
uint32_t renderer_film_settle(stn_renderer *r, double seconds);
void renderer_film_draw(stn_renderer *r);
/* Whether the task is the film's. */
bool renderer_film_taken(stn_renderer *r, const stn_scribe_task *task);
/* Waits for the last pictures; why there is no film, or not all of it. */
stn_status renderer_film_end(stn_renderer *r, stn_err *err);
void renderer_film_close(stn_renderer *r);
void renderer_save_shot(stn_renderer *r);

#endif
