/* Map data from a server: the first byte says what the rest is; each message meets a cache that asked for it.
 */
#include "map/height.h"
#include "world/mapcache.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count_send(void *arg, stn_coord gc)
{
    size_t *n = arg;
    *n += (size_t)(gc.x != gc.y) + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_mapcache *c = stn_mapcache_new(NULL, 4);
    stn_err err = {0};
    size_t sent = 0;
    int64_t now = 5000;

    if (!c || size == 0) {
        stn_mapcache_free(c);
        return 0;
    }
    for (int32_t x = -1; x < 3; x++)
        stn_mapcache_need(c, (stn_coord){x, 0});
    if (data[0] == 0) {
        stn_mapcache_fill(c, (stn_coord){0, 0}, data + 1, size - 1, &err);
    } else {
        /* A stream of bodies, each behind its length in one byte. */
        for (size_t at = 1; at < size; now += 700) {
            size_t n = data[at++];
            if (n > size - at)
                n = size - at;
            if (data[0] & 1)
                stn_mapcache_data(c, data + at, n, now, &err);
            else
                stn_mapcache_invalidate(c, data + at, n, &err);
            stn_mapcache_send(c, now, count_send, &sent);
            at += n;
        }
    }
    for (int32_t i = 0; i < 4; i++) {
        double z;
        stn_height_at(stn_mapcache_corner, c, 11.0 * 99 + i, 5.5, &z);
    }
    stn_mapcache_free(c);
    return 0;
}
