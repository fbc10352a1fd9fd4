#include "world/defrag.h"

#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

stn_status stn_blob_init(stn_blob *b, uint16_t len, stn_err *err)
{
    *b = (stn_blob){.len = len};
    /* One byte more, so that an empty blob has a pointer too. */
    b->data = malloc((size_t)len + 1);
    if (!b->data)
        return stn_fail(err, STN_NO_MEMORY, "map data buffer of %u bytes", len);
    b->n_holes = 1;
    b->from[0] = 0;
    b->to[0] = len;
    return STN_OK;
}

void stn_blob_fini(stn_blob *b)
{
    free(b->data);
    *b = (stn_blob){0};
}

stn_status stn_blob_add(stn_blob *b, uint16_t off, const uint8_t *data, size_t n, stn_err *err)
{
    int32_t s = off, t;
    int kept = 0;
    int32_t split_from = -1, split_to = -1;

    if (s > b->len || n > (size_t)(b->len - s))
        return stn_fail(err, STN_BAD_DATA, "map data fragment: %zu bytes at %u do not fit into a blob of %d",
                        n, off, b->len);
    if (n == 0) {
        /* Changes nothing, except that a blob of no bytes is complete with its first fragment. */
        if (b->len == 0)
            b->n_holes = 0;
        return b->n_holes == 0 ? STN_OK : STN_AGAIN;
    }
    memcpy(b->data + s, data, n);
    t = s + (int32_t)n;
    for (int i = 0; i < b->n_holes; i++) {
        int32_t x = b->from[i], y = b->to[i];
        if (x >= s && y <= t)
            continue;
        if (x >= s && x < t && y >= t) {
            x = t;
        } else if (x < s && y >= s && y <= t) {
            y = s;
        } else if (x < s && y > t) {
            /* The holes are disjoint, so at most one is split by a fragment. */
            split_from = t;
            split_to = y;
            y = s;
        }
        b->from[kept] = x;
        b->to[kept] = y;
        kept++;
    }
    b->n_holes = kept;
    if (split_from >= 0) {
        if (kept == STN_DEFRAG_HOLES)
            return stn_fail(err, STN_TOO_BIG, "map data fragments: more than %d holes in one blob",
                            STN_DEFRAG_HOLES);
        b->from[kept] = split_from;
        b->to[kept] = split_to;
        b->n_holes++;
    }
    return b->n_holes == 0 ? STN_OK : STN_AGAIN;
}

typedef struct entry {
    int32_t packet;
    int64_t last_ms;
    uint64_t order; /* by first fragment: the oldest goes when there are too many */
    stn_blob blob;
} entry;

struct stn_defrag {
    entry at[STN_DEFRAG_LIVE];
    size_t n;
    size_t bytes;
    uint64_t made;
};

stn_defrag *stn_defrag_new(void)
{
    return calloc(1, sizeof(stn_defrag));
}

void stn_defrag_free(stn_defrag *d)
{
    if (!d)
        return;
    stn_defrag_clear(d);
    free(d);
}

static void drop(stn_defrag *d, size_t i)
{
    d->bytes -= (size_t)d->at[i].blob.len;
    stn_blob_fini(&d->at[i].blob);
    d->at[i] = d->at[--d->n];
}

void stn_defrag_clear(stn_defrag *d)
{
    while (d->n > 0)
        drop(d, d->n - 1);
}

size_t stn_defrag_live(const stn_defrag *d)
{
    return d->n;
}

static void drop_oldest(stn_defrag *d)
{
    size_t oldest = 0;
    for (size_t i = 1; i < d->n; i++)
        if (d->at[i].order < d->at[oldest].order)
            oldest = i;
    drop(d, oldest);
}

static void forget_old(stn_defrag *d, int64_t now_ms)
{
    for (size_t i = 0; i < d->n;)
        if (now_ms - d->at[i].last_ms > STN_DEFRAG_FORGET_MS)
            drop(d, i);
        else
            i++;
}

stn_status stn_defrag_feed(stn_defrag *d, const uint8_t *body, size_t len, int64_t now_ms, uint8_t **blob,
                           size_t *blob_len, stn_err *err)
{
    stn_bytes in = stn_bytes_of(body, len);
    int32_t packet = stn_bytes_i32(&in);
    uint16_t off = stn_bytes_u16(&in), total = stn_bytes_u16(&in);
    const uint8_t *data = stn_bytes_take(&in, stn_bytes_left(&in));
    size_t n = len >= 8 ? len - 8 : 0, i;
    stn_status st;

    *blob = NULL;
    *blob_len = 0;
    if (!stn_bytes_ok(&in) || len < 8)
        return stn_fail(err, STN_TRUNCATED, "map data fragment of %zu bytes, a header has 8", len);
    for (i = 0; i < d->n && d->at[i].packet != packet; i++)
        ;
    if (i == d->n) {
        stn_blob fresh;
        if ((st = stn_blob_init(&fresh, total, err)) != STN_OK)
            return st;
        while (d->n > 0 && (d->n == STN_DEFRAG_LIVE || d->bytes + total > STN_DEFRAG_BYTES))
            drop_oldest(d);
        i = d->n++;
        d->at[i] = (entry){.packet = packet, .order = d->made++, .blob = fresh};
        d->bytes += total;
    }
    d->at[i].last_ms = now_ms;
    st = stn_blob_add(&d->at[i].blob, off, data, n, err);
    if (st == STN_OK) {
        *blob = d->at[i].blob.data;
        *blob_len = (size_t)d->at[i].blob.len;
        d->at[i].blob.data = NULL;
        drop(d, i);
    } else if (st == STN_TOO_BIG) {
        drop(d, i);
    }
    forget_old(d, now_ms);
    return st;
}
