/* view.h - draws one picture of the scene: shadow map, solid things, terrain layers, outlines, water, the
 * rest.
 *
 * A frame is begun, filled with draws and drawn. Draws of equal mesh and material become one instanced call.
 * Nothing is allocated in a steady state, nothing is read back, and no program is linked unless asked for
 * (stn_view_warm). One thread (that of the GL context). Source: docs/spec/rendering.md 2, 9, 13, 15, 16,
 * 19, 21.
 */
#ifndef STN_RENDERER_GL_VIEW_H
#define STN_RENDERER_GL_VIEW_H

#include "base/err.h"
#include "renderer/gl/mesh.h"
#include "renderer/gl/program.h"
#include "renderer/gl/record.h"
#include "renderer/gl/screen.h"
#include "renderer/gl/surroundings.h"
#include "renderer/gl/texture.h"
#include "renderer/scene/light.h"
#include "renderer/scene/m4.h"
#include "renderer/scene/material.h"
#include "renderer/scene/pick.h"

#include <stdbool.h>
#include <stdint.h>

#define STN_FRAME_LIGHTS 16
#define STN_VIEW_MAX_DRAWS 65536 /* more are dropped and counted */

/* What is seen, apart from the draws. */
typedef struct stn_frame {
    stn_m4 view, proj;
    double time; /* seconds; taken modulo 3000 */
    stn_lit lights[STN_FRAME_LIGHTS];
    int light_count;
    int day_light; /* index of the light that the shadow map belongs to, -1 = none */
    int shadows; /* STN_SHADOWS_* */
    bool shadows_kept; /* the map is as the last picture with shadows left it: nothing is cast anew */
    stn_m4 shadow_view, shadow_proj, shadow_matrix;
    bool outlines;
    float outline_strength; /* 1 = as the reference */
    bool outline_wraps; /* as the reference: pixels at an edge see the opposite edge */
    float clear[4];
    float fog[4]; /* colour, strength */
    float fog_range[4]; /* focus x, y (render space), start, end */
    float sky_low[4], sky_high[4]; /* colours; how strongly water mirrors it, how bright a picture of it is */
    float clouds[4]; /* shadows of clouds: repeats a map unit, where they are x, y; strength, 0 = none */
    float cloud_way[2]; /* how far such a shadow moves aside for each unit of height x, y */
    float grid; /* strength of lines between tiles, 0 = none */
    float wind[3]; /* strength, direction x, y */
} stn_frame;

typedef struct stn_instance {
    stn_m4 model;
    float mix[4];
    float water_z; /* object fog */
    float sway_slow[4],
        sway_fast[4]; /* x y z strengths, frequency in radians a second: docs/spec/sprites.md 21.2 */
    /* STN_MAT_MORPH: first vertex, vertices, frame from, frame to. STN_MAT_TINT: the colour. STN_MAT_TERRAIN:
     * how far the corners of the cut lie in ground that is only remembered, 0..1, along x first. */
    float special[4];
    float morph; /* how far between the frames, 0..1 */
    uint32_t bones; /* from stn_view_bones(), 0 = none */
    uint32_t click_id;
} stn_instance;

/* LAND and THING: what a hand can point at, for stn_view_draw_ids() and stn_view_thing(). */
enum { STN_DRAW_VISIBLE = 1, STN_DRAW_CASTS = 2, STN_DRAW_LAND = 4, STN_DRAW_THING = 8 };

typedef struct stn_view_counts {
    uint32_t draws, shadow_draws; /* GL draw calls of the last frame */
    uint32_t instances, triangles;
    uint32_t shadow_triangles;
    uint32_t saved; /* triangles of both passes that levels of detail left out */
    uint32_t lone, batches, members; /* of the picture's list: draws of one thing, of several, and these */
    uint32_t bypassed; /* of it too, but no mesh: the pass of outlines */
    uint32_t binds; /* of programs, in both passes */
    uint32_t dropped; /* over the limit, with an unknown mesh or a place that is not finite */
    uint32_t waiting; /* skipped because their program is not ready */
} stn_view_counts;

