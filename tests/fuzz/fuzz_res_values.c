/* fuzz_res_values.c - typed values: read, shown, written exactly and canonically, read as keyword arguments.
 */
#include "fuzz_res.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_arena *arena = stn_arena_new(4096, 16 << 20);
    stn_bytes in = stn_bytes_of(data, size);
    stn_buf b = {0};
    stn_value v;
    stn_values list;
    stn_entries table;

    if (arena && stn_value_read(&in, arena, 64, &v, NULL, NULL) == STN_OK) {
        json_decref(stn_res_json_value(&v));
        if (stn_value_write_exact(&b, &v, NULL) != STN_OK || b.len != in.pos ||
            memcmp(b.data, data, b.len) != 0)
            abort();
        stn_buf_clear(&b);
        if (stn_value_write(&b, &v, NULL) == STN_OK) {
            stn_bytes back = stn_bytes_of(b.data, b.len);
            stn_value w;
            if (stn_value_read(&back, arena, 64, &w, NULL, NULL) == STN_OK && back.pos != back.len)
                abort();
        }
    }
    in = stn_bytes_of(data, size);
    if (arena && stn_values_read(&in, arena, 64, &list, NULL, NULL, NULL) == STN_OK)
        stn_values_keywords(&list, "?@res, id, flags", arena, &table, NULL);
    stn_buf_fini(&b);
    stn_arena_free(arena);
    return 0;
}
