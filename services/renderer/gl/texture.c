#include "renderer/gl/texture.h"

#include <glad/gl.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXTURES 16384
#define MAX_BYTES (256u << 20)
#define TAIL_SIDE 64 /* levels up to here stand for the whole until it is in */

struct texture {
    uint32_t name, width, height;
    uint32_t tail; /* a texture of its small levels, drawn until the rows of the others are in; 0 = none */
    stn_sampling sampling;
    size_t bytes;
    uint16_t generation;
    bool live, whole;
    const uint8_t *solid;
    /* Of one that is not whole yet: from the smallest level on. */
    const stn_texture_level *levels;
    uint32_t level_count, level, row;
};

struct stn_textures {
    stn_glrec *rec;
    struct texture *items;
    uint32_t count, cap;
    uint32_t samplers[2 * 2 * 3 * 2];
    uint32_t placeholder;
    int32_t max_side;
    float anisotropy;
    size_t live, bytes;
};

/* Ids: index + 1 in the low 15 bits, generation above. */
#define INDEX_OF(id) (((id)&0x7fff) - 1)

stn_textures *stn_textures_new(stn_glrec *rec, float anisotropy)
{
    static const uint8_t magenta[4] = {255, 0, 255, 255};
    stn_textures *t = calloc(1, sizeof *t);

    if (!t)
        return NULL;
    t->rec = rec;
    t->anisotropy = GLAD_GL_EXT_texture_filter_anisotropic ? anisotropy : 1.0f;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &t->max_side);
    glGenTextures(1, &t->placeholder);
    stn_glrec_texture(rec, 0, GL_TEXTURE_2D, t->placeholder, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, magenta);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    return t;
}

static void drop_name(stn_textures *t, uint32_t *name)
{
    if (!*name)
        return;
    stn_glrec_forget_texture(t->rec, *name);
    glDeleteTextures(1, name);
    *name = 0;
}

static void drop_names(stn_textures *t, struct texture *x)
{
    drop_name(t, &x->name);
    drop_name(t, &x->tail);
}

void stn_textures_free(stn_textures *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->items[i].live)
            drop_names(t, &t->items[i]);
    for (size_t i = 0; i < sizeof t->samplers / sizeof t->samplers[0]; i++)
        if (t->samplers[i])
            glDeleteSamplers(1, &t->samplers[i]);
    glDeleteTextures(1, &t->placeholder);
    stn_glrec_invalidate(t->rec);
    free(t->items);
    free(t);
}

uint32_t stn_textures_sampler(stn_textures *t, stn_sampling s)
{
    static const GLenum mins[2][3] = {{GL_NEAREST, GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST_MIPMAP_LINEAR},
                                      {GL_LINEAR, GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_LINEAR}};
    unsigned mag = s.mag & 1u, min = s.min & 1u, mip = s.mip > 2 ? 2u : s.mip, clamp = s.clamp ? 1u : 0u;
    uint32_t *slot = &t->samplers[((mag * 2 + min) * 3 + mip) * 2 + clamp];

    if (!*slot) {
        GLint wrap = clamp ? GL_CLAMP_TO_EDGE : GL_REPEAT;

        glGenSamplers(1, slot);
        glSamplerParameteri(*slot, GL_TEXTURE_MAG_FILTER, mag ? GL_LINEAR : GL_NEAREST);
        glSamplerParameteri(*slot, GL_TEXTURE_MIN_FILTER, (GLint)mins[min][mip]);
        glSamplerParameteri(*slot, GL_TEXTURE_WRAP_S, wrap);
        glSamplerParameteri(*slot, GL_TEXTURE_WRAP_T, wrap);
        if (mip && min && t->anisotropy > 1.0f)
            glSamplerParameterf(*slot, GL_TEXTURE_MAX_ANISOTROPY_EXT, t->anisotropy);
    }
    return *slot;
}

