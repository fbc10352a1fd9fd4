/* fuzz_res_layer.c - every layer decoder: the first byte chooses the kind, the rest is its payload. */
#include "fuzz_res.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0)
        fuzz_use_layer((stn_layer_kind)(data[0] % STN_LAYER_KINDS), data + 1, size - 1);
    return 0;
}
