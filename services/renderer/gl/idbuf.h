/* idbuf.h - a picture of numbers: for each pixel of a part of the picture which ground and which thing is
 * there.
 *
 * Two passes with one depth: the ground first, with the place in its cut besides, then the things, which the
 * ground hides. Numbers are the click ids of the view's draws, 1..0xffffff, 0 = nothing. Triangles fall on
 * pixels exactly as in the whole picture, however small the part is. Source: docs/spec/rendering.md 18.
 */
#ifndef STN_RENDERER_GL_IDBUF_H
#define STN_RENDERER_GL_IDBUF_H

#include "renderer/gl/view.h"

typedef struct stn_idbuf {
    int width, height;
    uint32_t land_fbo, thing_fbo;
    uint32_t land, place, thing, depth; /* textures */
} stn_idbuf;

typedef struct stn_idpixel {
    uint32_t land, thing; /* click ids */
    double x, y; /* of land: place in the cut, 0..1 */
} stn_idpixel;

stn_status stn_idbuf_init(stn_idbuf *b, stn_glrec *rec, int width, int height, stn_err *err);
void stn_idbuf_fini(stn_idbuf *b, stn_glrec *rec);
/* The view's draws of LAND and THING. (x, y) of the picture, from its upper left corner, is at the buffer's
 * upper left corner. False: a program is not ready, and the numbers are not to be believed. */
bool stn_idbuf_draw(stn_idbuf *b, stn_glrec *rec, stn_view *v, const stn_frame *frame, int x, int y,
                    int picture_width, int picture_height);
size_t stn_idbuf_bytes(const stn_idbuf *b);
/* All numbers to `to`: an offset when a buffer is bound for packing, which makes this return at once; else
 * memory, and it waits. */
void stn_idbuf_read(const stn_idbuf *b, stn_glrec *rec, void *to);
/* One pixel of what was read, from the upper left corner. */
stn_idpixel stn_idbuf_at(const uint8_t *data, int width, int height, int x, int y);

#endif
