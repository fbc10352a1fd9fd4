/* screen.h - a picture that is drawn into: its target, and itself where the target is finer. */
#ifndef STN_RENDERER_GL_SCREEN_H
#define STN_RENDERER_GL_SCREEN_H

#include "renderer/gl/target.h"

#include <stddef.h>

typedef struct stn_screen {
    int width, height; /* of the picture */
    int fine; /* pixels of the target to one of the picture, each way: smooth edges */
    stn_target target; /* of the picture times `fine` */
    uint32_t plain_fbo, plain; /* the picture itself when fine > 1 */
} stn_screen;

/* Makes it fit, 1 to 16384 a side; one that fits is left as it is. Smooth: drawn at twice the size each way
 * and averaged, if the driver's textures (max_side) can be that large. Zeroed is a fine beginning. */
stn_status stn_screen_fit(stn_screen *s, stn_glrec *rec, int width, int height, bool outlines, bool smooth,
                          int max_side, stn_err *err);
void stn_screen_fini(stn_screen *s, stn_glrec *rec);
uint32_t stn_screen_fbo(const stn_screen *s); /* that has the picture */
size_t stn_screen_bytes(const stn_screen *s); /* of the driver's memory */
uint32_t stn_screen_colour(const stn_screen *s);

#endif