typedef struct stn_view stn_view;

/* shadow_size: side of the shadow map in texels, 0 = none. The parts are borrowed. */
stn_status stn_view_new(stn_glrec *rec, stn_programs *programs, stn_meshes *meshes, stn_textures *textures,
                        int shadow_size, stn_view **out, stn_err *err);
void stn_view_free(stn_view *v);
/* Of the picture, 1 to 16384 a side. With outlines a normal target is made besides. Smooth: drawn at twice
 * the size each way and averaged, if the driver's textures can be that large. */
stn_status stn_view_resize(stn_view *v, int width, int height, bool outlines, bool smooth, stn_err *err);
/* What is drawn from now on goes there, NULL: into the view's own picture, which alone is presented, resized
 * and read. */
void stn_view_aim(stn_view *v, stn_screen *screen);
/* Makes a picture for that, as stn_view_resize() does with its own. */
stn_status stn_view_fit(const stn_view *v, stn_screen *s, int width, int height, bool outlines, bool smooth,
                        stn_err *err);
/* The id of a material; equal ones share it. 0: the table is full. */
uint32_t stn_view_material(stn_view *v, const stn_matstate *m);

void stn_view_begin(stn_view *v);
/* Bone matrices for this frame, model space to model space. 0: no room. */
uint32_t stn_view_bones(stn_view *v, const stn_m4 *bones, uint32_t count);
void stn_view_add(stn_view *v, uint32_t mesh, uint32_t material, const stn_instance *instance,
                  unsigned flags);
void stn_view_draw(stn_view *v, const stn_frame *frame);

/* Numbers (click_id) of the draws with one of the flags, into the framebuffer and viewport that are bound:
 * output 0 takes the number as bytes, lowest first, output 1 the place of land in its cut. False: a program
 * is not ready; some are missing. */
bool stn_view_draw_ids(stn_view *v, const stn_frame *frame, unsigned flag);
/* The same draws for a ray. Draws are counted from 0; false: no such draw, without the flag, or a mesh that
 * is not kept. The pointers are good until the next stn_view_begin() or stn_view_bones(). */
uint32_t stn_view_draws(const stn_view *v);
bool stn_view_thing(const stn_view *v, uint32_t draw, unsigned flag, stn_pick_thing *out, stn_pick_mask *mask,
                    uint32_t *click_id);

/* Makes and tries programs that were asked for, off the moment of drawing (warm.h): as long as budget_ns
 * lasts, INT64_MAX = all. Returns how many wait still. Until then what needs them is drawn plain, or left
 * out. */
size_t stn_view_warm(stn_view *v, int64_t budget_ns);
size_t stn_view_waiting(const stn_view *v); /* asked for and not made yet */
uint64_t stn_view_warmed(const stn_view *v); /* drawn for the first time, since the start */
/* Asks for what a material of these features needs in a picture with or without shadows and normals. */
void stn_view_ask(stn_view *v, uint32_t features, int shadows, bool outlines);

/* Into the window (framebuffer 0), scaled to w x h. */
void stn_view_present(stn_view *v, int w, int h);
/* The last picture as what is drawn into: for what is written over it. */
void stn_view_bind(stn_view *v);
/* The last picture, top row first, width * height * 4 bytes. Waits for the GPU: for pictures and tests only.
 */
void stn_view_read(stn_view *v, uint8_t *rgba);
void stn_view_size(const stn_view *v, int *width, int *height);
const stn_view_counts *stn_view_last(const stn_view *v);
/* Bytes of the driver's memory: of what is drawn into, and of what each frame is written to. */
void stn_view_bytes(const stn_view *v, size_t *targets, size_t *buffers);
/* Borrowed; NULL: water without waves, no clouds. */
void stn_view_surround(stn_view *v, stn_surroundings *around);

#endif
