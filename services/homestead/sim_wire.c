/* What clients are told: attributes of objects, time and light. */
#include "sim_priv.h"

#include "res/values.h"
#include "session/objdata.h"

#include <math.h>
#include <string.h>

static void put_coord(stn_buf *b, double x, double y)
{
    stn_buf_u32(b, (uint32_t)(int32_t)floor(x / STN_SIM_UNIT));
    stn_buf_u32(b, (uint32_t)(int32_t)floor(y / STN_SIM_UNIT));
}

static void put_res(stn_buf *b, uint16_t res, const uint8_t *sdt, uint8_t len, uint8_t *used)
{
    if (used)
        used[res / 8] |= (uint8_t)(1u << res % 8);
    if (!len) {
        stn_buf_u16(b, res);
        return;
    }
    stn_buf_u16(b, res | 0x8000u);
    stn_buf_u8(b, len);
    stn_buf_put(b, sdt, len);
}

static void flush(stn_buf *out, uint8_t type, stn_buf *body)
{
    stn_objdata_attr(out, type, body->data, body->len);
    stn_buf_clear(body);
}

static void write_draw(const stn_sim *sim, const stn_sim_obj *obj, stn_buf *out, stn_buf *b, uint8_t *used)
{
    if (!obj->fig || !obj->fig->person) {
        put_res(b, obj->res, obj->sdt, obj->sdt_len, used);
        flush(out, STN_OD_RES, b);
        return;
    }
    put_res(b, obj->res, NULL, 0, used);
    flush(out, STN_OD_COMPOSE, b);
    for (unsigned i = 0; i < SIM_GARMENTS; i++) {
        put_res(b, sim->garments[i], NULL, 0, used);
        /* Each has its material in its own resource; shirts come in several colours. */
        put_res(b, i == SIM_SHIRT ? sim->dyes[obj->id % SIM_DYES] : sim->garments[i], NULL, 0, used);
        stn_buf_u16(b, 0xffff);
    }
    stn_buf_u16(b, 0xffff);
    flush(out, STN_OD_CMPMOD, b);
}

/* The smoke of a fire: an overlay of its own that stays until it is taken off (docs/spec/sprites.md
 * 18, 21.5). */
static void write_smoke(const stn_sim *sim, const stn_sim_obj *obj, bool all, stn_buf *out, stn_buf *b,
                        uint8_t *used)
{
    static const uint8_t puffs[] = {0, /* material */
                                    42, /* size, tenths of a unit */
                                    0, /* no attach point */
                                    0xb5, 0xbb, /* colour, four bits a channel, alpha lowest */
                                    1, /* puffs in a tenth of a second */
                                    13, /* power of fading, tenths */
                                    55, /* life, tenths of a second */
                                    42, /* height, units */
                                    16}; /* radius of the disc, tenths of a unit */
    bool lit = obj->sdt_len == 0;
    uint32_t now = 1u + obj->lit, last = lit ? 1u + (uint8_t)(obj->lit - 1) : now;

    /* What was taken off fades away for a while under its number, so that the next one has another. */
    if (!all) {
        stn_buf_u32(b, last << 1 | 1u);
        stn_buf_u16(b, 0xffff);
        flush(out, STN_OD_OVERLAY, b);
    }
    if (!lit)
        return;
    stn_buf_u32(b, now << 1 | 1u); /* for good */
    put_res(b, sim->smoke, puffs, sizeof puffs, used);
    flush(out, STN_OD_OVERLAY, b);
}

static void write_pose(const stn_sim_obj *obj, stn_buf *out, stn_buf *b, uint8_t *used)
{
    const figure *f = obj->fig;

    stn_buf_u8(b, 3); /* blend over, and a list of poses follows */
    stn_buf_u8(b, f->pose_seq);
    put_res(b, f->motion == MOVE_NONE ? f->pose_idle : f->pose_run, NULL, 0, used);
    stn_buf_u16(b, 0xffff);
    flush(out, STN_OD_CMPPOSE, b);
}

static void write_materials(const stn_sim *sim, const stn_sim_obj *obj, stn_buf *out, stn_buf *b,
                            uint8_t *used)
{
    put_res(b, sim->vmat, NULL, 0, used);
    stn_buf_u8(b, (uint8_t)(3 * obj->n_materials));
    for (unsigned i = 0; i < obj->n_materials; i++) {
        put_res(b, obj->materials[i].res, NULL, 0, used);
        stn_buf_u8(b, (uint8_t)obj->materials[i].id);
    }
    flush(out, STN_OD_RESATTR, b);
}

