/* The attributes of objects, one function a type. Each reads its payload whole before it changes anything: a
 * malformed or waiting attribute must have no effect. Source: docs/spec/object-cache.md A3-A5. */
#include "world/gobattr.h"

#include "map/coords.h"
#include "session/objdata.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PUBLISHED_MAX 64 /* slots of an object */
#define MOVE_UNIT (1.0 / 1024.0)

stn_status stn_attr_cut_short(stn_attr_ctx *c, const char *name)
{
    return stn_fail(c->err, STN_TRUNCATED, "object %lld: %s of %zu bytes ends early", (long long)c->g->id,
                    name, c->in.len);
}

stn_status stn_attr_no_memory(stn_attr_ctx *c)
{
    return stn_fail(c->err, STN_NO_MEMORY, "object %lld: attribute", (long long)c->g->id);
}

uint64_t stn_attr_instance(const stn_attr_ctx *c)
{
    return ++*c->env->instances;
}

void stn_attr_touch(stn_attr_ctx *c, unsigned comp)
{
    c->g->changed |= 1u << comp;
}

/* STN_OK with the traits, or STN_AGAIN with *parked_on set. */
stn_status stn_attr_traits(stn_attr_ctx *c, uint16_t resid, stn_res_traits *t)
{
    stn_status st;
    *t = (stn_res_traits){0};
    st = c->env->traits(c->env->arg, resid, t);
    if (st == STN_AGAIN)
        *c->parked_on = resid;
    return st;
}

/* The state bytes that follow a resource word whose top bit is set. Borrowed. */
stn_sres stn_attr_sres(stn_bytes *in, uint16_t word)
{
    stn_sres r = {.resid = word};
    if (word & 0x8000) {
        r.resid = word & 0x7fff;
        r.len = stn_bytes_u8(in);
        r.sdt = (uint8_t *)(uintptr_t)stn_bytes_take(in, r.len);
    }
    return r;
}

/* From borrowed to owned; false without memory (then nothing is owned). */
bool stn_attr_own(stn_sres *r)
{
    uint8_t *p = NULL;
    if (r->len > 0 && !(p = malloc(r->len)))
        return false;
    if (p)
        memcpy(p, r->sdt, r->len);
    r->sdt = p;
    return true;
}

bool stn_attr_same_state(const stn_sres *a, const stn_sres *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->sdt, b->sdt, a->len) == 0);
}

/* ---- place and motion (A3 MOVE, A4) */

static double position(stn_bytes *in)
{
    return (double)stn_bytes_i32(in) * STN_POSITION_UNIT;
}

static stn_status on_move(stn_attr_ctx *c)
{
    double x = position(&c->in), y = position(&c->in);
    uint16_t a = stn_bytes_u16(&c->in);

    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "MOVE");
    if (c->g->moving.kind == STN_MOVING_HOMING) {
        c->g->moving.dist = 0;
        stn_attr_touch(c, STN_COMP_MOTION);
    }
    c->g->x = x;
    c->g->y = y;
    /* The order of the f64 operations is part of the result. */
    c->g->angle = (((double)a / 65536.0) * M_PI) * 2.0;
    stn_attr_touch(c, STN_COMP_PLACEMENT);
    return STN_OK;
}

static void set_moving(stn_attr_ctx *c, stn_moving m)
{
    stn_moving_fini(&c->g->moving);
    m.instance = stn_attr_instance(c);
    c->g->moving = m;
    stn_attr_touch(c, STN_COMP_MOTION);
}

static void delete_moving(stn_attr_ctx *c)
{
    stn_moving_fini(&c->g->moving);
    stn_attr_touch(c, STN_COMP_MOTION);
}

static stn_status on_linbeg(stn_attr_ctx *c)
{
    const stn_moving *m = &c->g->moving;
    stn_moving n = {.kind = STN_MOVING_LINEAR};

    n.line.sx = position(&c->in);
    n.line.sy = position(&c->in);
    n.line.vx = position(&c->in);
    n.line.vy = position(&c->in);
    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "LINBEG");
    if (m->kind == STN_MOVING_LINEAR && m->line.sx == n.line.sx && m->line.sy == n.line.sy &&
        m->line.vx == n.line.vx && m->line.vy == n.line.vy)
        return STN_OK;
    set_moving(c, n);
    return STN_OK;
}

