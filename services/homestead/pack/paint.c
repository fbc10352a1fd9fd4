#include "homestead/pack/paint.h"

#include <math.h>
#include <stdlib.h>

/* ---- chance ---- */

static uint64_t mix64(uint64_t v)
{
    v ^= v >> 30;
    v *= UINT64_C(0xbf58476d1ce4e5b9);
    v ^= v >> 27;
    v *= UINT64_C(0x94d049bb133111eb);
    return v ^ v >> 31;
}

stn_rng stn_rng_of(uint64_t seed)
{
    return (stn_rng){mix64(seed + UINT64_C(0x9e3779b97f4a7c15))};
}

static uint32_t next32(stn_rng *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mix64(r->state) >> 32);
}

float stn_rng_unit(stn_rng *r)
{
    return (float)(next32(r) >> 8) * 0x1p-24f;
}

float stn_rng_range(stn_rng *r, float lo, float hi)
{
    return lo + (hi - lo) * stn_rng_unit(r);
}

float stn_rng_bell(stn_rng *r)
{
    float a = stn_rng_unit(r), b = stn_rng_unit(r), c = stn_rng_unit(r);

    return (a + b + c) * (2.0f / 3.0f) - 1.0f;
}

uint32_t stn_rng_below(stn_rng *r, uint32_t n)
{
    return (uint32_t)((uint64_t)next32(r) * n >> 32);
}

/* ---- noise ---- */

static uint32_t hash3(uint32_t seed, int x, int y, int z)
{
    uint32_t h = seed * 0x9e3779b1u;

    h = (h ^ (uint32_t)x) * 0x85ebca6bu;
    h ^= h >> 13;
    h = (h ^ (uint32_t)y) * 0xc2b2ae35u;
    h ^= h >> 16;
    h = (h ^ (uint32_t)z) * 0x27d4eb2fu;
    h ^= h >> 15;
    h *= 0x85ebca6bu;
    return h ^ h >> 13;
}

float stn_unit_of(uint32_t id, uint32_t salt)
{
    return (float)(hash3(salt, (int)id, 7, 11) >> 8) * 0x1p-24f;
}

static inline int wrap_int(int v, int n)
{
    /* Most look-ups are inside already, and a division is slow. */
    if ((unsigned)v < (unsigned)n)
        return v;
    int r = v % n;

    return r < 0 ? r + n : r;
}

static float fade(float t)
{
    return t * t * t * (t * (t * 6.0f - 15.0f) + 10.0f);
}

static float grad2(uint32_t h, float x, float y)
{
    /* Sixteen directions, so that none needs a division to be chosen. */
    static const float dir[16][2] = {
        {1, 0},  {0.9239f, 0.3827f},   {0.7071f, 0.7071f},   {0.3827f, 0.9239f},
        {0, 1},  {-0.3827f, 0.9239f},  {-0.7071f, 0.7071f},  {-0.9239f, 0.3827f},
        {-1, 0}, {-0.9239f, -0.3827f}, {-0.7071f, -0.7071f}, {-0.3827f, -0.9239f},
        {0, -1}, {0.3827f, -0.9239f},  {0.7071f, -0.7071f},  {0.9239f, -0.3827f},
    };
    const float *g = dir[h >> 8 & 15];

    return g[0] * x + g[1] * y;
}

float stn_noise_wrap(uint32_t seed, float x, float y, int period)
{
    float bx = floorf(x), by = floorf(y), dx = x - bx, dy = y - by, u = fade(dx), v = fade(dy);
    int x0 = wrap_int((int)bx, period), y0 = wrap_int((int)by, period);
    int x1 = x0 + 1 == period ? 0 : x0 + 1, y1 = y0 + 1 == period ? 0 : y0 + 1;
    float a = grad2(hash3(seed, x0, y0, 0), dx, dy), b = grad2(hash3(seed, x1, y0, 0), dx - 1, dy);
    float c = grad2(hash3(seed, x0, y1, 0), dx, dy - 1), d = grad2(hash3(seed, x1, y1, 0), dx - 1, dy - 1);

    return 1.45f * stn_mixf(stn_mixf(a, b, u), stn_mixf(c, d, u), v);
}

