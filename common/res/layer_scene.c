/* layer_scene.c - "overlay", "obst", "neg", "props". Source: docs/spec/resource-format.md 21 and 22. */
#include "res/internal.h"

/* ---- overlay ---- */

static void read_overlay_part(stn_rd *c, const stn_value *v, stn_res_overlay *o)
{
    stn_err err = {0};
    const char *head;

    if (v->kind != STN_VALUE_LIST || v->u.list.count == 0 || v->u.list.items[0].kind != STN_VALUE_TEXT) {
        stn_rd_fail(c, STN_FAULT_VALUE, "an element is no list that starts with a text");
        return;
    }
    const stn_values *l = &v->u.list;
    head = l->items[0].u.text;
    if (strcmp(head, "tags") == 0) {
        const char **tags = stn_rd_alloc(c, l->count, sizeof *tags);
        if (!tags)
            return;
        for (uint32_t i = 1; i < l->count; i++)
            if (stn_rd_convert(c, stn_value_as_text(&l->items[i], &tags[i - 1], &err), &err, "tag") != STN_OK)
                return;
        o->tag_count = l->count - 1;
        o->tags = tags;
    } else if (strcmp(head, "mat") == 0 || strcmp(head, "omat") == 0) {
        int32_t *to = *head == 'm' ? &o->mat_id : &o->omat_id;
        if (l->count < 2)
            stn_rd_fail(c, STN_FAULT_VALUE, "\"%s\" without a number", head);
        else
            stn_rd_convert(c, stn_value_as_int(&l->items[1], to, &err), &err, head);
    }
}

stn_status stn_decode_overlay(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_overlay *o = stn_rd_zalloc(c, 1, sizeof *o);
    uint8_t version = stn_bytes_u8(in);
    stn_values parts = {0};

    if (!o)
        return stn_rd_end(c);
    if (version != 1)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "version %u, known is 1", version);
    o->omat_id = -1;
    parts = stn_rd_values(c, in);
    for (uint32_t i = 0; stn_rd_ok(c) && i < parts.count; i++)
        read_overlay_part(c, &parts.items[i], o);
    *out = o;
    return stn_rd_end(c);
}

static void put_pair(stn_wr *w, const char *head, int32_t v)
{
    stn_value items[2] = {stn_value_text(head), stn_value_int(v)};
    stn_value list = stn_value_list(items, 2);
    stn_wr_value(w, &list);
}

void stn_encode_overlay(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_overlay *o = layer->as.overlay;

    stn_buf_u8(w->b, 1);
    if (o->tag_count) {
        stn_value head = stn_value_text("tags");
        stn_buf_u8(w->b, STN_TAG_LIST);
        stn_wr_value(w, &head);
        for (uint32_t i = 0; i < o->tag_count; i++) {
            stn_value tag = stn_value_text(o->tags[i]);
            stn_wr_value(w, &tag);
        }
        stn_buf_u8(w->b, STN_TAG_END);
    }
    put_pair(w, "mat", o->mat_id);
    if (o->omat_id != -1)
        put_pair(w, "omat", o->omat_id);
    stn_buf_u8(w->b, STN_TAG_END);
}

/* ---- obst ---- */

#define TILE_UNITS 11.0 /* stored in tiles, kept in world units */

stn_status stn_decode_obst(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_obst *o = stn_rd_zalloc(c, 1, sizeof *o);

    if (!o)
        return stn_rd_end(c);
    *out = o;
    o->version = stn_bytes_u8(in);
    o->id = "";
    if (o->version != 1 && o->version != 2) { /* a layer all the same, by which nothing is found */
        o->id = "#";
        return stn_rd_end(c);
    }
    if (o->version == 2)
        o->id = stn_rd_text(c, in);
    uint32_t n = stn_bytes_u8(in);
    const uint8_t *counts = stn_bytes_take(in, n);
    stn_obst_ring *rings = counts ? stn_rd_alloc(c, n, sizeof *rings) : NULL;
    if (!rings)
        return stn_rd_end(c);
    o->count = n;
    o->rings = rings;
    for (uint32_t i = 0; i < n; i++) {
        double(*points)[2] = NULL;
        if (stn_rd_fits(c, in, counts[i], 4, "outline points"))
            points = stn_rd_alloc(c, counts[i], sizeof *points);
        if (!points)
            break;
        for (int p = 0; p < counts[i]; p++)
            for (int k = 0; k < 2; k++)
                points[p][k] = (double)stn_res_f16(stn_bytes_u16(in)) * TILE_UNITS;
        rings[i] = (stn_obst_ring){counts[i], (const double(*)[2])points};
    }
    return stn_rd_end(c);
}

