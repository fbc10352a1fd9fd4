#include "res/res.h"

#include "base/text.h"
#include "res/internal.h"

#include <stdlib.h>

const stn_layer_row stn_layer_rows[STN_LAYER_KINDS] = {
    [STN_LAYER_UNKNOWN] = {"", NULL, NULL, NULL},
    [STN_LAYER_VBUF] = {"vbuf2", stn_decode_vbuf, NULL, stn_encode_vbuf},
    [STN_LAYER_MESH] = {"mesh", stn_decode_mesh, stn_link_mesh, stn_encode_mesh},
    [STN_LAYER_MANIM] = {"manim", stn_decode_manim, NULL, stn_encode_manim},
    [STN_LAYER_SKEL] = {"skel", stn_decode_skel, NULL, stn_encode_skel},
    [STN_LAYER_SKAN] = {"skan", stn_decode_skan, stn_link_skan, stn_encode_skan},
    [STN_LAYER_BONEOFF] = {"boneoff", stn_decode_boneoff, NULL, stn_encode_boneoff},
    [STN_LAYER_MAT] = {"mat2", stn_decode_mat, NULL, stn_encode_mat},
    [STN_LAYER_TEX] = {"tex", stn_decode_tex, NULL, stn_encode_tex},
    [STN_LAYER_LIGHT] = {"light", stn_decode_light, NULL, stn_encode_light},
    [STN_LAYER_RLINK] = {"rlink", stn_decode_rlink, NULL, stn_encode_rlink},
    [STN_LAYER_SLINK] = {"slink", stn_decode_slink, NULL, stn_encode_slink},
    [STN_LAYER_TILE] = {"tile", stn_decode_tile, NULL, stn_encode_tile},
    [STN_LAYER_TILESET] = {"tileset2", stn_decode_tileset, stn_link_tileset, stn_encode_tileset},
    [STN_LAYER_FLAVOBJ] = {"flavobj", stn_decode_flavobj, NULL, stn_encode_flavobj},
    [STN_LAYER_OVERLAY] = {"overlay", stn_decode_overlay, NULL, stn_encode_overlay},
    [STN_LAYER_OBST] = {"obst", stn_decode_obst, NULL, stn_encode_obst},
    [STN_LAYER_NEG] = {"neg", stn_decode_neg, NULL, stn_encode_neg},
    [STN_LAYER_PROPS] = {"props", stn_decode_props, NULL, stn_encode_props},
    [STN_LAYER_IMAGE] = {"image", stn_decode_image, NULL, stn_encode_image},
    [STN_LAYER_ANIM] = {"anim", stn_decode_anim, stn_link_anim, stn_encode_anim},
    [STN_LAYER_AUDIO] = {"audio2", stn_decode_audio, NULL, stn_encode_audio},
    [STN_LAYER_CLAMB] = {"clamb", stn_decode_clamb, NULL, stn_encode_clamb},
    [STN_LAYER_MIDI] = {"midi", stn_decode_midi, NULL, stn_encode_midi},
    [STN_LAYER_CODE] = {"code", stn_decode_code, NULL, stn_encode_code},
    [STN_LAYER_CODEENTRY] = {"codeentry", stn_decode_codeentry, NULL, stn_encode_codeentry},
    [STN_LAYER_TOOLTIP] = {"tooltip", stn_decode_text, NULL, stn_encode_text},
    [STN_LAYER_PAGINA] = {"pagina", stn_decode_text, NULL, stn_encode_text},
    [STN_LAYER_ACTION] = {"action", stn_decode_action, NULL, stn_encode_action},
    [STN_LAYER_FONT] = {"font", stn_decode_font, NULL, stn_encode_font},
    [STN_LAYER_FOODEV] = {"foodev", stn_decode_foodev, NULL, stn_encode_foodev},
};

