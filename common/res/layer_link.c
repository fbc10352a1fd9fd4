/* layer_link.c - "rlink" and "slink": what a resource shows of others. Source:
 * docs/spec/resource-format.md 19. */
#include "base/table.h"
#include "res/internal.h"

stn_status stn_decode_rlink(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_rlink *l = stn_rd_zalloc(c, 1, sizeof *l);
    uint8_t v = stn_bytes_u8(in), type = v;

    if (!l)
        return stn_rd_end(c);
    if (v > 4)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "version %u, known are 0 to 4", v);
    l->id = -1;
    l->res.name = l->mat.name = "";
    if (v >= 3) {
        l->id = stn_bytes_i16(in);
        type = stn_bytes_u8(in);
    }
    if (v == 4)
        l->info = stn_rd_entries(c, in);
    if (type > STN_RLINK_SPRITE)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "type %u, known are 0 to 4", type);
    l->type = (stn_rlink_type)type;
    l->res = stn_rd_resref(c, in);
    switch (l->type) {
    case STN_RLINK_MESHMAT:
        l->mesh_id = stn_bytes_i16(in);
        l->mat = stn_rd_resref(c, in);
        l->mat_id = stn_bytes_i16(in);
        break;
    case STN_RLINK_COLLECT:
        l->mesh_id = stn_bytes_i16(in);
        l->mesh_mask = stn_rd_ok(c) && stn_bytes_left(in) == 0 ? -1 : stn_bytes_i16(in);
        break;
    case STN_RLINK_PARAMS:
        if (stn_rd_ok(c))
            l->args = stn_rd_values(c, in);
        break;
    case STN_RLINK_AMBIENT:
    case STN_RLINK_SPRITE:
        break;
    }
    *out = l;
    return stn_rd_end(c);
}

void stn_encode_rlink(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_rlink *l = layer->as.rlink;

    stn_buf_u8(w->b, 4);
    stn_wr_i16(w, l->id, "id");
    stn_wr_u8(w, l->type, "type");
    stn_wr_entries(w, &l->info);
    stn_wr_resref(w, &l->res, "resource");
    if (l->type == STN_RLINK_MESHMAT || l->type == STN_RLINK_COLLECT)
        stn_wr_i16(w, l->mesh_id, "mesh id");
    if (l->type == STN_RLINK_COLLECT)
        stn_wr_i16(w, l->mesh_mask, "mesh mask");
    if (l->type == STN_RLINK_MESHMAT) {
        stn_wr_resref(w, &l->mat, "material resource");
        stn_wr_i16(w, l->mat_id, "material id");
    }
    if (l->type == STN_RLINK_PARAMS)
        stn_wr_values(w, &l->args, true);
}

/* ---- slink ---- */

/* Entries are looked up among those already read, the latest of an id; values are index + 1. */
static int32_t entry_of(const stn_table *latest, int32_t id)
{
    return (int32_t)(intptr_t)stn_table_get(latest, (uint32_t)id) - 1;
}

static void read_switch(stn_rd *c, stn_bytes *in, const stn_table *latest, stn_slink_entry *e)
{
    e->is_switch = true;
    e->count = stn_bytes_u8(in);
    if (!stn_rd_fits(c, in, e->count, 3, "branches"))
        return;
    stn_slink_branch *b = stn_rd_zalloc(c, e->count, sizeof *b);
    if (!b)
        return;
    e->branches = b;
    for (uint32_t i = 0; i < e->count; i++) {
        b[i].tag = stn_rd_text(c, in);
        b[i].id = stn_bytes_i16(in);
        b[i].entry = entry_of(latest, b[i].id);
    }
    e->fallback_id = stn_bytes_i16(in);
    e->fallback = entry_of(latest, e->fallback_id);
}

stn_status stn_decode_slink(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_slink *l = stn_rd_zalloc(c, 1, sizeof *l);
    stn_table *latest = stn_table_new();
    stn_vec entries = {0};
    uint8_t version = stn_bytes_u8(in);

    if (!latest)
        stn_rd_fail(c, STN_FAULT_MEMORY, "table of entries");
    else if (version != 1)
        stn_rd_fail(c, STN_FAULT_FORMAT, "version %u, known is 1", version);
    while (stn_rd_ok(c)) {
        int16_t id = stn_bytes_i16(in);
        if (id < 0 || !stn_rd_ok(c))
            break;
        stn_slink_entry *e = stn_vec_push(c, &entries, sizeof *e);
        if (!e)
            break;
        *e = (stn_slink_entry){.id = id, .res.name = "", .fallback = -1};
        uint8_t kind = stn_bytes_u8(in);
        if (kind == 'r')
            e->res = stn_rd_resref(c, in);
        else if (kind == 't')
            read_switch(c, in, latest, e);
        else
            stn_rd_fail(c, STN_FAULT_FORMAT, "entry %d of kind %u, known are 'r' and 't'", id, kind);
        if (stn_rd_ok(c) && !stn_table_put(latest, (uint16_t)id, (void *)(intptr_t)entries.count, NULL))
            stn_rd_fail(c, STN_FAULT_MEMORY, "table of entries");
    }
    if (l && stn_rd_ok(c)) {
        l->count = entries.count;
        l->entries = entries.items;
        l->root_id = stn_bytes_i16(in);
        l->root = entry_of(latest, l->root_id);
        *out = l;
    }
    stn_table_free(latest);
    return stn_rd_end(c);
}

void stn_encode_slink(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_slink *l = layer->as.slink;

    stn_buf_u8(w->b, 1);
    for (uint32_t i = 0; i < l->count; i++) {
        const stn_slink_entry *e = &l->entries[i];
        if (e->id < 0)
            stn_wr_fail(w, "entry id %d: a negative one ends the list", e->id);
        stn_wr_i16(w, e->id, "entry id");
        stn_buf_u8(w->b, e->is_switch ? 't' : 'r');
        if (!e->is_switch) {
            stn_wr_resref(w, &e->res, "resource");
            continue;
        }
        stn_wr_u8(w, e->count, "branches");
        for (uint32_t k = 0; k < e->count; k++) {
            stn_wr_text(w, e->branches[k].tag, "tag");
            stn_wr_i16(w, e->branches[k].id, "branch");
        }
        stn_wr_i16(w, e->fallback_id, "default entry");
    }
    stn_buf_u16(w->b, 0xffff);
    stn_wr_i16(w, l->root_id, "root entry");
}
