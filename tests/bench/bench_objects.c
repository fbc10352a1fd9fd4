/* bench_objects: 10,000 objects with a drawable and linear motion: parse and queue, apply, tick. Prints JSON.
 * Reference (Java, one core, warm): parse and queue 5-25 ms, apply 10 ms, tick 5.5-8 ms. */
#include "base/buf.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "session/objdata.h"
#include "world/ocache.h"

#include <stdio.h>
#include <stdlib.h>

#define OBJECTS 10000u
#define ROUNDS 30

static stn_status on_traits(void *arg, uint16_t resid, stn_res_traits *t)
{
    (void)arg;
    (void)resid;
    *t = (stn_res_traits){0};
    return STN_OK;
}

static void word(stn_buf *b, int32_t v)
{
    stn_buf_u32(b, (uint32_t)v);
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    stn_ocache_hooks hooks = {.traits = on_traits};
    stn_ocache *c = stn_ocache_new(&hooks);
    int64_t receive[ROUNDS], pump[ROUNDS], tick[ROUNDS];

    for (int k = 0; k < ROUNDS; k++) {
        stn_buf data = {0}, attr = {0};
        stn_bytes in;
        stn_objdelta d;
        int64_t t0, t1, t2;
        for (uint32_t i = 0; i < OBJECTS; i++) {
            stn_objdata_begin(&data, 0, i, k + 1, 0);
            stn_buf_clear(&attr);
            if (k == 0) {
                stn_buf_u16(&attr, 5);
                stn_objdata_attr(&data, STN_OD_RES, attr.data, attr.len);
                stn_buf_clear(&attr);
            }
            for (int32_t w = 0; w < 4; w++)
                word(&attr, (int32_t)i + w * k);
            stn_objdata_attr(&data, STN_OD_LINBEG, attr.data, attr.len);
            stn_objdata_end(&data);
        }
        in = stn_bytes_of(data.data, data.len);
        t0 = stn_clock_thread_cpu_ns();
        while (stn_objdata_next(&in, &d))
            stn_ocache_receive(c, &d);
        t1 = stn_clock_thread_cpu_ns();
        stn_ocache_pump(c);
        t2 = stn_clock_thread_cpu_ns();
        stn_ocache_tick(c, 0.05);
        tick[k] = stn_clock_thread_cpu_ns() - t2;
        pump[k] = t2 - t1;
        receive[k] = t1 - t0;
        stn_buf_fini(&data);
        stn_buf_fini(&attr);
    }
    qsort(receive, ROUNDS, sizeof receive[0], by_time);
    qsort(pump, ROUNDS, sizeof pump[0], by_time);
    qsort(tick, ROUNDS, sizeof tick[0], by_time);
    printf("{\"objects\":%u,\"parse_and_queue_ms\":%.3f,\"apply_ms\":%.3f,\"tick_ms\":%.3f}\n", OBJECTS,
           (double)receive[ROUNDS / 2] / 1e6, (double)pump[ROUNDS / 2] / 1e6, (double)tick[ROUNDS / 2] / 1e6);
    stn_ocache_free(c);
    return 0;
}
