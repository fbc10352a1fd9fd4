/* twin_site.c - a construction site: a sign, and around a large one poles with a rope between them.
 * Source: docs/spec/sprites.md 21.6. */
#include "renderer/sprite/internal.h"

#include "base/bytes.h"
#include "renderer/sprite/obstacle.h"

#include <math.h>

#define FENCED 22.0f /* wider or deeper than this there is a rope */
#define ROPE_HEIGHT 3.0f
#define MAX_ROPE 4096 /* points; a longer rope is left out */

static const struct {
    const char *name;
    int32_t version;
} sign_res = {"gfx/terobjs/sign", 6}, pole_res = {"gfx/terobjs/arch/conspole", 2};

typedef struct site {
    stn_sprite *sign, *pole; /* NULL: cannot be had */
    stn_arena *arena; /* of the outline */
    stn_outline outline;
    float done; /* 0..1; nothing draws it */
} site;

static bool fenced(const site *s)
{
    return s->outline.max[0] - s->outline.min[0] > FENCED || s->outline.max[1] - s->outline.min[1] > FENCED;
}

static stn_sprite_fault init(stn_sprite *sprite, const uint8_t *sdt, size_t len, const stn_values *args,
                             stn_err *err)
{
    site *s = sprite->data;
    stn_bytes in = stn_bytes_of(sdt, len);
    stn_sprite_fault fault;

    (void)args;
    s->arena = stn_arena_new(512, 0);
    if (!s->arena)
        return stn_sprite_no_memory(sprite, err);
    if ((fault = stn_outline_read(&in, s->arena, &s->outline, err)))
        return fault;
    s->done = (float)stn_bytes_u8(&in) / 255.0f;
    if (!stn_bytes_ok(&in))
        return stn_sprite_fail(err, STN_SPRITE_EOF, "%.80s: how far the site is, is not told",
                               sprite->res->name);
    fault = stn_twin_child(sprite, sign_res.name, sign_res.version, &s->sign, err);
    if (!fault && fenced(s))
        fault = stn_twin_child(sprite, pole_res.name, pole_res.version, &s->pole, err);
    return fault;
}

/* ---- the ground under a point of the outline, relative to the object ---- */

typedef struct laying {
    const stn_sprite_stand *stand; /* NULL: flat */
    double c, s; /* of the object's angle */
    float (*points)[3];
    uint32_t count;
    bool too_long;
    stn_err *err;
} laying;

static laying laying_of(const stn_sprite *sprite, stn_err *err)
{
    const stn_sprite_stand *stand = sprite->object ? sprite->object->stand : NULL;
    double a = stand ? stand->angle : 0;

    return (laying){.stand = stand, .c = cos(a), .s = sin(a), .err = err};
}

static stn_sprite_fault height(const laying *l, double x, double y, float *out)
{
    double z = 0;
    stn_sprite_fault fault = STN_SPRITE_OK;

    *out = 0;
    if (!l->stand || !l->stand->ground)
        return STN_SPRITE_OK;
    fault = l->stand->ground->z(l->stand->ground->user, STN_SURFACE_MAP, x, y, &z, l->err);
    if (!fault)
        *out = (float)z - l->stand->z;
    return fault;
}

static void to_world(const laying *l, const float p[2], double out[2])
{
    double x = (double)p[0], y = (double)p[1];

    out[0] = x * l->c - y * l->s + (l->stand ? (double)l->stand->x : 0);
    out[1] = y * l->c + x * l->s + (l->stand ? (double)l->stand->y : 0);
}

static stn_sprite_fault put_rope_point(void *user, double x, double y)
{
    laying *l = user;
    double dx = x - (l->stand ? (double)l->stand->x : 0), dy = y - (l->stand ? (double)l->stand->y : 0);
    float z;
    stn_sprite_fault fault;

    if (l->count == MAX_ROPE) {
        l->too_long = true;
        return STN_SPRITE_MALFORMED; /* ends the walk; not told */
    }
    if ((fault = height(l, x, y, &z)))
        return fault;
    l->points[l->count][0] = (float)(dx * l->c + dy * l->s);
    l->points[l->count][1] = -(float)(dy * l->c - dx * l->s);
    l->points[l->count++][2] = z + ROPE_HEIGHT;
    return STN_SPRITE_OK;
}

