/* surroundings.h - what water and light read besides the scene: patterns of waves, foam and clouds, and the
 * sky.
 *
 * Patterns are made by code, repeat without a seam, and give way to the server's own pictures when these come
 * (`gfx/tiles/wnrm`, `gfx/tiles/wfoam`). The sky is a gradient of the frame until a sheet of pictures is
 * given
 * (`gfx/tiles/skycube`): four by three square cells, +X (3,1), -X (1,1), +Y (2,0), -Y (2,2), +Z (2,1),
 * -Z (0,1). Belongs to the GL thread. Source: docs/spec/rendering.md 11.1, 14.3, 14.5.
 */
#ifndef STN_RENDERER_GL_SURROUNDINGS_H
#define STN_RENDERER_GL_SURROUNDINGS_H

#include "renderer/gl/texture.h"

typedef enum stn_pattern {
    STN_PATTERN_WAVES,
    STN_PATTERN_FOAM,
    STN_PATTERN_CLOUDS,
    STN_PATTERNS
} stn_pattern;

typedef struct stn_surroundings stn_surroundings;

/* The parts are borrowed. NULL: out of memory; a pattern that cannot be made is flat. */
stn_surroundings *stn_surroundings_new(stn_glrec *rec, stn_textures *textures);
void stn_surroundings_free(stn_surroundings *s); /* NULL is fine */
/* A texture of the table instead of what code made; it stays the table's. */
void stn_surroundings_pattern(stn_surroundings *s, stn_pattern which, uint32_t texture);
/* STN_BAD_DATA: no sheet of 4 x 3 squares; the sky stays as it was. */
stn_status stn_surroundings_sky(stn_surroundings *s, const uint8_t *rgba, uint32_t width, uint32_t height,
                                stn_err *err);
bool stn_surroundings_has_sky(const stn_surroundings *s);
/* To their texture units. */
void stn_surroundings_bind(stn_surroundings *s);

#endif
