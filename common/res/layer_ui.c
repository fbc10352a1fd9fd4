/* layer_ui.c - "tooltip", "pagina", "action", "font", "foodev": what menus show. Source:
 * docs/spec/resource-format.md 25. */
#include "res/internal.h"

stn_status stn_decode_text(stn_rd *c, stn_bytes *in, const void **out)
{
    return stn_decode_midi(c, in, out); /* all of the payload as well */
}

void stn_encode_text(stn_wr *w, const stn_res_layer *layer)
{
    stn_encode_midi(w, layer);
}

stn_status stn_decode_font(stn_rd *c, stn_bytes *in, const void **out)
{
    uint8_t version = stn_bytes_u8(in), type = stn_bytes_u8(in);

    if (version != 1 || type != 0)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "version %u type %u, known is 1 type 0", version, type);
    return stn_decode_midi(c, in, out);
}

void stn_encode_font(stn_wr *w, const stn_res_layer *layer)
{
    stn_buf_put(w->b, "\1", 2);
    stn_encode_midi(w, layer);
}

stn_status stn_decode_action(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_action *a = stn_rd_zalloc(c, 1, sizeof *a);

    if (!a)
        return stn_rd_end(c);
    a->parent = stn_rd_resref(c, in); /* the version stands there even behind an empty name */
    a->has_parent = *a->parent.name != 0;
    a->name = stn_rd_text(c, in);
    a->unused = stn_rd_text(c, in);
    a->hotkey = stn_bytes_u16(in);
    a->count = stn_bytes_u16(in);
    if (!stn_rd_fits(c, in, a->count, 1, "action words"))
        return stn_rd_end(c);
    const char **ad = stn_rd_alloc(c, a->count, sizeof *ad);
    for (uint32_t i = 0; ad && i < a->count; i++)
        ad[i] = stn_rd_text(c, in);
    a->ad = ad;
    *out = a;
    return stn_rd_end(c);
}

void stn_encode_action(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_action *a = layer->as.action;

    stn_wr_resref(w, &a->parent, "parent");
    stn_wr_text(w, a->name, "name");
    stn_wr_text(w, a->unused, "unused text");
    stn_buf_u16(w->b, a->hotkey);
    stn_wr_u16(w, a->count, "action words");
    for (uint32_t i = 0; i < a->count; i++)
        stn_wr_text(w, a->ad[i], "action word");
}

stn_status stn_decode_foodev(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_foodev *f = stn_rd_zalloc(c, 1, sizeof *f);
    uint8_t version = stn_bytes_u8(in);

    if (!f)
        return stn_rd_end(c);
    if (version != 1)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "version %u, known is 1", version);
    for (int k = 0; k < 4; k++)
        f->color[k] = stn_bytes_u8(in);
    f->name = stn_rd_text(c, in);
    f->sort = stn_bytes_i16(in);
    *out = f;
    return stn_rd_end(c);
}

void stn_encode_foodev(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_foodev *f = layer->as.foodev;

    stn_buf_u8(w->b, 1);
    stn_buf_put(w->b, f->color, 4);
    stn_wr_text(w, f->name, "name");
    stn_wr_i16(w, f->sort, "sort");
}
