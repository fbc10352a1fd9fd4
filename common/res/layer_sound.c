/* layer_sound.c - "audio2", "clamb", "midi". Source: docs/spec/resource-format.md 23. */
#include "res/internal.h"

static void rest(stn_rd *c, stn_bytes *in, const uint8_t **data, uint32_t *len)
{
    if (!stn_rd_ok(c))
        return;
    *len = (uint32_t)stn_bytes_left(in);
    *data = stn_bytes_take(in, *len);
}

/* Takes "vol" out of the table. */
static void take_volume(stn_rd *c, stn_res_audio *a, stn_entries all)
{
    const stn_value *vol = stn_entries_get(&all, "vol");
    stn_err err = {0};
    stn_entry *items = stn_rd_alloc(c, all.count, sizeof *items);
    uint32_t n = 0;

    for (uint32_t i = 0; items && i < all.count; i++)
        if (strcmp(all.items[i].key, "vol") != 0)
            items[n++] = all.items[i];
    a->info = (stn_entries){n, items};
    if (vol)
        stn_rd_convert(c, stn_value_as_double(vol, &a->volume, &err), &err, "vol");
}

stn_status stn_decode_audio(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_audio *a = stn_rd_zalloc(c, 1, sizeof *a);

    if (!a)
        return stn_rd_end(c);
    *out = a;
    a->version = stn_bytes_u8(in);
    a->volume = 1.0;
    if (a->version < 1 || a->version > 3)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "version %u, known are 1 to 3", a->version);
    a->id = stn_rd_text(c, in);
    if (a->version == 2)
        a->volume = stn_bytes_u16(in) * 0.001;
    if (a->version == 3) {
        stn_entries all = stn_rd_entries(c, in);
        if (stn_rd_ok(c))
            take_volume(c, a, all);
    }
    rest(c, in, &a->ogg, &a->ogg_len);
    return stn_rd_end(c);
}

void stn_encode_audio(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_audio *a = layer->as.audio;

    stn_buf_u8(w->b, 3);
    stn_wr_text(w, a->id, "id");
    if (a->volume != 1.0) {
        bool single = (double)(float)a->volume == a->volume;
        stn_value v =
            single ? stn_value_f32((float)a->volume) : (stn_value){.kind = STN_VALUE_F64, .u.f64 = a->volume};
        stn_wr_name(w, "vol", "key");
        stn_wr_value(w, &v);
    }
    stn_wr_entries(w, &a->info);
    if (a->ogg_len)
        stn_buf_put(w->b, a->ogg, a->ogg_len);
}

stn_status stn_decode_clamb(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_clamb *a = stn_rd_zalloc(c, 1, sizeof *a);
    uint8_t version = stn_bytes_u8(in);

    if (!a)
        return stn_rd_end(c);
    if (version < 1 || version > 2)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "version %u, known are 1 and 2", version);
    a->parent.name = "";
    if (version == 2) {
        a->parent.name = stn_rd_text(c, in);
        a->has_parent = *a->parent.name != 0;
        if (a->has_parent) /* an empty name has no version behind it */
            a->parent.version = stn_bytes_u16(in);
    }
    a->min_clips = stn_bytes_u8(in);
    a->max_clips = stn_bytes_u8(in);
    a->max_instances = stn_bytes_u16(in);
    a->volume = stn_bytes_f32(in);
    a->count = stn_bytes_u8(in);
    if (!stn_rd_fits(c, in, a->count, 5, "clips"))
        return stn_rd_end(c);
    stn_clamb_clip *clips = stn_rd_alloc(c, a->count, sizeof *clips);
    for (uint32_t i = 0; clips && i < a->count; i++) {
        clips[i].id = stn_rd_text(c, in);
        clips[i].mean = stn_bytes_f32(in);
        clips[i].rate = 1.0 / (double)clips[i].mean;
    }
    a->clips = clips;
    *out = a;
    return stn_rd_end(c);
}

void stn_encode_clamb(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_clamb *a = layer->as.clamb;

    stn_buf_u8(w->b, 2);
    if (a->has_parent)
        stn_wr_resref(w, &a->parent, "parent");
    else
        stn_buf_u8(w->b, 0);
    stn_buf_u8(w->b, a->min_clips);
    stn_buf_u8(w->b, a->max_clips);
    stn_buf_u16(w->b, a->max_instances);
    stn_buf_f32(w->b, a->volume);
    stn_wr_u8(w, a->count, "clips");
    for (uint32_t i = 0; i < a->count; i++) {
        stn_wr_text(w, a->clips[i].id, "clip");
        stn_buf_f32(w->b, a->clips[i].mean);
    }
}

stn_status stn_decode_midi(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_blob *b = stn_rd_zalloc(c, 1, sizeof *b);
    if (b)
        rest(c, in, &b->data, &b->len);
    *out = b;
    return stn_rd_end(c);
}

void stn_encode_midi(stn_wr *w, const stn_res_layer *layer)
{
    if (layer->as.blob->len)
        stn_buf_put(w->b, layer->as.blob->data, layer->as.blob->len);
}
