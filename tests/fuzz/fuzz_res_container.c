/* fuzz_res_container.c - whole files, and the checker that goes on after a fault. */
#include "fuzz_res.h"

static void ignore(void *user, const stn_res_fault *fault, const char *type, const stn_err *err)
{
    (void)user;
    (void)fault;
    (void)type;
    (void)err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const stn_res_opts opts = {STN_RES_ANY_VERSION, STN_RES_PROBE, true, &fuzz_limits};
    stn_res_check(data, size, &opts, ignore, NULL);
    fuzz_use_resource(data, size);
    return 0;
}
