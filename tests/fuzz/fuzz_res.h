/* fuzz_res.h - what the resource targets do with a resource that was read: use all of it, write it both ways,
 * read it again. */
#ifndef STN_FUZZ_RES_H
#define STN_FUZZ_RES_H

#include "res/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Small limits keep the fuzzer fast; the rules that they guard are the same. */
static const stn_res_limits fuzz_limits = {
    .max_input = 1 << 20,
    .max_records = 256,
    .max_depth = 64,
    .max_side = 512,
    .max_pixels = 1 << 16,
    .max_decoded = 16 << 20,
    .max_samples = 1 << 17,
    .max_bone_attribs = 1,
    .max_bone_vertices = 1 << 16,
};

static inline void fuzz_use_resource(const uint8_t *data, size_t size)
{
    const stn_res_opts opts = {STN_RES_ANY_VERSION, STN_RES_DECODE, true, &fuzz_limits};
    stn_err err = {0};
    stn_res *res = NULL, *again = NULL;
    stn_buf same = {0}, canonical = {0};
    bool written = true;

    if (stn_res_new(data, size, &opts, &res, NULL, &err) != STN_OK)
        return;
    json_decref(stn_res_json(res, "fuzz"));
    if (stn_res_write(res, &same, &err) != STN_OK || same.len != size || memcmp(same.data, data, size) != 0)
        abort(); /* reading and writing keeps every byte */
    stn_res_put_head(&canonical, stn_res_version(res));
    for (uint32_t i = 0; i < stn_res_count(res); i++)
        written &= stn_res_put_layer(&canonical, stn_res_layer_at(res, i), &err) == STN_OK;
    if (written && canonical.len <= fuzz_limits.max_input)
        stn_res_new(canonical.data, canonical.len, &opts, &again, NULL, &err);
    stn_res_free(again);
    stn_buf_fini(&same);
    stn_buf_fini(&canonical);
    stn_res_free(res);
}

/* One layer of a kind, with the partners that linking looks for beside it. */
static inline void fuzz_use_layer(stn_layer_kind kind, const uint8_t *payload, size_t size)
{
    static const uint8_t vbuf[7 + 36] = "\0\3\0pos"; /* three vertices at the origin */
    const char *name = stn_layer_kind_name(kind);
    stn_buf b = {0};

    stn_res_put_head(&b, 1);
    stn_res_put_record(&b, name, strlen(name), payload, size, NULL);
    stn_res_put_record(&b, "vbuf2", 5, vbuf, sizeof vbuf, NULL);
    stn_res_put_record(&b, "mat2", 4, "\0", 2, NULL);
    stn_res_put_record(&b, "skel", 4, "", 0, NULL);
    if (!b.failed)
        fuzz_use_resource(b.data, b.len);
    stn_buf_fini(&b);
}

#endif
