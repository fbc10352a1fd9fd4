/* nullgl.h - a GL driver that does nothing and always succeeds, to measure our own code without a rasteriser.
 *
 * Names are handed out and counted, programs link, framebuffers are complete, fences have signalled, reads
 * leave memory as it was. It claims 3.3 core and no extension. Source: docs/design.md 7 ("Null GL").
 */
#ifndef STN_RENDERER_GL_NULLGL_H
#define STN_RENDERER_GL_NULLGL_H

#include <stdbool.h>
#include <stddef.h>

typedef void (*stn_nullgl_fn)(void);

/* For gladLoadGL(). Never NULL. */
stn_nullgl_fn stn_nullgl_load(const char *name);
/* Objects (textures, buffers, programs, …) that were made and not deleted since the process began. */
size_t stn_nullgl_live(void);

/* Whether it refuses every shader from now on, as a driver may: for tests of what happens then. */
void stn_nullgl_refuse(bool on);

#endif
