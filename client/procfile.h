/* procfile.h - the list of pieces to run: "name: command" a line, '#' starts a comment line.
 *
 * Limits  64 pieces, names of 1..31 letters, digits, '-' and '_', each name once, commands up to 4095 bytes.
 * Source  docs/design.md 1 (Life and death).
 */
#ifndef STN_CLIENT_PROCFILE_H
#define STN_CLIENT_PROCFILE_H

#include "base/err.h"

#include <stddef.h>

#define STN_PROCFILE_MAX 64

typedef struct stn_piece {
    char *name;
    char *command; /* for /bin/sh, as any Procfile runner takes it */
} stn_piece;

typedef struct stn_procfile {
    stn_piece pieces[STN_PROCFILE_MAX];
    size_t count;
} stn_procfile;

/* The caller owns *out's storage; fini frees the texts. On error nothing is left to free; the text names the
 * line. */
stn_status stn_procfile_parse(const char *text, stn_procfile *out, stn_err *err);
void stn_procfile_fini(stn_procfile *p);

#endif
