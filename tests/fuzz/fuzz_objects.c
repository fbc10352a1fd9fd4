/* Object deltas from a server, applied, ticked and asked about. Input: records of u8 kind and u8 length: kind
 * 0 is an OBJDATA payload, 1 a tick, 2 a resource that becomes available. */
#include "base/bytes.h"
#include "session/objdata.h"
#include "world/ocache.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct world {
    uint8_t resolved[256];
    size_t seen;
} world;

static stn_status on_traits(void *arg, uint16_t resid, stn_res_traits *t)
{
    world *w = arg;
    if (resid >= 0x100 && !w->resolved[resid & 0xff])
        return STN_AGAIN;
    t->skeleton = resid & 1;
    t->live_update = resid & 2;
    t->deferred_end = resid & 4;
    t->published = resid & 8;
    t->published_slot = resid & 3u;
    t->published_kind = resid & 7u;
    t->published_deletes_any = resid & 16;
    return STN_OK;
}

static bool on_overlay_done(void *arg, const stn_gob *g, const stn_overlay *ol)
{
    (void)arg;
    return ol->age > 2.0 || (ol->deleted && g->id & 1);
}

static void on_seen(void *arg, stn_gob *g)
{
    world *w = arg;
    w->seen += (size_t)g->changed;
    g->changed = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    world w = {0};
    stn_ocache_hooks hooks = {.traits = on_traits,
                              .overlay_done = on_overlay_done,
                              .added = on_seen,
                              .changed = on_seen,
                              .removed = on_seen,
                              .arg = &w};
    stn_ocache *c = stn_ocache_new(&hooks);
    stn_bytes in = stn_bytes_of(data, size);

    while (c && stn_bytes_left(&in) >= 2) {
        uint8_t kind = stn_bytes_u8(&in), n = stn_bytes_u8(&in);
        stn_bytes body = stn_bytes_sub(&in, n < stn_bytes_left(&in) ? n : stn_bytes_left(&in));
        if (kind == 0) {
            stn_objdelta d;
            if (stn_objdata_check(body.data, body.len, NULL, NULL) != STN_OK)
                continue;
            while (stn_objdata_next(&body, &d))
                stn_ocache_receive(c, &d);
        } else if (kind == 1) {
            stn_ocache_pump(c);
            stn_ocache_tick(c, (double)n / 64.0);
            stn_ocache_prune(c);
        } else {
            uint16_t id = stn_bytes_u16(&body);
            w.resolved[id & 0xff] = 1;
            stn_ocache_resolved(c, id);
        }
        for (size_t i = 0; i < stn_ocache_count(c); i++) {
            float pos[3];
            stn_ocache_position(c, stn_ocache_at(c, i), pos);
            w.seen += stn_ocache_speed(c, stn_ocache_at(c, i)) > pos[0];
        }
    }
    stn_ocache_free(c);
    return 0;
}
