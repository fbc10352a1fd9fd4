/* texture.h - textures in the driver's memory, known by id, with the sampling each asks for.
 *
 * All are RGBA8, linear values, row 0 first. Levels are given ready-made: nothing is computed on this thread.
 * A texture of impossible size is refused; drawing with an unknown id uses the 1x1 magenta placeholder.
 * Source: docs/spec/rendering.md 11.1, 25.
 */
#ifndef STN_RENDERER_GL_TEXTURE_H
#define STN_RENDERER_GL_TEXTURE_H

#include "base/err.h"
#include "renderer/gl/record.h"
#include "renderer/scene/pick.h"

#include <stddef.h>
#include <stdint.h>

enum { STN_FILTER_NEAREST, STN_FILTER_LINEAR };
enum { STN_MIPS_NONE, STN_MIPS_NEAREST, STN_MIPS_LINEAR };

typedef struct stn_sampling {
    uint8_t mag, min; /* STN_FILTER_* */
    uint8_t mip; /* STN_MIP_* */
    uint8_t clamp; /* to the edge; else it repeats */
} stn_sampling;

typedef struct stn_texture_level {
    uint32_t width, height;
    const uint8_t *rgba; /* width * height * 4 bytes */
} stn_texture_level;

typedef struct stn_textures stn_textures;

/* The finest anisotropy used for textures with mip levels: 1 = off, as in the reference. */
stn_textures *stn_textures_new(stn_glrec *rec, float anisotropy);
void stn_textures_free(stn_textures *t);
/* STN_TOO_BIG or STN_BAD_DATA say which size. Levels halve, down to any size, at most 16. */
stn_status stn_textures_add(stn_textures *t, const stn_texture_level *levels, size_t count,
                            stn_sampling sampling, uint32_t *id, stn_err *err);
/* The same in parts: nothing is uploaded yet, and drawing with it is drawing with the placeholder. Each step
 * moves at most STN_TEXTURE_BAND bytes (one row at least): first a texture of the small levels, which stands
 * for the whole, then the levels row by row into another that is used when its last row is in; what is drawn
 * with is never written to. The levels are borrowed until it is whole or removed. A step returns what it
 * moved; 0: it is whole, or unknown. Source: docs/spec/rendering.md 22.3. */
#define STN_TEXTURE_BAND (256u << 10)
typedef enum stn_texture_state { STN_TEXTURE_NONE, STN_TEXTURE_TAIL, STN_TEXTURE_WHOLE } stn_texture_state;
stn_status stn_textures_begin(stn_textures *t, const stn_texture_level *levels, size_t count,
                              stn_sampling sampling, uint32_t *id, stn_err *err);
size_t stn_textures_step(stn_textures *t, uint32_t id);
stn_texture_state stn_textures_state(const stn_textures *t, uint32_t id);
/* Overwrites a rectangle of level 0, inside a texture that is whole. */
void stn_textures_update(stn_textures *t, uint32_t id, uint32_t x, uint32_t y, uint32_t w, uint32_t h,
                         const uint8_t *rgba);
/* Where the texture is solid, for picking: the bits are borrowed as long as the texture lives. */
void stn_textures_keep(stn_textures *t, uint32_t id, const uint8_t *bits);
bool stn_textures_mask(const stn_textures *t, uint32_t id, stn_pick_mask *out); /* false: solid */
void stn_textures_remove(stn_textures *t, uint32_t id);
/* Binds to the unit; an unknown id binds the placeholder. */
void stn_textures_bind(stn_textures *t, uint32_t id, int unit);
uint32_t stn_textures_sampler(stn_textures *t, stn_sampling sampling); /* GL name, kept */
size_t stn_textures_count(const stn_textures *t);
size_t stn_textures_bytes(const stn_textures *t);

#endif
