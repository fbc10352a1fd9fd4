/* zap.h - internal: who may come in over CURVE (ZeroMQ's RFC 27), answered in the loop.
 *
 * One per process (ZeroMQ allows one per context). A door's CURVE socket registers an allow folder and uses
 * the returned domain as its ZAP domain. A known key is answered with its name as user id, which the bus
 * compares with the peer id.
 */
#ifndef STN_BUS_ZAP_H
#define STN_BUS_ZAP_H

#include "base/err.h"
#include "bus/loop.h"

typedef struct stn_zap stn_zap;

stn_status stn_zap_new(void *zctx, stn_loop *loop, stn_zap **out, stn_err *err);
void stn_zap_free(stn_zap *zap);
/* denied(ctx, text): a peer was turned away, in words. *domain is borrowed until stn_zap_remove() or free. */
stn_status stn_zap_add(stn_zap *zap, const char *folder, void (*denied)(void *ctx, const char *text),
                       void *ctx, const char **domain, stn_err *err);
void stn_zap_remove(stn_zap *zap, const char *domain);

#endif
