#include "num/ln.h"

#include <stdint.h>
#include <string.h>

/* ln 2 in two parts: the high one has enough zero bits behind it for its products with k to be exact. */
#define LN2_HIGH 6.93147180369123816490e-01
#define LN2_LOW 1.90821492927058770002e-10

#define ONE_HIGH 0x3ff00000u /* the high word of 1.0 */
#define FRACTION 0xfffffu /* the fraction bits of a high word */
#define SQRT_HALF 0x95f64u /* carries into the exponent when the fraction is above sqrt(2) */

/* The rest z of ln((1 + s) / (1 - s)) = 2 s + s z, by even and odd powers of s^4 as the reference sums them.
 */
static double series(double s)
{
    double z = s * s, w = z * z;
    double even =
        w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    double odd =
        z * (6.666666666666735130e-01 +
             w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));

    return odd + even;
}

double stn_ln(double x)
{
    uint64_t bits;
    uint32_t fraction, carry;
    int exponent;
    double f, k, s, rest;

    memcpy(&bits, &x, sizeof bits);
    fraction = (uint32_t)(bits >> 32) & FRACTION;
    exponent = (int)(bits >> 52) - 1023;
    carry = (fraction + SQRT_HALF) & (FRACTION + 1);
    bits = (uint64_t)(fraction | (carry ^ ONE_HIGH)) << 32 | (bits & 0xffffffffu);
    memcpy(&x, &bits, sizeof x);
    f = x - 1.0;
    k = (double)(exponent + (int)(carry >> 20));
    if ((FRACTION & (2 + fraction)) < 3) { /* |f| below 2^-20: two terms do */
        rest = f * f * (0.5 - 0.33333333333333333 * f);
        return k * LN2_HIGH - ((rest - k * LN2_LOW) - f);
    }
    s = f / (2.0 + f);
    rest = series(s);
    /* Between these bounds of x the square of f is taken out of the series, which keeps a bit more. */
    if (fraction >= 0x6147a && fraction <= 0x6b851) {
        double half = 0.5 * f * f;

        return k * LN2_HIGH - ((half - (s * (half + rest) + k * LN2_LOW)) - f);
    }
    return k * LN2_HIGH - ((s * (f - rest) - k * LN2_LOW) - f);
}
