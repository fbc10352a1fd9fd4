/* world/encode.h - an object's attributes as components of the tracker: packed messages of proto/world.proto.
 * Pure but for the table of session resource numbers, which gives the names.
 *
 * A component's value is the message with the number of its type; absent attributes have no component. A
 * resource number without a name yet is written with an empty name: the caller encodes again when the name
 * comes. Source: docs/spec/object-cache.md B7.
 */
#ifndef STN_WORLD_ENCODE_H
#define STN_WORLD_ENCODE_H

#include "session/resids.h"
#include "world/gob.h"
#include "world/tracker.h"

typedef struct stn_encode stn_encode; /* scratch, used again for every object */

stn_encode *stn_encode_new(void); /* NULL: out of memory */
void stn_encode_free(stn_encode *c);

/* Brings the components named in `changed` (bits 1 << STN_COMP_*) of the object's entity up to date; only
 * what differs is set. now_ns stamps motion. *unnamed is set when a number had no name. False: something did
 * not fit and was left as it was. */
bool stn_encode_gob(stn_encode *c, stn_tracker *t, stn_incarnation e, const stn_gob *g, uint32_t changed,
                    stn_resids *ids, int64_t now_ns, bool *unnamed);

#endif
