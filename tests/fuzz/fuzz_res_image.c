/* fuzz_res_image.c - pictures: header, pixels, samples, scaling; and that a PNG comes out as by libpng alone,
 * whichever way it took. */
#include "fuzz_res.h"

#include "res/codec.h"

static void compare_png(const uint8_t *data, size_t size, const stn_picture_info *info, uint8_t *out,
                        uint8_t *plain)
{
    stn_err err = {0};
    const stn_codec_job job = {data, size, info->w, info->h, &err};
    bool taken = stn_png_plain_rgba(&job, plain);
    if (taken && (stn_png_libpng_rgba(&job, out) != STN_FAULT_NONE ||
                  memcmp(out, plain, (size_t)info->w * info->h * 4) != 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_picture_info info;
    stn_raster raster;

    if (stn_picture_probe(data, size, &fuzz_limits, &info, NULL, NULL) != STN_OK)
        return 0;
    size_t bytes = stn_mip_bytes(STN_MIP_DAV, info.w, info.h);
    uint8_t *out = malloc(bytes), *again = malloc(bytes);
    if (out && again && info.format == STN_PICTURE_PNG)
        compare_png(data, size, &info, out, again);
    if (out && stn_picture_rgba(data, size, &fuzz_limits, out, bytes, NULL, NULL) == STN_OK)
        stn_mip_chain(STN_MIP_DAV, out, info.w, info.h);
    if (out && stn_picture_raster(data, size, &fuzz_limits, &raster, NULL, NULL) == STN_OK) {
        stn_raster_scaled(&raster, info.w / 2 + 1, info.h / 2 + 1, out, NULL, NULL);
        stn_raster_fini(&raster);
    }
    free(out);
    free(again);
    return 0;
}
