/* picker.h - what lies under the pointer: asked of the scene by a ray at once, and of the driver by a picture
 * of numbers that comes back later.
 *
 * A request draws the few pixels around the pointer into an id buffer and starts a copy of them into a buffer
 * of its own; a fence tells when it is there. Nothing waits: stn_picker_answer() looks at the fence. What the
 * ray found at the time of asking is kept with the request, and is the answer when the driver cannot draw
 * numbers, when a program is not ready yet, or when the copy takes longer than STN_PICKER_PATIENCE_NS.
 * Answers come in the order of asking. Numbers are looked up in the table that was captured with the request.
 *
 * Differences from the reference: land is read at the pointer's own pixel, not one row above it.
 * Source: docs/spec/rendering.md 18.
 */
#ifndef STN_RENDERER_GL_PICKER_H
#define STN_RENDERER_GL_PICKER_H

#include "base/clock.h"
#include "renderer/gl/idbuf.h"
#include "renderer/gl/stage.h"

#define STN_PICKER_RADIUS 3 /* pixels: so far a thing beside the pointer is found when none is under it */
#define STN_PICKER_ASKED 4 /* requests on their way at once */
#define STN_PICKER_TARGETS 2048 /* of one request */
#define STN_PICKER_PATIENCE_NS (STN_S / 4)

typedef struct stn_picked {
    bool land; /* false: the pointer is on no ground; an object may still be there */
    double x, y; /* of land, map space */
    int64_t object; /* 0 = none */
    int32_t overlay, part; /* of the object: its overlay or 0, its mesh or -1 */
} stn_picked;

typedef struct stn_picker stn_picker;

typedef struct stn_picker_parts {
    stn_glrec *rec;
    stn_view *view;
    stn_stage *stage;
    bool numbers; /* false: a driver that draws nothing; the ray alone answers */
} stn_picker_parts;

/* The parts are borrowed. */
stn_status stn_picker_new(const stn_picker_parts *parts, stn_picker **out, stn_err *err);
void stn_picker_free(stn_picker *p); /* NULL is fine */
/* Under pixel (x, y) of the w x h picture of `frame`, of which the stage still shows the scene. Uses the
 * view: what was added to it for a frame is gone. False: too many requests, or outside the picture. */
bool stn_picker_ask(stn_picker *p, const stn_frame *frame, int x, int y, int w, int h, int64_t now_ns);
/* While on, the ray alone answers: the driver draws no numbers. */
void stn_picker_spare(stn_picker *p, bool on);
/* The same of the ground alone, whatever stands on it. */
bool stn_picker_ask_land(stn_picker *p, const stn_frame *frame, int x, int y, int w, int h, int64_t now_ns);
unsigned stn_picker_room(const stn_picker *p); /* for so many requests more */
/* The oldest request's answer; false: there is none yet. */
bool stn_picker_answer(stn_picker *p, int64_t now_ns, stn_picked *out);

/* The two ways by themselves. The ray looks at the view's draws, whose click ids are places in `targets`; the
 * point is in pixels, (0.5, 0.5) the middle of the first. */
stn_picked stn_picker_ray(stn_view *v, const stn_frame *frame, const stn_stage_target *targets, size_t count,
                          double px, double py, int w, int h);
/* Pixel (x, y) of an id buffer that was read, by the rule of the radius. */
stn_picked stn_picker_pixel(const uint8_t *data, int width, int height, int x, int y,
                            const stn_stage_target *targets, size_t count);

#endif
