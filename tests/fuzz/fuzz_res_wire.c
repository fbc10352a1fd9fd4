/* fuzz_res_wire.c - a Ready as a hostile peer could send it: u32 length of the body, of frames 0 and 1, then
 * body and frames; the third frame is the rest. */
#include "base/bytes.h"
#include "res/wire.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned sum; /* so that every byte that is offered is read */

static void read_span(stn_wire_span s)
{
    for (size_t i = 0; i < s.len; i++)
        sum += s.data[i];
}

static void use(const stn_wire *w)
{
    float bounds[2][3];
    stn_res *res;
    for (uint32_t i = 0; i < stn_wire_count(w); i++) {
        const stn_wire_layer *l = stn_wire_layer_at(w, i);
        uint32_t width, height;
        stn_wire_span s;
        read_span(l->raw);
        read_span(l->indices);
        for (uint32_t k = 0; stn_wire_level(l, k, &width, &height, &s); k++)
            read_span(s);
        for (uint32_t k = 0; k < l->attrib_count; k++)
            if (l->attribs[k].data)
                read_span((stn_wire_span){l->attribs[k].data, (size_t)l->num * l->attribs[k].components * 4});
    }
    stn_wire_bounds(w, bounds);
    if (stn_wire_res(w, &res, NULL) == STN_OK)
        stn_res_free(res);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_bytes in = stn_bytes_of(data, size);
    uint32_t len[3];
    for (int i = 0; i < 3; i++)
        len[i] = stn_bytes_u32(&in);
    stn_bytes body = stn_bytes_sub(&in, len[0]), a = stn_bytes_sub(&in, len[1]),
              b = stn_bytes_sub(&in, len[2]);
    if (!stn_bytes_ok(&in) || body.len > 65536)
        return 0;
    Stenness__Ready *ready = stenness__ready__unpack(NULL, body.len, body.data);
    if (!ready)
        return 0;
    const stn_wire_span frames[STN_WIRE_FRAMES] = {
        {a.data, a.len}, {b.data, b.len}, {in.data + in.pos, stn_bytes_left(&in)}};
    stn_wire *w;
    if (stn_wire_open(ready, frames, STN_WIRE_FRAMES, &w, NULL) == STN_OK) {
        use(w);
        stn_wire_free(w);
    }
    stenness__ready__free_unpacked(ready, NULL);
    return 0;
}
