/* The compact product shows the same picture as the exact arrays, and a damaged one is refused. */
#include "support/terrain_case.h"

#include "base/bytes.h"
#include "mesher/exact.h"
#include "mesher/pack.h"
#include "support/support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CASES "tests/vectors/data/terrain/cases"

typedef struct made {
    terrain_case *c;
    stn_scratch *s;
    stn_blocks *blocks;
    stn_build *b;
    stn_exact exact;
    uint8_t *data;
    size_t len;
} made;

static void make(const char *name, made *m)
{
    size_t len;
    stn_err err = {0};
    char *text = (char *)vec_read(CASES, name, &len);
    stn_pack *pack;

    assert_non_null(text);
    m->c = terrain_case_new(text, len, &err);
    assert_non_null(m->c);
    free(text);
    m->s = stn_scratch_new(0);
    m->blocks = stn_blocks_new(64, NULL);
    assert_int_equal(stn_build_run(m->s, m->blocks, NULL, &m->c->job, &m->b, &err), STN_OK);
    assert_int_equal(stn_build_exact(m->b, &m->exact), STN_OK);
    assert_int_equal(stn_pack_new(m->b, &pack, &m->len), STN_OK);
    m->data = malloc(m->len);
    memset(m->data, 0xa5, m->len);
    stn_pack_write(pack, m->data);
}

static void unmake(made *m)
{
    free(m->data);
    stn_blocks_free(m->blocks);
    stn_scratch_free(m->s);
    terrain_case_free(m->c);
}

static const float *exact_of(const stn_exact_mesh *e, stn_mesh_attr a, uint32_t v)
{
    for (unsigned i = 0; i < e->nattrs; i++)
        if (e->attr[i] == a)
            return e->data + (size_t)v * e->stride + e->offset[i];
    return NULL;
}

static void same_vertex(const stn_exact_mesh *e, const stn_vertex_layout *l, const uint8_t *at, uint32_t v)
{
    float got[3];
    const float *pos = exact_of(e, STN_MESH_ATTR_POS, v), *nrm = exact_of(e, STN_MESH_ATTR_NRM, v);
    const float *tex = exact_of(e, STN_MESH_ATTR_TEX, v), *col = exact_of(e, STN_MESH_ATTR_COL, v);
    const float *clip = exact_of(e, STN_MESH_ATTR_CLIP, v);

    assert_int_equal(stn_vertex_read(l, at, STN_USE_XY, got), 2);
    assert_true(got[0] * l->x_scale == pos[0] && got[1] * l->y_scale == pos[1]);
    assert_int_equal(stn_vertex_read(l, at, STN_USE_Z, got), 1);
    assert_int_equal(stn_bits_of_f32(got[0]), stn_bits_of_f32(pos[2]));
    assert_int_equal(stn_vertex_read(l, at, STN_USE_NORMAL, got), 3);
    for (int k = 0; k < 3; k++)
        assert_true(fabsf(got[k] - nrm[k]) <= 0.51f / 511.0f);
    if (col) { /* terrain */
        assert_int_equal(stn_vertex_read(l, at, STN_USE_ALPHA, got), 1);
        assert_true(got[0] == col[3]);
        assert_int_equal(stn_vertex_read(l, at, STN_USE_TILE, got), 2);
        assert_true(got[0] / 6.25f == tex[0] && got[1] / 6.25f == tex[1]);
    }
    const float *atlas = clip ? clip : col ? NULL : tex;
    if (atlas) {
        assert_int_equal(stn_vertex_read(l, at, STN_USE_ATLAS, got), 2);
        assert_true(got[0] == atlas[0] && got[1] == atlas[1]);
    }
}

