/* land_noise.h - the chance and noise that generated land is made of.
 *
 * Hashes of integers and gradient noise on the integer lattice, in doubles, with additions and
 * multiplications alone: no libm function whose last bit differs between machines, so a seed is the same land
 * everywhere (contraction is off in the whole project, see cmake/StnTargets.cmake).
 */
#ifndef STN_HOMESTEAD_LAND_NOISE_H
#define STN_HOMESTEAD_LAND_NOISE_H

#include <stdint.h>

/* 64 well-mixed bits of (seed, a, b). */
uint64_t stn_land_hash(uint64_t seed, int32_t a, int32_t b);
/* The next of a chain of values in [0, 1), from a hash or a value before. */
double stn_land_unit(uint64_t *state);

/* Gradient noise with unit lattice, about -0.9..0.9, zero at lattice points. */
double stn_land_noise(uint64_t seed, double x, double y);
/* `octaves` layers, each of half the scale and half the weight, divided by the sum of weights. */
double stn_land_fbm(uint64_t seed, double x, double y, unsigned octaves);

/* 0 below lo, 1 above hi, smooth between. */
double stn_land_step(double lo, double hi, double v);
double stn_land_mix(double a, double b, double t);

#endif
