/* view_impl.h - the inside of view.h: for view.c and view_screen.c alone. */
#ifndef STN_RENDERER_GL_VIEW_IMPL_H
#define STN_RENDERER_GL_VIEW_IMPL_H

#include "base/table.h"
#include "renderer/gl/blocks.h"
#include "renderer/gl/screen.h"
#include "renderer/gl/target.h"
#include "renderer/gl/view.h"
#include "renderer/gl/warm.h"
#include "renderer/scene/order.h"

#define MAX_MATERIALS 8192
#define MAX_BONES 8192
#define RING 3 /* buffers in turn, so that none is written while the GPU may read it */

struct draw {
    uint32_t mesh, material;
    unsigned flags;
    stn_instance instance;
};

struct stn_view {
    stn_glrec *rec;
    stn_programs *programs;
    stn_warm *warm;
    stn_meshes *meshes;
    stn_textures *textures;
    stn_screen own;
    stn_screen *at; /* what is drawn into */
    stn_shadow_target shadow;
    bool has_shadow;

    stn_matstate *materials; /* id - 1 */
    uint32_t material_count;
    stn_table *material_ids; /* hash -> id */
    uint32_t material_buffer;
    int32_t material_stride;

    struct draw *draws;
    uint32_t draw_count, draw_cap;
    stn_m4 *bones;
    uint32_t bone_count;
    stn_order_item *items, *scratch;
    uint32_t item_cap;
    stn_block_instance *block;
    size_t block_bytes;

    uint32_t frame_buffer[RING], instance_buffer[RING], instance_texture[RING];
    size_t instance_bytes[RING];
    unsigned turn;
    int32_t max_texels, max_side;

    uint32_t empty_vao, copy_program, outline_program;
    int outline_normals;
    float outline_strength;
    int outline_fine;
    uint32_t nearest, linear, linear_clamp, compare, exact_repeat; /* samplers */
    stn_surroundings *around; /* NULL: water and clouds are plain */
    stn_view_counts last;
};

/* One triangle over what is bound. */
void view_full_screen(stn_view *v, uint32_t program);
void view_outlines(stn_view *v, const stn_frame *f);
/* The picture from a target that is finer. */
void view_smooth(stn_view *v);

#endif
