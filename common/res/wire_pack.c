/* wire_pack.c - from a decoded resource to body and frames. */
#include "res/wire.h"
#include "res/wire_layout.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"

#include <stdio.h>
#include <string.h>

struct stn_wire_plan {
    stn_arena *arena;
    const stn_res *res;
    Stenness__Ready ready;
    Stenness__Layer *layers;
    size_t bytes[STN_WIRE_FRAMES];
    float bounds[6];
};

/* ---- laying out ---- */

static size_t align_up(size_t n)
{
    return (n + STN_WIRE_ALIGN - 1) & ~(size_t)(STN_WIRE_ALIGN - 1);
}

/* Room for an array at the end of a frame. */
static void add_array(stn_wire_plan *p, Stenness__Array *a, unsigned frame, Stenness__ElementFormat format,
                      size_t count, size_t element)
{
    stenness__array__init(a);
    a->frame = frame;
    a->format = format;
    a->offset = p->bytes[frame];
    a->count = count;
    p->bytes[frame] = align_up(p->bytes[frame] + count * element);
}

static Stenness__Array *new_arrays(stn_wire_plan *p, Stenness__Layer *l, size_t n)
{
    Stenness__Array *a = stn_arena_zalloc(p->arena, n, sizeof *a);
    l->arrays = stn_arena_array(p->arena, n, sizeof *l->arrays);
    if (!a || !l->arrays)
        return NULL;
    for (size_t i = 0; i < n; i++)
        l->arrays[i] = &a[i];
    l->n_arrays = n;
    return a;
}

static bool set_head(stn_wire_plan *p, Stenness__Layer *l, stn_buf *head)
{
    l->head.data = head->failed ? NULL : stn_arena_dup(p->arena, head->data, head->len);
    l->head.len = head->len;
    stn_buf_fini(head);
    return l->head.data != NULL;
}

typedef struct picture {
    uint32_t w, h;
    stn_mipmapper mipmap;
    int32_t id;
} picture;

static bool picture_of(const stn_res_layer *l, picture *out)
{
    switch (l->kind) {
    case STN_LAYER_TEX:
        *out = (picture){l->as.tex->w, l->as.tex->h, l->as.tex->mipmap, l->as.tex->id};
        return l->as.tex->picture && out->w && out->h;
    case STN_LAYER_IMAGE:
        *out = (picture){l->as.image->w, l->as.image->h, STN_MIP_NONE, l->as.image->id};
        return out->w && out->h;
    case STN_LAYER_TILESET:
        *out = (picture){l->as.tileset->pack_w, l->as.tileset->pack_h, STN_MIP_AVG, 0};
        return out->w && out->h;
    default:
        *out = (picture){0};
        return false;
    }
}

static void set_problem(stn_wire_plan *p, Stenness__Layer *l, const char *text)
{
    char *copy = stn_arena_strdup(p->arena, text);
    static char out_of_memory[] = "out of memory";
    l->problem = copy ? copy : out_of_memory;
}

static bool plan_pixels(stn_wire_plan *p, const stn_res_layer *l, Stenness__Layer *out, size_t bulk_max)
{
    picture pic;
    stn_buf head = {0};
    bool any = picture_of(l, &pic);
    stn_buf_u32(&head, (uint32_t)pic.id);
    stn_buf_u32(&head, pic.w);
    stn_buf_u32(&head, pic.h);
    stn_buf_u8(&head, (uint8_t)pic.mipmap);
    if (!set_head(p, out, &head))
        return false;
    if (!any)
        return true;
    size_t bytes = stn_mip_bytes(pic.mipmap, pic.w, pic.h);
    size_t used = p->bytes[0] + p->bytes[1] + p->bytes[2];
    if (bytes > bulk_max || used > bulk_max - bytes) {
        char text[120];
        snprintf(text, sizeof text, "a picture of %zu bytes does not fit: %zu bytes of %zu are left", bytes,
                 bulk_max > used ? bulk_max - used : 0, bulk_max);
        set_problem(p, out, text);
        return true;
    }
    Stenness__Array *a = new_arrays(p, out, 1);
    if (!a)
        return false;
    add_array(p, a, STN_WIRE_PIXELS, STENNESS__ELEMENT_FORMAT__ELEMENT_RGBA8, bytes / 4, 4);
    return true;
}

