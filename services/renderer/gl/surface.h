/* surface.h - where pictures go: a window, nothing but memory, or a driver that does nothing.
 *
 * A surface owns one OpenGL 3.3 core context and loads the function table of glad/gl.h, which is global: a
 * process has one surface at a time, and those that share with it. A surface and the GL work in its context
 * belong to the thread on which it is current: at first the one that made it.
 *
 *   WINDOW    SDL2. Fails with a text that says what is missing: no display, or a driver below 3.3.
 *   HEADLESS  EGL without a surface (Mesa's surfaceless platform, else the default display with a 1x1
 * pbuffer). There is no window framebuffer: draw into a target and read it. NULL      every GL function is a
 * no-op that succeeds (see nullgl.h): measures our own code.
 *
 * Source: docs/design.md 3, docs/spec/rendering.md 21.1.
 */
#ifndef STN_RENDERER_GL_SURFACE_H
#define STN_RENDERER_GL_SURFACE_H

#include "base/err.h"
#include "renderer/gl/record.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum stn_surface_kind { STN_SURFACE_WINDOW, STN_SURFACE_HEADLESS, STN_SURFACE_NULL } stn_surface_kind;

typedef struct stn_surface_options {
    stn_surface_kind kind;
    const char *title;
    int width, height; /* pixels, 1..16384 */
    bool vsync;
    bool debug; /* ask for a debug context; its messages are logged and counted */
    /* HEADLESS, NULL: a surface of the same kind whose textures, buffers and programs it has too, and which
     * outlives it; NULL = nobody's. */
    const struct stn_surface *shares_with;
} stn_surface_options;

#define STN_SURFACE_QUEUED 2 /* frames that the driver may have before it: docs/spec/rendering.md 22.3 */

typedef struct stn_surface stn_surface;

stn_status stn_surface_new(const stn_surface_options *o, stn_surface **out, stn_err *err);
void stn_surface_free(stn_surface *s); /* current on this thread or on none; NULL is fine */
/* A context is current on one thread at a time: let go on the old one, then taken on the new one. */
stn_status stn_surface_take(stn_surface *s, stn_err *err);
void stn_surface_let_go(stn_surface *s);
stn_surface_kind stn_surface_kind_of(const stn_surface *s);
void stn_surface_size(const stn_surface *s, int *w, int *h); /* drawable pixels */
void stn_surface_resize(stn_surface *s, int w, int h); /* a window follows the window system instead */
bool stn_surface_has_window(const stn_surface *s); /* framebuffer 0 exists */
/* Hands the frame over, and waits while more than STN_SURFACE_QUEUED are not drawn yet: the one wait of a
 * frame. The record is told how many were handed over and how many are certainly drawn. */
void stn_surface_swap(stn_surface *s, stn_glrec *rec);
/* Frames that were handed over and are not drawn yet, at most STN_SURFACE_QUEUED; -1: the driver does not
 * tell. */
int stn_surface_lag(const stn_surface *s);
void stn_surface_fullscreen(stn_surface *s, bool on);
bool stn_surface_in_background(const stn_surface *s); /* minimised, or without the keyboard */
bool stn_surface_hidden(const stn_surface *s); /* minimised or not shown: nothing of it can be seen */
void *stn_surface_sdl_window(const stn_surface *s); /* SDL_Window *, or NULL */

/* Of the context: the driver's words, whether it draws in software, and what is there beyond 3.3. */
const char *stn_surface_renderer(const stn_surface *s);
const char *stn_surface_version(const stn_surface *s);
bool stn_surface_is_software(const stn_surface *s);
uint64_t
stn_surface_debug_messages(const stn_surface *s); /* of KHR_debug: errors, undefined and deprecated use */

#endif
