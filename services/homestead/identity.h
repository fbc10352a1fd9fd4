/* identity.h - the name under which clients cache what a pack of resources holds.
 *
 * Caches know a server by its address, and a homestead's address is the same whatever pack it serves: without
 * a name of its own a changed pack would be answered from what was cached of the old one. So the name follows
 * from the content: relative paths in sorted order, sizes and bytes; neither times nor the folder's place
 * count.
 */
#ifndef STN_HOMESTEAD_IDENTITY_H
#define STN_HOMESTEAD_IDENTITY_H

#include "base/err.h"

#define STN_PACK_IDENTITY 32 /* bytes with the NUL: "homestead-" and 16 hex digits */

/* Regular files of the folder and all below it; links are not followed. Reads every byte once. STN_NOT_FOUND:
 * no such folder. STN_TOO_BIG: over 100,000 files. */
stn_status stn_pack_identity(const char *folder, char out[STN_PACK_IDENTITY], stn_err *err);

#endif
