#include "world/bitset.h"

#include <stdlib.h>
#include <string.h>

bool stn_bitset_room(stn_bitset *b, size_t n)
{
    size_t need = ((n + 63) / 64 + 63) / 64 * 64, words = b->n_words ? b->n_words : 64;
    uint64_t *p, *s;

    if (need <= b->n_words)
        return true;
    while (words < need)
        words *= 2;
    if (!(p = realloc(b->words, words * sizeof *p)))
        return false;
    b->words = p;
    if (!(s = realloc(b->summary, words / 64 * sizeof *s)))
        return false;
    b->summary = s;
    memset(b->words + b->n_words, 0, (words - b->n_words) * sizeof *p);
    memset(b->summary + b->n_words / 64, 0, (words - b->n_words) / 64 * sizeof *s);
    b->n_words = words;
    return true;
}

void stn_bitset_fini(stn_bitset *b)
{
    free(b->words);
    free(b->summary);
    *b = (stn_bitset){0};
}

void stn_bitset_clear(stn_bitset *b)
{
    for (size_t i = 0; i < b->n_words / 64; i++) {
        for (uint64_t s = b->summary[i]; s; s &= s - 1)
            b->words[i * 64 + (size_t)__builtin_ctzll(s)] = 0;
        b->summary[i] = 0;
    }
}
