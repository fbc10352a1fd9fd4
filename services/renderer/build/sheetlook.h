/* sheetlook.h - what the sheets of the ground are made from: overlays' resources and grids as they came. */
#ifndef STN_RENDERER_BUILD_SHEETLOOK_H
#define STN_RENDERER_BUILD_SHEETLOOK_H

#include "bus/frame.h"
#include "renderer/build/sheets.h"
#include "renderer/build/store.h"

#include "proto/world.pb-c.h"

/* By the resource's `overlay` layer: which of its materials, and whether it is always shown (tag `show`).
 * LOADING; NO_LAYER without an overlay layer or the material it names, and what the store says when the
 * resource cannot be had. Source: docs/spec/terrain-extras.md 8.1. */
stn_sprite_fault stn_sheetlook_of(stn_store *store, const char *name, stn_sheet_look *out, stn_err *err);

/* Gives the sheets the grid `g`, whose arrays lie in `frames`; those must live until the next of that place.
 * False: its heights or a mask are broken (err says which) and the grid is not here for the sheets. */
bool stn_sheetlook_grid(stn_sheets *s, const Stenness__Grid *g, stn_frame *const *frames, size_t n_frames,
                        stn_err *err);

#endif
