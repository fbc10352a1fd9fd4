#include "world/session/tls.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ADDRESSES 16
#define STAGGER_NS (STN_S / 4)
#define LOOK_NS (STN_S / 10) /* how often a wait looks whether it is given up */

struct stn_tls {
    SSL_CTX *ctx;
    SSL *ssl;
    int fd;
    int64_t deadline_ns;
    const atomic_bool *cancel;
    STACK_OF(X509) * anchors;
};

static int anchors_index(void)
{
    static atomic_int index = -1;
    int i = atomic_load(&index);

    if (i < 0) {
        int fresh = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);

        if (!atomic_compare_exchange_strong(&index, &i, fresh))
            return i; /* another thread was faster; the slot made here stays unused */
        i = fresh;
    }
    return i;
}

static bool given_up(const stn_tls *t)
{
    return t->cancel && atomic_load(t->cancel);
}

/* ---- connecting */

static int start_connect(const struct addrinfo *a)
{
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Addresses one after the other, the next while those before are still trying; the first that answers. */
static int race(stn_tls *t, struct addrinfo *list, const struct addrinfo **won)
{
    const struct addrinfo *addr[ADDRESSES];
    struct pollfd fds[ADDRESSES];
    nfds_t n = 0;
    const struct addrinfo *next = list;
    int64_t next_at = 0;
    int winner = -1;

    while (winner < 0 && !given_up(t) && stn_clock_ns() < t->deadline_ns) {
        int64_t now = stn_clock_ns();
        bool trying = false;

        if (next && n < ADDRESSES && now >= next_at) {
            addr[n] = next;
            fds[n++] = (struct pollfd){.fd = start_connect(next), .events = POLLOUT};
            next = next->ai_next;
            next_at = now + STAGGER_NS;
        }
        for (nfds_t i = 0; i < n; i++)
            trying |= fds[i].fd >= 0;
        if (!trying && !next)
            break;
        if (!trying) {
            next_at = 0; /* nobody is left to wait for */
            continue;
        }
        poll(fds, n, (int)(LOOK_NS / STN_MS));
        for (nfds_t i = 0; i < n && winner < 0; i++) {
            int error = 0;
            socklen_t len = sizeof error;

            if (fds[i].fd < 0 || !fds[i].revents)
                continue;
            getsockopt(fds[i].fd, SOL_SOCKET, SO_ERROR, &error, &len);
            if (error) {
                close(fds[i].fd);
                fds[i].fd = -1;
            } else {
                winner = fds[i].fd;
                fds[i].fd = -1;
                *won = addr[i];
            }
        }
    }
    for (nfds_t i = 0; i < n; i++)
        if (fds[i].fd >= 0)
            close(fds[i].fd);
    return winner;
}

static stn_status connect_host(stn_tls *t, const char *host, unsigned port, char *reached, size_t cap,
                               stn_err *err)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    const struct addrinfo *won = NULL;
    char service[8];
    int rc;

    snprintf(service, sizeof service, "%u", port);
    rc = getaddrinfo(host, service, &hints, &list);
    if (rc)
        return stn_fail(err, STN_NOT_FOUND, "login service %s: %s", host, gai_strerror(rc));
    t->fd = race(t, list, &won);
    if (t->fd >= 0)
        getnameinfo(won->ai_addr, won->ai_addrlen, reached, (socklen_t)cap, NULL, 0, NI_NUMERICHOST);
    freeaddrinfo(list);
    if (t->fd >= 0)
        return STN_OK;
    if (given_up(t))
        return stn_fail(err, STN_CANCELLED, "login was given up");
    return stn_fail(err, STN_TIMEOUT, "login service %s port %u does not answer", host, port);
}

/* ---- trust */

/* The official authority's own certificate has ended. An anchor is trusted because we hold it, so its dates
 * say nothing; those of every other certificate do. */
