/* layer_tile.c - "tile", "tileset2", "flavobj", and the packed tile image. Source:
 * docs/spec/resource-format.md 20.
 */
#include "res/internal.h"

#include <stdlib.h>

stn_status stn_decode_tile(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_tile *t = stn_rd_zalloc(c, 1, sizeof *t);

    if (!t)
        return stn_rd_end(c);
    t->kind = stn_bytes_u8(in);
    t->id = stn_bytes_u8(in);
    t->weight = stn_bytes_u16(in);
    if (stn_rd_ok(c)) {
        t->picture_len = (uint32_t)stn_bytes_left(in);
        t->picture = stn_bytes_take(in, t->picture_len);
        stn_rd_picture(c, t->picture, t->picture_len, &t->w, &t->h, &t->rgba);
    }
    *out = t;
    return stn_rd_end(c);
}

void stn_encode_tile(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_tile *t = layer->as.tile;
    stn_buf_u8(w->b, t->kind);
    stn_buf_u8(w->b, t->id);
    stn_buf_u16(w->b, t->weight);
    stn_buf_put(w->b, t->picture, t->picture_len);
}

stn_status stn_decode_flavobj(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_flavobj *f = stn_rd_zalloc(c, 1, sizeof *f);
    uint8_t version = stn_bytes_u8(in);

    if (!f)
        return stn_rd_end(c);
    if (version != 1)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "version %u, known is 1", version);
    f->res = stn_rd_resref(c, in);
    if (stn_rd_ok(c))
        f->args = stn_rd_values(c, in);
    *out = f;
    return stn_rd_end(c);
}

void stn_encode_flavobj(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_flavobj *f = layer->as.flavobj;
    stn_buf_u8(w->b, 1);
    stn_wr_resref(w, &f->res, "resource");
    stn_wr_values(w, &f->args, true);
}

/* ---- tileset2 ---- */

static void read_flavors(stn_rd *c, stn_bytes *in, stn_res_tileset *t, stn_vec *flavors)
{
    uint32_t n = stn_bytes_u16(in), sum = 0, first = flavors->count;

    t->flavprob = stn_bytes_u16(in);
    if (n == 0)
        stn_rd_fail(c, STN_FAULT_RANGE, "flavor part without flavors");
    if (!stn_rd_fits(c, in, n, 4, "flavors"))
        return;
    for (uint32_t i = 0; i < n && stn_rd_ok(c); i++) {
        stn_flavor *f = stn_vec_push(c, flavors, sizeof *f);
        if (!f)
            return;
        f->res = stn_rd_resref(c, in);
        f->weight = stn_bytes_u8(in);
        sum += f->weight;
    }
    /* The reference adds the sum to the first weight and divides by twice the sum; the density of every land
     * depends on it. The product is a wrapping int32. */
    int32_t whole = (int32_t)((uint32_t)t->flavprob * (2 * sum));
    for (uint32_t i = 0; i < n && stn_rd_ok(c); i++) {
        stn_flavor *f = &((stn_flavor *)flavors->items)[first + i];
        f->p = (double)(f->weight + (i == 0 ? sum : 0)) / (double)whole;
    }
}

/* Order of UTF-16 code units: that of the bytes, but for characters beyond the first plane, whose surrogates
 * sort below U+E000..U+FFFF. */
static int compare_tags(const void *a, const void *b)
{
    const uint8_t *p = *(const uint8_t *const *)a, *q = *(const uint8_t *const *)b;
    while (*p && *p == *q) {
        p++;
        q++;
    }
    bool p_high = *p >= 0xf0, q_high = *q >= 0xf0, p_top = *p == 0xee || *p == 0xef,
         q_top = *q == 0xee || *q == 0xef;
    if (p_high && q_top)
        return -1;
    if (p_top && q_high)
        return 1;
    return *p - *q;
}

static void read_tags(stn_rd *c, stn_bytes *in, stn_res_tileset *t)
{
    int8_t n = stn_bytes_i8(in);
    if (n < 0 && stn_rd_ok(c))
        stn_rd_fail(c, STN_FAULT_LENGTH, "%d tags", n);
    if (!stn_rd_fits(c, in, n < 0 ? 0 : (uint64_t)n, 1, "tags"))
        return;
    const char **tags = stn_rd_alloc(c, (size_t)n, sizeof *tags);
    if (!tags)
        return;
    for (int i = 0; i < n; i++)
        tags[i] = stn_rd_text(c, in);
    qsort(tags, (size_t)n, sizeof *tags, compare_tags);
    t->tag_count = (uint32_t)n;
    t->tags = tags;
}

