/* How water flows at the corners of a cut: slopes of the wet ground, then rounds of moving and pushing. The
 * one hot loop of the water tiler: 10 rounds over 46 x 46 corners. f32 with f64 differences and double hypot,
 * as written; the order of the sums decides bits. Source: docs/spec/terrain-extras.md 6.4. */
#include "mesher/water.h"

#include <math.h>
#include <string.h>

#define REACH STN_FLOW_REACH
#define SIDE (STN_CUT_VERTICES + 2 * REACH) /* corners -10..35 */
#define WET_SIDE (SIDE + 2) /* corners -11..36 */
#define WET_TILES (STN_CUT_TILES + 2 * REACH + 2)

static const int step_x[8] = {0, 1, 1, 1, 0, -1, -1, -1}, step_y[8] = {-1, -1, 0, 1, 1, 1, 0, -1};

typedef struct flow {
    uint8_t wet[WET_SIDE * WET_SIDE];
    double h[WET_SIDE * WET_SIDE];
    float xs[SIDE * SIDE], ys[SIDE * SIDE], xv[SIDE * SIDE], yv[SIDE * SIDE], nx[SIDE * SIDE],
        ny[SIDE * SIDE], p[SIDE * SIDE];
    float ux[8], uy[8];
} flow;

static size_t wet_at(int x, int y) /* by place in the cut */
{
    return (size_t)((x + REACH + 1) + (y + REACH + 1) * WET_SIDE);
}

static size_t flow_at(int x, int y)
{
    return (size_t)((x + REACH) + (y + REACH) * SIDE);
}

static bool inside(int x, int y)
{
    return x >= -REACH && y >= -REACH && x < SIDE - REACH && y < SIDE - REACH;
}

static stn_status read_ground(stn_build *b, flow *f)
{
    uint16_t last = 0;
    bool water = false, any = false;
    stn_status st;

    for (int y = -REACH - 1; y < WET_TILES - REACH - 1; y++)
        for (int x = -REACH - 1; x < WET_TILES - REACH - 1; x++) {
            uint16_t id;
            if ((st = stn_build_tile(b, x, y, &id)) != STN_OK)
                return st;
            if (!any || id != last) {
                const stn_tileset *set = stn_build_set_of(b, id);
                water = set && strcmp(set->def.tiler, stn_tiler_water.name) == 0;
                last = id;
                any = true;
            }
            if (water)
                f->wet[wet_at(x, y)] = f->wet[wet_at(x + 1, y)] = f->wet[wet_at(x, y + 1)] =
                    f->wet[wet_at(x + 1, y + 1)] = 1;
        }
    for (int y = -REACH - 1; y < WET_SIDE - REACH - 1; y++)
        for (int x = -REACH - 1; x < WET_SIDE - REACH - 1; x++) {
            float z;
            if ((st = stn_build_height(b, x, y, &z)) != STN_OK)
                return st;
            f->h[wet_at(x, y)] = b->job->flat ? 0.0 : (double)z;
        }
    return STN_OK;
}

static void slopes(flow *f)
{
    for (int y = -REACH; y < SIDE - REACH; y++)
        for (int x = -REACH; x < SIDE - REACH; x++) {
            size_t w = wet_at(x, y);
            float xs = 0, ys = 0;
            if (!f->wet[w])
                continue;
            if (f->wet[w - 1])
                xs = (float)((double)xs + (f->h[w - 1] - f->h[w]));
            if (f->wet[w + 1])
                xs = (float)((double)xs + (f->h[w] - f->h[w + 1]));
            if (f->wet[w - WET_SIDE])
                ys = (float)((double)ys + (f->h[w - WET_SIDE] - f->h[w]));
            if (f->wet[w + WET_SIDE])
                ys = (float)((double)ys + (f->h[w] - f->h[w + WET_SIDE]));
            f->xs[flow_at(x, y)] = xs;
            f->ys[flow_at(x, y)] = ys;
        }
}

static float clip25(float v)
{
    return v < -25.0f ? -25.0f : v > 25.0f ? 25.0f : v;
}

static float length(float x, float y)
{
    return (float)hypot((double)x, (double)y);
}

static void move(flow *f, size_t i)
{
    float cx = clip25(f->xs[i]), cy = clip25(f->ys[i]);
    float nx = f->xv[i] + cx, ny = f->yv[i] + cy;
    float nv = length(nx, ny), own = length(cx, cy), had = length(f->xv[i], f->yv[i]),
          mv = own > had ? own : had;

    if (nv > mv) {
        nx = nx * (mv / nv);
        ny = ny * (mv / nv);
    }
    f->nx[i] = nx;
    f->ny[i] = ny;
}

/* What presses into a corner from its neighbours. */
static void press(flow *f, int x, int y)
{
    float p = 0;
    for (int i = 0; i < 8; i++) {
        int ox = x + step_x[i], oy = y + step_y[i];
        if (inside(ox, oy) && f->wet[wet_at(ox, oy)]) {
            size_t o = flow_at(ox, oy);
            p = p + ((f->nx[o] * -f->ux[i]) + (f->ny[o] * -f->uy[i]));
        }
    }
    f->p[flow_at(x, y)] = p;
}

/* And is pushed on to them, in place. */
static void push(flow *f, int x, int y)
{
    float p = f->p[flow_at(x, y)];
    int n = 0;

    for (int i = 0; i < 8; i++)
        n += f->wet[wet_at(x + step_x[i], y + step_y[i])];
    for (int i = 0; i < 8; i++) {
        int ox = x + step_x[i], oy = y + step_y[i];
        if (inside(ox, oy) && f->wet[wet_at(ox, oy)]) {
            size_t o = flow_at(ox, oy);
            f->nx[o] += ((p * 0.75f) * f->ux[i]) / (float)n;
            f->ny[o] += ((p * 0.75f) * f->uy[i]) / (float)n;
        }
    }
}

typedef void at_corner(flow *f, int x, int y);

static void each_wet(flow *f, at_corner *fn)
{
    for (int y = -REACH; y < SIDE - REACH; y++)
        for (int x = -REACH; x < SIDE - REACH; x++)
            if (f->wet[wet_at(x, y)])
                fn(f, x, y);
}

static void move_at(flow *f, int x, int y)
{
    move(f, flow_at(x, y));
}

stn_status stn_water_flow(stn_build *b, stn_water *w)
{
    flow *f = stn_arena_zalloc(b->arena, 1, sizeof *f);
    stn_status st;

    if (!f)
        return stn_fail(b->err, STN_NO_MEMORY, "the job needs more memory than one build may take");
    if ((st = read_ground(b, f)) != STN_OK)
        return st;
    for (int i = 0; i < 8; i++) {
        float l = length((float)step_x[i], (float)step_y[i]);
        f->ux[i] = (float)step_x[i] / l;
        f->uy[i] = (float)step_y[i] / l;
    }
    slopes(f);
    for (int round = 0; round < STN_FLOW_REACH; round++) {
        each_wet(f, move_at);
        each_wet(f, press);
        each_wet(f, push);
        memcpy(f->xv, f->nx, sizeof f->xv);
        memcpy(f->yv, f->ny, sizeof f->yv);
    }
    for (int y = 0; y <= STN_CUT_TILES; y++)
        for (int x = 0; x <= STN_CUT_TILES; x++) {
            w->flow_x[x + y * STN_CUT_VERTICES] = f->xv[flow_at(x, y)];
            w->flow_y[x + y * STN_CUT_VERTICES] = f->yv[flow_at(x, y)];
        }
    w->flows = true;
    return STN_OK;
}