static void write_step(const stn_sim_obj *obj, stn_buf *out, stn_buf *b)
{
    double t = fmax(obj->fig->step_at - obj->fig->began, 0.0);

    /* With bit 31 the time at which the walk ends follows, so that nobody walks past it. */
    stn_buf_u32(b, 0x80000000u | (uint32_t)(t * 1024.0));
    stn_buf_u32(b, (uint32_t)(int32_t)floor(obj->fig->lasts * 1024.0));
    flush(out, STN_OD_LINSTEP, b);
}

static void write_motion(const stn_sim_obj *obj, stn_buf *out, stn_buf *b)
{
    const figure *f = obj->fig;

    if (f->motion != MOVE_LINEAR && f->ended & 1u << MOVE_LINEAR) {
        stn_buf_u32(b, UINT32_MAX);
        flush(out, STN_OD_LINSTEP, b);
    }
    if (f->motion != MOVE_HOMING && f->ended & 1u << MOVE_HOMING) {
        stn_buf_u32(b, UINT32_MAX);
        flush(out, STN_OD_HOMING, b);
    }
    if (f->motion != MOVE_FOLLOW && f->ended & 1u << MOVE_FOLLOW) {
        stn_buf_u32(b, UINT32_MAX);
        flush(out, STN_OD_FOLLOW, b);
    }
    switch (f->motion) {
    case MOVE_NONE:
        break;
    case MOVE_LINEAR:
        put_coord(b, f->start_x, f->start_y);
        put_coord(b, f->vx, f->vy);
        flush(out, STN_OD_LINBEG, b);
        break;
    case MOVE_HOMING:
        stn_buf_u32(b, f->target);
        put_coord(b, obj->x, obj->y);
        stn_buf_u32(b, (uint32_t)(int32_t)(f->homing_v / 11.0 * 1024.0));
        flush(out, STN_OD_HOMING, b);
        break;
    case MOVE_FOLLOW:
        stn_buf_u32(b, f->target);
        stn_buf_u16(b, 0xffff);
        stn_buf_cstr(b, "");
        flush(out, STN_OD_FOLLOW, b);
        break;
    }
}

/* docs/spec/object-cache.md A10. */
static void write_name(const stn_sim *sim, const stn_sim_obj *obj, stn_buf *out, stn_buf *b, uint8_t *used)
{
    const figure *f = obj->fig;

    put_res(b, sim->names, NULL, 0, used);
    stn_buf_u8(b, (uint8_t)(strlen(f->name) + 3)); /* the bytes that follow */
    stn_buf_cstr(b, f->name);
    stn_buf_u8(b, f->party ? (uint8_t)(1 + (f->party - 1) % 7) : 0);
    stn_buf_u8(b, 0);
    flush(out, STN_OD_RESATTR, b);
}

void stn_sim_write(const stn_sim *sim, const stn_sim_obj *obj, int32_t since, bool names, stn_buf *out,
                   uint8_t *used)
{
    const figure *f = obj->fig;
    stn_buf b = {0};
    bool all = since == INT32_MIN;

    if (obj->changed[G_PLACE] > since) {
        double turns = obj->angle / (2.0 * M_PI);

        put_coord(&b, obj->x, obj->y);
        stn_buf_u16(&b, (uint16_t)(int32_t)floor((turns - floor(turns)) * 65536.0));
        flush(out, STN_OD_MOVE, &b);
    }
    if (obj->changed[G_DRAW] > since)
        write_draw(sim, obj, out, &b, used);
    if (obj->burns && obj->changed[G_DRAW] > since)
        write_smoke(sim, obj, all, out, &b, used);
    if (f && f->person && obj->changed[G_POSE] > since)
        write_pose(obj, out, &b, used);
    if (obj->n_materials && obj->changed[G_MATERIALS] > since)
        write_materials(sim, obj, out, &b, used);
    if (f && obj->changed[G_MOTION] > since)
        write_motion(obj, out, &b);
    if (f && f->motion == MOVE_LINEAR && (obj->changed[G_STEP] > since || obj->changed[G_MOTION] > since))
        write_step(obj, out, &b);
    if (f && obj->changed[G_SPEECH] > since && (f->say[0] || !all)) {
        stn_buf_u16(&b, 1900);
        stn_buf_cstr(&b, f->say);
        flush(out, STN_OD_SPEECH, &b);
    }
    if (names && f && f->name[0] && obj->changed[G_NAME] > since)
        write_name(sim, obj, out, &b, used);
    if (b.failed)
        out->failed = true;
    stn_buf_fini(&b);
}

/* ---- the sky */

typedef struct sky {
    double hour;
    double ambient[3], sun[3];
} sky;