static stn_status on_linstep(stn_attr_ctx *c)
{
    stn_moving *m = &c->g->moving;
    int32_t w = stn_bytes_i32(&c->in);
    double t, e = -1;

    if (w == -1) {
        t = -1;
    } else if (w >= 0) {
        t = (double)w * MOVE_UNIT;
    } else {
        int32_t end = stn_bytes_i32(&c->in);
        t = (double)(w & 0x7fffffff) * MOVE_UNIT;
        e = end < 0 ? -1 : (double)end * MOVE_UNIT;
    }
    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "LINSTEP");
    if (m->kind != STN_MOVING_LINEAR)
        return STN_OK;
    if (t < 0) {
        delete_moving(c);
        return STN_OK;
    }
    stn_linear_step(&m->line, t, e);
    stn_attr_touch(c, STN_COMP_MOTION);
    return STN_OK;
}

static stn_status on_homing(stn_attr_ctx *c)
{
    stn_moving *m = &c->g->moving;
    stn_moving n = {.kind = STN_MOVING_HOMING, .target = stn_bytes_u32(&c->in)};

    if (stn_bytes_ok(&c->in) && n.target == STN_NO_TARGET) {
        if (m->kind == STN_MOVING_HOMING)
            delete_moving(c);
        return STN_OK;
    }
    n.tx = position(&c->in);
    n.ty = position(&c->in);
    n.v = ((double)stn_bytes_i32(&c->in) * MOVE_UNIT) * 11.0;
    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "HOMING");
    if (m->kind == STN_MOVING_HOMING && m->target == n.target) {
        m->tx = n.tx;
        m->ty = n.ty;
        m->v = n.v;
        stn_attr_touch(c, STN_COMP_MOTION);
    } else {
        set_moving(c, n);
    }
    return STN_OK;
}

static stn_status on_follow(stn_attr_ctx *c)
{
    stn_moving n = {.kind = STN_MOVING_FOLLOWING, .target = stn_bytes_u32(&c->in)};
    const char *bone;

    if (stn_bytes_ok(&c->in) && n.target == STN_NO_TARGET) {
        if (c->g->moving.kind == STN_MOVING_FOLLOWING)
            delete_moving(c);
        return STN_OK;
    }
    n.xf = stn_bytes_u16(&c->in);
    bone = stn_bytes_cstr(&c->in, NULL);
    if (!bone)
        return stn_attr_cut_short(c, "FOLLOW");
    if (!(n.bone = strdup(bone)))
        return stn_attr_no_memory(c);
    set_moving(c, n);
    return STN_OK;
}

/* ---- the small ones */

/* Bytes of the well-formed UTF-8 sequence at p, or minus the length of the maximal malformed part. */
static int sequence(const uint8_t *p, size_t left)
{
    uint8_t lo = 0x80, hi = 0xbf;
    int n, i;

    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return -1;
    n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] == 0xe0)
        lo = 0xa0;
    else if (p[0] == 0xed)
        hi = 0x9f;
    else if (p[0] == 0xf0)
        lo = 0x90;
    else if (p[0] == 0xf4)
        hi = 0x8f;
    for (i = 1; i < n; i++) {
        if ((size_t)i >= left || p[i] < lo || p[i] > hi)
            return -i;
        lo = 0x80;
        hi = 0xbf;
    }
    return n;
}

/* Well-formed UTF-8 of at most STN_SPEECH_MAX bytes: each malformed part becomes U+FFFD, a cut falls between
 * two code points. */
static char *speech_text(const char *text, size_t len)
{
    const uint8_t *p = (const uint8_t *)text;
    char *out = malloc(STN_SPEECH_MAX + 1);
    size_t n = 0;

    for (size_t at = 0; out && at < len;) {
        int s = sequence(p + at, len - at);
        size_t width = s > 0 ? (size_t)s : 3;
        if (n + width > STN_SPEECH_MAX)
            break;
        memcpy(out + n, s > 0 ? text + at : "\xef\xbf\xbd", width);
        n += width;
        at += (size_t)(s > 0 ? s : -s);
    }
    if (out)
        out[n] = '\0';
    return out;
}

