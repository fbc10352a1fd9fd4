/* layer_tex.c - "tex": textures, their masks and mip levels. Source: docs/spec/resource-format.md 11. */
#include "res/internal.h"

#include <stdlib.h>

static bool power_of_two(uint16_t v)
{
    return (v & (v - 1)) == 0;
}

static uint8_t enumerated(stn_rd *c, stn_bytes *in, uint8_t top, const char *what)
{
    uint8_t v = stn_bytes_u8(in);
    if (v > top)
        stn_rd_fail(c, STN_FAULT_RANGE, "%s %u, known are 0 to %u", what, v, top);
    return v > top ? 0 : v;
}

static void read_part(stn_rd *c, stn_bytes *in, stn_res_tex *t, uint8_t part, bool framed)
{
    static const stn_mipmapper mappers[5] = {STN_MIP_AVG, STN_MIP_AVG, STN_MIP_RND, STN_MIP_CNT, STN_MIP_DAV};
    static const struct {
        bool linear;
        int8_t between;
    } filters[6] = {{false, -1}, {true, -1}, {false, 0}, {false, 1}, {true, 0}, {true, 1}};

    switch (part) {
    case 0:
        t->picture = stn_rd_blob32(c, in, &t->picture_len);
        break;
    case 1:
        t->mipmap = mappers[enumerated(c, in, 4, "mipmapper")];
        break;
    case 2:
        t->mag_linear = enumerated(c, in, 1, "magnification filter") == 1;
        break;
    case 3: {
        uint8_t f = enumerated(c, in, 5, "minification filter");
        t->has_filter = true;
        t->min_linear = filters[f].linear;
        t->mip_filter = filters[f].between;
        break;
    }
    case 4:
        t->mask = stn_rd_blob32(c, in, &t->mask_len);
        break;
    case 5:
        t->linear_marker = true;
        break;
    default:
        if (!framed)
            stn_rd_fail(c, STN_FAULT_FORMAT, "part %u, known are 0 to 5", part);
        break;
    }
}

/* Pictures of textures are decoded on use; here they only count against the resource's samples. */
static void count_samples(stn_rd *c, const uint8_t *data, uint32_t len)
{
    stn_picture_info info;
    if (!data || stn_picture_probe(data, len, c->limits, &info, NULL, NULL) != STN_OK)
        return;
    uint64_t samples = (uint64_t)info.w * info.h;
    if (samples > c->samples_left)
        stn_rd_fail(c, STN_FAULT_LIMIT, "picture of %ux%u is over the %llu pixels a resource may have",
                    info.w, info.h, (unsigned long long)c->limits->max_samples);
    else
        c->samples_left -= samples;
}

stn_status stn_decode_tex(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_tex *t = stn_rd_zalloc(c, 1, sizeof *t);

    if (!t)
        return stn_rd_end(c);
    t->id = stn_bytes_i16(in);
    t->off[0] = stn_bytes_u16(in);
    t->off[1] = stn_bytes_u16(in);
    t->w = stn_bytes_u16(in);
    t->h = stn_bytes_u16(in);
    t->mag_linear = true;
    if (!power_of_two(t->w) || !power_of_two(t->h))
        return stn_rd_fail(c, STN_FAULT_VALUE, "size %ux%u: not powers of two", t->w, t->h);
    while (stn_rd_ok(c) && stn_bytes_left(in) > 0) {
        uint8_t head = stn_bytes_u8(in), framing = head >> 6, part = head & 63;
        if (framing == 3)
            return stn_rd_fail(c, STN_FAULT_FORMAT, "part %u: framing 3 is not known", part);
        if (framing == 0) {
            read_part(c, in, t, part, false);
            continue;
        }
        stn_bytes sub;
        if (framing == 1) {
            sub = stn_bytes_sub(in, stn_bytes_u8(in));
        } else {
            uint32_t len;
            stn_bytes_u8(in);
            const uint8_t *data = stn_rd_blob32(c, in, &len);
            sub = stn_bytes_of(data, len);
        }
        if (!stn_rd_ok(c))
            break;
        c->in = &sub;
        read_part(c, &sub, t, part, true);
        stn_rd_end(c);
        c->in = in;
    }
    if (!t->has_filter) {
        t->min_linear = true;
        t->mip_filter = t->mipmap != STN_MIP_NONE ? 1 : -1;
    }
    if (stn_rd_ok(c))
        count_samples(c, t->picture, t->picture_len);
    if (stn_rd_ok(c))
        count_samples(c, t->mask, t->mask_len);
    *out = t;
    return stn_rd_end(c);
}

/* ---- pixels ---- */

static stn_status refuse(stn_res_fault_kind *fault, stn_res_fault_kind kind)
{
    if (fault)
        *fault = kind;
    return stn_res_fault_status(kind);
}

/* Nearest source column (or row) of target x: of a point exactly between two, the lower, unless every point
 * falls so. */
static uint32_t nearest(uint32_t x, uint32_t src, uint32_t dst)
{
    uint64_t n = (2 * (uint64_t)x + 1) * src, d = 2 * (uint64_t)dst, at = n / d;
    if (n % d == 0 && src % dst != 0 && at > 0)
        at--;
    return (uint32_t)at;
}

