/* Previews: a model in the middle of its picture, whatever its size; flat pictures as they are; errors. */
#include "renderer/preview.h"
#include "sprite_fixture.h"

#include "renderer/gl/surface.h"

#include <dlfcn.h>
#include <link.h>

/* Drivers stay loaded, so that a leak checker can tell by their names what they keep. */
static int keep_driver(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size, (void)user;
    if (strstr(info->dlpi_name, "_dri.so") || strstr(info->dlpi_name, "libgallium"))
        dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    return 0;
}

static bool have_gl(void)
{
    stn_surface_options o = {.kind = STN_SURFACE_HEADLESS, .width = 16, .height = 16};
    stn_surface *s = NULL;
    stn_err err = {0};

    if (stn_surface_new(&o, &s, &err) != STN_OK)
        print_message("skipped: %s\n", err.text);
    dl_iterate_phdr(keep_driver, NULL);
    stn_surface_free(s);
    return err.code == STN_OK;
}

static uint8_t *copy(fx_maker *m, size_t *len)
{
    return stn_buf_take(&m->buf, len);
}

/* A flat square of `size`, facing up, in material `mat` (-1: none). */
static void put_square(fx_maker *m, float size, int32_t id, int32_t mat)
{
    const float pos[12] = {0, 0, 0, size, 0, 0, size, size, 0, 0, size, 0},
                nrm[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    static const uint16_t indices[6] = {0, 1, 2, 0, 2, 3};
    stn_attrib attribs[2] = {
        {.attr = STN_ATTR_POS, .components = 3, .source = "pos2", .format = "", .f = pos},
        {.attr = STN_ATTR_NRM, .components = 3, .source = "nrm2", .format = "", .f = nrm}};
    stn_res_vbuf vbuf = {.num = 4, .count = 2, .attribs = attribs};
    stn_entry info = {"mat", stn_value_int(mat)};
    stn_res_mesh mesh = {.id = id,
                         .ref = -1,
                         .form = 1,
                         .head_mat = -1,
                         .info = {mat >= 0 ? 1 : 0, &info},
                         .tris = 2,
                         .indices = indices};
    stn_buf payload = {0};
    stn_err err = {0};

    if (stn_res_encode_vbuf(&vbuf, STN_VBUF_EXACT, &payload, &err) != STN_OK ||
        stn_res_put_record(&m->buf, "vbuf2", 5, payload.data, payload.len, &err) != STN_OK)
        fail_msg("%s", err.text);
    stn_buf_fini(&payload);
    fx_layer(m, STN_LAYER_MESH, &mesh);
}

static void put_red(fx_maker *m)
{
    stn_value red = {.kind = STN_VALUE_COLOR, .u.color = {255, 0, 0, 255}};
    stn_mat_spec spec = {"vcol", {1, &red}};
    stn_res_mat mat = {.id = 0, .count = 1, .specs = &spec};

    fx_layer(m, STN_LAYER_MAT, &mat);
}

static const uint8_t *pixel(const stn_preview *p, int x, int y)
{
    return p->rgba + ((size_t)y * (size_t)p->width + (size_t)x) * 4;
}

static bool is_red(const uint8_t *c)
{
    return c[0] > 200 && c[1] < 60 && c[2] < 60;
}

static void a_model_fills_its_picture_at_any_size(void **state)
{
    static const float sizes[] = {0.02f, 11, 5000};

    (void)state;
    if (!have_gl())
        return;
    for (int i = 0; i < 3; i++) {
        stn_preview_options o = {.width = 96, .height = 64};
        stn_preview p;
        stn_err err = {0};
        fx_maker m = fx_begin(1);
        size_t len;
        uint8_t *data;

        put_red(&m);
        put_square(&m, sizes[i], 3, 0);
        data = copy(&m, &len);
        if (stn_preview_draw("square", data, len, &o, &p, &err) != STN_OK)
            fail_msg("%s", err.text);
        assert_true(p.model);
        assert_int_equal(p.width, 96);
        assert_true(is_red(pixel(&p, 48, 32)));
        assert_false(is_red(pixel(&p, 2, 2)));
        assert_int_equal(p.missing, 0);
        /* Mesh 3 shows when the bytes say so: the preview chose them, and says which. */
        assert_int_equal(p.state, 0xffff0008u);
        free(p.rgba);
        free(data);
    }
}

static void a_model_without_a_material_is_grey(void **state)
{
    stn_preview_options o = {.width = 64, .height = 64};
    stn_preview p;
    stn_err err = {0};
    fx_maker m = fx_begin(1);
    size_t len;
    uint8_t *data;
    const uint8_t *c;

    (void)state;
    if (!have_gl())
        return;
    put_square(&m, 11, -1, -1);
    data = copy(&m, &len);
    if (stn_preview_draw("square", data, len, &o, &p, &err) != STN_OK)
        fail_msg("%s", err.text);
    c = pixel(&p, 32, 32);
    assert_in_range(c[0], 120, 255);
    assert_true(abs(c[0] - c[1]) < 24);
    free(p.rgba);
    free(data);
}

static void what_is_missing_is_counted_and_named(void **state)
{
    stn_preview_options o = {.width = 64, .height = 64};
    stn_preview p;
    stn_err err = {0};
    stn_res_rlink link = {.id = -1, .type = STN_RLINK_PARAMS, .res = {"gfx/fx/unheard", 2}};
    fx_maker m = fx_begin(1);
    size_t len;
    uint8_t *data;

    (void)state;
    if (!have_gl())
        return;
    put_red(&m);
    put_square(&m, 11, -1, 0);
    fx_layer(&m, STN_LAYER_RLINK, &link);
    data = copy(&m, &len);
    if (stn_preview_draw("square", data, len, &o, &p, &err) != STN_OK)
        fail_msg("%s", err.text);
    assert_int_equal(p.missing, 1);
    assert_string_equal(p.first_missing, "link gfx/fx/unheard");
    free(p.rgba);
    free(data);
}

static void senseless_wishes_and_empty_resources_are_refused(void **state)
{
    stn_preview_options o = {.width = 4, .height = 64};
    stn_preview p;
    stn_err err = {0};
    fx_maker m = fx_begin(1);

    (void)state;
    assert_int_equal(stn_preview_draw("x", m.buf.data, m.buf.len, &o, &p, &err), STN_USAGE);
    o.width = 64;
    assert_int_equal(stn_preview_draw("x", m.buf.data, m.buf.len, &o, &p, &err), STN_NOT_FOUND);
    assert_non_null(strstr(err.text, "nothing in it can be seen"));
    o.seconds = -1;
    assert_int_equal(stn_preview_draw("x", m.buf.data, m.buf.len, &o, &p, &err), STN_USAGE);
    o.seconds = 0;
    assert_int_not_equal(stn_preview_draw("x", (const uint8_t *)"junk", 4, &o, &p, &err), STN_OK);
    assert_null(p.rgba);
    stn_buf_fini(&m.buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_fills_its_picture_at_any_size),
        cmocka_unit_test(a_model_without_a_material_is_grey),
        cmocka_unit_test(what_is_missing_is_counted_and_named),
        cmocka_unit_test(senseless_wishes_and_empty_resources_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
