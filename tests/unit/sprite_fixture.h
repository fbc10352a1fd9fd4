/* sprite_fixture.h - small resources made in memory, and a source that gives them: for tests of sprites. */
#ifndef STN_TESTS_SPRITE_FIXTURE_H
#define STN_TESTS_SPRITE_FIXTURE_H

#include "base/buf.h"
#include "renderer/sprite/sprite.h"
#include "res/container.h"
#include "res/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FX_RES 16

typedef struct fixture {
    stn_sprite_res res[FX_RES];
    char names[FX_RES][64];
    size_t n;
    bool loading; /* nothing is there yet */
    stn_sprite_source source;
    stn_obj_random random;
    stn_rnd rnd;
    stn_sprite_report report;
    stn_sprite_ctx *ctx;
    unsigned reported;
    char last[200]; /* the latest report */
} fixture;

/* One resource being made. */
typedef struct fx_maker {
    stn_buf buf;
    uint16_t version;
} fx_maker;

static inline stn_sprite_fault fx_get(void *user, const char *name, int32_t version,
                                      const stn_sprite_res **out, stn_err *err)
{
    fixture *f = user;

    (void)version;
    *out = NULL;
    if (f->loading)
        return STN_SPRITE_LOADING;
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->names[i], name) == 0) {
            *out = &f->res[i];
            return STN_SPRITE_OK;
        }
    return stn_sprite_fail(err, STN_SPRITE_LOAD_FAILED, "%s is not there", name);
}

static inline void fx_unknown(void *user, const char *what, const char *name)
{
    fixture *f = user;

    f->reported++;
    snprintf(f->last, sizeof f->last, "%s: %s", what, name);
}

static inline int fx_setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);

    if (!f)
        return -1;
    f->source = (stn_sprite_source){fx_get, f};
    f->random = stn_obj_random_seeded(1);
    f->rnd = stn_obj_random_floats(&f->random);
    f->report = (stn_sprite_report){fx_unknown, f};
    f->ctx = stn_sprite_ctx_new(&f->source, &f->rnd, &f->report);
    *state = f;
    return f->ctx ? 0 : -1;
}

static inline int fx_teardown(void **state)
{
    fixture *f = *state;

    stn_sprite_ctx_free(f->ctx);
    for (size_t i = 0; i < f->n; i++)
        stn_res_free((stn_res *)(uintptr_t)f->res[i].res);
    free(f);
    return 0;
}

static inline fx_maker fx_begin(uint16_t version)
{
    fx_maker m = {.version = version};

    stn_res_put_head(&m.buf, version);
    return m;
}

static inline void fx_layer(fx_maker *m, stn_layer_kind kind, const void *as)
{
    stn_res_layer layer = {.kind = kind, .as.any = as};
    stn_err err = {0};

    if (stn_res_put_layer(&m->buf, &layer, &err) != STN_OK)
        fail_msg("%s", err.text);
}

/* `spr` of a class; `lib` is the carrier that the entry uses, or NULL. */
static inline void fx_code(fx_maker *m, const char *entry, const char *cls, const char *lib, int32_t version,
                           const stn_values *args)
{
    stn_code_entry e = {.entry = entry, .cls = cls, .has_args = args != NULL};
    stn_code_use use = {.res = {lib, version}};
    stn_res_codeentry code = {.count = 1, .entries = &e, .use_count = lib ? 1 : 0, .uses = &use};

    if (args)
        e.args = *args;
    fx_layer(m, STN_LAYER_CODEENTRY, &code);
}

static inline void fx_material(fx_maker *m, int32_t id)
{
    stn_res_mat mat = {.id = id};

    fx_layer(m, STN_LAYER_MAT, &mat);
}

/* Vertex buffer 0; before the first mesh. */
static inline void fx_vertices(fx_maker *m)
{
    static const float pos[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    stn_attrib attrib = {.attr = STN_ATTR_POS, .components = 3, .source = "pos2", .format = "", .f = pos};
    stn_res_vbuf vbuf = {.num = 3, .count = 1, .attribs = &attrib};
    stn_buf payload = {0};
    stn_err err = {0};

    if (stn_res_encode_vbuf(&vbuf, STN_VBUF_EXACT, &payload, &err) != STN_OK ||
        stn_res_put_record(&m->buf, "vbuf2", 5, payload.data, payload.len, &err) != STN_OK)
        fail_msg("%s", err.text);
    stn_buf_fini(&payload);
}

/* A triangle; mat < 0: without a material. */
static inline void fx_mesh(fx_maker *m, int32_t id, int32_t mat)
{
    static const uint16_t indices[3] = {0, 1, 2};
    stn_entry info = {"mat", stn_value_int(mat)};
    stn_res_mesh mesh = {.id = id,
                         .ref = -1,
                         .form = 1,
                         .head_mat = -1,
                         .info = {mat >= 0 ? 1 : 0, &info},
                         .tris = 1,
                         .indices = indices};

    fx_layer(m, STN_LAYER_MESH, &mesh);
}

static inline const stn_sprite_res *fx_end(fixture *f, fx_maker *m, const char *name)
{
    stn_res *res = NULL;
    stn_err err = {0};

    assert_true(f->n < FX_RES);
    if (stn_res_new(m->buf.data, m->buf.len, NULL, &res, NULL, &err) != STN_OK)
        fail_msg("%s: %s", name, err.text);
    stn_buf_fini(&m->buf);
    snprintf(f->names[f->n], sizeof f->names[0], "%s", name);
    f->res[f->n] = (stn_sprite_res){f->names[f->n], m->version, res};
    return &f->res[f->n++];
}

static inline stn_sprite *fx_sprite(fixture *f, const stn_sprite_object *object, const stn_sprite_res *res,
                                    const char *sdt, size_t len)
{
    stn_sprite *sprite = NULL;
    stn_err err = {0};
    stn_sprite_fault fault = stn_sprite_new(f->ctx, object, res, (const uint8_t *)sdt, len, &sprite, &err);

    if (fault)
        fail_msg("%s: %s: %s", res->name, stn_sprite_fault_name(fault), err.text);
    return sprite;
}

static inline uint32_t fx_parts(const stn_sprite *sprite)
{
    uint32_t n;

    stn_sprite_parts(sprite, &n);
    return n;
}

#endif
