/* fuzz_res_vbuf.c - vertex buffers. */
#include "fuzz_res.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_use_layer(STN_LAYER_VBUF, data, size);
    return 0;
}
