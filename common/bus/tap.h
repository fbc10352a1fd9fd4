/* tap.h - recording what crosses the edges of a process, turn by turn.
 *
 * Off by default: each edge then costs one test of a flag. On (control door, TapSet), every message in and
 * out, peer change, timer and typed input becomes a TapRecord (proto/tape.proto) sent to the listener on a
 * bulk stream, with the raw frames by reference. When the listener is slower than the process, records are
 * lost, never the process's time: they are counted, and a gap stands in their place. One listener at a time;
 * a second one is refused.
 *
 * Armed: with STENNESS_TAP=armed in the environment a process records from its start on, keeping at most
 * STN_TAP_QUEUE bytes and STN_TAP_RECORDS records until a listener takes them; without one after
 * STN_TAP_ARMED_S seconds it lets them go.
 *
 * Secrets: what a handler or an input type marks `secret` is recorded as zeros of equal length, or as what
 * the redaction hook leaves of a copy.
 */
#ifndef STN_BUS_TAP_H
#define STN_BUS_TAP_H

#include "bus/bus.h"

#include "proto/tape.pb-c.h"

#define STN_TAP_STREAM 16u
#define STN_TAP_QUEUE (UINT64_C(64) << 20) /* bytes waiting for the listener; over it records are lost */
#define STN_TAP_RECORDS 65536u
#define STN_TAP_ARMED_S 30

/* `data` is a copy to zero parts of, in place. Called for secret messages (kind) and inputs (type) only. */
typedef void (*stn_redact_fn)(void *ctx, Stenness__TapType what, uint32_t kind, uint8_t *data, size_t len);
void stn_tap_set_redaction(stn_tap *tap, stn_redact_fn fn, void *ctx);

/* A kind that this process sends and whose body is secret (what it receives is marked in the handler table).
 * At most 32. */
stn_status stn_tap_add_secret(stn_tap *tap, uint32_t kind, stn_err *err);

bool stn_tap_is_on(const stn_tap *tap);
/* STN_BUSY: another listens. The listener's down switches it off. */
stn_status stn_tap_start(stn_tap *tap, stn_peer *listener, stn_err *err);
void stn_tap_stop(stn_tap *tap,
                  const stn_peer *listener); /* another's tap is left alone; NULL = whoever it is */
uint64_t stn_tap_recorded(const stn_tap *tap);
uint64_t stn_tap_lost(const stn_tap *tap);

#endif