stn_layer_kind stn_layer_kind_of(const char *type)
{
    for (int k = 1; k < STN_LAYER_KINDS; k++)
        if (strcmp(stn_layer_rows[k].name, type) == 0)
            return (stn_layer_kind)k;
    return STN_LAYER_UNKNOWN;
}

const char *stn_layer_kind_name(stn_layer_kind kind)
{
    return (unsigned)kind < STN_LAYER_KINDS ? stn_layer_rows[kind].name : "";
}

struct stn_res {
    stn_arena *arena;
    uint8_t *copy; /* of the input, when not borrowed */
    size_t copy_bytes, pixel_bytes;
    uint16_t version;
    uint32_t count;
    stn_res_layer *layers;
    stn_pixel_block *blocks;
};

static const stn_res_opts default_opts = {.want_version = STN_RES_ANY_VERSION};

/* One layer, by itself. The context's fault is of this layer alone. */
static stn_status decode_layer(stn_rd *c, stn_res_layer *l, stn_err *err)
{
    const stn_layer_row *row = &stn_layer_rows[l->kind];
    stn_err why = {0};
    stn_bytes in = stn_bytes_of(l->raw, l->raw_len);

    if (!row->decode)
        return STN_OK;
    c->in = &in;
    c->err = &why;
    c->fault = STN_FAULT_NONE;
    stn_status st = row->decode(c, &in, &l->as.any);
    if (st != STN_OK)
        stn_fail(err, st, "layer \"%s\" (record %u at %zu): %s", row->name, l->index, l->offset, why.text);
    return st;
}

static stn_status link_layer(stn_rd *c, stn_res_layer *l, stn_err *err)
{
    const stn_layer_row *row = &stn_layer_rows[l->kind];
    stn_err why = {0};
    stn_bytes none = stn_bytes_of("", 0);

    if (!row->link)
        return STN_OK;
    c->in = &none;
    c->err = &why;
    c->fault = STN_FAULT_NONE;
    stn_status st = row->link(c, l);
    if (st != STN_OK)
        stn_fail(err, st, "layer \"%s\" (record %u at %zu), linking: %s", row->name, l->index, l->offset,
                 why.text);
    return st;
}

static void layer_of(const stn_res_record *r, uint32_t index, stn_res_layer *l)
{
    *l = (stn_res_layer){.kind = stn_layer_kind_of(r->type),
                         .index = index,
                         .type = r->type,
                         .offset = r->offset,
                         .raw = r->data,
                         .raw_len = r->len};
}

static stn_rd context(stn_res *res, const stn_res_opts *opts, const stn_res_limits *limits)
{
    return (stn_rd){.arena = res->arena,
                    .limits = limits,
                    .pixels = opts->pixels,
                    .samples_left = limits->max_samples,
                    .bone_vertices_left = limits->max_bone_vertices,
                    .layers = res->layers,
                    .count = res->count};
}

static void context_end(stn_rd *c, stn_res *res)
{
    stn_table_free(c->ids);
    stn_names_free(c->bones);
    res->blocks = c->blocks;
    res->pixel_bytes = c->block_bytes;
}

/* Everything up to the list of records; `cut`: keep what was read of a container that ends badly. */
static stn_status open_res(const uint8_t *data, size_t len, const stn_res_opts *opts,
                           const stn_res_limits *limits, bool cut, stn_res **out, stn_res_fault *fault,
                           stn_err *err)
{
    stn_res *res = calloc(1, sizeof *res);
    stn_res_container box;
    stn_status st;

    *out = res;
    /* the first block holds most resources whole: decoded forms run at a small multiple of the input */
    if (!res || !(res->arena = stn_arena_new(len < 4096                ? 4096
                                             : len < ((size_t)1 << 20) ? len
                                                                       : (size_t)1 << 20,
                                             limits->max_decoded)))
        return stn_fail(err, STN_NO_MEMORY, "resource header");
    if (!opts->borrow && len > 0 && len <= limits->max_input) {
        if (!(res->copy = malloc(len)))
            return stn_fail(err, STN_NO_MEMORY, "copy of %zu bytes", len);
        memcpy(res->copy, data, len);
        res->copy_bytes = len;
        data = res->copy;
    }
    st = stn_res_container_read(data, len, opts->want_version, limits, res->arena, &box, fault, err);
    if (st != STN_OK && !cut)
        return st;
    res->version = box.version;
    res->layers = stn_arena_zalloc(res->arena, box.count ? box.count : 1, sizeof *res->layers);
    if (!res->layers)
        return stn_fail(err, STN_NO_MEMORY, "%u layers", box.count);
    res->count = box.count;
    for (uint32_t i = 0; i < box.count; i++)
        layer_of(&box.records[i], i, &res->layers[i]);
    return st;
}

