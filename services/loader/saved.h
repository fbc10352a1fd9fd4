/* saved.h - a reference from a stored record: a name and the version it had when the record was made.
 *
 * The server keeps only its latest version, so the recorded one often exists nowhere: any version at least
 * as new will do, then exactly the recorded one, then an older one at hand, then whatever is cached.
 * Source  docs/spec/resource-loading.md 2.9.
 */
#ifndef STN_LOADER_SAVED_H
#define STN_LOADER_SAVED_H

#include "loader/ask.h"

typedef struct stn_saved stn_saved;

/* name is copied; it is checked by the first get. version 0..65535. NULL: out of memory. */
stn_saved *stn_saved_new(unsigned pool, const char *name, int version);
void stn_saved_free(stn_asks *asks, stn_saved *saved); /* NULL is fine; lets go of what it holds */

typedef enum stn_saved_state {
    STN_SAVED_READY, /* object, kept for the reference's life */
    STN_SAVED_PENDING, /* ask: get again when it has ended */
    STN_SAVED_FAILED, /* first: how the ask for any version went */
} stn_saved_state;

typedef struct stn_saved_result {
    stn_saved_state state;
    stn_object *object;
    stn_asking *ask;
    stn_asked first; /* HIT never; an ask in it has failed. Valid for the reference's life */
} stn_saved_result;

/* Goes as far as it can without waiting. prio counts for asks made by this call. */
stn_status stn_saved_get(stn_asks *asks, stn_saved *saved, int prio, stn_saved_result *out, stn_err *err);
/* The greater of the recorded and the loaded version. */
int stn_saved_version(const stn_saved *saved);

#endif
