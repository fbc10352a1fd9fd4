#include "base/hash.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>

static _Atomic uint64_t table_seed;

static uint64_t seed(void)
{
    uint64_t s = atomic_load_explicit(&table_seed, memory_order_relaxed);
    if (s == 0) {
        uint64_t fresh = stn_random_u64(), none = 0;
        /* Two threads may race here: the first one's seed stays. */
        s = atomic_compare_exchange_strong(&table_seed, &none, fresh) ? fresh : none;
    }
    return s;
}

bool stn_hash_fix(uint64_t fixed)
{
    uint64_t none = 0;

    return atomic_compare_exchange_strong(&table_seed, &none, fixed) || none == fixed;
}

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t stn_hash_u64(uint64_t key)
{
    return mix(key + seed());
}

uint64_t stn_hash_text(const char *text)
{
    uint64_t h = seed();
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return mix(h);
}

uint64_t stn_hash_feed(uint64_t hash, const void *data, size_t len)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

void stn_random_bytes(void *out, size_t len)
{
    unsigned char *p = out;
    while (len > 0) {
        ssize_t n = getrandom(p, len > 256 ? 256 : len, 0);
        if (n > 0) {
            p += n;
            len -= (size_t)n;
        }
    }
}

uint64_t stn_random_u64(void)
{
    uint64_t v = 0;
    while (v == 0)
        stn_random_bytes(&v, sizeof v);
    return v;
}
