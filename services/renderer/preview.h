/* preview.h - one resource as a picture: its model seen from above and aside, or its own picture.
 *
 * Opens a headless surface for as long as it draws, so one at a time and not beside a window of the same
 * process. Draws with the parts that the window draws with: sprite, look, view. Other resources that the
 * model links to are asked for; what cannot be had is left out and counted.
 */
#ifndef STN_RENDERER_PREVIEW_H
#define STN_RENDERER_PREVIEW_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_PREVIEW_MAX 4096 /* pixels a side */

typedef struct stn_preview_options {
    int width, height; /* 16 to STN_PREVIEW_MAX */
    const uint8_t *sdt; /* state bytes; NULL: none, or those that show something, see stn_preview.state */
    size_t sdt_len;
    double turn; /* of the view around the model, radians */
    double seconds; /* animations run for that long first, 0..600 */
    /* Another resource, malloc()ed. NULL: there are none. */
    stn_status (*find)(void *user, const char *name, int32_t version, uint8_t **data, size_t *len,
                       stn_err *err);
    void *user;
} stn_preview_options;

typedef struct stn_preview {
    uint8_t *rgba; /* width * height * 4, top row first; free() */
    int width, height; /* as asked for; of a flat picture its own */
    bool model; /* else the resource's own picture */
    uint32_t state; /* the mask of layers that was chosen, 0 = no state bytes */
    unsigned missing; /* resources that could not be had, and pieces of unknown code */
    char first_missing[160];
} stn_preview;

/* STN_NOT_FOUND: nothing in it can be seen. *out is empty on error. */
stn_status stn_preview_draw(const char *name, const uint8_t *data, size_t len, const stn_preview_options *o,
                            stn_preview *out, stn_err *err);

#endif
