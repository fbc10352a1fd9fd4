/* run.h - `stenness run`: the supervisor of one instance. docs/design.md 1 (Life and death). */
#ifndef STN_CLIENT_RUN_H
#define STN_CLIENT_RUN_H

#include "base/err.h"
#include "client/procfile.h"

#include <stdint.h>

typedef struct stn_run_config {
    const char *instance;
    const char *procfile_path;
    const char *bin_dir; /* put in front of PATH for the pieces */
    const char *leader; /* the piece whose exit with 0 ends all; "" = none */
    const char *without; /* a piece that is left out, "" = none */
    const char
        *password; /* handed to the piece `world` through a pipe, never through arguments; NULL = none */
    const char *state_path; /* JSON of what runs, for `stenness status`; rewritten whole at each change */
} stn_run_config;

/* Blocks until all has ended; *exit_status is what the command leaves with. Owns the process's signal mask
 * meanwhile: SIGTERM, SIGINT and SIGHUP end all pieces. */
stn_status stn_run(const stn_run_config *config, int *exit_status, stn_err *err);

#endif
