/* Products from outside: read whole, then everything that a renderer touches is walked. */
#include "map/product.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Keeps the reading from being optimised away. */
static volatile float seen;

static void walk_shapes(const stn_product *p)
{
    stn_vec3 *pos = calloc(STN_GROUND_VERTICES + p->nextra, sizeof *pos);
    uint16_t *number = calloc(STN_GROUND_VERTICES + p->nextra, sizeof *number);
    uint8_t split[STN_GROUND_SPLITS * STN_GROUND_SPLITS] = {0}, mask[sizeof split] = {0};
    stn_buf a = {0}, b = {0}, c = {0};
    stn_err err = {0};

    for (size_t i = 0; i < sizeof mask; i += 3)
        mask[i] = 1;
    if (pos && number) {
        for (uint32_t i = 0; i < p->nextra; i++)
            pos[STN_GROUND_VERTICES + i] = p->extra_pos[i];
        stn_laid laid = {.pos = pos,
                         .nrm = pos,
                         .nv = STN_GROUND_VERTICES + p->nextra,
                         .split = split,
                         .parts = p->parts,
                         .walls = p->walls};
        if (stn_sheet_vertices(&laid, &a, number, &err) == STN_OK) {
            stn_sheet_fill(&laid, number, mask, &b);
            stn_sheet_outline(&laid, number, mask, &b);
        }
        stn_buf_clear(&a);
        stn_buf_clear(&b);
        if (stn_grid_lines(&laid, &a, &b, &err) == STN_OK)
            stn_click_mesh(&laid, NULL, 0, &a, &c, &b, &err);
    }
    stn_buf_fini(&a);
    stn_buf_fini(&b);
    stn_buf_fini(&c);
    free(pos);
    free(number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_product p;
    stn_err err = {0};
    float v[3];
    float sum = 0;

    if (stn_product_open(data, size, &p, &err) != STN_OK)
        return 0;
    for (uint32_t i = 0; i < p.nmeshes; i++) {
        const stn_product_mesh *m = &p.meshes[i];
        const stn_vertex_layout *l = stn_vertex_layout_of(m->format);
        for (uint32_t k = 0; k < m->nvertices; k++)
            for (unsigned use = 0; use < STN_VERTEX_USES; use++)
                if (stn_vertex_read(l, p.vertices + (size_t)(m->first_vertex + k) * l->stride, use, v))
                    sum += v[0];
        for (uint32_t k = 0; k < m->nindices; k++)
            sum += p.indices[2 * (size_t)(m->first_index + k)];
        if (m->material_name != STN_PRODUCT_NO_NAME && p.names[m->material_name].len)
            sum += (float)p.names[m->material_name].text[p.names[m->material_name].len - 1];
    }
    seen = sum;
    walk_shapes(&p);
    stn_product_close(&p);
    return 0;
}
