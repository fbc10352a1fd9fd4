/* Tileset definitions from outside. One that reads well is written again and must read the same. */
#include "map/tileset.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static stn_tileset *known;

static stn_tileset *find(void *arg, uint32_t handle)
{
    (void)arg;
    return handle == 7 ? known : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_err err = {0};
    stn_tileset *set, *again;
    stn_buf out = {0}, twice = {0};

    if (!known) {
        const stn_tileset_def def = {.handle = 7, .name = "known", .tiler = "gnd"};
        if (stn_tileset_new(&def, &known, &err) != STN_OK)
            abort();
    }
    if (stn_tileset_decode(data, size, 1, find, NULL, &set, &err) != STN_OK)
        return 0;
    stn_tileset_encode(set, &out);
    if (stn_tileset_decode(out.data, out.len, 1, find, NULL, &again, &err) != STN_OK)
        abort();
    stn_tileset_encode(again, &twice);
    if (out.len != twice.len || memcmp(out.data, twice.data, out.len) != 0)
        abort();
    stn_tileset_unref(set);
    stn_tileset_unref(again);
    stn_buf_fini(&out);
    stn_buf_fini(&twice);
    return 0;
}