static int check_certificate(int ok, X509_STORE_CTX *store)
{
    int error = X509_STORE_CTX_get_error(store);
    const SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    const stn_tls *t = ssl ? SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), anchors_index()) : NULL;
    X509 *cert = X509_STORE_CTX_get_current_cert(store);

    if (ok || !t || !cert || (error != X509_V_ERR_CERT_HAS_EXPIRED && error != X509_V_ERR_CERT_NOT_YET_VALID))
        return ok;
    for (int i = 0; i < sk_X509_num(t->anchors); i++) {
        if (X509_cmp(sk_X509_value(t->anchors, i), cert) == 0) {
            X509_STORE_CTX_set_error(store, X509_V_OK);
            return 1;
        }
    }
    return 0;
}

static bool names_host(X509 *leaf, const char *host)
{
    GENERAL_NAMES *names = X509_get_ext_d2i(leaf, NID_subject_alt_name, NULL, NULL);
    uint8_t addr[16];
    int addr_len = inet_pton(AF_INET, host, addr) == 1 ? 4 : inet_pton(AF_INET6, host, addr) == 1 ? 16 : 0;
    bool found = false;

    for (int i = 0; names && i < sk_GENERAL_NAME_num(names) && !found; i++) {
        const GENERAL_NAME *n = sk_GENERAL_NAME_value(names, i);

        if (!addr_len && n->type == GEN_DNS)
            found = ASN1_STRING_length(n->d.dNSName) == (int)strlen(host) &&
                    !memcmp(ASN1_STRING_get0_data(n->d.dNSName), host, strlen(host));
        else if (addr_len && n->type == GEN_IPADD)
            found = ASN1_STRING_length(n->d.iPAddress) == addr_len &&
                    !memcmp(ASN1_STRING_get0_data(n->d.iPAddress), addr, (size_t)addr_len);
    }
    GENERAL_NAMES_free(names);
    return found;
}

static stn_status load_anchors(stn_tls *t, const char *pem, stn_err *err)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509_STORE *store = SSL_CTX_get_cert_store(t->ctx);
    X509 *cert;

    t->anchors = sk_X509_new_null();
    while (bio && t->anchors && (cert = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL) {
        if (X509_STORE_add_cert(store, cert) != 1 || !sk_X509_push(t->anchors, cert)) {
            X509_free(cert);
            break;
        }
    }
    BIO_free(bio);
    ERR_clear_error(); /* the end of the text is an error there */
    return t->anchors && sk_X509_num(t->anchors) > 0
               ? STN_OK
               : stn_fail(err, STN_BAD_DATA, "the login service's authority: the file holds no certificate");
}

/* ---- talking */

/* After an SSL call that did not succeed: waits until it can go on. STN_OK: try again. */
static stn_status wait_for(stn_tls *t, int rc, const char *what, stn_err *err)
{
    int want = SSL_get_error(t->ssl, rc);
    struct pollfd p = {.fd = t->fd, .events = want == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN};

    if (want != SSL_ERROR_WANT_READ && want != SSL_ERROR_WANT_WRITE) {
        unsigned long e = ERR_get_error();
        char why[160] = "the connection ended";

        if (e)
            ERR_error_string_n(e, why, sizeof why);
        ERR_clear_error();
        return stn_fail(err, STN_IO, "login service, %s: %s", what, why);
    }
    while (stn_clock_ns() < t->deadline_ns) {
        if (given_up(t))
            return stn_fail(err, STN_CANCELLED, "login was given up");
        if (poll(&p, 1, (int)(LOOK_NS / STN_MS)) > 0)
            return STN_OK;
    }
    return stn_fail(err, STN_TIMEOUT, "login service, %s: no answer in time", what);
}

