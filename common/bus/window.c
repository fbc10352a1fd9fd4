#include "bus/window.h"

#include "base/clock.h"

#define SLOT_NS (5 * STN_S)

void stn_window_init(stn_window *w, uint64_t min, uint64_t max, int64_t now_ns)
{
    *w = (stn_window){.size = min, .min = min, .max = max, .acked_ns = now_ns, .slot_ns = now_ns};
}

bool stn_window_fits(const stn_window *w, uint64_t bytes)
{
    uint64_t under_way = w->sent - w->acked;
    return under_way == 0 || (under_way < w->size && bytes <= w->size - under_way);
}

void stn_window_sent(stn_window *w, uint64_t bytes, int64_t now_ns)
{
    unsigned i;

    if (w->sent == w->acked)
        w->acked_ns = now_ns; /* idle time is no time of delivery */
    w->sent += bytes;
    if (w->count == STN_WINDOW_SENDS)
        return;
    i = (w->first + w->count++) % STN_WINDOW_SENDS;
    w->sends[i].total = w->sent;
    w->sends[i].delivered = w->acked;
    w->sends[i].sent_ns = now_ns;
    w->sends[i].delivered_ns = w->acked_ns;
}

static void measure(stn_window *w, int64_t now_ns, int64_t rtt_ns, double rate)
{
    if (now_ns - w->slot_ns >= SLOT_NS) {
        bool stale = now_ns - w->slot_ns >= 2 * SLOT_NS;
        w->rate[1] = stale ? 0 : w->rate[0];
        w->rtt_ns[1] = stale ? 0 : w->rtt_ns[0];
        w->rate[0] = 0;
        w->rtt_ns[0] = 0;
        w->slot_ns = now_ns;
    }
    if (rate > w->rate[0])
        w->rate[0] = rate;
    if (w->rtt_ns[0] == 0 || rtt_ns < w->rtt_ns[0])
        w->rtt_ns[0] = rtt_ns;
}

bool stn_window_acked(stn_window *w, uint64_t total, int64_t now_ns)
{
    double best, product;
    int64_t rtt;
    bool measured = false;

    if (total < w->acked || total > w->sent)
        return false;
    w->acked = total;
    w->acked_ns = now_ns;
    while (w->count > 0 && w->sends[w->first].total <= total) {
        int64_t trip = now_ns - w->sends[w->first].sent_ns;
        int64_t span = now_ns - w->sends[w->first].delivered_ns;
        if (trip > 0 && span > 0) {
            measure(w, now_ns, trip, (double)(total - w->sends[w->first].delivered) / (double)span);
            measured = true;
        }
        w->first = (w->first + 1) % STN_WINDOW_SENDS;
        w->count--;
    }
    if (w->min == w->max || !measured)
        return true;
    best = w->rate[0] > w->rate[1] ? w->rate[0] : w->rate[1];
    rtt = w->rtt_ns[1] != 0 && w->rtt_ns[1] < w->rtt_ns[0] ? w->rtt_ns[1] : w->rtt_ns[0];
    product = 2.0 * best * (double)rtt;
    w->size = product >= (double)w->max ? w->max : product <= (double)w->min ? w->min : (uint64_t)product;
    return true;
}
