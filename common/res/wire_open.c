/* wire_open.c - from body and frames, which come from another process, to checked views. */
#include "res/wire.h"
#include "res/wire_layout.h"

#include "base/arena.h"
#include "base/bytes.h"

#include <string.h>

#define LAYERS_MAX 65536u

struct stn_wire {
    stn_arena *arena;
    const char *name;
    int version;
    uint64_t object;
    uint32_t want;
    bool has_bounds;
    float bounds[2][3];
    stn_wire_span file;
    uint32_t count;
    stn_wire_layer *layers;
};

typedef struct opening {
    const stn_wire_span *frames;
    size_t n;
    stn_wire *wire;
    uint32_t at; /* layer */
    stn_err *err;
} opening;

static stn_status bad(const opening *o, const char *what)
{
    const stn_wire_layer *l = &o->wire->layers[o->at];
    return stn_fail(o->err, STN_BAD_DATA, "resource \"%.100s\" layer %u \"%.40s\": %s", o->wire->name, o->at,
                    l->type, what);
}

/* The bytes of an array of exactly `count` elements in its frame. */
static stn_status view(const opening *o, const Stenness__Array *a, unsigned frame,
                       Stenness__ElementFormat format, uint64_t count, size_t element, stn_wire_span *out)
{
    size_t len = frame < o->n ? o->frames[frame].len : 0;
    if (a->frame != frame || a->format != format)
        return bad(o, "an array is not of the announced kind");
    if (a->count != count)
        return bad(o, "an array has another length than its layer says");
    if (a->offset % STN_WIRE_ALIGN || a->offset > len || a->count > (len - a->offset) / element)
        return bad(o, "an array reaches out of its frame");
    *out = (stn_wire_span){.data = len ? o->frames[frame].data + a->offset : (const uint8_t *)"",
                           .len = (size_t)a->count * element};
    return STN_OK;
}

static stn_status open_pixels(const opening *o, const Stenness__Layer *in, stn_bytes *head, stn_wire_layer *l)
{
    l->id = stn_bytes_i32(head);
    l->w = stn_bytes_u32(head);
    l->h = stn_bytes_u32(head);
    unsigned mipmap = stn_bytes_u8(head);
    const stn_res_limits *lim = &stn_res_default_limits;
    bool none = l->w == 0 || l->h == 0;
    if (!stn_bytes_ok(head) || mipmap > STN_MIP_DAV)
        return bad(o, "malformed picture fields");
    l->mipmap = (stn_mipmapper)mipmap;
    if (none) {
        l->levels = 0;
        return in->n_arrays ? bad(o, "pixels of a picture without a size") : STN_OK;
    }
    /* A packed tile image may be larger than a picture in a file, but no larger than all of them together. */
    if ((uint64_t)l->w * l->h > lim->max_samples || l->w > lim->max_samples || l->h > lim->max_samples)
        return bad(o, "a picture larger than any can be");
    l->levels = stn_mip_levels(l->mipmap, l->w, l->h);
    if (!in->n_arrays)
        return STN_OK;
    return view(o, in->arrays[0], STN_WIRE_PIXELS, STENNESS__ELEMENT_FORMAT__ELEMENT_RGBA8,
                stn_mip_bytes(l->mipmap, l->w, l->h) / 4, 4, &l->pixels);
}

static stn_status open_vbuf(const opening *o, const Stenness__Layer *in, stn_bytes *head, stn_wire_layer *l)
{
    l->id = stn_bytes_i32(head);
    l->num = stn_bytes_u32(head);
    l->attrib_count = stn_bytes_u32(head);
    if (!stn_bytes_ok(head) || l->num > UINT16_MAX || stn_bytes_left(head) != (uint64_t)l->attrib_count * 2)
        return bad(o, "malformed vertex buffer fields");
    if (in->n_arrays && in->n_arrays != l->attrib_count)
        return bad(o, "as many arrays as attributes expected");
    stn_wire_attrib *attribs = stn_arena_zalloc(o->wire->arena, l->attrib_count, sizeof *attribs);
    if (l->attrib_count && !attribs)
        return stn_fail(o->err, STN_NO_MEMORY, "opening a resource");
    l->attribs = attribs;
    for (uint32_t i = 0; i < l->attrib_count; i++) {
        stn_wire_span s = {0};
        unsigned attr = stn_bytes_u8(head);
        attribs[i].components = stn_bytes_u8(head);
        if (attr >= STN_ATTR_COUNT || attribs[i].components < 1 || attribs[i].components > 4)
            return bad(o, "unknown vertex attribute");
        attribs[i].attr = (stn_attr)attr;
        if (!in->n_arrays)
            continue;
        stn_status st = view(o, in->arrays[i], STN_WIRE_MODELS,
                             attr == STN_ATTR_BONEIDX ? STENNESS__ELEMENT_FORMAT__ELEMENT_I32
                                                      : STENNESS__ELEMENT_FORMAT__ELEMENT_F32,
                             (uint64_t)l->num * attribs[i].components, 4, &s);
        if (st != STN_OK)
            return st;
        attribs[i].data = s.data;
    }
    return STN_OK;
}

