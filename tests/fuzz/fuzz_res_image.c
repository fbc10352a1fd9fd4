/* fuzz_res_image.c - pictures: header, pixels, samples, scaling. */
#include "fuzz_res.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_picture_info info;
    stn_raster raster;

    if (stn_picture_probe(data, size, &fuzz_limits, &info, NULL, NULL) != STN_OK)
        return 0;
    size_t bytes = stn_mip_bytes(STN_MIP_DAV, info.w, info.h);
    uint8_t *out = malloc(bytes);
    if (out && stn_picture_rgba(data, size, &fuzz_limits, out, bytes, NULL, NULL) == STN_OK)
        stn_mip_chain(STN_MIP_DAV, out, info.w, info.h);
    if (out && stn_picture_raster(data, size, &fuzz_limits, &raster, NULL, NULL) == STN_OK) {
        stn_raster_scaled(&raster, info.w / 2 + 1, info.h / 2 + 1, out, NULL, NULL);
        stn_raster_fini(&raster);
    }
    free(out);
    return 0;
}
