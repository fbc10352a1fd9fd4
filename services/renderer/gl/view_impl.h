/* view_impl.h - the inside of view.h: for view.c and view_screen.c alone. */
#ifndef STN_RENDERER_GL_VIEW_IMPL_H
#define STN_RENDERER_GL_VIEW_IMPL_H

#include "base/table.h"
#include "renderer/gl/blocks.h"
#include "renderer/gl/ring.h"
#include "renderer/gl/screen.h"
#include "renderer/gl/target.h"
#include "renderer/gl/view.h"
#include "renderer/gl/warm.h"
#include "renderer/scene/order.h"

#define MAX_MATERIALS 8192
#define MAX_BONES 8192

struct draw {
    uint32_t mesh, material;
    unsigned flags;
    stn_instance instance;
};

/* What a material is drawn with in a pass, for one picture: looked up once for all its draws. */
struct chosen {
    uint64_t picture;
    const stn_program *program; /* NULL: none is ready */
};
#define PASSES (STN_PASS_ID + 1)

struct stn_view {
    stn_glrec *rec;
    stn_programs *programs;
    stn_warm *warm;
    stn_meshes *meshes;
    stn_textures *textures;
    stn_screen own;
    stn_screen *at; /* what is drawn into */
    stn_shadow_target shadow;
    bool has_shadow, shadow_drawn; /* the map has been cast */

    stn_matstate *materials; /* id - 1 */
    uint32_t material_count;
    struct chosen *chosen[PASSES]; /* id - 1 */
    uint64_t pictures; /* drawn so far */
    stn_table *material_ids; /* hash -> id */
    uint32_t material_buffer;
    int32_t material_stride;

    struct draw *draws;
    uint32_t draw_count, draw_cap;
    stn_m4 *bones;
    uint32_t bone_count;
    stn_order_item *items, *casters, *scratch; /* of the picture, of its shadow map */
    uint32_t item_cap;

    stn_ring frames, instances; /* uniform blocks of frames; instances and behind them bones */
    size_t frame_at; /* where the last one lies */
    uint32_t instance_texture;
    uint64_t instance_storage; /* of the ring, that the texture reads */
    int32_t block_align, max_texels, max_side;

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