static stn_status handshake(stn_tls *t, const char *host, stn_err *err)
{
    struct in6_addr literal;
    bool is_name = inet_pton(AF_INET, host, &literal) != 1 && inet_pton(AF_INET6, host, &literal) != 1;
    X509 *leaf;
    bool named;
    long verdict;

    if (is_name && SSL_set_tlsext_host_name(t->ssl, host) != 1)
        return stn_fail(err, STN_USAGE, "\"%s\" is no host name", host);
    for (;;) {
        int rc = SSL_connect(t->ssl);
        stn_status st;

        if (rc == 1)
            break;
        verdict = SSL_get_verify_result(t->ssl);
        if (verdict != X509_V_OK) {
            ERR_clear_error();
            return stn_fail(err, STN_DENIED,
                            "login service %s: its certificate is not from the authority we know (%s)", host,
                            X509_verify_cert_error_string(verdict));
        }
        if ((st = wait_for(t, rc, "handshake", err)) != STN_OK)
            return st;
    }
    leaf = SSL_get1_peer_certificate(t->ssl);
    named = leaf && names_host(leaf, host);
    X509_free(leaf);
    return named ? STN_OK
                 : stn_fail(err, STN_DENIED, "login service %s: its certificate is for another host", host);
}

stn_status stn_tls_connect(const char *host, unsigned port, const char *anchors_pem, int64_t deadline_ns,
                           const atomic_bool *cancel, char *reached, size_t reached_cap, stn_tls **out,
                           stn_err *err)
{
    stn_tls *t = calloc(1, sizeof *t);
    stn_status st = STN_OK;

    *out = NULL;
    if (!t)
        return stn_fail(err, STN_NO_MEMORY, "login connection");
    t->fd = -1;
    t->deadline_ns = deadline_ns;
    t->cancel = cancel;
    t->ctx = SSL_CTX_new(TLS_client_method());
    if (!t->ctx || SSL_CTX_set_min_proto_version(t->ctx, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_ex_data(t->ctx, anchors_index(), t) != 1)
        st = stn_fail(err, STN_NO_MEMORY, "login connection");
    if (st == STN_OK)
        st = load_anchors(t, anchors_pem, err);
    if (st == STN_OK) {
        SSL_CTX_set_verify(t->ctx, SSL_VERIFY_PEER, check_certificate);
        st = connect_host(t, host, port, reached, reached_cap, err);
    }
    if (st == STN_OK) {
        t->ssl = SSL_new(t->ctx);
        st = t->ssl && SSL_set_fd(t->ssl, t->fd) == 1 ? handshake(t, host, err)
                                                      : stn_fail(err, STN_NO_MEMORY, "login connection");
    }
    if (st) {
        stn_tls_free(t);
        return st;
    }
    *out = t;
    return STN_OK;
}

void stn_tls_free(stn_tls *t)
{
    if (!t)
        return;
    SSL_free(t->ssl);
    SSL_CTX_free(t->ctx);
    sk_X509_pop_free(t->anchors, X509_free);
    if (t->fd >= 0)
        close(t->fd);
    free(t);
}

stn_status stn_tls_write(stn_tls *t, const uint8_t *data, size_t len, stn_err *err)
{
    while (len) {
        int rc = SSL_write(t->ssl, data, (int)len);
        stn_status st;

        if (rc > 0) {
            data += rc;
            len -= (size_t)rc;
        } else if ((st = wait_for(t, rc, "sending", err)) != STN_OK) {
            return st;
        }
    }
    return STN_OK;
}

stn_status stn_tls_read(stn_tls *t, uint8_t *out, size_t cap, size_t *len, stn_err *err)
{
    *len = 0;
    for (;;) {
        int rc = SSL_read(t->ssl, out, (int)cap);
        stn_status st;

        if (rc > 0) {
            *len = (size_t)rc;
            return STN_OK;
        }
        if (SSL_get_error(t->ssl, rc) == SSL_ERROR_ZERO_RETURN)
            return STN_OK;
        if ((st = wait_for(t, rc, "receiving", err)) != STN_OK)
            return st;
    }
}