void stn_encode_obst(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_obst *o = layer->as.obst;

    if (o->version != 1 && o->version != 2 && o->count == 0 && strcmp(o->id, "#") == 0) {
        stn_buf_u8(w->b, o->version);
        return;
    }
    stn_buf_u8(w->b, *o->id ? 2 : 1);
    if (*o->id)
        stn_wr_text(w, o->id, "id");
    stn_wr_u8(w, o->count, "rings");
    for (uint32_t i = 0; i < o->count; i++)
        stn_wr_u8(w, o->rings[i].count, "points of a ring");
    for (uint32_t i = 0; i < o->count; i++)
        for (uint32_t p = 0; p < o->rings[i].count; p++)
            for (int k = 0; k < 2; k++)
                stn_buf_u16(w->b, stn_res_to_f16((float)(o->rings[i].points[p][k] / TILE_UNITS)));
}

/* ---- neg ---- */

static void read_coord16(stn_bytes *in, int32_t out[2])
{
    out[0] = stn_bytes_i16(in);
    out[1] = stn_bytes_i16(in);
}

stn_status stn_decode_neg(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_neg *n = stn_rd_zalloc(c, 1, sizeof *n);

    if (!n)
        return stn_rd_end(c);
    *out = n;
    read_coord16(in, n->cc);
    read_coord16(in, n->ac);
    read_coord16(in, n->bc);
    for (int k = 0; k < 4; k++)
        n->unread[k] = stn_bytes_u8(in);
    for (uint8_t rings = stn_bytes_u8(in); rings > 0 && stn_rd_ok(c); rings--) {
        uint8_t id = stn_bytes_u8(in);
        uint32_t count = stn_bytes_u16(in);
        if (id > 7)
            return stn_rd_fail(c, STN_FAULT_RANGE, "ring id %u, known are 0 to 7", id);
        if (!stn_rd_fits(c, in, count, 4, "ring points"))
            break;
        int16_t(*points)[2] = stn_rd_alloc(c, count, sizeof *points);
        for (uint32_t p = 0; points && p < count; p++)
            for (int k = 0; k < 2; k++)
                points[p][k] = stn_bytes_i16(in);
        n->ep[id].count = points ? count : 0;
        n->ep[id].points = (const int16_t(*)[2])points;
    }
    return stn_rd_end(c);
}

static void put_coord16(stn_wr *w, const int32_t v[2], const char *what)
{
    stn_wr_i16(w, v[0], what);
    stn_wr_i16(w, v[1], what);
}

void stn_encode_neg(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_neg *n = layer->as.neg;
    uint8_t rings = 0;

    put_coord16(w, n->cc, "hot spot");
    put_coord16(w, n->ac, "click box");
    put_coord16(w, n->bc, "click box");
    stn_buf_put(w->b, n->unread, 4);
    for (int i = 0; i < 8; i++)
        rings = (uint8_t)(rings + (n->ep[i].count > 0));
    stn_buf_u8(w->b, rings);
    for (int i = 0; i < 8; i++) {
        if (!n->ep[i].count)
            continue;
        stn_buf_u8(w->b, (uint8_t)i);
        stn_wr_u16(w, n->ep[i].count, "ring points");
        for (uint32_t p = 0; p < n->ep[i].count; p++)
            for (int k = 0; k < 2; k++)
                stn_buf_u16(w->b, (uint16_t)n->ep[i].points[p][k]);
    }
}

/* ---- props ---- */

stn_status stn_decode_props(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_props *p = stn_rd_zalloc(c, 1, sizeof *p);
    uint8_t version = stn_bytes_u8(in);
    stn_err err = {0};

    if (!p)
        return stn_rd_end(c);
    if (version != 1)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "version %u, known is 1", version);
    stn_values l = stn_rd_values(c, in);
    stn_entry *items = stn_rd_ok(c) ? stn_rd_alloc(c, l.count / 2, sizeof *items) : NULL;
    for (uint32_t i = 0; items && i < l.count / 2; i++) { /* a last key without a value is dropped */
        if (stn_rd_convert(c, stn_value_as_text(&l.items[2 * (size_t)i], &items[i].key, &err), &err, "key") !=
            STN_OK)
            break;
        items[i].value = l.items[2 * (size_t)i + 1];
    }
    p->props = (stn_entries){l.count / 2, items};
    *out = p;
    return stn_rd_end(c);
}

void stn_encode_props(stn_wr *w, const stn_res_layer *layer)
{
    const stn_entries *e = &layer->as.props->props;

    stn_buf_u8(w->b, 1);
    for (uint32_t i = 0; i < e->count; i++) {
        stn_value key = stn_value_text(e->items[i].key);
        stn_wr_value(w, &key);
        stn_wr_value(w, &e->items[i].value);
    }
    stn_buf_u8(w->b, STN_TAG_END);
}
