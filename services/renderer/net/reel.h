/* reel.h - a capture as a feed: what the recorded renderer was told, by the clock of whoever plays it.
 *
 * Nothing is sent and nothing is waited for. What world said up to a moment of the capture can be taken, in
 * its order; what is asked of the loader is answered with what was recorded, in the order of asking, before
 * world goes on. So what comes out depends on the capture and on the moments alone, whatever the machine
 * does. Source: docs/design.md 4 (turns), common/tape/script.h.
 */
#ifndef STN_RENDERER_NET_REEL_H
#define STN_RENDERER_NET_REEL_H

#include "base/err.h"
#include "renderer/net/feed.h"

typedef struct stn_reel stn_reel;

/* process: whose part, "" = the first renderer of the capture. Errors: as stn_tape_open(), stn_script_new().
 */
stn_status stn_reel_new(const char *file, const char *process, stn_reel **out, stn_err *err);
void stn_reel_free(stn_reel *r); /* NULL is fine; the events that were taken live on */
/* What was said up to this moment, counted from the first message, may be taken; it never goes back. */
void stn_reel_until(stn_reel *r, int64_t at_ns);
bool stn_reel_over(const stn_reel *r); /* everything has been taken */
stn_feed stn_reel_feed(stn_reel *r); /* borrows it */

#endif