static void mask_onto(const stn_raster *mask, uint8_t *rgba)
{
    for (size_t i = 0, n = (size_t)mask->w * mask->h; i < n; i++) {
        uint16_t wide;
        if (mask->bits == 16) {
            memcpy(&wide, mask->samples + 2 * i, 2);
            rgba[4 * i + 3] = (uint8_t)wide;
        } else {
            rgba[4 * i + 3] = mask->samples[i];
        }
    }
}

static stn_status masked(const stn_res_tex *t, const stn_res_limits *limits, const stn_picture_info *color,
                         uint8_t *out, stn_res_fault_kind *fault, stn_err *err)
{
    stn_raster mask;
    uint8_t *rgba = NULL;
    stn_status st = stn_picture_raster(t->mask, t->mask_len, limits, &mask, fault, err);

    if (st != STN_OK)
        return st;
    if (mask.bands != 1) {
        stn_fail(err, STN_BAD_DATA, "mask has %u channels, one is needed", mask.bands);
        st = refuse(fault, STN_FAULT_IMAGE);
        goto out;
    }
    size_t bytes = (size_t)color->w * color->h * 4;
    bool same = color->w == t->w && color->h == t->h;
    if (!same && !(rgba = malloc(bytes))) {
        stn_fail(err, STN_NO_MEMORY, "colour picture of %ux%u", color->w, color->h);
        st = refuse(fault, STN_FAULT_MEMORY);
        goto out;
    }
    if ((st = stn_picture_rgba(t->picture, t->picture_len, limits, same ? out : rgba, bytes, fault, err)) !=
        STN_OK)
        goto out;
    for (uint32_t y = 0; !same && y < t->h; y++) {
        const uint8_t *row = rgba + (size_t)nearest(y, color->h, t->h) * color->w * 4;
        for (uint32_t x = 0; x < t->w; x++)
            memcpy(out + ((size_t)y * t->w + x) * 4, row + (size_t)nearest(x, color->w, t->w) * 4, 4);
    }
    mask_onto(&mask, out);
out:
    free(rgba);
    stn_raster_fini(&mask);
    return st;
}

stn_status stn_res_tex_pixels(const stn_res_tex *t, const stn_res_limits *limits, uint8_t *out,
                              size_t out_bytes, stn_res_fault_kind *fault, stn_err *err)
{
    stn_picture_info color, mask = {0};
    stn_status st;

    if (!t->picture) {
        stn_fail(err, STN_BAD_DATA, "texture %d has no picture", t->id);
        return refuse(fault, STN_FAULT_IMAGE);
    }
    if ((st = stn_picture_probe(t->picture, t->picture_len, limits, &color, fault, err)) != STN_OK ||
        (t->mask && (st = stn_picture_probe(t->mask, t->mask_len, limits, &mask, fault, err)) != STN_OK))
        return st;
    const stn_picture_info *size = t->mask ? &mask : &color;
    if (size->w != t->w || size->h != t->h) {
        stn_fail(err, STN_BAD_DATA, "texture %d is said to be %ux%u, its picture is %ux%u", t->id, t->w, t->h,
                 size->w, size->h);
        return refuse(fault, STN_FAULT_IMAGE);
    }
    if (stn_mip_bytes(t->mipmap, t->w, t->h) > out_bytes)
        return stn_fail(err, STN_USAGE, "%zu bytes for a texture of %ux%u", out_bytes, t->w, t->h);
    if (t->mask)
        st = masked(t, limits, &color, out, fault, err);
    else
        st = stn_picture_rgba(t->picture, t->picture_len, limits, out, out_bytes, fault, err);
    if (st == STN_OK)
        stn_mip_chain(t->mipmap, out, t->w, t->h);
    return st;
}

/* ---- writing ---- */

static void put_picture(stn_wr *w, uint8_t part, const uint8_t *data, uint32_t len)
{
    if (!data)
        return;
    stn_buf_u8(w->b, part);
    stn_wr_i32(w, len, "picture length");
    stn_buf_put(w->b, data, len);
}

void stn_encode_tex(stn_wr *w, const stn_res_layer *layer)
{
    static const uint8_t mappers[] = {
        [STN_MIP_AVG] = 1, [STN_MIP_RND] = 2, [STN_MIP_CNT] = 3, [STN_MIP_DAV] = 4};
    static const uint8_t filters[2][3] = {{0, 2, 3}, {1, 4, 5}};
    const stn_res_tex *t = layer->as.tex;

    stn_wr_i16(w, t->id, "id");
    stn_buf_u16(w->b, t->off[0]);
    stn_buf_u16(w->b, t->off[1]);
    if (!power_of_two(t->w) || !power_of_two(t->h))
        stn_wr_fail(w, "texture size %ux%u: both sides must be powers of two", t->w, t->h);
    stn_buf_u16(w->b, t->w);
    stn_buf_u16(w->b, t->h);
    put_picture(w, 0, t->picture, t->picture_len);
    put_picture(w, 4, t->mask, t->mask_len);
    if (t->mipmap != STN_MIP_NONE) {
        stn_buf_u8(w->b, 1);
        stn_buf_u8(w->b, mappers[t->mipmap]);
    }
    if (!t->mag_linear)
        stn_buf_put(w->b, "\2", 2);
    if (t->has_filter) {
        stn_buf_u8(w->b, 3);
        stn_buf_u8(w->b, filters[t->min_linear][t->mip_filter + 1]);
    }
    if (t->linear_marker)
        stn_buf_u8(w->b, 5);
}
