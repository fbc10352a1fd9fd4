/* num/ln.h - the natural logarithm to the bit.
 *
 * The C library's logarithm and the reference's differ in the last bit for about 7 % of the numbers below 1,
 * which a draw from a normal distribution shows. This is the method that the reference names: the number is
 * split into 2^k and a rest between sqrt(1/2) and sqrt(2), the rest goes through an odd polynomial, and ln 2
 * is added in two parts. Every operation is a rounded f64 one, in the order written. Source:
 * docs/spec/sprites.md 2.
 */
#ifndef STN_NUM_LN_H
#define STN_NUM_LN_H

/* x finite, positive and normal (at least 2^-1022). */
double stn_ln(double x);

#endif
