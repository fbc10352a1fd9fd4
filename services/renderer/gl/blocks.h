/* blocks.h - the uniform blocks of gl/shaders/common.glsl in C: std140, all members are vec4, mat4 or ivec4.
 */
#ifndef STN_RENDERER_GL_BLOCKS_H
#define STN_RENDERER_GL_BLOCKS_H

#include "renderer/gl/view.h"

typedef struct stn_block_frame {
    float view[16], proj[16], shadow_matrix[16];
    float clock[4], screen[4], fog[4], fog_range[4], sky_low[4], sky_high[4], shadow_params[4], clouds[4],
        cloud_way[4];
    int32_t counts[4];
    float lights[STN_FRAME_LIGHTS][5][4];
} stn_block_frame;

typedef struct stn_block_material {
    float amb[4], dif[4], spc[4], emi[4], base[4], mask[4], hue[4], env[4], misc[4];
} stn_block_material;

/* One instance in the buffer texture: see gl/shaders/vertex.glsl. */
typedef struct stn_block_instance {
    float model[16], mix[4], extra[4], sway_slow[4], sway_fast[4], special[4];
} stn_block_instance;

#endif
