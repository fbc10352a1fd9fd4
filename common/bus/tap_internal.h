/* tap_internal.h - the edges where the bus calls the tap. Each caller tests stn_tap_is_on() first. */
#ifndef STN_BUS_TAP_INTERNAL_H
#define STN_BUS_TAP_INTERNAL_H

#include "bus/tap.h"

stn_status stn_tap_new(stn_bus *bus, stn_tap **out, stn_err *err);
void stn_tap_free(stn_tap *tap);
/* The listener has room again, or time has passed. */
void stn_tap_drain(stn_tap *tap);
/* env->peer is the sender: for OUT it is ours, so the other side is named by `peer`. */
void stn_tap_message(stn_tap *tap, Stenness__TapType what, const stn_peer *peer, const stn_envelope *env,
                     const stn_handler *handler, stn_frame *body, stn_frame *const *bulk, size_t n_bulk);
void stn_tap_peer(stn_tap *tap, Stenness__TapType what, const stn_peer *peer, unsigned why);

#endif