static stn_status check(const stn_textures *t, const stn_texture_level *levels, size_t count, size_t *bytes,
                        stn_err *err)
{
    *bytes = 0;
    if (count < 1 || count > 16)
        return stn_fail(err, STN_BAD_DATA, "texture with %zu levels: 1 to 16 expected", count);
    for (size_t i = 0; i < count; i++) {
        uint32_t w = levels[i].width, h = levels[i].height;

        if (w < 1 || h < 1 || w > (uint32_t)t->max_side || h > (uint32_t)t->max_side)
            return stn_fail(err, STN_TOO_BIG, "texture level %zu is %ux%u: 1 to %d a side here", i, w, h,
                            t->max_side);
        if (i > 0 && (w != (levels[i - 1].width > 1 ? levels[i - 1].width / 2 : 1) ||
                      h != (levels[i - 1].height > 1 ? levels[i - 1].height / 2 : 1)))
            return stn_fail(err, STN_BAD_DATA, "texture level %zu is %ux%u, not half of %ux%u", i, w, h,
                            levels[i - 1].width, levels[i - 1].height);
        *bytes += (size_t)w * h * 4;
    }
    if (*bytes > MAX_BYTES)
        return stn_fail(err, STN_TOO_BIG, "texture of %zu bytes: at most %u", *bytes, MAX_BYTES);
    return STN_OK;
}

static struct texture *find(const stn_textures *t, uint32_t id)
{
    uint32_t at = INDEX_OF(id);

    if (!id || at >= t->count || !t->items[at].live || t->items[at].generation != id >> 15)
        return NULL;
    return &t->items[at];
}

stn_status stn_textures_begin(stn_textures *t, const stn_texture_level *levels, size_t count,
                              stn_sampling sampling, uint32_t *id, stn_err *err)
{
    uint32_t at = 0;
    size_t bytes;
    struct texture *x;
    stn_status st = check(t, levels, count, &bytes, err);

    *id = 0;
    if (st != STN_OK)
        return st;
    while (at < t->count && t->items[at].live)
        at++;
    if (at == MAX_TEXTURES)
        return stn_fail(err, STN_TOO_BIG, "more than %d textures", MAX_TEXTURES);
    if (at == t->cap) {
        uint32_t cap = t->cap ? t->cap * 2 : 256;
        void *p = realloc(t->items, cap * sizeof *t->items);

        if (!p)
            return stn_fail(err, STN_NO_MEMORY, "texture table");
        t->items = p;
        memset(t->items + t->cap, 0, (cap - t->cap) * sizeof *t->items);
        t->cap = cap;
    }
    if (at == t->count)
        t->count++;
    x = &t->items[at];
    *x = (struct texture){.generation = (uint16_t)(x->generation + 1),
                          .live = true,
                          .width = levels[0].width,
                          .height = levels[0].height,
                          .sampling = sampling,
                          .bytes = bytes,
                          .levels = levels,
                          .level_count = (uint32_t)count,
                          .level = (uint32_t)count - 1};
    if (count == 1)
        x->sampling.mip = STN_MIPS_NONE;
    t->live++;
    t->bytes += bytes;
    *id = (uint32_t)x->generation << 15 | (at + 1);
    return STN_OK;
}

/* A texture of the levels from `first` on; without pixels when `filled` is not set. Returns their bytes. */
static size_t make_name(stn_textures *t, const struct texture *x, uint32_t first, bool filled, uint32_t *name)
{
    size_t bytes = 0;

    glGenTextures(1, name);
    stn_glrec_texture(t->rec, 0, GL_TEXTURE_2D, *name, 0);
    for (uint32_t i = first; i < x->level_count; i++) {
        const stn_texture_level *l = &x->levels[i];

        glTexImage2D(GL_TEXTURE_2D, (GLint)(i - first), GL_RGBA8, (GLsizei)l->width, (GLsizei)l->height, 0,
                     GL_RGBA, GL_UNSIGNED_BYTE, filled ? l->rgba : NULL);
        bytes += filled ? (size_t)l->width * l->height * 4 : 0;
    }
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, (GLint)(x->level_count - first) - 1);
    return bytes;
}

static void become_whole(stn_textures *t, struct texture *x)
{
    drop_name(t, &x->tail);
    x->levels = NULL;
    x->whole = true;
}

