/* Key files come from other people. */
#include "bus/keys.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_keys keys;
    if (stn_keys_parse((const char *)data, size, "fallback.pub", &keys, NULL) == STN_OK &&
        (!stn_key_name_ok(keys.name) || !stn_key_text_ok(keys.public_key)))
        __builtin_trap();
    stn_keys_wipe(&keys);
    return 0;
}
