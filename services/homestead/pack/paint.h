/* paint.h - painting by code: canvases that wrap, strokes, noise, palettes, bump maps.
 *
 * A canvas holds, for each pixel, colour and coverage in floats (0..1, not linear light: the renderer knows
 * no sRGB either) and a height for bump maps. Strokes are small anti-aliased shapes; what crosses the border
 * of a wrapping canvas comes in on the other side, so that the picture tiles without a seam. x runs right
 * (east on ground), y down (south), units are pixels, angles radians from +x towards +y. Light in the
 * pictures comes from the lower left, as the sun does, so shadows fall to the upper right. Everything is a
 * function of its arguments; chance comes from stn_rng, which its owner seeds.
 */
#ifndef STN_HOMESTEAD_PACK_PAINT_H
#define STN_HOMESTEAD_PACK_PAINT_H

#include <stdbool.h>
#include <stdint.h>

/* ---- chance ---- */

typedef struct stn_rng {
    uint64_t state;
} stn_rng;

stn_rng stn_rng_of(uint64_t seed);
float stn_rng_unit(stn_rng *r); /* [0, 1) */
float stn_rng_range(stn_rng *r, float lo, float hi);
float stn_rng_bell(stn_rng *r); /* about -1..1, most near 0 */
uint32_t stn_rng_below(stn_rng *r, uint32_t n);

/* ---- noise ---- */

/* Gradient noise that repeats after `period` lattice cells in both directions; about -1..1. */
float stn_noise_wrap(uint32_t seed, float x, float y, int period);
/* Octaves of it over a square of side 1: the first has `period` cells, each next twice as many at half the
 * weight.
 */
float stn_fbm_wrap(uint32_t seed, float u, float v, int period, int octaves);
/* The same, looked up where another noise has pushed it: veins, blotches, drifts. `push` in sides of the
 * square. */
float stn_fbm_warped(uint32_t seed, float u, float v, int period, int octaves, float push);
/* Distances to the nearest and second nearest of one point a cell, in cells; *id names the nearest point. */
void stn_cells_wrap(uint32_t seed, float x, float y, int period, float *d1, float *d2, uint32_t *id);
/* Noise in space, about -1..1, for shapes. */
float stn_noise3(uint32_t seed, float x, float y, float z);
float stn_fbm3(uint32_t seed, float x, float y, float z, int octaves);
/* A value in [0, 1) that belongs to `id`. */
float stn_unit_of(uint32_t id, uint32_t salt);

/* ---- colours ---- */

typedef struct stn_rgb {
    float r, g, b;
} stn_rgb;

stn_rgb stn_hex(uint32_t rrggbb);
stn_rgb stn_rgb_mix(stn_rgb a, stn_rgb b, float t);
stn_rgb stn_rgb_scale(stn_rgb a, float k);
/* Value and hue jittered: +-dv of value, +-dh between warmer and colder. */
stn_rgb stn_rgb_vary(stn_rgb a, stn_rng *r, float dv, float dh);
float stn_clampf(float v, float lo, float hi);
float stn_smooth(float lo, float hi, float v);
float stn_mixf(float a, float b, float t);

/* ---- canvas ---- */

typedef struct stn_pixel {
    stn_rgb c;
    float a; /* coverage */
    float h; /* height, pixels */
} stn_pixel;

typedef struct stn_canvas {
    int w, h;
    bool wrap;
    stn_pixel *px; /* row-major, top row first */
} stn_canvas;

/* NULL when out of memory. Black, transparent, height 0. */
stn_canvas *stn_canvas_new(int w, int h, bool wrap);
void stn_canvas_free(stn_canvas *c);
void stn_canvas_fill(stn_canvas *c, stn_rgb colour, float alpha);
static inline stn_pixel *stn_canvas_at(stn_canvas *c, int x, int y)
{
    return &c->px[(long)y * c->w + x];
}

typedef struct stn_stroke {
    stn_rgb root, tip; /* colour from one end to the other */
    float rise; /* height of the stroke's middle over what is below, pixels; 0 leaves the height alone */
    float shadow; /* darkness of the shadow that it throws, 0..1 */
    float opacity; /* 1 = covers */
} stn_stroke;

/* A blade that starts at x, y, tapers to nothing and bends by `bend` radians over its length. */
void stn_paint_blade(stn_canvas *c, float x, float y, float angle, float length, float width, float bend,
                     const stn_stroke *s);
/* A twig: like a blade, of even width. */
void stn_paint_twig(stn_canvas *c, float x, float y, float angle, float length, float width, float bend,
                    const stn_stroke *s);
/* A leaf around x, y: pointed at both ends, with a rib, lit on one half. `lobes` > 0 notches the edge. */
void stn_paint_leaf(stn_canvas *c, float x, float y, float angle, float length, float width, int lobes,
                    const stn_stroke *s);
/* A stone around x, y: an uneven ellipse, domed and lit. */
void stn_paint_pebble(stn_canvas *c, float x, float y, float angle, float rx, float ry, uint32_t seed,
                      const stn_stroke *s);
/* A soft round spot of colour root; `hard` 0 = fades from the middle, 1 = sharp edge. */
void stn_paint_spot(stn_canvas *c, float x, float y, float radius, float hard, const stn_stroke *s);

/* Where stroke number i of n goes so that they cover evenly: a jittered lattice, in mixed order. */
void stn_scatter(const stn_canvas *c, stn_rng *r, uint32_t i, uint32_t n, float *x, float *y);

/* ---- results ---- */

/* 8-bit r g b a, w*h*4 bytes. */
void stn_canvas_rgba(const stn_canvas *c, uint8_t *out);
/* 8-bit normals of the heights, w*h*4 bytes, as the renderer's bump maps want them: 128 + 127 n, x east, y
 * north. `steep` scales the heights. */
void stn_canvas_bump(const stn_canvas *c, float steep, uint8_t *out);
/* A canvas of half the sides, averaged; NULL when out of memory. */
stn_canvas *stn_canvas_half(const stn_canvas *c);

#endif