stn_status stn_res_new(const uint8_t *data, size_t len, const stn_res_opts *opts, stn_res **out,
                       stn_res_fault *fault, stn_err *err)
{
    stn_res_fault own = {STN_FAULT_NONE, -1, 0};
    stn_res *res = NULL;
    stn_status st;

    *out = NULL;
    opts = opts ? opts : &default_opts;
    fault = fault ? fault : &own;
    *fault = (stn_res_fault){STN_FAULT_NONE, -1, 0};
    const stn_res_limits *limits = opts->limits ? opts->limits : &stn_res_default_limits;
    if ((st = open_res(data, len, opts, limits, false, &res, fault, err)) != STN_OK) {
        if (fault->kind == STN_FAULT_NONE)
            fault->kind = STN_FAULT_MEMORY;
        stn_res_free(res);
        return st;
    }
    stn_rd c = context(res, opts, limits);
    for (int linking = 0; st == STN_OK && linking < 2;
         linking++) /* all layers first: order does not matter */
        for (uint32_t i = 0; st == STN_OK && i < res->count; i++) {
            st = linking ? link_layer(&c, &res->layers[i], err) : decode_layer(&c, &res->layers[i], err);
            if (st != STN_OK)
                *fault = (stn_res_fault){c.fault, (int32_t)i, res->layers[i].offset};
        }
    context_end(&c, res);
    if (st != STN_OK) {
        stn_res_free(res);
        return st;
    }
    *out = res;
    return STN_OK;
}

size_t stn_res_check(const uint8_t *data, size_t len, const stn_res_opts *opts, stn_res_fault_fn *each,
                     void *user)
{
    stn_res_fault fault = {STN_FAULT_NONE, -1, 0};
    stn_err err = {0};
    stn_res *res = NULL;
    size_t faults = 0;

    opts = opts ? opts : &default_opts;
    const stn_res_limits *limits = opts->limits ? opts->limits : &stn_res_default_limits;
    if (open_res(data, len, opts, limits, true, &res, &fault, &err) != STN_OK) {
        if (fault.kind == STN_FAULT_NONE)
            fault.kind = STN_FAULT_MEMORY;
        each(user, &fault, "", &err);
        faults++;
    }
    if (res && res->layers) {
        stn_rd c = context(res, opts, limits);
        for (int linking = 0; linking < 2 && !(linking && faults); linking++)
            for (uint32_t i = 0; i < res->count; i++) {
                stn_res_layer *l = &res->layers[i];
                stn_err_clear(&err);
                if ((linking ? link_layer(&c, l, &err) : decode_layer(&c, l, &err)) == STN_OK)
                    continue;
                fault = (stn_res_fault){c.fault, (int32_t)i, l->offset};
                each(user, &fault, l->type, &err);
                faults++;
            }
        context_end(&c, res);
    }
    stn_res_free(res);
    return faults;
}

void stn_res_free(stn_res *res)
{
    if (!res)
        return;
    for (stn_pixel_block *b = res->blocks; b; b = b->next)
        free(b->rgba);
    stn_arena_free(res->arena);
    free(res->copy);
    free(res);
}

