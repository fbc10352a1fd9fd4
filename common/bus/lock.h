/* lock.h - who has bound a name.
 *
 * A second bind on an ipc path silently steals it, so each bound name has a lock file beside its socket
 * (NAME.lock), locked (fcntl, open file description) for the life of the process and carrying its pid as
 * text. A kill releases it; the file and the socket that stay behind do not hinder the next start.
 */
#ifndef STN_BUS_LOCK_H
#define STN_BUS_LOCK_H

#include "base/err.h"

#include <stdbool.h>

typedef struct stn_lock stn_lock;

/* STN_BUSY with "NAME: already running (pid N)" when another holds it. The folder is prepared. */
stn_status stn_lock_take(const char *instance, const char *name, stn_lock **out, stn_err *err);
void stn_lock_free(stn_lock *lock); /* releases; NULL is fine */

/* ctl/KIND.N with the lowest free N from 0; *number = N. STN_BUSY when all of 0 to 255 are taken. */
stn_status stn_lock_take_number(const char *instance, const char *kind, unsigned *number, stn_lock **out,
                                stn_err *err);

/* The pid of the holder, 0 when nobody holds it. Takes nothing. */
int stn_lock_holder(const char *instance, const char *name);

#endif
