/* res_preview.h - `stenness res preview`: a resource as a PNG. */
#ifndef STN_CLIENT_RES_PREVIEW_H
#define STN_CLIENT_RES_PREVIEW_H

#include "base/err.h"

typedef struct stn_rv_options {
    const char *size; /* "WxH" in pixels, NULL = 512x512 */
    const char *state; /* state bytes in hex, NULL = none */
    const char *turn; /* degrees, NULL = 0 */
    const char *seconds; /* how long animations ran, NULL = 0 */
    const char *root; /* folder of the other resources; NULL = the folders above the file */
} stn_rv_options;

/* Draws the file's resource and writes `out`. Says on standard output what was drawn, on standard error what
 * was missing. STN_USAGE: an option that makes no sense. */
stn_status stn_rv_preview(const char *file, const char *out, const stn_rv_options *options, stn_err *err);

#endif
