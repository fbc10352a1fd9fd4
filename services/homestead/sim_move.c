/* How things move: walking in straight lines, chasing, following. */
#include "sim_priv.h"

#include <math.h>
#include <string.h>

#define RUNS_FROM 20.0 /* map units a second */

uint64_t sim_chance(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

double sim_chance01(uint64_t *state)
{
    return (double)(sim_chance(state) >> 11) * 0x1p-53;
}

static void position_of(const stn_sim *sim, const stn_sim_obj *obj, double *x, double *y, int links)
{
    const figure *f = obj->fig;
    double t;

    *x = obj->x;
    *y = obj->y;
    if (!f)
        return;
    switch (f->motion) {
    case MOVE_NONE:
        return;
    case MOVE_LINEAR:
        t = fmin(sim->now - f->began, f->lasts);
        *x = f->start_x + f->vx * t;
        *y = f->start_y + f->vy * t;
        return;
    case MOVE_HOMING: {
        const stn_sim_obj *target = stn_sim_find(sim, f->target);
        double dx, dy, far, way;

        if (!target)
            return;
        dx = target->x - obj->x;
        dy = target->y - obj->y;
        far = hypot(dx, dy);
        way = f->homing_v * (sim->now - f->began);
        if (far > 1e-5) {
            double q = fmin(way / far, 1.0);

            *x = obj->x + dx * q;
            *y = obj->y + dy * q;
        }
        return;
    }
    case MOVE_FOLLOW: {
        const stn_sim_obj *target = stn_sim_find(sim, f->target);

        if (target && links < 8)
            position_of(sim, target, x, y, links + 1);
        return;
    }
    }
}

void sim_position(const stn_sim *sim, const stn_sim_obj *obj, double *x, double *y)
{
    position_of(sim, obj, x, y, 0);
}

bool sim_can_be_at(const stn_sim *sim, double x, double y, bool swims)
{
    uint16_t tile =
        stn_land_tile(sim->land, (int32_t)floor(x / STN_LAND_TILE), (int32_t)floor(y / STN_LAND_TILE));

    /* Tile 0: the land ends here. */
    return tile && tile < sizeof sim->wet && sim->wet[tile] == swims && !sim->closed[tile];
}

void sim_reach(const stn_sim *sim, double x, double y, double *to_x, double *to_y, bool swims)
{
    double dx = *to_x - x, dy = *to_y - y, far = hypot(dx, dy);
    /* Looks every half tile, at most two grids far: a longer walk takes more clicks. */
    int steps;
    double last = 0.0;

    if (far > 2200.0) {
        dx *= 2200.0 / far;
        dy *= 2200.0 / far;
        far = 2200.0;
    }
    steps = (int)ceil(far / (STN_LAND_TILE / 2.0));
    for (int i = 1; i <= steps; i++) {
        double q = (double)i / steps;

        if (!sim_can_be_at(sim, x + dx * q, y + dy * q, swims))
            break;
        last = q;
    }
    *to_x = x + dx * last;
    *to_y = y + dy * last;
}

/* People are composites whose poses are told; beasts are sprites whose state chooses the cycle. */
static void set_pose(stn_sim_obj *obj)
{
    figure *f = obj->fig;

    if (f->person) {
        f->pose_seq++;
        sim_touch(obj, G_POSE);
        return;
    }
    obj->sdt_len = f->motion == MOVE_NONE ? 0 : 1;
    obj->sdt[0] = f->speed < RUNS_FROM ? 1 : 2;
    sim_touch(obj, G_DRAW);
}

/* Positions on the wire are whole units; walking from exactly such a point keeps both ends of one mind. */
static double on_wire(double v)
{
    return floor(v / STN_SIM_UNIT) * STN_SIM_UNIT;
}

void sim_put_at(stn_sim *sim, stn_sim_obj *obj, double x, double y)
{
    obj->x = on_wire(x);
    obj->y = on_wire(y);
    sim_relocate(sim, obj, obj->x, obj->y);
    sim_touch(obj, G_PLACE);
}

void sim_stop(stn_sim *sim, stn_sim_obj *obj)
{
    figure *f = obj->fig;
    double x, y;

    if (f->motion == MOVE_NONE)
        return;
    sim_position(sim, obj, &x, &y);
    f->ended |= (uint8_t)(1u << f->motion);
    f->motion = MOVE_NONE;
    sim_put_at(sim, obj, x, y);
    sim_touch(obj, G_MOTION);
    set_pose(obj);
}

static void begin_motion(stn_sim *sim, stn_sim_obj *obj, motion kind)
{
    figure *f = obj->fig;
    bool stood = f->motion == MOVE_NONE;
    double x, y;

    sim_position(sim, obj, &x, &y);
    if (!stood && f->motion != kind)
        f->ended |= (uint8_t)(1u << f->motion);
    f->motion = kind;
    f->began = f->step_at = sim->now;
    sim_put_at(sim, obj, x, y);
    sim_touch(obj, G_MOTION);
    sim->stats.legs++;
    if (stood)
        set_pose(obj);
}

void sim_begin_walk(stn_sim *sim, stn_sim_obj *obj, double x, double y, double speed)
{
    figure *f = obj->fig;
    double from_x, from_y, dx, dy, far;

    sim_position(sim, obj, &from_x, &from_y);
    dx = x - from_x;
    dy = y - from_y;
    far = hypot(dx, dy);
    if (far < 0.5 || speed <= 0.0) {
        sim_stop(sim, obj);
        return;
    }
    obj->angle = atan2(dy, dx);
    begin_motion(sim, obj, MOVE_LINEAR);
    f->start_x = obj->x;
    f->start_y = obj->y;
    f->vx = on_wire(dx / far * speed);
    f->vy = on_wire(dy / far * speed);
    f->lasts = far / speed;
    sim_touch(obj, G_STEP);
}

static stn_sim_obj *some_other(stn_sim *sim, const stn_sim_obj *obj)
{
    stn_sim_obj *o = sim->movers[sim_chance(&obj->fig->chance) % sim->n_movers];

    return o == obj || o->fig->motion == MOVE_FOLLOW ||
                   hypot(o->now_x - obj->now_x, o->now_y - obj->now_y) > 600.0
               ? NULL
               : o;
}

/* A beast that stands decides what to do next. */
static void decide(stn_sim *sim, stn_sim_obj *obj)
{
    figure *f = obj->fig;
    stn_sim_obj *other;
    double angle = sim_chance01(&f->chance) * 2.0 * M_PI;
    double far = f->roam * sqrt(sim_chance01(&f->chance));
    double x = f->home_x + cos(angle) * far, y = f->home_y + sin(angle) * far;
    /* One in eight of the scattered ones chases another for a while, one in sixteen goes along with it. */
    unsigned whim = obj->grid == NO_GRID ? (unsigned)(sim_chance(&f->chance) % 16) : 15;

    f->next = sim->now + 2.0 + 8.0 * sim_chance01(&f->chance);
    if (whim < 3 && (other = some_other(sim, obj)) != NULL) {
        begin_motion(sim, obj, whim < 2 ? MOVE_HOMING : MOVE_FOLLOW);
        f->target = other->id;
        f->homing_v = f->speed;
        f->until = sim->now + 4.0 + 4.0 * sim_chance01(&f->chance);
        return;
    }
    sim_reach(sim, obj->x, obj->y, &x, &y, f->swims);
    sim_begin_walk(sim, obj, x, y, f->speed);
}

static void arrived(stn_sim *sim, stn_sim_obj *obj)
{
    figure *f = obj->fig;
    stn_sim_obj *thing = f->use ? stn_sim_find(sim, f->use) : NULL;

    sim_stop(sim, obj);
    f->use = 0;
    if (thing && hypot(thing->now_x - obj->x, thing->now_y - obj->y) < 60.0)
        sim_do(sim, obj, thing, f->deed);
}

void sim_move_all(stn_sim *sim)
{
    sim->stats.moving = 0;
    for (size_t i = 0; i < sim->n_movers; i++) {
        stn_sim_obj *obj = sim->movers[i];
        figure *f = obj->fig;

        if (f->quiet_at > 0.0 && sim->now >= f->quiet_at) {
            f->quiet_at = 0.0;
            f->say[0] = 0;
            sim_touch(obj, G_SPEECH);
        }
        switch (f->motion) {
        case MOVE_NONE:
            if (!f->person && sim->now >= f->next)
                decide(sim, obj);
            break;
        case MOVE_LINEAR:
            if (sim->now - f->began >= f->lasts)
                arrived(sim, obj);
            break;
        case MOVE_HOMING:
        case MOVE_FOLLOW:
            if (sim->now >= f->until || !stn_sim_find(sim, f->target))
                sim_stop(sim, obj);
            break;
        }
        if (f->motion != MOVE_NONE) {
            double x, y;

            sim->stats.moving++;
            sim_position(sim, obj, &x, &y);
            sim_relocate(sim, obj, x, y);
        }
    }
}
