/* renderer.h - the window, its picture and its frame loop: everything of the GL thread.
 *
 * Three threads without shared locks: net (net/), build (build/), and this one, which never waits for the
 * others: it takes finished things within a time and byte budget a frame, moves what moves, culls, sorts and
 * draws. Source: docs/design.md 6; docs/spec/rendering.md 22.
 */
#ifndef STN_RENDERER_RENDERER_H
#define STN_RENDERER_RENDERER_H

#include "base/err.h"
#include "renderer/gl/surface.h"

#include <stdbool.h>

typedef struct stn_renderer_options {
    const char *instance;
    stn_surface_kind surface;
    int width, height;
    bool vsync, gl_debug, spectator;
    /* -1: as the preset has it */
    int shadows, outlines, smooth;
    bool haze, sway, clouds, grid, overlays, names, minimap, line;
    int haze_distance, fov, place_steps;
    int detail; /* percent by which sizes count when things far away get coarser; 0 = nothing does, -1 = as
                   the preset */
    int frame_cap; /* as the settings panel has it: 0 = none, -1 = as the machine suggests */
    int fps; /* the same, before it, and in the background too */
    const char *preset; /* "auto", "low", "high" */
    const char *camera, *camera_args;
    const char *bindings; /* changes of the defaults */
    const char *shot_folder;
    double ui_scale, range;
    unsigned cuts; /* drawn around the one in focus */
    const char *font;
    const char *program_cache; /* folder; "none" = nowhere, "" = in the cache folder of the person */
    int frames; /* end after so many, 0 = run */
    /* Without a window: a folder for the pictures of a film (film.h), "" = none; out of a capture, of one
     * process in it; so many frames a second of the scene's time, and in all (0 = until it ends). */
    const char *film, *film_of, *film_process;
    int film_rate, film_frames;
    bool fly; /* the camera goes round by itself, the same way in each run: for measuring */
} stn_renderer_options;

typedef struct stn_renderer stn_renderer;

/* Opens the surface and starts the threads. */
stn_status stn_renderer_new(const stn_renderer_options *o, stn_renderer **out, stn_err *err);
/* Until the window is closed, the process is told to stop, or `frames` are drawn. */
stn_status stn_renderer_run(stn_renderer *r, stn_err *err);
void stn_renderer_free(stn_renderer *r);

#endif
