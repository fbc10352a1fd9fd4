/* order.h - the order in which things are drawn.
 *
 * A key is (main, sub) and behind it numbers that keep state changes few: program, vertex array, material.
 * Equal keys keep the order in which they were given. Main numbers are compared as numbers: INT32_MIN comes
 * first. Source: docs/spec/rendering.md 13.
 */
#ifndef STN_RENDERER_SCENE_ORDER_H
#define STN_RENDERER_SCENE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Main numbers of the two kinds of key that have a sub number. */
enum { STN_ORDER_CREATURE = 1, STN_ORDER_LAYER = 1000 };

typedef struct stn_order_key {
    uint64_t place; /* main and sub: stn_order_place() */
    uint64_t state; /* program, mesh, material, as the caller packs them */
} stn_order_key;

typedef struct stn_order_item {
    stn_order_key key;
    uint32_t index; /* of the caller's draw */
} stn_order_item;

/* Sorts as (main, sub). Sub of a terrain layer: stn_order_layer(); of a creature's layer:
 * stn_order_creature(). */
static inline uint64_t stn_order_place(int32_t main, uint32_t sub)
{
    return (uint64_t)((uint32_t)main ^ UINT32_C(0x80000000)) << 32 | sub;
}
/* z 0..16777215 and the variant 0..255, clamped. */
uint32_t stn_order_layer(int z, int subz);
/* z1 and z2, each -32768..32767, clamped. */
uint32_t stn_order_creature(int z1, int z2);

int stn_order_compare(const stn_order_key *a, const stn_order_key *b); /* -1, 0, 1 */

/* Stable. `scratch` has room for count items. */
void stn_order_sort(stn_order_item *items, stn_order_item *scratch, size_t count);

#endif
