/* The logarithm to the bit, against a transcription of the method in another language. The first twelve are
 * numbers for which the C library answers the neighbour. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "num/ln.h"

#include <math.h>

static void it_has_the_bits_of_the_method(void **state)
{
    static const struct {
        uint64_t x, ln;
    } cases[] = {
        {UINT64_C(0x3f446947343f0db2), UINT64_C(0xc01d8644ce0bd4aa)},
        {UINT64_C(0x3fdccff55d6faa92), UINT64_C(0xbfe989ddcc89f236)},
        {UINT64_C(0x3fd31f5b782c2d00), UINT64_C(0xbff3540aa9e7d1ec)},
        {UINT64_C(0x3f25c08fad072cc5), UINT64_C(0xc0216856d681cc24)},
        {UINT64_C(0x3fed33d891c4505f), UINT64_C(0xbfb76b48d53f5107)},
        {UINT64_C(0x3fd34977ae8a092c), UINT64_C(0xbff330f55057f860)},
        {UINT64_C(0x3f48c39396831090), UINT64_C(0xc01cc05356222218)},
        {UINT64_C(0x3fe975312ec4e2f2), UINT64_C(0xbfcd4683cb58c020)},
        {UINT64_C(0x3fc6b7977cc7c6d8), UINT64_C(0xbffba99d69b83102)},
        {UINT64_C(0x3f451acaeae33369), UINT64_C(0xc01d640f1ca3d740)},
        {UINT64_C(0x3fe5d63008d8f650), UINT64_C(0xbfd8751134ba4050)},
        {UINT64_C(0x3fe8f8cdebbeb1b7), UINT64_C(0xbfcfbdf92cf7eeaa)},
        {UINT64_C(0x3ff0000000000000), UINT64_C(0x0000000000000000)},
        {UINT64_C(0x3fe0000000000000), UINT64_C(0xbfe62e42fefa39ef)},
        {UINT64_C(0x4000000000000000), UINT64_C(0x3fe62e42fefa39ef)},
        {UINT64_C(0x3ff0000000400000), UINT64_C(0x3e0fffffffc00000)},
        {UINT64_C(0x3feffffff0000000), UINT64_C(0xbe60000004000001)},
        {UINT64_C(0x7e5665f8bf806e42), UINT64_C(0x4085a0c73cb24fe0)},
        {UINT64_C(0x01a56e1fc2f8f359), UINT64_C(0xc085963447f87fb5)},
        {UINT64_C(0x4024000000000000), UINT64_C(0x40026bb1bbb55516)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(stn_bits_of_f64(stn_ln(stn_f64_of_bits(cases[i].x))), cases[i].ln);
}

static void it_is_near_the_library_everywhere(void **state)
{
    (void)state;
    for (double x = 1e-300; x < 1e300; x *= 1.37) {
        double want = log(x);

        assert_true(fabs(stn_ln(x) - want) <= 4e-16 * fabs(want));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_has_the_bits_of_the_method),
        cmocka_unit_test(it_is_near_the_library_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
