#include "loader/judge.h"

static stn_miss_kind kind_of(const stn_res_fault *fault, size_t len)
{
    switch (fault->kind) {
    case STN_FAULT_NONE:
        return STN_MISS_NONE;
    case STN_FAULT_EMPTY:
        return STN_MISS_EMPTY;
    case STN_FAULT_SIGNATURE:
        /* Of a stream that ends inside the signature nobody can say what it would have been. */
        return len < STN_RES_SIGNATURE_BYTES ? STN_MISS_TRUNCATED : STN_MISS_SIGNATURE;
    case STN_FAULT_VERSION:
        return STN_MISS_VERSION;
    case STN_FAULT_TRUNCATED:
    case STN_FAULT_LENGTH:
        return STN_MISS_TRUNCATED;
    case STN_FAULT_MEMORY:
        return STN_MISS_IO;
    case STN_FAULT_LIMIT:
        /* Of the container itself there are two: the body's size and the number of layers. */
        if (len > stn_res_default_limits.max_input)
            return STN_MISS_IO;
        if (fault->record < 0 || (uint32_t)fault->record >= stn_res_default_limits.max_records)
            return STN_MISS_TRUNCATED;
        return STN_MISS_LAYER;
    default:
        return STN_MISS_LAYER;
    }
}

void stn_judge(const uint8_t *data, size_t len, int want, stn_res **res, stn_verdict *out)
{
    const stn_res_opts opts = {.want_version = want, .pixels = STN_RES_PROBE, .borrow = true};
    stn_res_fault fault = {.kind = STN_FAULT_NONE, .record = -1};
    stn_err err = {0};
    *out = (stn_verdict){.version = -1};
    stn_status st = stn_res_new(data, len, &opts, res, &fault, &err);
    if (st == STN_OK) {
        out->version = stn_res_version(*res);
        return;
    }
    *res = NULL;
    out->miss = kind_of(&fault, len);
    if (out->miss == STN_MISS_NONE)
        out->miss = STN_MISS_LAYER;
    stn_miss_say(out->text, err.text);
}