float stn_fbm_wrap(uint32_t seed, float u, float v, int period, int octaves)
{
    float sum = 0, weight = 1, total = 0;

    for (int i = 0; i < octaves; i++) {
        sum +=
            weight * stn_noise_wrap(seed + (uint32_t)i * 101u, u * (float)period, v * (float)period, period);
        total += weight;
        weight *= 0.5f;
        period *= 2;
    }
    return sum / total;
}

float stn_fbm_warped(uint32_t seed, float u, float v, int period, int octaves, float push)
{
    float du = stn_fbm_wrap(seed + 7001u, u, v, period, 2), dv = stn_fbm_wrap(seed + 9001u, u, v, period, 2);

    return stn_fbm_wrap(seed, u + push * du, v + push * dv, period, octaves);
}

void stn_cells_wrap(uint32_t seed, float x, float y, int period, float *d1, float *d2, uint32_t *id)
{
    int bx = (int)floorf(x), by = (int)floorf(y);

    *d1 = *d2 = 1e9f;
    *id = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            uint32_t h = hash3(seed, wrap_int(bx + i, period), wrap_int(by + j, period), 3);
            float px = (float)(bx + i) + 0.1f + 0.8f * (float)(h & 0xffff) / 65536.0f;
            float py = (float)(by + j) + 0.1f + 0.8f * (float)(h >> 16) / 65536.0f;
            float d = hypotf(px - x, py - y);

            if (d < *d1) {
                *d2 = *d1;
                *d1 = d;
                *id = h;
            } else if (d < *d2) {
                *d2 = d;
            }
        }
}

static float grad3(uint32_t h, float x, float y, float z)
{
    static const signed char dir[12][3] = {{1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0},
                                           {1, 0, 1}, {-1, 0, 1}, {1, 0, -1}, {-1, 0, -1},
                                           {0, 1, 1}, {0, -1, 1}, {0, 1, -1}, {0, -1, -1}};
    const signed char *g = dir[h % 12];

    return (float)g[0] * x + (float)g[1] * y + (float)g[2] * z;
}

float stn_noise3(uint32_t seed, float x, float y, float z)
{
    float bx = floorf(x), by = floorf(y), bz = floorf(z), d[3] = {x - bx, y - by, z - bz};
    float u = fade(d[0]), v = fade(d[1]), w = fade(d[2]), layer[2];

    for (int k = 0; k < 2; k++) {
        float q[2][2];

        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++)
                q[j][i] = grad3(hash3(seed, (int)bx + i, (int)by + j, (int)bz + k), d[0] - (float)i,
                                d[1] - (float)j, d[2] - (float)k);
        layer[k] = stn_mixf(stn_mixf(q[0][0], q[0][1], u), stn_mixf(q[1][0], q[1][1], u), v);
    }
    return stn_mixf(layer[0], layer[1], w);
}

float stn_fbm3(uint32_t seed, float x, float y, float z, int octaves)
{
    float sum = 0, weight = 1, total = 0;

    for (int i = 0; i < octaves; i++) {
        sum += weight * stn_noise3(seed + (uint32_t)i * 101u, x, y, z);
        total += weight;
        weight *= 0.5f;
        x *= 2.0f;
        y *= 2.0f;
        z *= 2.0f;
    }
    return sum / total;
}

/* ---- colours ---- */

stn_rgb stn_hex(uint32_t rrggbb)
{
    return (stn_rgb){(float)(rrggbb >> 16 & 255) / 255.0f, (float)(rrggbb >> 8 & 255) / 255.0f,
                     (float)(rrggbb & 255) / 255.0f};
}

float stn_mixf(float a, float b, float t)
{
    return a + (b - a) * t;
}

stn_rgb stn_rgb_mix(stn_rgb a, stn_rgb b, float t)
{
    return (stn_rgb){stn_mixf(a.r, b.r, t), stn_mixf(a.g, b.g, t), stn_mixf(a.b, b.b, t)};
}

