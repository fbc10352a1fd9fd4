/* Recorded maps from elsewhere. The first byte says what the rest is: a grid record, a zoom record, an
 * export, markers, an index, or the inflated body of a grid. */
#include "world/mapfile/export.h"
#include "world/mapfile/mapfile.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct input {
    const uint8_t *data;
    size_t len;
} input;

static stn_status get(void *arg, const char *key, uint8_t **data, size_t *len)
{
    const input *in = arg;
    size_t n = strlen(key);
    if (n < 5 || strcmp(key + n - 5, "index") != 0)
        return STN_NOT_FOUND;
    *data = malloc(in->len + 1);
    if (!*data)
        return STN_NO_MEMORY;
    memcpy(*data, in->data, in->len);
    *len = in->len;
    return STN_OK;
}

static stn_status put(void *arg, const char *key, const uint8_t *data, size_t len)
{
    (void)arg;
    (void)key;
    (void)data;
    (void)len;
    return STN_OK;
}

static int64_t seven(void *arg)
{
    (void)arg;
    return 7;
}

static void use(stn_record *r)
{
    stn_record *zoomed = NULL;
    stn_buf b = {0};
    const stn_record *four[4] = {r, NULL, r, NULL};

    if (!r)
        return;
    stn_record_put_heights(r, &b);
    if (stn_record_zoom(four, &zoomed, NULL) == STN_OK)
        stn_record_write_zoom(zoomed, 1, 1, (stn_coord){0, 0}, &b, NULL);
    stn_record_free(zoomed);
    stn_buf_fini(&b);
    stn_record_free(r);
}

static stn_status on_grid(void *arg, int64_t id, int64_t segment, stn_coord at, stn_record *r, stn_err *err)
{
    (void)arg;
    (void)err;
    if (id == segment && at.x == at.y)
        r->mtime = 0;
    use(r);
    return STN_OK;
}

static stn_status on_marker(void *arg, const stn_marker *m, stn_err *err)
{
    (void)arg;
    return m->name ? STN_OK : stn_fail(err, STN_BAD_DATA, "no name");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_record *r = NULL;
    stn_err err = {0};
    input in = {data + 1, size ? size - 1 : 0};
    stn_export_hooks exported = {on_grid, on_marker, NULL};
    stn_mapfile_hooks hooks = {.get = get, .put = put, .random = seven, .now_ms = seven, .arg = &in};
    stn_bytes bytes = stn_bytes_of(in.data, in.len);
    stn_mapfile *mf = NULL;
    stn_marker m;

    if (size == 0)
        return 0;
    switch (data[0] % 6) {
    case 0:
        stn_record_read_grid(in.data, in.len, in.len >= 8 ? 1000 : 0, 1, &r, &err);
        break;
    case 1:
        stn_record_read_zoom(in.data, in.len, 1, 1, (stn_coord){0, 0}, &r, &err);
        break;
    case 2:
        stn_export_read(in.data, in.len, &exported, &err);
        break;
    case 3:
        while (stn_bytes_left(&bytes) > 0 && stn_marker_read(&bytes, &m, &err) == STN_OK)
            stn_marker_fini(&m);
        break;
    case 4:
        if (stn_mapfile_open("f", &hooks, &mf, &err) == STN_OK)
            stn_mapfile_update(mf, &(stn_live_grid){{1, 2}, 3}, 1, &err);
        stn_mapfile_free(mf);
        break;
    default:
        if ((r = stn_record_new()) != NULL && (stn_record_take_sets(r, &bytes, true, &err) != STN_OK ||
                                               stn_record_take_cells(r, &bytes, true, &err) != STN_OK ||
                                               stn_record_take_heights(r, &bytes, &err) != STN_OK ||
                                               stn_record_take_overlays(r, &bytes, &err) != STN_OK)) {
            stn_record_free(r);
            r = NULL;
        }
    }
    use(r);
    return 0;
}
