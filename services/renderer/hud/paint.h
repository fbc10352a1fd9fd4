/* paint.h - flat drawing over the picture: text, rectangles, lines, pictures. Pixels, y down.
 *
 * Everything of a frame is gathered into one buffer of vertices and drawn with few calls: one for all text
 * and rectangles, one for each picture. Glyphs are drawn once by SDL2_ttf (DejaVu Sans) into a sheet and read
 * from there; a character that is not in the font is shown as a box. Without the font there is no text, which
 * is said once; the rest goes on. Limits: STN_PAINT_QUADS quads a frame; more are left out.
 */
#ifndef STN_RENDERER_HUD_PAINT_H
#define STN_RENDERER_HUD_PAINT_H

#include "base/err.h"
#include "renderer/gl/record.h"
#include "renderer/gl/texture.h"

#include <stdbool.h>
#include <stdint.h>

#define STN_PAINT_QUADS 8192

typedef struct stn_paint stn_paint;

/* scale: 1 = 14 pixel text. font: a file, NULL = look where Debian puts DejaVu Sans. */
stn_status stn_paint_new(stn_glrec *rec, stn_textures *textures, const char *font, float scale,
                         stn_paint **out, stn_err *err);
/* Text of another size from now on; not in a frame. */
void stn_paint_scale(stn_paint *p, float scale);
void stn_paint_free(stn_paint *p);
bool stn_paint_has_font(const stn_paint *p);

void stn_paint_begin(stn_paint *p, int width, int height);
/* Colours 0xRRGGBBAA. */
void stn_paint_rect(stn_paint *p, float x, float y, float w, float h, uint32_t colour);
void stn_paint_line(stn_paint *p, float x0, float y0, float x1, float y1, float width, uint32_t colour);
void stn_paint_disc(stn_paint *p, float x, float y, float r, uint32_t colour);
/* Text with its upper left corner at x, y; a dark edge makes it legible on any ground. Returns the x behind
 * it. */
float stn_paint_text(stn_paint *p, float x, float y, uint32_t colour, const char *utf8);
float stn_paint_text_width(stn_paint *p, const char *utf8);
float stn_paint_line_height(const stn_paint *p);
/* A texture of the table over a rectangle; u, v in texture coordinates. Ends the batch before it. */
void stn_paint_picture(stn_paint *p, uint32_t texture, float x, float y, float w, float h, float u0, float v0,
                       float u1, float v1, uint32_t colour);
void stn_paint_end(stn_paint *p); /* draws into the framebuffer that is bound */

#endif
