/* loop_internal.h - what only the bus library itself sees of the loop. */
#ifndef STN_BUS_LOOP_INTERNAL_H
#define STN_BUS_LOOP_INTERNAL_H

#include "bus/loop.h"

#include "proto/tape.pb-c.h"

/* A ZeroMQ socket: fn runs in each turn while it can be read, and must drain a bounded portion. */
stn_status stn_loop_watch_socket(stn_loop *loop, void *socket, stn_fd_fn fn, void *ctx, stn_watch **out,
                                 stn_err *err);

/* To be said after anything that was done with the socket outside fn: sent, received, asked. NULL is nobody.
 */
void stn_watch_used(stn_watch *watch);
/* To be said in fn after a receive that found nothing: until it is used again, only its descriptor tells. */
void stn_watch_drained(stn_watch *watch);

/* An edge of a turn that is no message, seen by the tap. */
typedef struct stn_edge {
    Stenness__TapType what;
    uint32_t id; /* type of an input or output, number of a timer */
    uint32_t source;
    const char *name;
    const uint8_t *data;
    size_t len;
    bool secret;
} stn_edge;
typedef void (*stn_edge_fn)(void *ctx, const stn_turn *turn, const stn_edge *edge);
/* NULL: nobody looks, which costs one test an edge. */
void stn_loop_observe(stn_loop *loop, stn_edge_fn fn, void *ctx);

#endif