/* Rows of the level under way, and of the next larger ones while they fit. */
static size_t put_rows(stn_textures *t, struct texture *x)
{
    size_t moved = 0;

    stn_glrec_edit(t->rec, x->name);
    for (;;) {
        const stn_texture_level *l = &x->levels[x->level];
        size_t line = (size_t)l->width * 4, fit = (STN_TEXTURE_BAND - moved) / line;
        uint32_t rows = l->height - x->row;

        if (fit == 0 && moved > 0)
            return moved;
        rows = fit >= rows ? rows : fit > 0 ? (uint32_t)fit : 1;
        glTexSubImage2D(GL_TEXTURE_2D, (GLint)x->level, 0, (GLint)x->row, (GLsizei)l->width, (GLsizei)rows,
                        GL_RGBA, GL_UNSIGNED_BYTE, l->rgba + x->row * line);
        moved += rows * line;
        x->row += rows;
        if (x->row < l->height)
            return moved;
        x->row = 0;
        if (x->level-- == 0) {
            become_whole(t, x);
            return moved;
        }
        if (moved >= STN_TEXTURE_BAND)
            return moved;
    }
}

size_t stn_textures_step(stn_textures *t, uint32_t id)
{
    struct texture *x = find(t, id);
    uint32_t first = 0;
    size_t moved;

    if (!x || x->whole)
        return 0;
    if (x->bytes <= STN_TEXTURE_BAND) {
        moved = make_name(t, x, 0, true, &x->name);
        become_whole(t, x);
        return moved;
    }
    while (first < x->level_count &&
           (x->levels[first].width > TAIL_SIDE || x->levels[first].height > TAIL_SIDE))
        first++;
    if (!x->tail && !x->name && first < x->level_count)
        return make_name(t, x, first, true, &x->tail);
    if (!x->name)
        make_name(t, x, 0, false, &x->name);
    return put_rows(t, x);
}

stn_texture_state stn_textures_state(const stn_textures *t, uint32_t id)
{
    const struct texture *x = find(t, id);

    return !x         ? STN_TEXTURE_NONE
           : x->whole ? STN_TEXTURE_WHOLE
           : x->tail  ? STN_TEXTURE_TAIL
                      : STN_TEXTURE_NONE;
}

stn_status stn_textures_add(stn_textures *t, const stn_texture_level *levels, size_t count,
                            stn_sampling sampling, uint32_t *id, stn_err *err)
{
    stn_status st = stn_textures_begin(t, levels, count, sampling, id, err);
    struct texture *x = st == STN_OK ? find(t, *id) : NULL;

    if (x) {
        make_name(t, x, 0, true, &x->name);
        become_whole(t, x);
    }
    return st;
}

void stn_textures_update(stn_textures *t, uint32_t id, uint32_t x, uint32_t y, uint32_t w, uint32_t h,
                         const uint8_t *rgba)
{
    struct texture *tex = find(t, id);

    if (!tex || !tex->whole || x > tex->width || y > tex->height || w > tex->width - x || h > tex->height - y)
        return;
    stn_glrec_edit(t->rec, tex->name);
    glTexSubImage2D(GL_TEXTURE_2D, 0, (GLint)x, (GLint)y, (GLsizei)w, (GLsizei)h, GL_RGBA, GL_UNSIGNED_BYTE,
                    rgba);
}

void stn_textures_keep(stn_textures *t, uint32_t id, const uint8_t *bits)
{
    struct texture *x = find(t, id);

    if (x)
        x->solid = bits;
}

bool stn_textures_mask(const stn_textures *t, uint32_t id, stn_pick_mask *out)
{
    const struct texture *x = find(t, id);

    if (!x || !x->solid)
        return false;
    *out = (stn_pick_mask){x->width, x->height, x->solid};
    return true;
}

void stn_textures_remove(stn_textures *t, uint32_t id)
{
    struct texture *x = find(t, id);

    if (!x)
        return;
    drop_names(t, x);
    x->live = false;
    t->live--;
    t->bytes -= x->bytes;
}

void stn_textures_bind(stn_textures *t, uint32_t id, int unit)
{
    const struct texture *x = find(t, id);
    uint32_t name = !x ? 0 : x->whole ? x->name : x->tail;

    if (name)
        stn_glrec_texture(t->rec, unit, GL_TEXTURE_2D, name, stn_textures_sampler(t, x->sampling));
    else
        stn_glrec_texture(
            t->rec, unit, GL_TEXTURE_2D, t->placeholder,
            stn_textures_sampler(t, (stn_sampling){STN_FILTER_NEAREST, STN_FILTER_NEAREST, 0, 0}));
}

size_t stn_textures_count(const stn_textures *t)
{
    return t->live;
}

size_t stn_textures_bytes(const stn_textures *t)
{
    return t->bytes;
}