stn_status stn_decode_tileset(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_tileset *t = stn_rd_zalloc(c, 1, sizeof *t);
    stn_vec flavors = {0};

    if (!t)
        return stn_rd_end(c);
    t->tiler = "gnd";
    while (stn_rd_ok(c) && stn_bytes_left(in) > 0) {
        uint8_t part = stn_bytes_u8(in);
        switch (part) {
        case 0:
            t->tiler = stn_rd_text(c, in);
            if (stn_rd_ok(c))
                t->tiler_args = stn_rd_values(c, in);
            break;
        case 1:
            read_flavors(c, in, t, &flavors);
            break;
        case 2:
            read_tags(c, in, t);
            break;
        default:
            return stn_rd_fail(c, STN_FAULT_FORMAT, "part %u, known are 0 to 2", part);
        }
    }
    t->stored_flavor_count = t->flavor_count = flavors.count;
    t->stored_flavors = t->flavors = flavors.items;
    *out = t;
    return stn_rd_end(c);
}

/* ---- linking ---- */

static uint64_t next_power(uint64_t v)
{
    uint64_t p = 1;
    while (p < v)
        p *= 2;
    return p;
}

static void pack(stn_rd *c, stn_res_tileset *t, const stn_res_layer *const *tiles, uint32_t n)
{
    uint32_t tw = tiles[0]->as.tile->w, th = tiles[0]->as.tile->h, x = 0, y = 0;
    uint64_t best_area = 0, best_side = 0;

    for (uint32_t i = 1; i <= n; i++) {
        uint64_t w = next_power((uint64_t)tw * i), h = next_power((uint64_t)th * ((n + i - 1) / i));
        uint64_t area = w * h, side = w > h ? w : h;
        if (i > 1 && (area > best_area || (area == best_area && side >= best_side)))
            continue;
        best_area = area;
        best_side = side;
        t->pack_w = (uint32_t)w;
        t->pack_h = (uint32_t)h;
    }
    if (t->pack_w > c->limits->max_side || t->pack_h > c->limits->max_side ||
        best_area > c->limits->max_pixels || best_area > c->samples_left) {
        stn_rd_fail(c, STN_FAULT_LIMIT, "%u tiles of %ux%u need an image of %ux%u", n, tw, th, t->pack_w,
                    t->pack_h);
        return;
    }
    c->samples_left -= best_area;
    stn_tile_place *places = stn_rd_alloc(c, n, sizeof *places);
    if (!places)
        return;
    for (uint32_t i = 0; i < n; i++) {
        if (y >= t->pack_h) {
            stn_rd_fail(c, STN_FAULT_FORMAT, "%u tiles of %ux%u do not fit an image of %ux%u", n, tw, th,
                        t->pack_w, t->pack_h);
            return;
        }
        places[i] = (stn_tile_place){tiles[i], x, y};
        x += tw;
        if (x + tw > t->pack_w) {
            x = 0;
            y += th;
        }
    }
    t->place_count = n;
    t->places = places;
}

/* The lists of ground, border and cross tiles; `lists` are the 31 of them, ground first, then by id. */
static void sort_tiles(stn_rd *c, stn_res_tileset *t, const stn_res_layer *const *tiles, uint32_t n)
{
    uint32_t counts[31] = {0}, starts[31];
    stn_tile_choice *all = stn_rd_alloc(c, n, sizeof *all);

    for (int round = 0; all && round < 2; round++) {
        for (uint32_t i = 0; i < n; i++) {
            const stn_res_tile *tile = tiles[i]->as.tile;
            uint32_t list;
            if (tile->kind == 'g')
                list = 0;
            else if (tile->kind != 'b' && tile->kind != 'c')
                continue;
            else if (tile->id >= 1 && tile->id <= 15)
                list = tile->id + (tile->kind == 'b' ? 15u : 0u);
            else {
                stn_rd_fail(c, STN_FAULT_RANGE, "transition tile with id %u, known are 1 to 15", tile->id);
                return;
            }
            if (round == 0)
                counts[list]++;
            else
                all[starts[list]++] = (stn_tile_choice){tiles[i], tile->weight};
        }
        for (uint32_t k = 0, at = 0; round == 0 && k < 31; at += counts[k++])
            starts[k] = at;
    }
    for (uint32_t k = 0; all && k < 31; k++) {
        stn_tile_list list = {counts[k], all + starts[k] - counts[k]};
        bool *has = k == 0 ? &t->has_ground : k <= 15 ? &t->has_ctrans : &t->has_btrans;
        *(k == 0 ? &t->ground : k <= 15 ? &t->ctrans[k - 1] : &t->btrans[k - 16]) = list;
        *has |= list.count > 0;
    }
}

