/* A message as a hostile peer may send it: u16 length of the envelope, envelope, u16 length of a list of
 * array descriptions (each u8 length and an Array), the list, and the rest as one bulk frame and one piece.
 */
#include "base/bytes.h"
#include "bus/array.h"
#include "bus/bulk.h"
#include "bus/envelope.h"
#include "bus/unpack.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CEILING 65536u

static void take_apart(const stn_envelope *env, stn_bytes rest)
{
    static stn_reassembly *r;
    size_t n;
    bool done = false;

    if (!r && !(r = stn_reassembly_new()))
        return;
    if (stn_reassembly_begin(r, env, CEILING, NULL) != STN_OK)
        return;
    while (!done && stn_bytes_left(&rest) > 0) {
        size_t len = stn_bytes_left(&rest) < 1000 ? stn_bytes_left(&rest) : 1000;
        stn_envelope piece = *env;
        piece.piece_offset = env->piece_offset + rest.pos;
        if (stn_reassembly_add(r, &piece, stn_bytes_take(&rest, len), len, &done, NULL) != STN_OK)
            break;
    }
    if (done) {
        stn_frame *const *frames = stn_reassembly_frames(r, &n);
        uint64_t total = 0;
        for (size_t i = 0; i < n; i++)
            total += stn_frame_len(frames[i]);
        if (total > CEILING)
            abort();
    }
    stn_reassembly_drop(r);
}

static void read_arrays(stn_bytes list, stn_bytes rest)
{
    static stn_unpacker *u;
    stn_frame *frame = stn_frame_copy(rest.data + rest.pos, stn_bytes_left(&rest));
    volatile uint8_t sink = 0;

    if (!u)
        u = stn_unpacker_new(4096);
    while (u && frame && stn_bytes_left(&list) > 0) {
        uint8_t len = stn_bytes_u8(&list);
        const uint8_t *bytes = stn_bytes_take(&list, len);
        const ProtobufCMessage *m;
        stn_array_rule rule = {.name = "fuzz"};
        stn_array a;

        if (!bytes)
            break;
        if (stn_unpack(u, &stenness__array__descriptor, bytes, len, &m, NULL) != STN_OK ||
            stn_array_view((const Stenness__Array *)m, &frame, 1, &rule, &a, NULL) != STN_OK)
            continue;
        for (size_t i = 0; i < a.count; i++) /* every element, to its last byte */
            sink ^= stn_array_at(&a, i)[a.stride - 1];
    }
    (void)sink;
    stn_frame_unref(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_bytes in = stn_bytes_of(data, size);
    stn_bytes head = stn_bytes_sub(&in, stn_bytes_u16(&in)), list;
    stn_envelope env;

    if (!stn_bytes_ok(&head))
        return 0;
    if (stn_envelope_unpack(head.data, head.len, &env, NULL) == STN_OK) {
        uint8_t packed[STN_ENVELOPE_MAX];
        if (stn_envelope_pack(&env, packed) > STN_ENVELOPE_MAX)
            abort();
        take_apart(&env, in);
    }
    list = stn_bytes_sub(&in, stn_bytes_u16(&in));
    if (stn_bytes_ok(&list))
        read_arrays(list, in);
    return 0;
}
