/* tls.h - a TLS connection to the login service, blocking with a deadline (login.h has the rules of trust).
 */
#ifndef STN_WORLD_SESSION_TLS_H
#define STN_WORLD_SESSION_TLS_H

#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_tls stn_tls;

/* deadline_ns on stn_clock_ns(). Addresses of the host are tried a quarter of a second apart; the first that
 * answers wins, and its text is put into `reached`. */
stn_status stn_tls_connect(const char *host, unsigned port, const char *anchors_pem, int64_t deadline_ns,
                           const atomic_bool *cancel, char *reached, size_t reached_cap, stn_tls **out,
                           stn_err *err);
void stn_tls_free(stn_tls *t);
stn_status stn_tls_write(stn_tls *t, const uint8_t *data, size_t len, stn_err *err);
/* At least one byte, at most cap; *len = 0: the other side ended. */
stn_status stn_tls_read(stn_tls *t, uint8_t *out, size_t cap, size_t *len, stn_err *err);

#endif