static void replace_flavors(stn_rd *c, stn_res_tileset *t)
{
    uint32_t n;
    const stn_res_layer *const *list = stn_rd_list(c, STN_LAYER_FLAVOBJ, &n);
    stn_flavor *flavors = list && n ? stn_rd_zalloc(c, n, sizeof *flavors) : NULL;

    if (!flavors)
        return;
    for (uint32_t i = 0; i < n; i++) {
        flavors[i].res = list[i]->as.flavobj->res;
        flavors[i].flavobj = list[i];
    }
    t->flavor_count = n;
    t->flavors = flavors;
}

stn_status stn_link_tileset(stn_rd *c, stn_res_layer *layer)
{
    stn_res_tileset *t = (stn_res_tileset *)(uintptr_t)layer->as.tileset;
    uint32_t n;
    const stn_res_layer *const *tiles = stn_rd_list(c, STN_LAYER_TILE, &n);

    if (!tiles)
        return stn_rd_end(c);
    for (uint32_t i = 1; i < n; i++)
        if (tiles[i]->as.tile->w != tiles[0]->as.tile->w || tiles[i]->as.tile->h != tiles[0]->as.tile->h)
            return stn_rd_fail(c, STN_FAULT_VALUE, "tiles of %ux%u and of %ux%u in one set",
                               tiles[0]->as.tile->w, tiles[0]->as.tile->h, tiles[i]->as.tile->w,
                               tiles[i]->as.tile->h);
    sort_tiles(c, t, tiles, n);
    if (n && stn_rd_ok(c))
        pack(c, t, tiles, n);
    replace_flavors(c, t);
    return stn_rd_end(c);
}

stn_status stn_res_tileset_pixels(const stn_res_tileset *t, const stn_res_limits *limits, uint8_t *out,
                                  size_t out_bytes, stn_res_fault_kind *fault, stn_err *err)
{
    uint8_t *own = NULL;
    stn_status st = STN_OK;

    if (fault)
        *fault = STN_FAULT_NONE;
    if (!t->place_count)
        return stn_fail(err, STN_USAGE, "tileset has no tiles to pack");
    if (stn_mip_bytes(STN_MIP_AVG, t->pack_w, t->pack_h) > out_bytes)
        return stn_fail(err, STN_USAGE, "%zu bytes for a tile image of %ux%u", out_bytes, t->pack_w,
                        t->pack_h);
    memset(out, 0, (size_t)t->pack_w * t->pack_h * 4);
    for (uint32_t i = 0; i < t->place_count; i++) {
        const stn_res_tile *tile = t->places[i].tile->as.tile;
        size_t bytes = (size_t)tile->w * tile->h * 4;
        const uint8_t *rgba = tile->rgba;
        if (!rgba) {
            if (!own && !(own = malloc(bytes)))
                return stn_fail(err, STN_NO_MEMORY, "tile of %ux%u", tile->w, tile->h);
            st = stn_picture_rgba(tile->picture, tile->picture_len, limits, own, bytes, fault, err);
            if (st != STN_OK)
                break;
            rgba = own;
        }
        for (uint32_t y = 0; y < tile->h; y++)
            memcpy(out + ((size_t)(t->places[i].y + y) * t->pack_w + t->places[i].x) * 4,
                   rgba + (size_t)y * tile->w * 4, (size_t)tile->w * 4);
    }
    free(own);
    if (st == STN_OK)
        stn_mip_chain(STN_MIP_AVG, out, t->pack_w, t->pack_h);
    return st;
}

/* ---- writing ---- */

void stn_encode_tileset(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_tileset *t = layer->as.tileset;

    stn_buf_u8(w->b, 0);
    stn_wr_text(w, t->tiler, "tiler");
    stn_wr_values(w, &t->tiler_args, true);
    if (t->stored_flavor_count) { /* flavobj layers are records of their own */
        stn_buf_u8(w->b, 1);
        stn_wr_u16(w, t->stored_flavor_count, "flavors");
        stn_wr_u16(w, t->flavprob, "flavor density");
        for (uint32_t i = 0; i < t->stored_flavor_count; i++) {
            stn_wr_resref(w, &t->stored_flavors[i].res, "flavor");
            stn_buf_u8(w->b, t->stored_flavors[i].weight);
        }
    }
    if (t->tag_count) {
        if (t->tag_count > 127)
            stn_wr_fail(w, "%u tags, at most 127 fit", t->tag_count);
        stn_buf_u8(w->b, 2);
        stn_buf_u8(w->b, (uint8_t)t->tag_count);
        for (uint32_t i = 0; i < t->tag_count; i++)
            stn_wr_text(w, t->tags[i], "tag");
    }
}
