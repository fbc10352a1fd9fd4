#include "res/fault.h"

const stn_res_limits stn_res_default_limits = {
    .max_input = (size_t)64 << 20,
    .max_records = 65536,
    .max_depth = 64,
    .max_side = 16384,
    .max_pixels = UINT64_C(1) << 26,
    .max_decoded = (size_t)256 << 20,
    .max_samples = UINT64_C(1) << 27,
    .max_bone_attribs = 1,
    .max_bone_vertices = 1048576,
};

static const struct {
    const char *name;
    stn_status status;
} faults[STN_FAULT_COUNT] = {
    [STN_FAULT_NONE] = {"OK", STN_OK},
    [STN_FAULT_EMPTY] = {"E_EMPTY", STN_NOT_FOUND},
    [STN_FAULT_SIGNATURE] = {"E_SIGNATURE", STN_BAD_DATA},
    [STN_FAULT_VERSION] = {"E_VERSION", STN_VERSION},
    [STN_FAULT_TRUNCATED] = {"E_TRUNCATED", STN_TRUNCATED},
    [STN_FAULT_LENGTH] = {"E_LENGTH", STN_TRUNCATED},
    [STN_FAULT_FORMAT] = {"E_FORMAT", STN_BAD_DATA},
    [STN_FAULT_RANGE] = {"E_RANGE", STN_BAD_DATA},
    [STN_FAULT_VALUE] = {"E_VALUE", STN_BAD_DATA},
    [STN_FAULT_LINK] = {"E_LINK", STN_BAD_DATA},
    [STN_FAULT_IMAGE] = {"E_IMAGE", STN_BAD_DATA},
    [STN_FAULT_LIMIT] = {"E_LIMIT", STN_TOO_BIG},
    [STN_FAULT_MEMORY] = {"E_MEMORY", STN_NO_MEMORY},
};

const char *stn_res_fault_name(stn_res_fault_kind kind)
{
    return (unsigned)kind < STN_FAULT_COUNT ? faults[kind].name : "E_UNKNOWN";
}

stn_status stn_res_fault_status(stn_res_fault_kind kind)
{
    return (unsigned)kind < STN_FAULT_COUNT ? faults[kind].status : STN_BAD_DATA;
}