static stn_status open_mesh(const opening *o, const Stenness__Layer *in, stn_bytes *head, stn_wire_layer *l)
{
    l->id = stn_bytes_i32(head);
    l->vbuf_layer = stn_bytes_u32(head);
    l->tris = stn_bytes_u32(head);
    l->has_bounds = stn_bytes_u8(head) != 0;
    for (int i = 0; i < 6; i++)
        l->bounds[i / 3][i % 3] = stn_bytes_f32(head);
    if (!stn_bytes_ok(head))
        return bad(o, "malformed mesh fields");
    if (!in->n_arrays)
        return STN_OK;
    return view(o, in->arrays[0], STN_WIRE_MODELS, STENNESS__ELEMENT_FORMAT__ELEMENT_U16,
                (uint64_t)l->tris * 3, 2, &l->indices);
}

static stn_status open_layer(const opening *o, const Stenness__Layer *in, stn_wire_layer *l)
{
    l->type = stn_arena_strdup(o->wire->arena, in->type ? in->type : "");
    l->problem = stn_arena_strdup(o->wire->arena, in->problem ? in->problem : "");
    if (!l->type || !l->problem)
        return stn_fail(o->err, STN_NO_MEMORY, "opening a resource");
    l->kind = in->known ? stn_layer_kind_of(l->type) : STN_LAYER_UNKNOWN;
    l->length = in->length;
    if (o->n > STN_WIRE_RAW && o->frames[STN_WIRE_RAW].len) {
        const stn_wire_span *file = &o->frames[STN_WIRE_RAW];
        if (in->raw_at > file->len || in->length > file->len - in->raw_at)
            return bad(o, "its payload reaches out of the file");
        l->raw = (stn_wire_span){.data = file->data + in->raw_at, .len = in->length};
    }
    stn_bytes head = stn_bytes_of(in->head.data, in->head.len);
    unsigned most = stn_wire_has_pixels(l->kind) || l->kind == STN_LAYER_MESH ? 1 : 0;
    if (l->kind == STN_LAYER_VBUF)
        return open_vbuf(o, in, &head, l);
    if (in->n_arrays > most)
        return bad(o, "more arrays than this type has");
    if (l->kind == STN_LAYER_MESH)
        return open_mesh(o, in, &head, l);
    return most ? open_pixels(o, in, &head, l) : STN_OK;
}

/* Once all layers stand: a mesh points at a vertex buffer and into it. */
static stn_status check_mesh(const opening *o, const stn_wire_layer *l)
{
    const stn_wire *w = o->wire;
    if (l->vbuf_layer >= w->count || w->layers[l->vbuf_layer].kind != STN_LAYER_VBUF)
        return bad(o, "its vertex buffer is not a vertex buffer");
    uint32_t num = w->layers[l->vbuf_layer].num;
    for (size_t i = 0; i + 1 < l->indices.len; i += 2)
        if (stn_ld16(l->indices.data + i) >= num)
            return bad(o, "an index beyond its vertex buffer");
    return STN_OK;
}

static stn_status open_all(opening *o, const Stenness__Ready *ready)
{
    stn_wire *w = o->wire;
    stn_status st = STN_OK;
    for (o->at = 0; o->at < w->count && st == STN_OK; o->at++)
        st = open_layer(o, ready->layers[o->at], &w->layers[o->at]);
    for (o->at = 0; o->at < w->count && st == STN_OK; o->at++)
        if (w->layers[o->at].kind == STN_LAYER_MESH)
            st = check_mesh(o, &w->layers[o->at]);
    return st;
}