static stn_sprite_fault put_rope(stn_sprite_build *b, const stn_outline_ring *ring, stn_err *err)
{
    laying l = laying_of(b->sprite, err);
    float points[MAX_ROPE][3];
    stn_sprite_part part = {.kind = STN_PART_ROPE, .res = b->sprite->res};
    stn_sprite_fault fault = STN_SPRITE_OK;

    l.points = points;
    for (uint32_t i = 0; i < ring->count && !fault; i++) {
        double from[2], to[2];
        to_world(&l, ring->points[i], from);
        to_world(&l, ring->points[(i + 1) % ring->count], to);
        fault = stn_place_along(from[0], from[1], to[0], to[1], put_rope_point, &l);
    }
    if (l.too_long || (!fault && l.count < 2))
        return STN_SPRITE_OK;
    if (fault)
        return fault;
    part.n_rope = l.count;
    part.rope = stn_arena_dup(b->arena, points, l.count * sizeof *points);
    return part.rope && stn_build_add(b, &part) ? STN_SPRITE_OK : stn_sprite_no_memory(b->sprite, err);
}

static stn_sprite_fault put_poles(stn_sprite_build *b, const stn_outline_ring *ring, stn_err *err)
{
    site *s = b->sprite->data;
    laying l = laying_of(b->sprite, err);

    for (uint32_t i = 0; i < ring->count && s->pole; i++) {
        const float *p = ring->points[i];
        stn_sprite_part part = {.kind = STN_PART_SPRITE, .res = s->pole->res, .sprite = s->pole}, *added;
        stn_dyn dyn = {.kind = STN_DYN_PLACE};
        double at[2];
        float z;
        stn_sprite_fault fault;

        to_world(&l, p, at);
        if ((fault = height(&l, at[0], at[1], &z)))
            return fault;
        dyn.place = stn_mat4_translate((stn_sprite_vec){p[0], -p[1], z});
        added = stn_build_add(b, &part);
        if (!added || !stn_part_add_dyn(b->arena, added, &dyn))
            return stn_sprite_no_memory(b->sprite, err);
    }
    return STN_SPRITE_OK;
}

static stn_sprite_fault build(stn_sprite_build *b, stn_err *err)
{
    site *s = b->sprite->data;
    stn_sprite_part sign = {.kind = STN_PART_SPRITE, .sprite = s->sign};
    stn_sprite_fault fault = STN_SPRITE_OK;

    if (s->sign) {
        sign.res = s->sign->res;
        if (!stn_build_add(b, &sign))
            return stn_sprite_no_memory(b->sprite, err);
    }
    for (uint32_t r = 0; r < s->outline.count && fenced(s) && !fault; r++) {
        fault = put_rope(b, &s->outline.rings[r], err);
        if (!fault)
            fault = put_poles(b, &s->outline.rings[r], err);
    }
    return fault;
}

static stn_sprite_fault tick(stn_sprite *sprite, double dt, bool *done, stn_err *err)
{
    site *s = sprite->data;
    stn_sprite_fault fault = stn_twin_tick_child(s->sign, dt, err), other;

    (void)done;
    other = stn_twin_tick_child(s->pole, dt, err);
    return fault ? fault : other;
}

/* Only how far it is changes; what stands there stays. */
static stn_sprite_fault update(stn_sprite *sprite, const uint8_t *sdt, size_t len, stn_err *err)
{
    site *s = sprite->data;
    stn_bytes in = stn_bytes_of(sdt, len);
    uint8_t done;

    stn_bytes_skip(&in, 4);
    done = stn_bytes_u8(&in);
    if (!stn_bytes_ok(&in))
        return stn_sprite_fail(err, STN_SPRITE_EOF, "%.80s: an update of %zu bytes, expected 5",
                               sprite->res->name, len);
    s->done = (float)done / 255.0f;
    return STN_SPRITE_OK;
}

static void fini(stn_sprite *sprite)
{
    site *s = sprite->data;

    stn_sprite_free(s->sign);
    stn_sprite_free(s->pole);
    stn_arena_free(s->arena);
}

const stn_twin stn_twin_site = {.id = STN_NATIVE_SITE,
                                .size = sizeof(site),
                                .init = init,
                                .build = build,
                                .tick = tick,
                                .update = update,
                                .fini = fini};
