#include "homestead/pack/model.h"

#include <assert.h>
#include <stdlib.h>

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

stn_model *stn_model_new(void)
{
    return calloc(1, sizeof(stn_model));
}

void stn_model_free(stn_model *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_textures; i++)
        stn_canvas_free(m->textures[i].canvas);
    for (size_t i = 0; i < m->n_parts; i++)
        stn_shape_fini(&m->parts[i].shape);
    free(m);
}

void stn_model_texture(stn_model *m, int16_t id, stn_texture_kind kind, float steep, stn_canvas *canvas)
{
    assert(m->n_textures < ARRAY_LEN(m->textures));
    if (!canvas) {
        m->failed = true;
        return;
    }
    m->textures[m->n_textures++] = (stn_texture){.id = id, .kind = kind, .steep = steep, .canvas = canvas};
}

stn_material *stn_model_material(stn_model *m, uint16_t id, int16_t tex)
{
    assert(m->n_materials < ARRAY_LEN(m->materials));
    stn_material *r = &m->materials[m->n_materials++];

    *r = (stn_material){.id = id, .tex = tex, .bump = -1, .tint = {1, 1, 1}};
    return r;
}

stn_material *stn_model_link(stn_model *m, uint16_t id, const char *res, int16_t link_id)
{
    stn_material *r = stn_model_material(m, id, -1);

    r->link = res;
    r->link_id = link_id;
    return r;
}

stn_part *stn_model_part(stn_model *m, int mat)
{
    assert(m->n_parts < ARRAY_LEN(m->parts));
    stn_part *p = &m->parts[m->n_parts++];

    *p = (stn_part){.id = -1, .mat = mat, .vm = -1};
    return p;
}
