/* The container of object deltas; what was read is written again and must read the same. */
#include "base/buf.h"
#include "base/bytes.h"
#include "session/objdata.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_again(stn_buf *out, const stn_objdelta *d)
{
    size_t pos = 0;
    stn_objattr a;

    stn_objdata_begin(out, (uint8_t)(d->flags & ~STN_OBJ_INITIAL) | (d->initframe ? STN_OBJ_INITFRAME : 0),
                      d->id, d->frame, d->initframe);
    while (stn_objdelta_attr_raw(d, &pos, &a))
        stn_objdata_attr(out, a.type, a.data, a.len);
    stn_objdata_end(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_bytes in = stn_bytes_of(data, size), again;
    stn_objdelta d, e;
    size_t n, m;

    if (stn_objdata_check(data, size, &n, NULL) != STN_OK)
        return 0;
    while (stn_objdata_next(&in, &d)) {
        stn_buf b = {0};
        size_t pd = 0, pe = 0;
        stn_objattr x, y;

        n--;
        d.flags &= 7;
        write_again(&b, &d);
        if (b.failed) {
            stn_buf_fini(&b);
            return 0;
        }
        again = stn_bytes_of(b.data, b.len);
        if (stn_objdata_check(b.data, b.len, &m, NULL) != STN_OK || m != 1 || !stn_objdata_next(&again, &e) ||
            e.id != d.id || e.frame != d.frame || e.initframe != d.initframe || e.removal != d.removal)
            abort();
        while (stn_objdelta_attr(&d, &pd, &x))
            if (!stn_objdelta_attr(&e, &pe, &y) || x.type != y.type || x.len != y.len ||
                memcmp(x.data, y.data, x.len))
                abort();
        stn_buf_fini(&b);
    }
    if (n)
        abort();
    return 0;
}
