/* folders.h - where a person's files of each kind lie.
 *
 * As the XDG base directory specification has it: the variable of the kind when it names an absolute folder,
 * else the usual place below HOME; everything of ours below `stenness` there.
 */
#ifndef STN_BASE_FOLDERS_H
#define STN_BASE_FOLDERS_H

#include "base/err.h"

#include <stddef.h>

typedef enum stn_folder_kind {
    STN_FOLDER_CACHE, /* XDG_CACHE_HOME, ~/.cache: may be lost at any time */
    STN_FOLDER_CONFIG, /* XDG_CONFIG_HOME, ~/.config */
    STN_FOLDER_DATA, /* XDG_DATA_HOME, ~/.local/share */
    STN_FOLDER_STATE /* XDG_STATE_HOME, ~/.local/state */
} stn_folder_kind;

/* FOLDER/stenness, with /BELOW when that is not NULL. Makes nothing. STN_NOT_FOUND: neither the variable nor
 * HOME says where; STN_TOO_BIG: it does not fit. out is "" then. */
stn_status stn_folder(stn_folder_kind kind, const char *below, char *out, size_t cap, stn_err *err);

#endif
