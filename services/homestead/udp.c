#include "homestead/udp.h"

#include "session/wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BUFFER_BYTES (4 << 20) /* asked for; the kernel gives what it allows */

struct stn_udp {
    int fd;
    unsigned port;
    struct mmsghdr in[STN_UDP_BATCH], out[STN_UDP_BATCH];
    struct iovec in_io[STN_UDP_BATCH], out_io[STN_UDP_BATCH];
    struct sockaddr_in6 from[STN_UDP_BATCH];
    stn_server_datagram datagrams[STN_UDP_BATCH];
    uint8_t data[STN_UDP_BATCH][STN_DATAGRAM_MAX];
};

stn_status stn_udp_open(const char *host, unsigned port, stn_udp **out, stn_err *err)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    bool is_four = inet_pton(AF_INET, host, &four.sin_addr) == 1;
    struct sockaddr *addr = is_four ? (struct sockaddr *)&four : (struct sockaddr *)&six;
    socklen_t len = is_four ? sizeof four : sizeof six;
    int bytes = BUFFER_BYTES;
    stn_udp *u;

    *out = NULL;
    if (!is_four && inet_pton(AF_INET6, host, &six.sin6_addr) != 1)
        return stn_fail(err, STN_USAGE, "\"%s\" is no address to listen at; use 127.0.0.1 or ::1", host);
    u = calloc(1, sizeof *u);
    if (!u)
        return stn_fail(err, STN_NO_MEMORY, "socket buffers");
    u->fd = socket(addr->sa_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (u->fd < 0 || bind(u->fd, addr, len) || getsockname(u->fd, addr, &len)) {
        stn_fail(err, errno == EADDRINUSE ? STN_BUSY : STN_IO, "udp %s port %u: %s", host, port,
                 strerror(errno));
        stn_udp_free(u);
        return err ? err->code : STN_IO;
    }
    u->port = ntohs(is_four ? four.sin_port : six.sin6_port);
    /* A new client is sent hundreds of datagrams at once; smaller buffers only mean that more is repeated. */
    setsockopt(u->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
    setsockopt(u->fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    for (unsigned i = 0; i < STN_UDP_BATCH; i++) {
        u->in_io[i] = (struct iovec){u->data[i], sizeof u->data[i]};
        u->in[i].msg_hdr = (struct msghdr){.msg_name = &u->from[i], .msg_iov = &u->in_io[i], .msg_iovlen = 1};
    }
    *out = u;
    return STN_OK;
}

void stn_udp_free(stn_udp *u)
{
    if (!u)
        return;
    if (u->fd >= 0)
        close(u->fd);
    free(u);
}

int stn_udp_fd(const stn_udp *u)
{
    return u->fd;
}

unsigned stn_udp_port(const stn_udp *u)
{
    return u->port;
}

size_t stn_udp_receive(stn_udp *u, const stn_server_datagram **out)
{
    size_t good = 0;
    int n;

    for (unsigned i = 0; i < STN_UDP_BATCH; i++)
        u->in[i].msg_hdr.msg_namelen = sizeof u->from[i];
    n = recvmmsg(u->fd, u->in, STN_UDP_BATCH, MSG_DONTWAIT, NULL);
    *out = u->datagrams;
    /* An error here is a report about an earlier send (no such port); the client will fall silent by itself.
     */
    for (int i = 0; i < n; i++) {
        stn_server_datagram *d = &u->datagrams[good];
        socklen_t len = u->in[i].msg_hdr.msg_namelen;

        if (!len || len > sizeof d->addr.bytes)
            continue;
        d->addr = (stn_conn_addr){.len = (uint8_t)len};
        memcpy(d->addr.bytes, &u->from[i], len);
        d->data = u->data[i];
        d->len = u->in[i].msg_len;
        good++;
    }
    return good;
}

size_t stn_udp_send(stn_udp *u, const stn_server_datagram *d, size_t n)
{
    size_t lost = 0;

    for (size_t at = 0; at < n;) {
        unsigned batch = n - at < STN_UDP_BATCH ? (unsigned)(n - at) : STN_UDP_BATCH;
        int sent;

        for (unsigned i = 0; i < batch; i++) {
            /* sendmmsg() does not write to the data; the type has no const. */
            u->out_io[i] = (struct iovec){(void *)(uintptr_t)d[at + i].data, d[at + i].len};
            u->out[i].msg_hdr = (struct msghdr){.msg_name = (void *)(uintptr_t)d[at + i].addr.bytes,
                                                .msg_namelen = d[at + i].addr.len,
                                                .msg_iov = &u->out_io[i],
                                                .msg_iovlen = 1};
        }
        sent = sendmmsg(u->fd, u->out, batch, MSG_DONTWAIT);
        if (sent <= 0) {
            lost++; /* the first could not be sent; go on behind it */
            sent = 1;
        }
        at += (size_t)sent;
    }
    return lost;
}
