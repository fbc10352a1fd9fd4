/* paths.h - where the command finds its own files, in a build folder or installed: both have bin/ and
 * share/stenness/. */
#ifndef STN_CLIENT_PATHS_H
#define STN_CLIENT_PATHS_H

#include "base/err.h"
#include "base/opts.h"

#include <stddef.h>

/* The folder of the running program. */
stn_status stn_client_bin(char *out, size_t cap, stn_err *err);
/* --procfile, or share/stenness/Procfile beside bin. STN_NOT_FOUND says where it was looked for. */
stn_status stn_client_procfile(const stn_opts *opts, char *out, size_t cap, stn_err *err);

/* Removes the runtime folder of an instance that has ended (sockets, locks, state); silent when there is
 * none. */
void stn_client_forget(const char *instance);

#endif