stn_rgb stn_rgb_scale(stn_rgb a, float k)
{
    return (stn_rgb){a.r * k, a.g * k, a.b * k};
}

stn_rgb stn_rgb_vary(stn_rgb a, stn_rng *r, float dv, float dh)
{
    float k = 1.0f + dv * stn_rng_bell(r), warm = dh * stn_rng_bell(r);

    return (stn_rgb){a.r * k * (1.0f + warm), a.g * k, a.b * k * (1.0f - warm)};
}

float stn_clampf(float v, float lo, float hi)
{
    return v < lo ? lo : v > hi ? hi : v;
}

float stn_smooth(float lo, float hi, float v)
{
    float t = stn_clampf((v - lo) / (hi - lo), 0.0f, 1.0f);

    return t * t * (3.0f - 2.0f * t);
}

/* ---- canvas ---- */

stn_canvas *stn_canvas_new(int w, int h, bool wrap)
{
    stn_canvas *c = malloc(sizeof *c);

    if (!c)
        return NULL;
    *c = (stn_canvas){.w = w, .h = h, .wrap = wrap, .px = calloc((size_t)w * (size_t)h, sizeof *c->px)};
    if (!c->px) {
        free(c);
        return NULL;
    }
    return c;
}

void stn_canvas_free(stn_canvas *c)
{
    if (!c)
        return;
    free(c->px);
    free(c);
}

void stn_canvas_fill(stn_canvas *c, stn_rgb colour, float alpha)
{
    for (long i = 0; i < (long)c->w * c->h; i++)
        c->px[i] = (stn_pixel){.c = colour, .a = alpha};
}

/* The pixel that holds x, y, through the border where the canvas wraps; NULL outside. */
static stn_pixel *pixel(stn_canvas *c, int x, int y)
{
    if (c->wrap) {
        x = wrap_int(x, c->w);
        y = wrap_int(y, c->h);
    } else if (x < 0 || y < 0 || x >= c->w || y >= c->h) {
        return NULL;
    }
    return stn_canvas_at(c, x, y);
}

/* "Over", with straight alpha: a stroke on a transparent canvas keeps its own colour at its edge. */
static void lay(stn_canvas *c, int x, int y, float cover, stn_rgb colour, float rise)
{
    stn_pixel *p = cover > 0.0f ? pixel(c, x, y) : NULL;

    if (!p)
        return;
    float a = cover + p->a * (1.0f - cover);

    p->c = stn_rgb_mix(p->c, colour, cover / a);
    p->a = a;
    /* Strokes rise from what lies under them, but a heap of them does not become a tower. */
    if (rise != 0.0f)
        p->h = stn_mixf(p->h, p->h * 0.6f + rise, cover);
}

static void darken(stn_canvas *c, int x, int y, float amount)
{
    stn_pixel *p = amount > 0.0f ? pixel(c, x, y) : NULL;

    if (p)
        p->c = stn_rgb_scale(p->c, 1.0f - amount);
}

/* How far the shadow falls, pixels: to the upper right. */
#define SHADE_X 1.4f
#define SHADE_Y (-1.2f)

enum { BENDS = 5 };

typedef struct curve {
    float x[BENDS + 1], y[BENDS + 1];
    float x0, y0, x1, y1; /* box */
    float nx, ny, bulge; /* across the chord, and how far the curve leaves it */
} curve;

static curve bend_curve(float x, float y, float angle, float length, float bend)
{
    curve k = {.x0 = x, .y0 = y, .x1 = x, .y1 = y};

    k.x[0] = x;
    k.y[0] = y;
    for (int i = 1; i <= BENDS; i++) {
        float a = angle + bend * ((float)i - 0.5f) / BENDS;

        k.x[i] = k.x[i - 1] + cosf(a) * length / BENDS;
        k.y[i] = k.y[i - 1] + sinf(a) * length / BENDS;
        k.x0 = fminf(k.x0, k.x[i]);
        k.y0 = fminf(k.y0, k.y[i]);
        k.x1 = fmaxf(k.x1, k.x[i]);
        k.y1 = fmaxf(k.y1, k.y[i]);
    }
    float cx = k.x[BENDS] - x, cy = k.y[BENDS] - y, chord = sqrtf(cx * cx + cy * cy) + 1e-6f;

    k.nx = -cy / chord;
    k.ny = cx / chord;
    for (int i = 1; i < BENDS; i++)
        k.bulge = fmaxf(k.bulge, fabsf((k.x[i] - x) * k.nx + (k.y[i] - y) * k.ny));
    return k;
}