static stn_status on_speech(stn_attr_ctx *c)
{
    float z = (float)stn_bytes_i16(&c->in) / 100.0f;
    size_t len;
    const char *text = stn_bytes_cstr(&c->in, &len);
    char *copy;

    if (!text)
        return stn_attr_cut_short(c, "SPEECH");
    if (len == 0) {
        free(c->g->speaking.text);
        c->g->speaking.text = NULL;
        c->g->speaking.instance = 0;
        stn_attr_touch(c, STN_COMP_SPEECH);
        return STN_OK;
    }
    if (!(copy = speech_text(text, len)))
        return stn_attr_no_memory(c);
    stn_attr_touch(c, STN_COMP_SPEECH);
    free(c->g->speaking.text);
    c->g->speaking.text = copy;
    c->g->speaking.z = z;
    if (!c->g->speaking.instance)
        c->g->speaking.instance = stn_attr_instance(c);
    return STN_OK;
}

static stn_status on_zoff(stn_attr_ctx *c)
{
    float z = (float)stn_bytes_i16(&c->in) / 100.0f;

    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "ZOFF");
    c->g->offset.z = z;
    if (z == 0.0f)
        c->g->offset.instance = 0;
    else if (!c->g->offset.instance)
        c->g->offset.instance = stn_attr_instance(c);
    stn_attr_touch(c, STN_COMP_OFFSET);
    return STN_OK;
}

static stn_status on_lumin(stn_attr_ctx *c)
{
    int32_t x = stn_bytes_i32(&c->in), y = stn_bytes_i32(&c->in);
    uint16_t size = stn_bytes_u16(&c->in);
    uint8_t strength = stn_bytes_u8(&c->in);

    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "LUMIN");
    c->g->lumin.instance = stn_attr_instance(c);
    c->g->lumin.x = x;
    c->g->lumin.y = y;
    c->g->lumin.size = size;
    c->g->lumin.strength = strength;
    stn_attr_touch(c, STN_COMP_LUMIN);
    return STN_OK;
}

static stn_status on_avatar(stn_attr_ctx *c)
{
    const uint8_t *at = c->in.data + c->in.pos;
    size_t n = 0;
    uint16_t *layers;

    while (stn_bytes_u16(&c->in) != 65535 && stn_bytes_ok(&c->in))
        n++;
    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "AVATAR");
    if (!(layers = malloc((n ? n : 1) * sizeof *layers)))
        return stn_attr_no_memory(c);
    for (size_t i = 0; i < n; i++)
        layers[i] = stn_ld16(at + 2 * i);
    free(c->g->avatar.layers);
    c->g->avatar.layers = layers;
    c->g->avatar.n = n;
    if (!c->g->avatar.instance)
        c->g->avatar.instance = stn_attr_instance(c);
    stn_attr_touch(c, STN_COMP_AVATAR);
    return STN_OK;
}

static stn_status on_health(stn_attr_ctx *c)
{
    uint8_t h = stn_bytes_u8(&c->in);

    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "HEALTH");
    c->g->health.hp = (float)h / 4.0f;
    c->g->health.instance = stn_attr_instance(c);
    stn_attr_touch(c, STN_COMP_HEALTH);
    return STN_OK;
}

static stn_status on_icon(stn_attr_ctx *c)
{
    stn_sres n = {.resid = stn_bytes_u16(&c->in)};

    if (stn_bytes_ok(&c->in) && n.resid == 65535) {
        stn_sres_fini(&c->g->icon.res);
        c->g->icon.instance = 0;
        stn_attr_touch(c, STN_COMP_ICON);
        return STN_OK;
    }
    stn_bytes_u8(&c->in); /* flags mean nothing */
    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "ICON");
    n.len = (uint16_t)stn_bytes_left(&c->in);
    n.sdt = (uint8_t *)(uintptr_t)stn_bytes_take(&c->in, n.len);
    if (c->g->icon.instance && c->g->icon.res.resid == n.resid && stn_attr_same_state(&c->g->icon.res, &n))
        return STN_OK;
    if (!stn_attr_own(&n))
        return stn_attr_no_memory(c);
    stn_sres_fini(&c->g->icon.res);
    c->g->icon.res = n;
    c->g->icon.instance = stn_attr_instance(c);
    stn_attr_touch(c, STN_COMP_ICON);
    return STN_OK;
}

/* ---- published attributes */

