/* socket.h - internal: one ZeroMQ socket with every limit set, and its monitor read as events in words.
 *
 * A door's socket is a ROUTER bound to one endpoint, a link's a DEALER connected to one. A socket is never
 * mended: after a failed handshake or a lost connection a link closes it and makes another, with backoff
 * (libzmq does not reconnect after a refused CURVE handshake, nor after a protocol error).
 */
#ifndef STN_BUS_SOCKET_H
#define STN_BUS_SOCKET_H

#include "base/err.h"
#include "bus/keys.h"

#include <stdbool.h>

typedef struct stn_socket stn_socket;

typedef struct stn_socket_spec {
    void *zctx;
    const char *endpoint;
    const char *routing_id; /* a link's stable id; NULL for a door */
    const stn_keys *keys; /* own pair; NULL = plain */
    const char *server_key; /* a link with keys */
    const char *zap_domain; /* a door with keys */
} stn_socket_spec;

typedef enum stn_socket_event_type {
    STN_SOCKET_READY, /* a link: handshake done, Hello can go */
    STN_SOCKET_CLOSED, /* the connection `fd` ended */
    STN_SOCKET_REFUSED, /* a handshake failed; `text` says why, as far as this side can know; "" when it
                           cannot */
} stn_socket_event_type;

typedef struct stn_socket_event {
    stn_socket_event_type type;
    int fd;
    bool told; /* REFUSED: the other side said why, or it is certain; false: a bare close */
    char text[STN_ERR_TEXT];
} stn_socket_event;

stn_status stn_socket_open(const stn_socket_spec *spec, stn_socket **out, stn_err *err);
/* What is queued gets at most linger_ms to leave, after this returned. */
void stn_socket_close(stn_socket *s, int linger_ms);

void *stn_socket_zmq(const stn_socket *s);
void *stn_socket_monitor(const stn_socket *s);
const char *stn_socket_endpoint(const stn_socket *s); /* as bound: with the port the system chose */
/* A door: the connection has said who it is; its address need not be kept for a diagnosis. */
void stn_socket_known(stn_socket *s, int fd);
/* The next event of the monitor; false when there is none. */
bool stn_socket_next_event(stn_socket *s, stn_socket_event *event);

#endif
