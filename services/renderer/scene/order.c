#include "renderer/scene/order.h"

#include <string.h>

static int clamp(int v, int lo, int hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

uint32_t stn_order_layer(int z, int subz)
{
    return (uint32_t)clamp(z, 0, 0xffffff) << 8 | (uint32_t)clamp(subz, 0, 0xff);
}

uint32_t stn_order_creature(int z1, int z2)
{
    return (uint32_t)(clamp(z1, -32768, 32767) + 32768) << 16 | (uint32_t)(clamp(z2, -32768, 32767) + 32768);
}

int stn_order_compare(const stn_order_key *a, const stn_order_key *b)
{
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    return 0;
}

void stn_order_sort(stn_order_item *items, stn_order_item *scratch, size_t count)
{
    /* Runs of eight by insertion, then merged bottom-up: stable, and without allocation. */
    enum { RUN = 8 };
    stn_order_item *from = items, *to = scratch;

    for (size_t at = 0; at < count; at += RUN) {
        size_t end = at + RUN < count ? at + RUN : count;

        for (size_t i = at + 1; i < end; i++) {
            stn_order_item it = items[i];
            size_t k = i;

            for (; k > at && stn_order_compare(&it.key, &items[k - 1].key) < 0; k--)
                items[k] = items[k - 1];
            items[k] = it;
        }
    }
    for (size_t width = RUN; width < count; width *= 2) {
        for (size_t at = 0; at < count; at += 2 * width) {
            size_t mid = at + width < count ? at + width : count;
            size_t end = at + 2 * width < count ? at + 2 * width : count;
            size_t a = at, b = mid, out = at;

            while (a < mid && b < end)
                to[out++] = stn_order_compare(&from[b].key, &from[a].key) < 0 ? from[b++] : from[a++];
            while (a < mid)
                to[out++] = from[a++];
            while (b < end)
                to[out++] = from[b++];
        }
        {
            stn_order_item *t = from;

            from = to;
            to = t;
        }
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
}
