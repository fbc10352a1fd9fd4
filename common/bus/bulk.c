#include "bus/bulk.h"

#include <stdlib.h>
#include <string.h>

bool stn_bulk_next_piece(stn_frame *const *frames, size_t n_frames, stn_piece_at *at, uint32_t *frame,
                         size_t *offset, size_t *len)
{
    while (at->frame < n_frames) {
        size_t left = stn_frame_len(frames[at->frame]) - at->offset;
        if (left > 0) {
            *frame = at->frame;
            *offset = at->offset;
            *len = left < STN_PIECE_MAX ? left : STN_PIECE_MAX;
            at->offset += *len;
            return true;
        }
        at->frame++;
        at->offset = 0;
    }
    return false;
}

struct stn_reassembly {
    bool open;
    uint64_t transfer;
    size_t n;
    stn_frame *frames[STN_BULK_FRAMES_MAX];
    stn_piece_at at;
};

stn_reassembly *stn_reassembly_new(void)
{
    return calloc(1, sizeof(stn_reassembly));
}

void stn_reassembly_drop(stn_reassembly *r)
{
    for (size_t i = 0; i < r->n; i++)
        stn_frame_unref(r->frames[i]);
    *r = (stn_reassembly){0};
}

void stn_reassembly_free(stn_reassembly *r)
{
    if (!r)
        return;
    stn_reassembly_drop(r);
    free(r);
}

bool stn_reassembly_open(const stn_reassembly *r)
{
    return r->open;
}

stn_frame *const *stn_reassembly_frames(const stn_reassembly *r, size_t *n)
{
    *n = r->n;
    return r->frames;
}

stn_status stn_reassembly_begin(stn_reassembly *r, const stn_envelope *env, uint64_t max_bytes, stn_err *err)
{
    uint64_t total = 0;

    stn_reassembly_drop(r);
    if (env->transfer == 0 || env->n_frame_bytes == 0)
        return stn_fail(err, STN_BAD_DATA, "transfer %llu announces %u frames",
                        (unsigned long long)env->transfer, env->n_frame_bytes);
    for (uint32_t i = 0; i < env->n_frame_bytes; i++) {
        if (env->frame_bytes[i] > max_bytes - total)
            return stn_fail(err, STN_TOO_BIG,
                            "transfer announces over %llu bytes, which is the most of kind %u",
                            (unsigned long long)max_bytes, env->kind);
        total += env->frame_bytes[i];
    }
    if (total == 0)
        return stn_fail(err, STN_BAD_DATA, "transfer of no bytes");
    for (uint32_t i = 0; i < env->n_frame_bytes; i++) {
        r->frames[i] = stn_frame_new((size_t)env->frame_bytes[i]);
        if (!r->frames[i]) {
            stn_reassembly_drop(r);
            return stn_fail(err, STN_NO_MEMORY, "bulk frame of %llu bytes",
                            (unsigned long long)env->frame_bytes[i]);
        }
        r->n = i + 1;
    }
    r->transfer = env->transfer;
    r->open = true;
    return STN_OK;
}

stn_status stn_reassembly_add(stn_reassembly *r, const stn_envelope *env, const void *data, size_t len,
                              bool *done, stn_err *err)
{
    stn_piece_at at = r->at, after;
    uint32_t frame = 0;
    size_t offset = 0, want = 0;

    *done = false;
    if (!r->open)
        return stn_fail(err, STN_BAD_DATA, "piece of transfer %llu, which is not open",
                        (unsigned long long)env->transfer);
    if (!stn_bulk_next_piece(r->frames, r->n, &at, &frame, &offset, &want) || env->transfer != r->transfer ||
        env->piece_frame != frame || env->piece_offset != offset || len != want) {
        stn_status st = stn_fail(
            err, STN_BAD_DATA,
            "piece of transfer %llu, frame %u at %llu, %zu bytes; expected %llu, %u at %zu, %zu",
            (unsigned long long)env->transfer, env->piece_frame, (unsigned long long)env->piece_offset, len,
            (unsigned long long)r->transfer, frame, offset, want);
        stn_reassembly_drop(r);
        return st;
    }
    memcpy(stn_frame_writable(r->frames[frame]) + offset, data, len);
    r->at = after = at;
    if (!stn_bulk_next_piece(r->frames, r->n, &after, &frame, &offset, &want)) {
        r->open = false;
        *done = true;
    }
    return STN_OK;
}
