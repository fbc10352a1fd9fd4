/* udp.h - the game's socket: datagrams in and out, in batches. A thin shell.
 *
 * Sending failures count as loss, like everywhere in the protocol.
 */
#ifndef STN_HOMESTEAD_UDP_H
#define STN_HOMESTEAD_UDP_H

#include "homestead/server.h"

#define STN_UDP_BATCH 64

typedef struct stn_udp stn_udp;

/* host: an address literal; port 0 = any free one. Other than loopback is the caller's decision. */
stn_status stn_udp_open(const char *host, unsigned port, stn_udp **out, stn_err *err);
void stn_udp_free(stn_udp *u);
int stn_udp_fd(const stn_udp *u);
unsigned stn_udp_port(const stn_udp *u);
/* What has arrived, at most STN_UDP_BATCH datagrams, borrowed until the next call. */
size_t stn_udp_receive(stn_udp *u, const stn_server_datagram **out);
/* Gives how many could not be sent. */
size_t stn_udp_send(stn_udp *u, const stn_server_datagram *d, size_t n);

#endif