static bool plan_vbuf(stn_wire_plan *p, const stn_res_vbuf *v, Stenness__Layer *out)
{
    stn_buf head = {0};
    stn_buf_u32(&head, (uint32_t)v->id);
    stn_buf_u32(&head, v->num);
    stn_buf_u32(&head, v->count);
    for (uint32_t i = 0; i < v->count; i++) {
        stn_buf_u8(&head, (uint8_t)v->attribs[i].attr);
        stn_buf_u8(&head, v->attribs[i].components);
    }
    Stenness__Array *a = new_arrays(p, out, v->count);
    if (!set_head(p, out, &head) || !a)
        return false;
    for (uint32_t i = 0; i < v->count; i++)
        add_array(p, &a[i], STN_WIRE_MODELS,
                  v->attribs[i].attr == STN_ATTR_BONEIDX ? STENNESS__ELEMENT_FORMAT__ELEMENT_I32
                                                         : STENNESS__ELEMENT_FORMAT__ELEMENT_F32,
                  (size_t)v->num * v->attribs[i].components, 4);
    return true;
}

static bool plan_mesh(stn_wire_plan *p, const stn_res_mesh *m, Stenness__Layer *out)
{
    stn_buf head = {0};
    stn_buf_u32(&head, (uint32_t)m->id);
    stn_buf_u32(&head, m->vbuf->index);
    stn_buf_u32(&head, m->tris);
    stn_buf_u8(&head, m->has_bounds);
    for (int i = 0; i < 6; i++)
        stn_buf_f32(&head, m->has_bounds ? m->bounds[i / 3][i % 3] : 0);
    Stenness__Array *a = new_arrays(p, out, 1);
    if (!set_head(p, out, &head) || !a)
        return false;
    add_array(p, a, STN_WIRE_MODELS, STENNESS__ELEMENT_FORMAT__ELEMENT_U16, (size_t)m->tris * 3, 2);
    return true;
}

static void add_bounds(stn_wire_plan *p, const stn_res_mesh *m)
{
    if (!m->has_bounds)
        return;
    for (int i = 0; i < 3; i++) {
        if (!p->ready.n_bounds || m->bounds[0][i] < p->bounds[i])
            p->bounds[i] = m->bounds[0][i];
        if (!p->ready.n_bounds || m->bounds[1][i] > p->bounds[3 + i])
            p->bounds[3 + i] = m->bounds[1][i];
    }
    p->ready.bounds = p->bounds;
    p->ready.n_bounds = 6;
}

/* Payload and models; pictures come in a second pass, since only they may be left out. */
static bool plan_layer(stn_wire_plan *p, const stn_res_layer *l, Stenness__Layer *out)
{
    size_t cap = strlen(l->type) * 3 + 1;
    char *type = stn_arena_alloc(p->arena, cap);
    if (!type)
        return false;
    /* Protobuf text must be UTF-8; a type that is not names nothing anyway, and the file's own bytes are not
     * needed to tell layers apart: that is what their order is for. */
    stn_res_text(l->type, strlen(l->type), type, cap);
    stenness__layer__init(out);
    out->type = type;
    out->length = l->raw_len;
    out->known = l->kind != STN_LAYER_UNKNOWN;
    out->raw_at = l->offset + strlen(l->type) + 1 + sizeof(int32_t);
    p->bytes[STN_WIRE_RAW] = out->raw_at + l->raw_len;
    if (l->kind == STN_LAYER_VBUF)
        return plan_vbuf(p, l->as.vbuf, out);
    if (l->kind == STN_LAYER_MESH) {
        add_bounds(p, l->as.mesh);
        return plan_mesh(p, l->as.mesh, out);
    }
    return true;
}

