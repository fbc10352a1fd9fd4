/* flags.h - state bytes as a mask of layers. Source: docs/spec/sprites.md 4. */
#ifndef STN_SPRITE_FLAGS_H
#define STN_SPRITE_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Little-endian, any length: the fifth byte lands on the first again. */
static inline uint32_t stn_sprite_number(const uint8_t *sdt, size_t len)
{
    uint32_t r = 0;
    for (size_t i = 0; i < len; i++)
        r |= (uint32_t)sdt[i] << (8 * i % 32);
    return r;
}

/* No bytes at all mean "ids 16 to 31": not the same as a zero byte. */
static inline uint32_t stn_sprite_flags(const uint8_t *sdt, size_t len)
{
    return len == 0 ? 0xffff0000u : stn_sprite_number(sdt, len);
}

static inline bool stn_sprite_enabled(uint32_t flags, int32_t id)
{
    return id < 0 || (flags >> (id & 31) & 1);
}

#endif
