/* window.h - how many bulk bytes may be under way to one peer. Pure; the time is passed in.
 *
 * Unsent plus unacknowledged bulk stays under the window: 2 MiB to a local peer, so that state and input
 * never wait behind more than that; to a remote one twice the bandwidth-delay product, measured from the
 * acknowledgements (the highest delivery rate of the last 10 s times the lowest round trip of the last 10 s),
 * within floor and ceiling.
 */
#ifndef STN_BUS_WINDOW_H
#define STN_BUS_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#define STN_WINDOW_LOCAL (UINT64_C(2) << 20)
#define STN_WINDOW_REMOTE_MIN (UINT64_C(256) << 10)
#define STN_WINDOW_REMOTE_MAX (UINT64_C(32) << 20)
#define STN_WINDOW_SENDS 128 /* sends remembered for timing; more under way are acknowledged all the same */

typedef struct stn_window {
    uint64_t size; /* bytes that may be under way */
    uint64_t min, max; /* equal: fixed */
    uint64_t sent, acked; /* totals since peer up */
    struct {
        uint64_t total; /* `sent` after this send */
        uint64_t delivered; /* `acked` at this send */
        int64_t sent_ns, delivered_ns;
    } sends[STN_WINDOW_SENDS];
    unsigned first, count;
    int64_t acked_ns;
    double rate[2]; /* best bytes/ns of this and of the last 5 s */
    int64_t rtt_ns[2]; /* lowest of this and of the last 5 s */
    int64_t slot_ns;
} stn_window;

void stn_window_init(stn_window *w, uint64_t min, uint64_t max, int64_t now_ns);
/* A piece of `bytes` fits, or nothing is under way. */
bool stn_window_fits(const stn_window *w, uint64_t bytes);
void stn_window_sent(stn_window *w, uint64_t bytes, int64_t now_ns);
/* total: bytes taken by the peer since peer up. False when it is lower than known (old) or more than was sent
 * (a lie); nothing changes then. */
bool stn_window_acked(stn_window *w, uint64_t total, int64_t now_ns);

#endif