stn_status stn_wire_open(const Stenness__Ready *ready, const stn_wire_span *frames, size_t n, stn_wire **out,
                         stn_err *err)
{
    *out = NULL;
    const char *name = ready->name ? ready->name : "";
    if (ready->n_layers > LAYERS_MAX || ready->version < 0 || ready->version > UINT16_MAX ||
        (ready->n_bounds != 0 && ready->n_bounds != 6))
        return stn_fail(err, STN_BAD_DATA, "resource \"%.100s\": version %d, %zu layers, %zu bounds", name,
                        ready->version, ready->n_layers, ready->n_bounds);
    stn_arena *arena = stn_arena_new(4096, 0);
    stn_wire *w = arena ? stn_arena_zalloc(arena, 1, sizeof *w) : NULL;
    if (!w)
        goto no_memory;
    w->arena = arena;
    w->version = ready->version;
    w->object = ready->object;
    w->want = ready->want;
    w->count = (uint32_t)ready->n_layers;
    w->name = stn_arena_strdup(arena, name);
    w->layers = stn_arena_zalloc(arena, w->count, sizeof *w->layers);
    if (!w->name || (w->count && !w->layers))
        goto no_memory;
    if (n > STN_WIRE_RAW)
        w->file = frames[STN_WIRE_RAW];
    w->has_bounds = ready->n_bounds == 6;
    for (size_t i = 0; i < ready->n_bounds; i++)
        w->bounds[i / 3][i % 3] = ready->bounds[i];
    opening o = {.frames = frames, .n = n, .wire = w, .err = err};
    stn_status st = open_all(&o, ready);
    if (st != STN_OK) {
        stn_arena_free(arena);
        return st;
    }
    *out = w;
    return STN_OK;
no_memory:
    stn_arena_free(arena);
    return stn_fail(err, STN_NO_MEMORY, "opening resource \"%.100s\"", name);
}

void stn_wire_free(stn_wire *w)
{
    if (w)
        stn_arena_free(w->arena);
}

const char *stn_wire_name(const stn_wire *w)
{
    return w->name;
}

int stn_wire_version(const stn_wire *w)
{
    return w->version;
}

uint64_t stn_wire_object(const stn_wire *w)
{
    return w->object;
}

uint32_t stn_wire_want(const stn_wire *w)
{
    return w->want;
}

uint32_t stn_wire_count(const stn_wire *w)
{
    return w->count;
}

const stn_wire_layer *stn_wire_layer_at(const stn_wire *w, uint32_t i)
{
    return i < w->count ? &w->layers[i] : NULL;
}

bool stn_wire_bounds(const stn_wire *w, float out[2][3])
{
    if (w->has_bounds)
        memcpy(out, w->bounds, sizeof w->bounds);
    return w->has_bounds;
}

bool stn_wire_level(const stn_wire_layer *l, uint32_t level, uint32_t *w, uint32_t *h, stn_wire_span *out)
{
    if (level >= l->levels || !l->pixels.data)
        return false;
    size_t at = 0;
    *w = l->w;
    *h = l->h;
    for (uint32_t i = 0; i < level; i++) {
        at += (size_t)*w * *h * 4;
        *w = *w > 1 ? *w / 2 : 1;
        *h = *h > 1 ? *h / 2 : 1;
    }
    size_t bytes = (size_t)*w * *h * 4;
    if (at > l->pixels.len || bytes > l->pixels.len - at)
        return false;
    *out = (stn_wire_span){.data = l->pixels.data + at, .len = bytes};
    return true;
}

stn_status stn_wire_res(const stn_wire *w, stn_res **out, stn_err *err)
{
    const stn_res_opts opts = {.want_version = w->version, .pixels = STN_RES_PROBE};
    *out = NULL;
    if (!w->file.len)
        return stn_fail(err, STN_USAGE, "resource \"%.100s\" was opened without its file (WANT_RAW)",
                        w->name);
    stn_status st = stn_res_new(w->file.data, w->file.len, &opts, out, NULL, err);
    if (st != STN_OK)
        return st;
    if (stn_res_count(*out) == w->count)
        return STN_OK;
    st = stn_fail(err, STN_BAD_DATA, "resource \"%.100s\": %u layers are described, the file has %u", w->name,
                  w->count, stn_res_count(*out));
    stn_res_free(*out);
    *out = NULL;
    return st;
}
