#include "bus/envelope.h"

#include "base/err.h"

#include "proto/envelope.pb-c.h"

#include <stdalign.h>
#include <string.h>

/* One envelope is unpacked in this much memory and no more: the structure, an id, 64 lengths, and the member
 * records that protobuf-c keeps while it reads. */
#define SCRATCH 16384u

typedef struct scratch {
    size_t used;
    alignas(16) uint8_t bytes[SCRATCH];
} scratch;

static void *scratch_alloc(void *ctx, size_t size)
{
    scratch *s = ctx;
    void *p;

    size = (size + 15) & ~(size_t)15;
    if (size > SCRATCH - s->used)
        return NULL;
    p = s->bytes + s->used;
    s->used += size;
    return p;
}

static void scratch_free(void *ctx, void *p)
{
    (void)ctx;
    (void)p;
}

int stn_peer_id_ok(const char *id)
{
    size_t n = 0;
    for (; id[n]; n++) {
        char c = id[n];
        if (n >= STN_PEER_ID_MAX - 1)
            return 0;
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
              c == '_' || c == '-' || c == '@'))
            return 0;
    }
    return n > 0;
}

size_t stn_envelope_pack(const stn_envelope *env, uint8_t out[STN_ENVELOPE_MAX])
{
    Stenness__Envelope e = STENNESS__ENVELOPE__INIT;

    e.major = env->major;
    e.minor = env->minor;
    e.peer = (char *)env->peer;
    e.sender_epoch = env->sender_epoch;
    e.receiver_epoch = env->receiver_epoch;
    e.stream = env->stream;
    e.sequence = env->sequence;
    e.correlation = env->correlation;
    e.kind = env->kind;
    e.transfer = env->transfer;
    e.n_frame_bytes = env->n_frame_bytes;
    e.frame_bytes = (uint64_t *)env->frame_bytes;
    e.piece_frame = env->piece_frame;
    e.piece_offset = env->piece_offset;
    return stenness__envelope__pack(&e, out);
}

stn_status stn_envelope_unpack(const void *data, size_t len, stn_envelope *out, stn_err *err)
{
    scratch mem;
    ProtobufCAllocator allocator = {scratch_alloc, scratch_free, &mem};
    Stenness__Envelope *e;

    *out = (stn_envelope){0};
    if (len > STN_ENVELOPE_MAX)
        return stn_fail(err, STN_TOO_BIG, "envelope of %zu bytes, at most %u", len, STN_ENVELOPE_MAX);
    mem.used = 0;
    e = stenness__envelope__unpack(&allocator, len, data);
    if (!e)
        return stn_fail(err, STN_BAD_DATA, "envelope of %zu bytes is not an Envelope message", len);
    if (!stn_peer_id_ok(e->peer))
        return stn_fail(err, STN_BAD_DATA, "envelope: peer id is empty, too long or has unusual characters");
    strcpy(out->peer, e->peer);
    out->major = e->major;
    out->minor = e->minor;
    out->sender_epoch = e->sender_epoch;
    out->receiver_epoch = e->receiver_epoch;
    if (e->major != STN_PROTOCOL_MAJOR)
        return stn_fail(err, STN_VERSION,
                        "speaks protocol %u.%u, this is %u.%u: use the same release on both sides", e->major,
                        e->minor, STN_PROTOCOL_MAJOR, STN_PROTOCOL_MINOR);
    if (e->sender_epoch == 0)
        return stn_fail(err, STN_BAD_DATA, "envelope: no sender epoch");
    if (e->kind == 0)
        return stn_fail(err, STN_BAD_DATA, "envelope: no kind");
    if (e->stream >= STN_STREAMS)
        return stn_fail(err, STN_BAD_DATA, "envelope: stream %u, expected 0 to %u", e->stream,
                        STN_STREAMS - 1);
    if (e->n_frame_bytes > STN_BULK_FRAMES_MAX)
        return stn_fail(err, STN_TOO_BIG, "envelope: %zu frame lengths, at most %u", e->n_frame_bytes,
                        STN_BULK_FRAMES_MAX);
    out->stream = e->stream;
    out->sequence = e->sequence;
    out->correlation = e->correlation;
    out->kind = e->kind;
    out->transfer = e->transfer;
    out->piece_frame = e->piece_frame;
    out->piece_offset = e->piece_offset;
    out->n_frame_bytes = (uint32_t)e->n_frame_bytes;
    if (e->n_frame_bytes > 0)
        memcpy(out->frame_bytes, e->frame_bytes, e->n_frame_bytes * sizeof *e->frame_bytes);
    return STN_OK;
}
