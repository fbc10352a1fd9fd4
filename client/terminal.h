/* terminal.h - asking the person. */
#ifndef STN_CLIENT_TERMINAL_H
#define STN_CLIENT_TERMINAL_H

#include "base/err.h"

#include <stddef.h>

/* Asks for a password on the controlling terminal without showing it. STN_USAGE when there is no terminal,
 * the answer is empty or does not fit. The caller wipes `out`. */
stn_status stn_terminal_password(const char *user, char *out, size_t cap, stn_err *err);

#endif