/* Colours by the hour, blended between (docs/look.md, "Light"). */
static const sky skies[] = {
    {0.0, {38, 46, 74}, {60, 74, 118}},     {4.5, {42, 50, 78}, {62, 76, 118}},
    {6.0, {74, 74, 92}, {196, 138, 104}},   {8.0, {84, 94, 110}, {250, 226, 190}},
    {10.0, {88, 98, 114}, {255, 243, 220}}, {15.0, {88, 98, 114}, {255, 243, 220}},
    {18.0, {82, 84, 100}, {255, 206, 150}}, {19.5, {70, 62, 84}, {230, 132, 86}},
    {21.0, {44, 50, 80}, {70, 84, 128}},    {24.0, {38, 46, 74}, {60, 74, 118}},
};

static void put_color(stn_buf *out, const double c[3])
{
    stn_buf_u8(out, 6);
    for (int i = 0; i < 3; i++)
        stn_buf_u8(out, (uint8_t)c[i]);
    stn_buf_u8(out, 255);
}

static void put_double(stn_buf *out, double v)
{
    stn_buf_u8(out, 16);
    stn_buf_f64(out, v);
}

uint16_t stn_sim_clouds(const stn_sim *sim)
{
    return sim->clouds;
}

void stn_sim_globlob(const stn_sim *sim, bool absolute, stn_buf *out)
{
    double game = sim->set.hour * 3600.0 + sim->now * sim->set.day_speed;
    double hour = fmod(game / 3600.0, 24.0), sky_hour, q, amb[3], sun[3];
    double day = 86400.0, year = fmod(sim->set.year + game / (day * 365.0), 1.0);
    /* Days are longest at the turn from spring to summer (a quarter of the year), by two hours each way. */
    double longer = 2.0 * sin(2.0 * M_PI * year);
    bool night = hour < 6.5 - longer || hour > 19.5 + longer;
    size_t i = 0;
    /* The sun stands in the south-west at half height late in the morning and wanders a little; by night the
     * moon. */
    double angle = M_PI * 1.25 + (hour - 10.5) * 0.06;
    double to_dark = fmin(hour - 5.5 + longer, 20.5 + longer - hour);
    double elev = night ? M_PI / 3.0 : M_PI / 4.0 * fmin(1.0, to_dark / 4.0 + 0.25);

    /* Dawn and dusk move with the year; noon and midnight stay. The table is for days that are an hour longer
     * each way than at the turns of the year. */
    if (hour < 12.0)
        sky_hour = hour + (longer - 1.0) * fmin(1.0, (12.0 - hour) / 4.0) * fmin(1.0, hour / 4.0);
    else
        sky_hour = hour - (longer - 1.0) * fmin(1.0, (hour - 12.0) / 4.0) * fmin(1.0, (24.0 - hour) / 4.0);
    while (skies[i + 1].hour < sky_hour)
        i++;
    q = (sky_hour - skies[i].hour) / (skies[i + 1].hour - skies[i].hour);
    for (int c = 0; c < 3; c++) {
        amb[c] = skies[i].ambient[c] + (skies[i + 1].ambient[c] - skies[i].ambient[c]) * q;
        sun[c] = skies[i].sun[c] + (skies[i + 1].sun[c] - skies[i].sun[c]) * q;
    }
    stn_buf_u8(out, absolute ? 0 : 1);
    stn_buf_cstr(out, "tm");
    put_double(out, game);
    stn_buf_u8(out, 0);
    stn_buf_cstr(out, "light");
    put_color(out, amb);
    put_color(out, sun);
    put_color(out, sun);
    put_double(out, angle);
    put_double(out, elev);
    stn_buf_u8(out, 0);
    stn_buf_cstr(out, "astro");
    put_double(out, hour / 24.0);
    put_double(out, fmod(game / (day * 30.0), 1.0));
    put_double(out, year);
    stn_buf_u8(out, 4);
    stn_buf_u8(out, night ? 1 : 0);
    put_color(out, (const double[3]){230, 230, 240});
    stn_buf_u8(out, 4);
    stn_buf_u8(out, (uint8_t)(year * 4.0)); /* season: 0 spring to 3 winter … */
    put_double(out, fmod(year * 4.0, 1.0)); /* … and how far it is */
    if (sim->clouds) {
        stn_buf_u8(out, STN_TAG_END);
        stn_buf_cstr(out, "wth");
        stn_buf_u8(out, STN_TAG_RESID);
        stn_buf_u16(out, sim->clouds);
        stn_buf_u8(out, STN_TAG_LIST);
        stn_buf_u8(out, STN_TAG_END);
    }
}
