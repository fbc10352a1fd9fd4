#include "loader/decode.h"

#include <stdio.h>
#include <string.h>

static bool is_code(const char *type)
{
    return strcmp(type, "code") == 0 || strcmp(type, "codeentry") == 0;
}

/* The file with its code layers replaced, for a reload. */
static bool with_old_code(const stn_res *res, const stn_decode_in *in, stn_buf *out)
{
    stn_res_put_head(out, stn_res_version(res));
    for (uint32_t i = 0; i < stn_res_count(res); i++) {
        const stn_res_layer *l = stn_res_layer_at(res, i);
        if (!is_code(l->type) &&
            stn_res_put_record(out, l->type, strlen(l->type), l->raw, l->raw_len, NULL) != STN_OK)
            return false;
    }
    stn_buf_put(out, in->code, in->code_len);
    return !out->failed;
}

static void fail(stn_decode_out *out, stn_miss_kind kind, const char *text)
{
    out->verdict = (stn_verdict){.miss = kind, .version = -1};
    stn_miss_say(out->verdict.text, text);
}

static void pack(const stn_res *res, bool new_file, stn_decode_room *room, void *ctx, stn_decode_out *out)
{
    stn_wire_plan *plan;
    stn_err err = {0};
    uint8_t *frames[STN_WIRE_FRAMES] = {NULL};
    stn_status st = stn_wire_plan_new(res, STN_WIRE_BULK_MAX, &plan, &err);
    if (st != STN_OK) {
        fail(out, st == STN_TOO_BIG ? STN_MISS_LAYER : STN_MISS_IO, err.text);
        return;
    }
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++)
        out->bytes[i] = i == STN_WIRE_RAW && !new_file ? 0 : stn_wire_plan_bytes(plan, i);
    if (!room(ctx, out->bytes, frames)) {
        fail(out, STN_MISS_IO, "out of memory for the decoded resource");
    } else {
        if (!new_file)
            frames[STN_WIRE_RAW] = NULL;
        out->problems = (uint32_t)stn_wire_plan_fill(plan, frames, &err);
        if (out->problems)
            stn_miss_say(out->problem, err.text[0] ? err.text : "a picture does not fit");
        const Stenness__Ready *ready = stn_wire_plan_ready(plan);
        uint8_t *to = stn_buf_add(&out->body, stenness__ready__get_packed_size(ready));
        if (to)
            stenness__ready__pack(ready, to);
        else
            fail(out, STN_MISS_IO, "out of memory for the list of layers");
    }
    stn_wire_plan_free(plan);
}

void stn_decode(const stn_decode_in *in, stn_decode_room *room, void *ctx, stn_decode_out *out)
{
    stn_res *res;
    stn_buf merged = {0};
    memset(out, 0, sizeof *out);
    stn_judge(in->data, in->len, in->want, &res, &out->verdict);
    if (res && in->keep_code) {
        bool good = with_old_code(res, in, &merged);
        stn_res_free(res);
        res = NULL;
        if (good)
            stn_judge(merged.data, merged.len, in->want, &res, &out->verdict);
        else
            fail(out, STN_MISS_IO, "out of memory");
    }
    if (res && !in->judge_only)
        pack(res, in->keep_code, room, ctx, out);
    stn_res_free(res);
    stn_buf_fini(&merged);
}

stn_status stn_decode_code_records(const stn_wire *wire, stn_buf *out, stn_err *err)
{
    for (uint32_t i = 0; i < stn_wire_count(wire); i++) {
        const stn_wire_layer *l = stn_wire_layer_at(wire, i);
        if (!is_code(l->type))
            continue;
        stn_status st = stn_res_put_record(out, l->type, strlen(l->type), l->raw.data, l->raw.len, err);
        if (st != STN_OK)
            return st;
    }
    return out->failed ? stn_fail(err, STN_NO_MEMORY, "code layers") : STN_OK;
}
