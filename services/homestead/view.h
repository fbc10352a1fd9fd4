/* view.h - the objects that one client sees, and what it must still be told about them.
 *
 * Per object the frame that the client acknowledged is kept; a delta holds the groups of attributes that
 * changed since (sim.h), so a lost one is simply made anew. The first delta of an object names the frame at
 * which it came into view (initial frame), repeated until acknowledged; one that leaves the view is removed
 * with a frame above all that was sent, repeated until acknowledged, then forgotten.
 *
 * Range   objects enter within `range` and leave beyond 1.1 times that.
 * Limits  STN_VIEW_MAX objects (the nearest in order of sight), STN_VIEW_BYTES of datagrams a run.
 * Source  docs/spec/session-protocol.md 5.5, 12, docs/spec/object-cache.md A1.
 */
#ifndef STN_HOMESTEAD_VIEW_H
#define STN_HOMESTEAD_VIEW_H

#include "homestead/conn.h"
#include "homestead/sim.h"

#define STN_VIEW_MAX 20000
#define STN_VIEW_BYTES (96u << 10)
#define STN_VIEW_LOOK_S 0.25 /* how often it is looked for what came and went */
#define STN_VIEW_AGAIN_S 0.7 /* until an unacknowledged delta is repeated */

typedef struct stn_view stn_view;

/* names: people's names are told. NULL when out of memory. */
stn_view *stn_view_new(double range, bool names);
void stn_view_free(stn_view *v);
/* Sends what is due about the surroundings of object `person`, and the resource numbers used before them. The
 * work that it was, in deltas written: so that who runs many views can part it among ticks. */
size_t stn_view_run(stn_view *v, double now, stn_sim *sim, uint32_t person, stn_conn *conn);
/* An acknowledgement came. */
void stn_view_ack(stn_view *v, uint32_t id, int32_t frame);
size_t stn_view_count(const stn_view *v);
/* Nothing is on its way: all in sight was told and acknowledged. */
bool stn_view_settled(const stn_view *v);
/* Announces a resource to the client unless that was done. */
void stn_view_announce(stn_view *v, const stn_sim *sim, uint16_t res, stn_conn *conn);

#endif
