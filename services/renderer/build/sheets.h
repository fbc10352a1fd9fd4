/* sheets.h - what the map marks on the ground of cuts: made from the grids' overlay masks, draped over the
 * ground.
 *
 * A cut's sheets are made when its ground has come, and anew when the marks around it change or other ground
 * comes; they leave with it. All of a cut go into one job (STN_JOB_SHEETS), an empty one when it has none any
 * more. Heights are the grids'; a product is asked only for tiles with a shape of their own. What cannot be
 * made yet (a resource on its way, a grid beside the cut that is not here) comes later; an overlay whose
 * resource cannot be had or is none is left out and said once.
 * Source: docs/spec/rendering.md 14.2; docs/spec/terrain-extras.md 8.1; docs/spec/map-cache.md 8.5.
 */
#ifndef STN_RENDERER_BUILD_SHEETS_H
#define STN_RENDERER_BUILD_SHEETS_H

#include "renderer/build/job.h"
#include "renderer/sprite/fault.h"

#define STN_SHEETS_MASKS 255 /* overlays of a grid; more are not looked at */

/* How an overlay is drawn. */
typedef struct stn_sheet_look {
    bool always; /* else only when a person asks for it */
    bool has_line; /* around what is marked */
    stn_matstate fill, line; /* textures are assets */
} stn_sheet_look;

typedef struct stn_sheets_ops {
    void *ctx;
    /* Of the overlay's resource: LOADING while it is on its way. */
    stn_sprite_fault (*look)(void *ctx, const char *name, stn_sheet_look *out, stn_err *err);
    /* Takes the job. False: the queue is full; the job is still ours. */
    bool (*give)(void *ctx, stn_job *job);
} stn_sheets_ops;

typedef struct stn_sheet_mask {
    const char *name; /* of the overlay's resource; copied */
    const uint8_t *bits; /* STN_SHEETS_MASK_BYTES, bit x + 100 y, least significant first */
} stn_sheet_mask;

#define STN_SHEETS_MASK_BYTES 1250

typedef struct stn_sheets stn_sheets;

stn_sheets *stn_sheets_new(const stn_sheets_ops *ops); /* NULL: out of memory */
void stn_sheets_free(stn_sheets *s); /* NULL is fine */
/* Another frame of reference: all is gone, and jobs carry its number. */
void stn_sheets_frame(stn_sheets *s, uint64_t frame);
/* A grid as it is now. `heights` (100 x 100 f32, index x + 100 y, at any address) and the masks' bits are
 * borrowed until the grid is given again (until that call has returned), dropped or its frame ends. False:
 * out of memory; the grid is then forgotten. */
bool stn_sheets_grid(stn_sheets *s, int32_t gx, int32_t gy, const uint8_t *heights,
                     const stn_sheet_mask *masks, size_t count);
void stn_sheets_grid_drop(stn_sheets *s, int32_t gx, int32_t gy);
/* The ground of a cut (cut coordinates) that was handed over; `data` is its product (map/product.h) and is
 * not kept. Errors as stn_product_open(), STN_NO_MEMORY: the cut is then without sheets. */
stn_status stn_sheets_cut(stn_sheets *s, int32_t x, int32_t y, uint64_t product, const void *data, size_t len,
                          stn_err *err);
void stn_sheets_cut_drop(stn_sheets *s, int32_t x, int32_t y);
/* Makes what is due and hands it over. */
void stn_sheets_tick(stn_sheets *s);
/* Cuts that are due still, and overlays of cuts that were left out in all. */
void stn_sheets_counts(const stn_sheets *s, size_t *due, uint64_t *left_out);

#endif
