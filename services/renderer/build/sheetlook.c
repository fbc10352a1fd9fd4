#include "renderer/build/sheetlook.h"

#include "bus/array.h"
#include "map/coords.h"
#include "renderer/build/look.h"
#include "renderer/sprite/material.h"

#include <string.h>

static stn_sprite_fault material(stn_store *store, const stn_sprite_res *res, int32_t id, stn_matstate *out,
                                 stn_err *err)
{
    if (!stn_material_find(res, id))
        return stn_sprite_fail(err, STN_SPRITE_NO_LAYER, "%s has no material %d", res->name, id);
    return stn_look_of_material(store, res->name, res->version, id, NULL, -1, -1, out, err);
}

stn_sprite_fault stn_sheetlook_of(stn_store *store, const char *name, stn_sheet_look *out, stn_err *err)
{
    const stn_sprite_res *res;
    const stn_res_layer *layer;
    const stn_res_overlay *o;
    stn_sprite_fault f = stn_store_get(store, name, -1, &res, err);

    memset(out, 0, sizeof *out);
    if (f != STN_SPRITE_OK)
        return f;
    layer = stn_res_first(res->res, STN_LAYER_OVERLAY);
    if (!layer || !layer->as.overlay)
        return stn_sprite_fail(err, STN_SPRITE_NO_LAYER, "%s has no overlay layer", name);
    o = layer->as.overlay;
    for (uint32_t i = 0; i < o->tag_count; i++)
        out->always |= strcmp(o->tags[i], "show") == 0;
    f = material(store, res, o->mat_id, &out->fill, err);
    if (f == STN_SPRITE_OK && o->omat_id >= 0) {
        out->has_line = true;
        f = material(store, res, o->omat_id, &out->line, err);
    }
    return f;
}

bool stn_sheetlook_grid(stn_sheets *s, const Stenness__Grid *g, stn_frame *const *frames, size_t n_frames,
                        stn_err *err)
{
    static const stn_array_rule heights_rule = {"heights", STENNESS__ELEMENT_FORMAT__ELEMENT_F32,
                                                STN_GRID_CELLS, STN_GRID_CELLS, false};
    static const stn_array_rule mask_rule = {"overlays", STENNESS__ELEMENT_FORMAT__ELEMENT_NONE,
                                             STN_SHEETS_MASK_BYTES, STN_SHEETS_MASK_BYTES, false};
    stn_sheet_mask masks[STN_SHEETS_MASKS];
    stn_array heights, bits;
    size_t n = 0;
    stn_status st = stn_array_view(g->heights, frames, n_frames, &heights_rule, &heights, err);

    for (size_t i = 0; st == STN_OK && i < g->n_overlay_names && i < g->n_overlays && n < STN_SHEETS_MASKS;
         i++) {
        st = stn_array_view(g->overlays[i], frames, n_frames, &mask_rule, &bits, err);
        if (st == STN_OK && bits.stride != 1)
            st = stn_fail(err, STN_BAD_DATA, "overlays: elements of %zu bytes, one expected", bits.stride);
        masks[n++] = (stn_sheet_mask){g->overlay_names[i], bits.data};
    }
    if (st == STN_OK && !stn_sheets_grid(s, g->x, g->y, heights.data, masks, n))
        st = stn_fail(err, STN_NO_MEMORY, "a grid");
    if (st != STN_OK)
        stn_sheets_grid_drop(s, g->x, g->y); /* what it borrowed goes with the message before */
    return st == STN_OK;
}
