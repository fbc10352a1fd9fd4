/* dirwatch.h - tells which NAME.res files below a folder were written, by inotify.
 *
 * A name is told once its file was closed after writing, or was moved into its place, and nothing more
 * happened below the folder for 0.1 s (at most 1 s after the first change): editors and builds write in
 * several steps. Folders made later are watched too, and what they hold by then is told. Links are not
 * followed. Over STN_DIRWATCH_FOLDERS folders, and of more than STN_DIRWATCH_NAMES changes at once, the rest
 * goes unseen; that is logged.
 */
#ifndef STN_LOADER_DIRWATCH_H
#define STN_LOADER_DIRWATCH_H

#include "bus/loop.h"

#define STN_DIRWATCH_FOLDERS 1024
#define STN_DIRWATCH_NAMES 4096

typedef struct stn_dirwatch stn_dirwatch;

/* name: without ".res"; whether it is a valid one is for the callee to see. Called on the loop's thread. */
typedef void (*stn_dirwatch_fn)(void *ctx, const char *name);

stn_status stn_dirwatch_new(stn_loop *loop, const char *folder, stn_dirwatch_fn fn, void *ctx,
                            stn_dirwatch **out, stn_err *err);
void stn_dirwatch_free(stn_dirwatch *w); /* NULL is fine */

#endif
