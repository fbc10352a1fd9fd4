/* camera.h - the cameras a person can choose, as arithmetic: no window, no clock.
 *
 * All look at a target in render space (x, -y, z). A camera is driven by its size, by the middle mouse button
 * (click, drag, release), the wheel and five keys, and by ticks; it gives a view and a projection. The
 * arithmetic is that of the reference, f32 where it says so, and is compared bit for bit.
 *
 *   ortho      smooth orthographic, the default. Arguments: -e/-n pixel-exact on/off, -i/-f isometric steps
 * on/off, -t SPEED, -Z FIELD bad        free, perspective;   worse  the same without smoothing follow behind
 * the walker;   rts    free with a centre that can be dragged away orthobase  plain orthographic, not offered
 * to people
 *
 * Source: docs/spec/rendering.md 5.
 */
#ifndef STN_RENDERER_CAMERA_H
#define STN_RENDERER_CAMERA_H

#include "renderer/scene/m4.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum stn_camera_key {
    STN_CAMERA_LEFT,
    STN_CAMERA_RIGHT,
    STN_CAMERA_IN,
    STN_CAMERA_OUT,
    STN_CAMERA_RESET
} stn_camera_key;

/* What a camera asks of the world in a tick. */
typedef struct stn_camera_world {
    stn_v3 target; /* render space */
    stn_v3 shake;
    /* Ground height at a map place; false when it is not known (the last one is then kept). NULL: never
     * known. */
    bool (*height)(void *arg, double x, double y, float *z);
    void *arg;
} stn_camera_world;

typedef struct stn_camera stn_camera;

/* An unknown name gives "ortho" with its defaults; arguments that are no numbers keep the default. `args` may
 * be NULL or
 * "". NULL: out of memory. Sizes are pixels: the widget's, and the picture's. */
stn_camera *stn_camera_new(const char *name, const char *args, int w, int h, int picture_w, int picture_h);
void stn_camera_free(stn_camera *c);
const char *stn_camera_name(const stn_camera *c);
void stn_camera_resize(stn_camera *c, int w, int h, int picture_w, int picture_h);
void stn_camera_tick(stn_camera *c, double dt, const stn_camera_world *world);
void stn_camera_click(stn_camera *c, int x, int y, bool ctrl);
void stn_camera_drag(stn_camera *c, int x, int y);
void stn_camera_release(stn_camera *c);
void stn_camera_wheel(stn_camera *c, double n); /* > 0: away */
void stn_camera_press(stn_camera *c, stn_camera_key key);
/* The frame of map coordinates moved: places that are kept move along. */
void stn_camera_moved(stn_camera *c, double dx, double dy, bool known);

stn_m4 stn_camera_view(const stn_camera *c);
stn_m4 stn_camera_proj(const stn_camera *c);
float stn_camera_angle(const stn_camera *c);
float stn_camera_elevation(const stn_camera *c);
/* Roughly how much ground is seen across, map units: for fog, shadows and detail. */
float stn_camera_reach(const stn_camera *c);

#endif
