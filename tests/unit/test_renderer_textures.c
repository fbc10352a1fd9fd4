/* What is written into a texture lands in that texture, whatever was bound elsewhere in between. */
#include "renderer/gl/surface.h"
#include "renderer/gl/texture.h"

#include <glad/gl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SIDE 512 /* a megabyte: four bands */

static uint32_t bound(int unit)
{
    GLint name = 0;

    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &name);
    return (uint32_t)name;
}

static void check(stn_glrec *rec, uint32_t name, const uint8_t *want)
{
    static uint8_t got[SIDE * SIDE * 4];

    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, name);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, got);
    assert_memory_equal(got, want, sizeof got);
    stn_glrec_invalidate(rec);
}

/* As while a scene loads: nothing but the HUD is drawn, with its sheet at a unit of its own, between two
 * bands of a texture that is still bound where bands are written. */
static void bands_land_in_their_texture_though_another_unit_is_active(void **state)
{
    static uint8_t sheet[SIDE * SIDE * 4], large[SIDE * SIDE * 4];
    stn_surface_options so = {.kind = STN_SURFACE_HEADLESS, .width = 16, .height = 16, .debug = true};
    stn_surface *surface;
    stn_glrec rec = {0};
    stn_textures *t;
    stn_err err = {0};
    stn_texture_level level = {SIDE, SIDE, sheet};
    uint32_t hud, id, hud_name, name;

    (void)state;
    if (stn_surface_new(&so, &surface, &err) != STN_OK) {
        printf("skipped: %s\n", err.text);
        return;
    }
    stn_glrec_invalidate(&rec);
    t = stn_textures_new(&rec, 1.0f);
    assert_non_null(t);
    for (size_t i = 0; i < sizeof sheet; i++) {
        sheet[i] = (uint8_t)(i * 7);
        large[i] = (uint8_t)(i / 1000);
    }
    assert_int_equal(stn_textures_add(t, &level, 1, (stn_sampling){0}, &hud, &err), STN_OK);
    level.rgba = large;
    assert_int_equal(stn_textures_begin(t, &level, 1, (stn_sampling){0}, &id, &err), STN_OK);
    while (stn_textures_step(t, id) > 0)
        stn_textures_bind(t, hud, 5);
    assert_int_equal(stn_textures_state(t, id), STN_TEXTURE_WHOLE);
    hud_name = bound(5);
    name = bound(0);
    assert_int_not_equal(name, hud_name);
    check(&rec, hud_name, sheet);
    check(&rec, name, large);
    /* A part that is overwritten. */
    stn_textures_bind(t, hud, 0);
    stn_textures_bind(t, id, 5);
    memset(sheet, 255, (size_t)SIDE * 4);
    stn_textures_update(t, hud, 0, 0, SIDE, 1, sheet);
    stn_textures_bind(t, id, 5);
    memset(sheet + SIDE * 4, 128, (size_t)SIDE * 4);
    stn_textures_update(t, hud, 0, 1, SIDE, 1, sheet + SIDE * 4);
    check(&rec, hud_name, sheet);
    check(&rec, name, large);
    assert_int_equal(stn_surface_debug_messages(surface), 0);
    stn_textures_free(t);
    stn_surface_free(surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_land_in_their_texture_though_another_unit_is_active),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