uint16_t stn_res_version(const stn_res *res)
{
    return res->version;
}

uint32_t stn_res_count(const stn_res *res)
{
    return res->count;
}

size_t stn_res_bytes(const stn_res *res)
{
    return sizeof *res + res->copy_bytes + res->pixel_bytes + stn_arena_size(res->arena);
}

const stn_res_layer *stn_res_layer_at(const stn_res *res, uint32_t i)
{
    return i < res->count ? &res->layers[i] : NULL;
}

const stn_res_layer *stn_res_next(const stn_res *res, stn_layer_kind kind, const stn_res_layer *after)
{
    for (uint32_t i = after ? after->index + 1 : 0; i < res->count; i++)
        if (res->layers[i].kind == kind)
            return &res->layers[i];
    return NULL;
}

const stn_res_layer *stn_res_first(const stn_res *res, stn_layer_kind kind)
{
    return stn_res_next(res, kind, NULL);
}

const stn_res_layer *stn_res_find(const stn_res *res, stn_layer_kind kind, int32_t id)
{
    const stn_res_layer *l = NULL;
    int32_t have;
    while ((l = stn_res_next(res, kind, l)) != NULL)
        if (stn_res_layer_id(l, &have) && have == id)
            return l;
    return NULL;
}

const stn_res_layer *stn_res_find_text(const stn_res *res, stn_layer_kind kind, const char *id)
{
    const stn_res_layer *l = NULL;
    while ((l = stn_res_next(res, kind, l)) != NULL) {
        const char *have = stn_res_layer_text_id(l);
        if (have && strcmp(have, id) == 0)
            return l;
    }
    return NULL;
}

bool stn_res_layer_id(const stn_res_layer *l, int32_t *id)
{
    *id = 0;
    if (!l->as.any)
        return false;
    switch (l->kind) {
    case STN_LAYER_VBUF:
        *id = l->as.vbuf->id;
        return true;
    case STN_LAYER_MESH:
        *id = l->as.mesh->id;
        return true;
    case STN_LAYER_MANIM:
        *id = l->as.manim->id;
        return true;
    case STN_LAYER_SKAN:
        *id = l->as.skan->id;
        return true;
    case STN_LAYER_MAT:
        *id = l->as.mat->id;
        return true;
    case STN_LAYER_TEX:
        *id = l->as.tex->id;
        return true;
    case STN_LAYER_LIGHT:
        *id = l->as.light->id;
        return true;
    case STN_LAYER_RLINK:
        *id = l->as.rlink->id;
        return true;
    case STN_LAYER_IMAGE:
        *id = l->as.image->id;
        return true;
    case STN_LAYER_ANIM:
        *id = l->as.anim->id;
        return true;
    default:
        return false;
    }
}

const char *stn_res_layer_text_id(const stn_res_layer *l)
{
    if (!l->as.any)
        return NULL;
    switch (l->kind) {
    case STN_LAYER_BONEOFF:
        return l->as.boneoff->name;
    case STN_LAYER_OBST:
        return l->as.obst->id;
    case STN_LAYER_AUDIO:
        return l->as.audio->id;
    default:
        return NULL;
    }
}

/* ---- text ---- */

size_t stn_res_text(const char *raw, size_t len, char *out, size_t cap)
{
    size_t at = 0, room = cap ? cap - 1 : 0, written = 0;

    for (size_t i = 0; i < len;) {
        bool whole;
        size_t n = stn_text_utf8_part(raw + i, len - i, &whole), add = whole ? n : 3;
        if (at == written && at + add <= room) { /* once something did not fit, nothing behind it is put */
            memcpy(out + at, whole ? raw + i : "\xef\xbf\xbd", add);
            written += add;
        }
        at += add;
        i += n;
    }
    if (cap)
        out[written] = 0;
    return at;
}
