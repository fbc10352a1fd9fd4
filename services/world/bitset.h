/* world/bitset.h - a set of small numbers that is quick to go through when it is sparse.
 *
 * Two levels: bits, and one summary bit per word of 64 that is not empty. Clearing and walking touch only
 * words in use, so their cost follows the members and not the range.
 */
#ifndef STN_WORLD_BITSET_H
#define STN_WORLD_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_bitset {
    uint64_t *words;
    uint64_t *summary;
    size_t n_words; /* a multiple of 64 */
} stn_bitset;

/* Makes room for numbers below n; false without memory, the set stays as it was. Zero-initialised is empty.
 */
bool stn_bitset_room(stn_bitset *b, size_t n);
void stn_bitset_fini(stn_bitset *b);
void stn_bitset_clear(stn_bitset *b);

/* i below what room() was asked for. */
static inline void stn_bitset_add(stn_bitset *b, uint32_t i)
{
    b->words[i / 64] |= UINT64_C(1) << i % 64;
    b->summary[i / 4096] |= UINT64_C(1) << i / 64 % 64;
}
/* Any i: what is out of range is not in the set. */
static inline bool stn_bitset_has(const stn_bitset *b, uint32_t i)
{
    return i / 64 < b->n_words && (b->words[i / 64] >> i % 64 & 1);
}
static inline uint64_t stn_bitset_word(const stn_bitset *b, size_t w)
{
    return w < b->n_words ? b->words[w] : 0;
}
static inline uint64_t stn_bitset_summary(const stn_bitset *b, size_t s)
{
    return s < b->n_words / 64 ? b->summary[s] : 0;
}

#endif