static void delete_published(stn_attr_ctx *c, size_t i)
{
    stn_gob *g = c->g;
    stn_published old = g->published[i];

    memmove(&g->published[i], &g->published[i + 1], (g->n_published - i - 1) * sizeof old);
    g->n_published--;
    stn_attr_touch(c, STN_COMP_PUBLISHED);
    if (c->env->disposed)
        c->env->disposed(c->env->arg, g, &old);
    free(old.data);
}

static stn_status on_resattr(stn_attr_ctx *c)
{
    stn_gob *g = c->g;
    uint16_t resid = stn_bytes_u16(&c->in);
    uint8_t n = stn_bytes_u8(&c->in);
    const uint8_t *data = stn_bytes_take(&c->in, n);
    stn_published fresh = {.resid = resid, .len = n}, old;
    stn_res_traits t;
    stn_status st;
    size_t i;

    if (!stn_bytes_ok(&c->in))
        return stn_attr_cut_short(c, "RESATTR");
    if ((st = stn_attr_traits(c, resid, &t)) != STN_OK)
        return st;
    if (!t.published)
        return stn_fail(c->err, STN_UNSUPPORTED, "object %lld: RESATTR of resource %u, which reads none",
                        (long long)g->id, resid);
    for (i = 0; i < g->n_published && g->published[i].slot != t.published_slot; i++)
        ;
    if (n == 0) {
        if (i < g->n_published && (t.published_deletes_any || g->published[i].kind == t.published_kind))
            delete_published(c, i);
        return STN_OK;
    }
    if (i == g->n_published) {
        stn_published *more;
        if (g->n_published == PUBLISHED_MAX)
            return stn_fail(c->err, STN_TOO_BIG, "object %lld: more than %d published attributes",
                            (long long)g->id, PUBLISHED_MAX);
        if (!(more = realloc(g->published, (g->n_published + 1) * sizeof *more)))
            return stn_attr_no_memory(c);
        g->published = more;
    }
    if (!(fresh.data = malloc(n)))
        return stn_attr_no_memory(c);
    memcpy(fresh.data, data, n);
    fresh.slot = t.published_slot;
    fresh.kind = t.published_kind;
    fresh.instance = stn_attr_instance(c);
    stn_attr_touch(c, STN_COMP_PUBLISHED);
    if (i == g->n_published) {
        g->published[g->n_published++] = fresh;
        return STN_OK;
    }
    /* The new one stands in the map before the old one is disposed of. */
    old = g->published[i];
    g->published[i] = fresh;
    if (c->env->disposed)
        c->env->disposed(c->env->arg, g, &old);
    free(old.data);
    return STN_OK;
}

static stn_status (*const appliers[])(stn_attr_ctx *c) = {
    [STN_OD_MOVE] = on_move,           [STN_OD_RES] = stn_attr_res,
    [STN_OD_LINBEG] = on_linbeg,       [STN_OD_LINSTEP] = on_linstep,
    [STN_OD_SPEECH] = on_speech,       [STN_OD_COMPOSE] = stn_attr_compose,
    [STN_OD_ZOFF] = on_zoff,           [STN_OD_LUMIN] = on_lumin,
    [STN_OD_AVATAR] = on_avatar,       [STN_OD_FOLLOW] = on_follow,
    [STN_OD_HOMING] = on_homing,       [STN_OD_OVERLAY] = stn_attr_overlay,
    [STN_OD_HEALTH] = on_health,       [STN_OD_CMPPOSE] = stn_attr_cmppose,
    [STN_OD_CMPMOD] = stn_attr_cmpmod, [STN_OD_CMPEQU] = stn_attr_cmpequ,
    [STN_OD_ICON] = on_icon,           [STN_OD_RESATTR] = on_resattr,
};

stn_status stn_gob_apply(stn_gob *g, const stn_gob_env *env, uint8_t type, const uint8_t *data, size_t len,
                         bool old, uint16_t *parked_on, stn_err *err)
{
    stn_attr_ctx c = {
        .g = g, .env = env, .in = stn_bytes_of(data, len), .old = old, .parked_on = parked_on, .err = err};

    if (type >= sizeof appliers / sizeof appliers[0] || !appliers[type])
        return stn_fail(err, STN_UNSUPPORTED, "object %lld: attribute type %u is unknown or retired",
                        (long long)g->id, type);
    return appliers[type](&c);
}
