/* child.h - a `stenness` of our own in the background, ended with us whatever happens. */
#ifndef STN_CLIENT_CHILD_H
#define STN_CLIENT_CHILD_H

#include "base/err.h"

#include <stdbool.h>

typedef struct stn_child stn_child;

/* Starts this very program with argv (argv[0] is shown only), in a group of its own, killed when we die. */
stn_status stn_child_start(const char *const *argv, stn_child **out, stn_err *err);
bool stn_child_alive(stn_child *child);
/* SIGTERM, and SIGKILL after 4 s; waits; frees. NULL is fine. */
void stn_child_end(stn_child *child);

#endif