stn_status stn_wire_plan_new(const stn_res *res, size_t bulk_max, stn_wire_plan **out, stn_err *err)
{
    *out = NULL;
    stn_arena *arena = stn_arena_new(16384, 0);
    stn_wire_plan *p = arena ? stn_arena_zalloc(arena, 1, sizeof *p) : NULL;
    uint32_t n = stn_res_count(res);
    stn_status st = STN_NO_MEMORY;
    if (!p)
        goto no_memory;
    p->arena = arena;
    p->res = res;
    stenness__ready__init(&p->ready);
    p->ready.version = stn_res_version(res);
    p->layers = stn_arena_array(arena, n, sizeof *p->layers);
    p->ready.layers = stn_arena_array(arena, n, sizeof *p->ready.layers);
    if (n && (!p->layers || !p->ready.layers))
        goto no_memory;
    p->ready.n_layers = n;
    p->bytes[STN_WIRE_RAW] = STN_RES_SIGNATURE_BYTES + sizeof(uint16_t);
    for (uint32_t i = 0; i < n; i++) {
        p->ready.layers[i] = &p->layers[i];
        if (!plan_layer(p, stn_res_layer_at(res, i), &p->layers[i]))
            goto no_memory;
    }
    if (p->bytes[0] + p->bytes[1] > bulk_max) {
        st = stn_fail(err, STN_TOO_BIG,
                      "resource: a file of %zu and models of %zu bytes do not fit a message of %zu",
                      p->bytes[0], p->bytes[1], bulk_max);
        goto fail;
    }
    for (uint32_t i = 0; i < n; i++) {
        const stn_res_layer *l = stn_res_layer_at(res, i);
        if (stn_wire_has_pixels(l->kind) && !plan_pixels(p, l, &p->layers[i], bulk_max))
            goto no_memory;
    }
    size_t body = stenness__ready__get_packed_size(&p->ready);
    if (body > STN_WIRE_BODY_MAX) {
        st = stn_fail(err, STN_TOO_BIG,
                      "resource: the list of %u layers takes %zu bytes, at most %u fit a message", n, body,
                      STN_WIRE_BODY_MAX);
        goto fail;
    }
    *out = p;
    return STN_OK;
no_memory:
    stn_fail(err, STN_NO_MEMORY, "packing a resource of %u layers", n);
fail:
    stn_arena_free(arena);
    return st;
}

void stn_wire_plan_free(stn_wire_plan *p)
{
    if (p)
        stn_arena_free(p->arena); /* which holds the plan too */
}

size_t stn_wire_plan_bytes(const stn_wire_plan *p, unsigned frame)
{
    return frame < STN_WIRE_FRAMES ? p->bytes[frame] : 0;
}

Stenness__Ready *stn_wire_plan_ready(stn_wire_plan *p)
{
    return &p->ready;
}

/* ---- filling ---- */

/* Copies and zeroes the padding behind: a frame goes to another process, nothing of ours may show through. */
static void put(uint8_t *frame, const Stenness__Array *a, const void *data, size_t len)
{
    if (len)
        memcpy(frame + a->offset, data, len);
    memset(frame + a->offset + len, 0, align_up(len) - len);
}

static stn_status decode_picture(const stn_res_layer *l, uint8_t *out, size_t bytes, stn_err *err)
{
    switch (l->kind) {
    case STN_LAYER_TEX:
        return stn_res_tex_pixels(l->as.tex, NULL, out, bytes, NULL, err);
    case STN_LAYER_IMAGE:
        return stn_picture_rgba(l->as.image->picture, l->as.image->picture_len, NULL, out, bytes, NULL, err);
    default:
        return stn_res_tileset_pixels(l->as.tileset, NULL, out, bytes, NULL, err);
    }
}

