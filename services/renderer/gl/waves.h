/* waves.h - the normals of water, made by code: what stands in for `gfx/tiles/wnrm`. Repeats without a seam.
 */
#ifndef STN_RENDERER_GL_WAVES_H
#define STN_RENDERER_GL_WAVES_H

#include "renderer/gl/texture.h"

/* The id of the texture; 0 when it could not be made. */
uint32_t stn_waves_texture(stn_textures *textures);

#endif
