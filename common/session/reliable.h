/* reliable.h - the receiving side of the reliable stream: order, duplicates, fragments.
 *
 * Messages are numbered modulo 65536. One that is early waits; one that is late is dropped. A message of type
 * FRAGMENT is a piece: its first byte below 0x80 starts an assembly of that type, 0x80 appends, 0x81 appends
 * and finishes; the assembled message counts as if it had arrived as one (and may be a fragment again).
 *
 * Limits  a message more than `window` ahead is dropped (the peer repeats it), as is one that would bring the
 *         bytes held back over STN_REL_HELD_MAX; an assembly holds at most STN_REL_ASSEMBLY_MAX bytes.
 * Errors  STN_BAD_DATA for a broken fragment sequence and STN_TOO_BIG for an assembly over the limit: both
 *         are fatal for a session; the stream must not be used any more.
 * Source  docs/spec/session-protocol.md 5.1, 14.
 */
#ifndef STN_SESSION_RELIABLE_H
#define STN_SESSION_RELIABLE_H

#include "base/buf.h"
#include "session/wire.h"

#define STN_REL_WINDOW 4096
#define STN_REL_HELD_MAX (8u << 20)
#define STN_REL_ASSEMBLY_MAX (16u << 20)

typedef struct stn_rel_in stn_rel_in;

/* Called for each message in order, `data` borrowed for the call. A status other than STN_OK stops. */
typedef stn_status (*stn_rel_deliver)(void *user, uint8_t type, const uint8_t *data, size_t len,
                                      stn_err *err);

/* window 0 = STN_REL_WINDOW. NULL when out of memory. */
stn_rel_in *stn_rel_in_new(unsigned window);
void stn_rel_in_free(stn_rel_in *in);

/* Takes a checked REL payload (stn_rel_open). *advanced: at least one message came in order, so an
 * acknowledgement is due; *repeated: at least one was late. Both may be NULL. */
stn_status stn_rel_in_take(stn_rel_in *in, uint16_t seq, stn_bytes messages, stn_rel_deliver deliver,
                           void *user, bool *advanced, bool *repeated, stn_err *err);
/* The next sequence number expected; one less is what an ACK says. */
uint16_t stn_rel_in_next(const stn_rel_in *in);
bool stn_rel_in_began(const stn_rel_in *in); /* anything was ever delivered */
size_t stn_rel_in_held(const stn_rel_in *in); /* bytes of early messages and of the assembly */
uint64_t stn_rel_in_dropped(const stn_rel_in *in); /* early messages beyond the limits */

#endif