/* Distance from the curve and the place along it, 0..1, of the nearest point. */
static float curve_distance(const curve *k, float px, float py, float *along)
{
    float best = 1e18f;

    for (int i = 0; i < BENDS; i++) {
        float dx = k->x[i + 1] - k->x[i], dy = k->y[i + 1] - k->y[i];
        float t =
            stn_clampf(((px - k->x[i]) * dx + (py - k->y[i]) * dy) / (dx * dx + dy * dy + 1e-9f), 0.0f, 1.0f);
        float ex = px - k->x[i] - t * dx, ey = py - k->y[i] - t * dy, d = ex * ex + ey * ey;

        if (d < best) {
            best = d;
            *along = ((float)i + t) / BENDS;
        }
    }
    return sqrtf(best);
}

static void sweep(stn_canvas *c, const curve *k, float width, bool taper, const stn_stroke *s, bool shade)
{
    float ox = shade ? SHADE_X : 0.0f, oy = shade ? SHADE_Y : 0.0f, soft = shade ? 1.6f : 0.5f;
    int x0 = (int)floorf(k->x0 + ox - width - 2), x1 = (int)ceilf(k->x1 + ox + width + 2);
    int y0 = (int)floorf(k->y0 + oy - width - 2), y1 = (int)ceilf(k->y1 + oy + width + 2);

    for (int y = y0; y <= y1; y++)
        for (int x = x0; x <= x1; x++) {
            float px = (float)x + 0.5f - ox, py = (float)y + 0.5f - oy, along = 0;

            /* Most of a slanted stroke's box is far from it. */
            if (fabsf((px - k->x[0]) * k->nx + (py - k->y[0]) * k->ny) > k->bulge + 0.52f * width + soft)
                continue;
            float d = curve_distance(k, px, py, &along);
            /* A blade is widest at a quarter of its length. */
            float half =
                0.5f * width *
                (taper ? (along < 0.25f ? 0.7f + 1.2f * along : 1.0f - 0.92f * (along - 0.25f) / 0.75f)
                       : 1.0f);
            float cover = stn_clampf((half - d) / (2.0f * soft) + 0.5f, 0.0f, 1.0f);

            /* Thinner than a pixel: paler instead of vanishing. */
            if (half < 0.5f)
                cover *= 0.35f + 1.3f * half;
            if (shade)
                darken(c, x, y, cover * s->shadow * (1.0f - 0.5f * along));
            else
                lay(c, x, y, cover * s->opacity, stn_rgb_mix(s->root, s->tip, along),
                    s->rise * (0.4f + 0.6f * along));
        }
}

void stn_paint_blade(stn_canvas *c, float x, float y, float angle, float length, float width, float bend,
                     const stn_stroke *s)
{
    curve k = bend_curve(x, y, angle, length, bend);

    if (s->shadow > 0.0f)
        sweep(c, &k, width, true, s, true);
    sweep(c, &k, width, true, s, false);
}

void stn_paint_twig(stn_canvas *c, float x, float y, float angle, float length, float width, float bend,
                    const stn_stroke *s)
{
    curve k = bend_curve(x, y, angle, length, bend);

    if (s->shadow > 0.0f)
        sweep(c, &k, width, false, s, true);
    sweep(c, &k, width, false, s, false);
}

