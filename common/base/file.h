/* file.h - whole files, written so that no reader ever sees half of one. */
#ifndef STN_BASE_FILE_H
#define STN_BASE_FILE_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads all of a regular file into fresh memory (free()), with a NUL behind it that *len does not count.
 * max_bytes bounds it (STN_TOO_BIG). STN_NOT_FOUND when absent. */
stn_status stn_file_read(const char *path, size_t max_bytes, uint8_t **data, size_t *len, stn_err *err);

/* Writes to a temporary name in the same folder, syncs when `sync`, and renames. mode as for open(2), e.g.
 * 0600. */
stn_status stn_file_write(const char *path, const void *data, size_t len, unsigned mode, bool sync,
                          stn_err *err);

/* Makes the folder and its parents; existing ones are fine. */
stn_status stn_file_mkdirs(const char *path, unsigned mode, stn_err *err);

#endif
