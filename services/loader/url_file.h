/* url_file.h - where this instance's homestead serves its resources: {"http": URL, "identity": TEXT?} in
 * its homestead.json.
 */
#ifndef STN_LOADER_URL_FILE_H
#define STN_LOADER_URL_FILE_H

#include "base/err.h"

/* Both are the caller's (free()); *identity is NULL when the file has none. STN_NOT_FOUND: no file. */
stn_status stn_url_file_read(const char *path, char **url, char **identity, stn_err *err);

#endif