void stn_paint_leaf(stn_canvas *c, float x, float y, float angle, float length, float width, int lobes,
                    const stn_stroke *s)
{
    float ca = cosf(angle), sa = sinf(angle), reach = 0.5f * length + 3.0f;

    for (int pass = s->shadow > 0.0f ? 0 : 1; pass < 2; pass++) {
        float ox = pass ? 0.0f : SHADE_X, oy = pass ? 0.0f : SHADE_Y;

        for (int py = (int)floorf(y + oy - reach); py <= (int)ceilf(y + oy + reach); py++)
            for (int px = (int)floorf(x + ox - reach); px <= (int)ceilf(x + ox + reach); px++) {
                float dx = (float)px + 0.5f - x - ox, dy = (float)py + 0.5f - y - oy;
                float u = (dx * ca + dy * sa) / (0.5f * length), v = (dy * ca - dx * sa) / (0.5f * width);

                if (fabsf(u) > 1.25f)
                    continue;
                /* Two arcs that meet in points, fuller towards the stalk. */
                float t = stn_clampf(u, -1.0f, 1.0f), half = (1.0f - t * t) * (1.0f - 0.28f * t);

                if (lobes)
                    half *= 0.80f + 0.20f * cosf(t * 3.14159f * (float)lobes);
                float d = (half - fabsf(v)) * 0.5f * width - fmaxf(0.0f, fabsf(u) - 1.0f) * length;
                float cover = stn_clampf(d / (pass ? 1.0f : 2.6f) + 0.5f, 0.0f, 1.0f);

                if (!pass) {
                    darken(c, px, py, cover * s->shadow);
                    continue;
                }
                stn_rgb k = stn_rgb_mix(s->root, s->tip, 0.5f + 0.5f * t);

                /* The half towards the light is lighter, the rib darker. */
                k = stn_rgb_scale(k, v * ca + u * 0.2f * sa > 0.0f ? 1.07f : 0.94f);
                if (fabsf(v) * 0.5f * width < 0.55f && width > 4.0f)
                    k = stn_rgb_scale(k, 0.86f);
                lay(c, px, py, cover * s->opacity, k, s->rise * (0.55f + 0.45f * (1.0f - fabsf(v))));
            }
    }
}

void stn_paint_pebble(stn_canvas *c, float x, float y, float angle, float rx, float ry, uint32_t seed,
                      const stn_stroke *s)
{
    float ca = cosf(angle), sa = sinf(angle), reach = fmaxf(rx, ry) * 1.3f + 3.0f;
    float k1 = 6.2832f * stn_unit_of(seed, 1), k2 = 6.2832f * stn_unit_of(seed, 2);

    for (int pass = s->shadow > 0.0f ? 0 : 1; pass < 2; pass++) {
        float ox = pass ? 0.0f : SHADE_X * 1.2f, oy = pass ? 0.0f : SHADE_Y * 1.2f;

        for (int py = (int)floorf(y + oy - reach); py <= (int)ceilf(y + oy + reach); py++)
            for (int px = (int)floorf(x + ox - reach); px <= (int)ceilf(x + ox + reach); px++) {
                float dx = (float)px + 0.5f - x - ox, dy = (float)py + 0.5f - y - oy;
                float u = (dx * ca + dy * sa) / rx, v = (dy * ca - dx * sa) / ry, q = sqrtf(u * u + v * v);
                float th = atan2f(v, u), edge = 1.0f + 0.09f * sinf(2 * th + k1) + 0.06f * sinf(3 * th + k2);
                float d = (edge - q) * fminf(rx, ry),
                      cover = stn_clampf(d / (pass ? 1.0f : 3.0f) + 0.5f, 0.0f, 1.0f);

                if (!pass) {
                    darken(c, px, py, cover * s->shadow);
                    continue;
                }
                /* A dome lit from the lower left. */
                float slope = stn_clampf(q / edge, 0.0f, 1.0f), lit = (-dx + dy) / (reach * 1.414f);
                stn_rgb k = stn_rgb_mix(s->root, s->tip, stn_clampf(0.5f + 0.8f * lit * slope, 0.0f, 1.0f));

                lay(c, px, py, cover * s->opacity, k,
                    s->rise * sqrtf(stn_clampf(1.0f - slope * slope, 0.0f, 1.0f)));
            }
    }
}