static stn_status fill_pixels(stn_wire_plan *p, const stn_res_layer *l, Stenness__Layer *out, uint8_t *frame,
                              stn_err *err)
{
    const Stenness__Array *a = out->arrays[0];
    size_t bytes = (size_t)a->count * 4;
    stn_status st = decode_picture(l, frame + a->offset, bytes, err);
    memset(frame + a->offset + bytes, 0, align_up(bytes) - bytes);
    if (st == STN_OK)
        return STN_OK;
    memset(frame + a->offset, 0, bytes);
    set_problem(p, out, err->text);
    out->n_arrays = 0;
    return st;
}

/* The file, which a resource keeps in its records. */
static void put_file(const stn_res *res, uint8_t *out)
{
    memcpy(out, STN_RES_SIGNATURE, STN_RES_SIGNATURE_BYTES);
    stn_st16(out + STN_RES_SIGNATURE_BYTES, stn_res_version(res));
    for (uint32_t i = 0; i < stn_res_count(res); i++) {
        const stn_res_layer *l = stn_res_layer_at(res, i);
        size_t name = strlen(l->type) + 1;
        memcpy(out + l->offset, l->type, name);
        stn_st32(out + l->offset + name, l->raw_len);
        if (l->raw_len)
            memcpy(out + l->offset + name + sizeof(int32_t), l->raw, l->raw_len);
    }
}

size_t stn_wire_plan_fill(stn_wire_plan *p, uint8_t *const frames[STN_WIRE_FRAMES], stn_err *err)
{
    size_t problems = 0;
    if (frames[STN_WIRE_RAW])
        put_file(p->res, frames[STN_WIRE_RAW]);
    for (uint32_t i = 0; i < stn_res_count(p->res); i++) {
        const stn_res_layer *l = stn_res_layer_at(p->res, i);
        Stenness__Layer *out = &p->layers[i];
        if (l->kind == STN_LAYER_VBUF) {
            for (uint32_t k = 0; k < l->as.vbuf->count; k++) {
                const stn_attrib *a = &l->as.vbuf->attribs[k];
                const void *data = a->attr == STN_ATTR_BONEIDX ? (const void *)a->i : (const void *)a->f;
                put(frames[STN_WIRE_MODELS], out->arrays[k], data,
                    (size_t)l->as.vbuf->num * a->components * 4);
            }
        } else if (l->kind == STN_LAYER_MESH) {
            put(frames[STN_WIRE_MODELS], out->arrays[0], l->as.mesh->indices, (size_t)l->as.mesh->tris * 6);
        } else if (stn_wire_has_pixels(l->kind) && out->n_arrays) {
            stn_err why = {0};
            if (fill_pixels(p, l, out, frames[STN_WIRE_PIXELS], &why) != STN_OK && !err->code)
                stn_fail(err, why.code, "%s", why.text);
        }
        problems += out->problem && *out->problem;
    }
    return problems;
}

void stn_wire_select(Stenness__Ready *ready, uint32_t want)
{
    ready->want = want & (STENNESS__RESOURCE_WANT__WANT_RAW | STENNESS__RESOURCE_WANT__WANT_MODELS |
                          STENNESS__RESOURCE_WANT__WANT_PIXELS);
    for (size_t i = 0; i < ready->n_layers; i++) {
        Stenness__Layer *l = ready->layers[i];
        /* The arrays of one layer all lie in the same frame. */
        uint32_t frame = l->n_arrays ? l->arrays[0]->frame : STN_WIRE_RAW;
        if ((frame == STN_WIRE_MODELS && !(want & STENNESS__RESOURCE_WANT__WANT_MODELS)) ||
            (frame == STN_WIRE_PIXELS && !(want & STENNESS__RESOURCE_WANT__WANT_PIXELS)))
            l->n_arrays = 0;
    }
}
