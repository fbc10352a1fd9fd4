/* The comparison of pictures lets a driver's rounding pass and catches what a person would see. */
#include "support/picture_compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define W 64
#define H 48

static uint8_t scene[W * H * 4], other[W * H * 4], diff[W * H * 4];

/* Ground, sky and a thing with an outline. */
static void paint(uint8_t *p, int shift, bool lines)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            uint8_t *at = p + (y * W + x) * 4;
            bool thing = x >= 20 + shift && x < 44 + shift && y >= 16 && y < 40;
            bool edge = thing && (x == 20 + shift || x == 43 + shift || y == 16 || y == 39);
            const uint8_t sky[3] = {160, 170, 180}, grass[3] = {90, 125, 53}, wood[3] = {125, 80, 40};
            const uint8_t *c = thing ? wood : y < 20 ? sky : grass;

            for (int i = 0; i < 3; i++)
                at[i] = (uint8_t)(edge && lines ? 0 : c[i] + (x * 7 + y * 3) % 5);
            at[3] = 255;
        }
}

static picture_difference against(void)
{
    return picture_compare(scene, other, W, H, diff);
}

static int before_each(void **state)
{
    (void)state;
    paint(scene, 0, true);
    memcpy(other, scene, sizeof other);
    return 0;
}

static void the_same_picture_and_rounding_look_the_same(void **state)
{
    picture_difference d = against();

    (void)state;
    assert_true(d.worst == 0.0 && d.mean == 0.0 && picture_looks_same(&d));
    for (int i = 0; i < W * H; i += 3)
        other[4 * i] = (uint8_t)(other[4 * i] + 2);
    other[4 * (5 * W + 9)] = 255; /* a pixel that another order of drawing changed */
    d = against();
    assert_true(d.worst > 0.0 && picture_looks_same(&d));
}

static void what_a_person_sees_is_caught(void **state)
{
    picture_difference d;

    (void)state;
    paint(other, 5, true); /* the thing stands elsewhere */
    d = against();
    assert_false(picture_looks_same(&d));
    assert_true(diff[(20 * W + 20) * 4] == 255 && diff[(20 * W + 20) * 4 + 1] == 0);
    assert_true(diff[(2 * W + 2) * 4] == 0);

    paint(other, 0, false); /* no lines */
    d = against();
    assert_false(picture_looks_same(&d));

    memset(other, 0, sizeof other); /* nothing at all */
    d = against();
    assert_true(d.worst > 40.0 && d.mean > 40.0 && !picture_looks_same(&d));
}

static void another_tone_of_the_whole_is_caught_even_when_no_block_is_far_off(void **state)
{
    picture_difference d;

    (void)state;
    for (int i = 0; i < W * H; i++)
        for (int c = 0; c < 3; c++)
            other[4 * i + c] = (uint8_t)(other[4 * i + c] * 96 / 100);
    d = against();
    assert_true(d.worst < STN_LOOKS_WORST && d.mean > STN_LOOKS_MEAN);
    assert_false(picture_looks_same(&d));
}

static void a_picture_need_not_be_whole_blocks(void **state)
{
    picture_difference d;

    (void)state;
    other[((9 * 11) - 1) * 4] ^= 255;
    d = picture_compare(scene, other, 11, 9, NULL);
    assert_true(d.worst > STN_LOOKS_WORST && d.worst_x == 8 && d.worst_y == 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_same_picture_and_rounding_look_the_same, before_each),
        cmocka_unit_test_setup(what_a_person_sees_is_caught, before_each),
        cmocka_unit_test_setup(another_tone_of_the_whole_is_caught_even_when_no_block_is_far_off,
                               before_each),
        cmocka_unit_test_setup(a_picture_need_not_be_whole_blocks, before_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