void stn_paint_spot(stn_canvas *c, float x, float y, float radius, float hard, const stn_stroke *s)
{
    for (int py = (int)floorf(y - radius - 1); py <= (int)ceilf(y + radius + 1); py++)
        for (int px = (int)floorf(x - radius - 1); px <= (int)ceilf(x + radius + 1); px++) {
            float d = hypotf((float)px + 0.5f - x, (float)py + 0.5f - y);
            float edge = fmaxf((1.0f - hard) * radius, 1.0f),
                  cover = stn_clampf((radius + 0.5f - d) / edge, 0, 1);

            lay(c, px, py, cover * s->opacity, s->root, s->rise);
        }
}

void stn_scatter(const stn_canvas *c, stn_rng *r, uint32_t i, uint32_t n, float *x, float *y)
{
    uint32_t side = (uint32_t)ceilf(sqrtf((float)n));
    /* A step that shares no factor with the number of cells visits each once, in an order that does not run
     * in rows. */
    uint64_t cells = (uint64_t)side * side, step = cells * 5 / 8 | 1, a, b;

    for (;; step += 2) {
        a = cells;
        b = step;
        while (b) {
            uint64_t t = a % b;

            a = b;
            b = t;
        }
        if (a == 1)
            break;
    }
    uint64_t cell = (uint64_t)i * step % cells;

    *x = ((float)(cell % side) + stn_rng_unit(r)) / (float)side * (float)c->w;
    *y = ((float)(cell / side) + stn_rng_unit(r)) / (float)side * (float)c->h;
}

/* ---- results ---- */

static uint8_t byte_of(float v)
{
    return (uint8_t)(stn_clampf(v, 0.0f, 1.0f) * 255.0f + 0.5f);
}

void stn_canvas_rgba(const stn_canvas *c, uint8_t *out)
{
    for (long i = 0; i < (long)c->w * c->h; i++) {
        out[4 * i] = byte_of(c->px[i].c.r);
        out[4 * i + 1] = byte_of(c->px[i].c.g);
        out[4 * i + 2] = byte_of(c->px[i].c.b);
        out[4 * i + 3] = byte_of(c->px[i].a);
    }
}

void stn_canvas_bump(const stn_canvas *c, float steep, uint8_t *out)
{
    for (int y = 0; y < c->h; y++)
        for (int x = 0; x < c->w; x++) {
            const stn_pixel *row = c->px + (long)y * c->w;
            float west = row[wrap_int(x - 1, c->w)].h, east = row[wrap_int(x + 1, c->w)].h;
            float north = c->px[(long)wrap_int(y - 1, c->h) * c->w + x].h;
            float south = c->px[(long)wrap_int(y + 1, c->h) * c->w + x].h;
            float nx = 0.5f * steep * (west - east), ny = 0.5f * steep * (south - north);
            float k = 1.0f / sqrtf(nx * nx + ny * ny + 1.0f);
            uint8_t *o = out + 4 * ((long)y * c->w + x);

            /* North is up in the picture and +y of the ground's bitangent (docs/spec/rendering.md 11.5). */
            o[0] = (uint8_t)(128.5f + 127.0f * nx * k);
            o[1] = (uint8_t)(128.5f + 127.0f * ny * k);
            o[2] = (uint8_t)(128.5f + 127.0f * k);
            o[3] = 255;
        }
}

stn_canvas *stn_canvas_half(const stn_canvas *c)
{
    stn_canvas *h = stn_canvas_new(c->w / 2, c->h / 2, c->wrap);

    if (!h)
        return NULL;
    for (int y = 0; y < h->h; y++)
        for (int x = 0; x < h->w; x++) {
            stn_pixel *o = stn_canvas_at(h, x, y);

            for (int k = 0; k < 4; k++) {
                const stn_pixel *p = &c->px[(long)(2 * y + (k >> 1)) * c->w + 2 * x + (k & 1)];

                o->c = (stn_rgb){o->c.r + 0.25f * p->c.r, o->c.g + 0.25f * p->c.g, o->c.b + 0.25f * p->c.b};
                o->a += 0.25f * p->a;
                o->h += 0.125f * p->h; /* half the pixels: half the height in pixels */
            }
        }
    return h;
}
