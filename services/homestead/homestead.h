/* homestead.h - the process: sockets, resources, login service and the game on one loop.
 *
 * Where it listens stands in FOLDER/homestead.json (FOLDER is the instance's, bus/address.h), written when
 * everything is up and removed at the end: {"udp": "HOST:PORT", "auth": "HOST:PORT", "http":
 * "http://HOST:PORT/res/", "identity": under which clients cache the pack (identity.h), "ca": path of the
 * login service's authority, "pid"}. `auth` and `ca` are absent without a login service.
 */
#ifndef STN_HOMESTEAD_HOMESTEAD_H
#define STN_HOMESTEAD_HOMESTEAD_H

#include "base/opts.h"
#include "bus/loop.h"

extern const stn_opts_spec stn_homestead_options;

typedef struct stn_homestead stn_homestead;

stn_status stn_homestead_new(stn_loop *loop, const stn_opts *opts, stn_homestead **out, stn_err *err);
void stn_homestead_free(stn_homestead *h); /* says CLOSE to the clients */

#endif
