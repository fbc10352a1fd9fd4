/* num/j48.h - the reference's random streams, to the bit.
 *
 * stn_j48 is the 48-bit linear generator (J48 in the spec; not to be mixed up with the kernel randomness of
 * base/hash.h); the keyed draws hash their arguments through it and keep no state.
 * All are plain values: copy them freely. Everything wraps as two's complement.
 * Source: docs/spec/terrain-mesh.md 1, vectors terrain/prims.
 */
#ifndef STN_NUM_J48_H
#define STN_NUM_J48_H

#include <stddef.h>
#include <stdint.h>

#define STN_J48_MUL UINT64_C(0x5DEECE66D)
#define STN_J48_ADD UINT64_C(0xB)
#define STN_J48_MASK ((UINT64_C(1) << 48) - 1)

typedef struct stn_j48 {
    uint64_t s; /* 48 bits */
} stn_j48;

/* Scrambles the seed; it does not restore a state. */
static inline void stn_j48_seed(stn_j48 *r, int64_t seed)
{
    r->s = ((uint64_t)seed ^ STN_J48_MUL) & STN_J48_MASK;
}
static inline stn_j48 stn_j48_of(int64_t seed)
{
    stn_j48 r;
    stn_j48_seed(&r, seed);
    return r;
}
/* The top `bits` bits of the next state, 1..32; signed for 32 only. */
static inline int32_t stn_j48_next(stn_j48 *r, unsigned bits)
{
    r->s = (r->s * STN_J48_MUL + STN_J48_ADD) & STN_J48_MASK;
    return (int32_t)(uint32_t)(r->s >> (48 - bits));
}
static inline int32_t stn_j48_int(stn_j48 *r)
{
    return stn_j48_next(r, 32);
}
/* The second draw is added as a signed value: a negative one borrows from the high word. */
static inline int64_t stn_j48_long(stn_j48 *r)
{
    uint64_t hi = (uint64_t)(int64_t)stn_j48_next(r, 32) << 32;
    return (int64_t)(hi + (uint64_t)(int64_t)stn_j48_next(r, 32));
}
static inline float stn_j48_float(stn_j48 *r)
{
    return (float)stn_j48_next(r, 24) / 16777216.0f;
}
static inline double stn_j48_double(stn_j48 *r)
{
    int64_t hi = (int64_t)stn_j48_next(r, 26) << 27;
    return (double)(hi + stn_j48_next(r, 27)) * 0x1p-53;
}
static inline int stn_j48_bool(stn_j48 *r)
{
    return stn_j48_next(r, 1) != 0;
}
/* 0..n-1 for n > 0. n <= 0 draws nothing and gives -1: callers with a bound from outside test it first and
 * say what is wrong. */
int32_t stn_j48_below(stn_j48 *r, int32_t n);

/* A generator seeded from bits of `seed` mixed with their mirror image. */
stn_j48 stn_j48_mixed(int64_t seed);

/* The generator that is left after hashing n >= 1 arguments with key k: draw once from it. */
stn_j48 stn_keyed(int64_t k, const int64_t *args, size_t n);

/* h = 31 h + u over the UTF-16 units of a UTF-8 text, wrapping. Bytes that are no UTF-8 count as U+FFFD each.
 */
int32_t stn_name_hash(const char *text, size_t len);

/* One pick from a weighted list of n entries with the sum `total` > 0 of the weights: the index. -1 when the
 * total is not positive, with nothing drawn. */
int32_t stn_pick(stn_j48 *r, const uint16_t *weights, size_t n, int32_t total);

#endif