static void compare(const char *name)
{
    made m = {0};
    stn_product p;
    stn_err err = {0};

    make(name, &m);
    assert_int_equal(stn_product_open(m.data, m.len, &p, &err), STN_OK);
    assert_int_equal(p.nmeshes, m.exact.n);
    for (uint32_t i = 0; i < p.nmeshes; i++) {
        const stn_exact_mesh *e = &m.exact.meshes[i];
        const stn_product_mesh *q = &p.meshes[i];
        const stn_vertex_layout *l = stn_vertex_layout_of(q->format);
        assert_true(l->stride <= 24);
        assert_int_equal(q->nvertices, e->nv);
        assert_int_equal(q->nindices, e->ni);
        assert_int_equal(q->order, e->model->state.order);
        for (uint32_t v = 0; v < e->nv; v++)
            same_vertex(e, l, p.vertices + (size_t)(q->first_vertex + v) * l->stride, v);
        for (uint32_t k = 0; k < e->ni; k++)
            assert_int_equal(stn_ld16(p.indices + 2 * (q->first_index + k)), e->index[k]);
        if (e->model->state.clip) {
            const stn_product_name *n = &p.names[q->atlas_name];
            assert_int_equal(n->len, strlen(e->model->state.clip->def.name));
            assert_memory_equal(n->text, e->model->state.clip->def.name, n->len);
        }
    }
    stn_product_close(&p);
    unmake(&m);
}

static void compact_form_shows_the_same_picture(void **state)
{
    (void)state;
    char **names = vec_list(CASES, ".in");
    size_t n = 0;
    for (; names[n]; n++)
        compare(names[n]);
    vec_list_free(names);
    assert_true(n > 10);
}

static void no_byte_of_old_memory_travels(void **state)
{
    (void)state;
    made a = {0};
    stn_pack *pack;
    size_t len;

    make("p-islands3.in", &a);
    assert_int_equal(stn_pack_new(a.b, &pack, &len), STN_OK);
    uint8_t *other = malloc(len);
    memset(other, 0x5a, len);
    stn_pack_write(pack, other);
    assert_int_equal(len, a.len);
    assert_memory_equal(other, a.data, len);
    free(other);
    unmake(&a);
}

static void damaged_products_are_refused(void **state)
{
    (void)state;
    made m = {0};
    stn_product p;
    stn_err err = {0};

    make("p-islands3.in", &m);
    for (size_t cut = 0; cut < m.len; cut += 1 + cut / 7)
        assert_int_not_equal(stn_product_open(m.data, cut, &p, &err), STN_OK);
    uint32_t at_indices = stn_ld32(m.data + 32), at_meshes = stn_ld32(m.data + 20);
    const struct {
        size_t at;
        uint32_t value;
        stn_status want;
    } cases[] = {
        {0, 0x12345678, STN_BAD_DATA}, /* not a product */
        {4, 2, STN_VERSION}, /* a later format */
        {8, (uint32_t)m.len + 16, STN_TRUNCATED},
        {12, 0xffffffff, STN_TOO_BIG}, /* meshes and names */
        {20, 0xfffffff0, STN_TRUNCATED}, /* a section far outside */
        {28, 0xffffffff, STN_TRUNCATED}, /* vertex bytes */
        {36, 0x80000000, STN_TRUNCATED}, /* indices */
        {at_meshes, 0x00ff0001, STN_VERSION}, /* an unknown vertex format */
        {at_meshes + 28, 0xffffffff, STN_BAD_DATA}, /* first vertex */
        {at_meshes + 32, 70000, STN_BAD_DATA}, /* vertices */
        {at_meshes + 36, 0xfffffffe, STN_BAD_DATA}, /* first index */
        {at_indices, 0xffffffff, STN_BAD_DATA}, /* an index past the vertices */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t was = stn_ld32(m.data + cases[i].at);
        stn_st32(m.data + cases[i].at, cases[i].value);
        assert_int_equal(stn_product_open(m.data, m.len, &p, &err), cases[i].want);
        stn_st32(m.data + cases[i].at, was);
    }
    assert_int_equal(stn_product_open(m.data, m.len, &p, &err), STN_OK);
    stn_product_close(&p);
    unmake(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compact_form_shows_the_same_picture),
        cmocka_unit_test(no_byte_of_old_memory_travels),
        cmocka_unit_test(damaged_products_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
