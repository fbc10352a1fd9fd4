#include "renderer/gl/surroundings.h"

#include "renderer/gl/program.h"

#include <glad/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 256
#define BUBBLES 90

struct stn_surroundings {
    stn_glrec *rec;
    stn_textures *textures;
    uint32_t made[STN_PATTERNS], used[STN_PATTERNS];
    uint32_t sky, sky_sampler;
    bool has_sky;
};

static uint8_t grey_of(double v)
{
    return (uint8_t)(v < 0.0 ? 0.0 : v > 1.0 ? 255.0 : v * 255.0 + 0.5);
}

/* ---- waves: their normals ---- */

/* A sum of waves whose lengths divide the side, so that it repeats. */
static double height(int x, int y)
{
    static const struct {
        int kx, ky;
        double phase, strength;
    } waves[] = {{2, 1, 0.3, 1.0},    {-1, 3, 1.7, 0.9},  {3, 2, 4.1, 0.6},     {4, -3, 2.2, 0.5},
                 {-5, -2, 5.3, 0.45}, {6, 5, 0.9, 0.33},  {-3, 8, 3.6, 0.3},    {9, -4, 1.1, 0.26},
                 {-10, 7, 2.9, 0.2},  {12, 9, 4.7, 0.16}, {-14, 11, 0.2, 0.12}, {17, -13, 3.1, 0.1}};
    double u = 2.0 * 3.14159265358979 * x / SIDE, v = 2.0 * 3.14159265358979 * y / SIDE, h = 0.0;

    for (size_t i = 0; i < sizeof waves / sizeof waves[0]; i++)
        h += waves[i].strength * sin(waves[i].kx * u + waves[i].ky * v + waves[i].phase);
    return h;
}

static uint8_t byte_of(double v)
{
    double b = floor((v * 0.5 + 0.5) * 255.0 + 0.5);

    return (uint8_t)(b < 0.0 ? 0.0 : b > 255.0 ? 255.0 : b);
}

static void waves(uint8_t *px)
{
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double dx = (height(x + 1, y) - height(x - 1, y)) * 2.2,
                   dy = (height(x, y + 1) - height(x, y - 1)) * 2.2;
            double len = sqrt(dx * dx + dy * dy + 1.0);
            uint8_t *p = px + ((size_t)y * SIDE + (size_t)x) * 4;

            p[0] = byte_of(-dx / len);
            p[1] = byte_of(-dy / len);
            p[2] = byte_of(1.0 / len);
        }
}

/* ---- foam: the walls between bubbles ---- */

static uint32_t mixed(uint32_t v)
{
    v = (v ^ 61u) ^ v >> 16;
    v *= 9u;
    v ^= v >> 4;
    v *= 0x27d4eb2du;
    return v ^ v >> 15;
}

static double chance(uint32_t a, uint32_t b)
{
    return mixed(a * 0x9e3779b9u + mixed(b)) / 4294967296.0;
}

static double around(double d)
{
    d = fabs(d);
    return d > 0.5 ? 1.0 - d : d;
}

static void foam(uint8_t *px)
{
    double at[BUBBLES][2];

    for (uint32_t i = 0; i < BUBBLES; i++) {
        at[i][0] = chance(i, 1);
        at[i][1] = chance(i, 2);
    }
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double first = 9.0, second = 9.0, v;
            uint8_t *p = px + ((size_t)y * SIDE + (size_t)x) * 4;

            for (uint32_t i = 0; i < BUBBLES; i++) {
                double d = hypot(around((double)x / SIDE - at[i][0]), around((double)y / SIDE - at[i][1]));

                if (d < first) {
                    second = first;
                    first = d;
                } else if (d < second) {
                    second = d;
                }
            }
            v = 1.0 - fmin((second - first) / 0.035, 1.0);
            p[0] = p[1] = p[2] = grey_of(v * v * (3.0 - 2.0 * v));
        }
}

/* ---- clouds: how bright the sky is above a place, 1 = clear ---- */

static double lattice(int x, int y, int period, uint32_t seed)
{
    return chance((uint32_t)(x % period + period * (y % period)), seed);
}

static double noise(double u, double v, int period, uint32_t seed)
{
    double x = u * period, y = v * period, fx = x - floor(x), fy = y - floor(y);
    int ix = (int)floor(x), iy = (int)floor(y);
    double a, b;

    fx = fx * fx * (3.0 - 2.0 * fx);
    fy = fy * fy * (3.0 - 2.0 * fy);
    a = lattice(ix, iy, period, seed) +
        (lattice(ix + 1, iy, period, seed) - lattice(ix, iy, period, seed)) * fx;
    b = lattice(ix, iy + 1, period, seed) +
        (lattice(ix + 1, iy + 1, period, seed) - lattice(ix, iy + 1, period, seed)) * fx;
    return a + (b - a) * fy;
}

static void clouds(uint8_t *px)
{
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double u = (double)x / SIDE, v = (double)y / SIDE, n = 0.0, strength = 0.5;
            uint8_t *p = px + ((size_t)y * SIDE + (size_t)x) * 4;

            for (int period = 4, i = 0; i < 5; i++, period *= 2, strength *= 0.5)
                n += strength * noise(u, v, period, 7u + (uint32_t)i);
            /* Thin ones: the light is never wholly gone below them. */
            p[0] = p[1] = p[2] = grey_of(1.0 - fmin(fmax((n - 0.52) * 4.0, 0.0), 0.27));
        }
}

static uint32_t make(stn_textures *textures, stn_pattern which)
{
    static void (*const painters[STN_PATTERNS])(uint8_t *) = {
        [STN_PATTERN_WAVES] = waves, [STN_PATTERN_FOAM] = foam, [STN_PATTERN_CLOUDS] = clouds};
    uint8_t *px = malloc(SIDE * SIDE * 4);
    stn_texture_level level = {SIDE, SIDE, px};
    uint32_t id = 0;

    if (!px)
        return 0;
    memset(px, 255, SIDE * SIDE * 4);
    painters[which](px);
    if (stn_textures_add(textures, &level, 1,
                         (stn_sampling){STN_FILTER_LINEAR, STN_FILTER_LINEAR, STN_MIPS_NONE, 0}, &id,
                         NULL) != STN_OK)
        id = 0;
    free(px);
    return id;
}

stn_surroundings *stn_surroundings_new(stn_glrec *rec, stn_textures *textures)
{
    stn_surroundings *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->rec = rec;
    s->textures = textures;
    for (int i = 0; i < STN_PATTERNS; i++)
        s->made[i] = s->used[i] = make(textures, (stn_pattern)i);
    return s;
}

void stn_surroundings_free(stn_surroundings *s)
{
    if (!s)
        return;
    for (int i = 0; i < STN_PATTERNS; i++)
        if (s->made[i])
            stn_textures_remove(s->textures, s->made[i]);
    if (s->sky) {
        stn_glrec_forget_texture(s->rec, s->sky);
        glDeleteTextures(1, &s->sky);
        glDeleteSamplers(1, &s->sky_sampler);
    }
    free(s);
}

void stn_surroundings_pattern(stn_surroundings *s, stn_pattern which, uint32_t texture)
{
    s->used[which] = texture;
}

stn_status stn_surroundings_sky(stn_surroundings *s, const uint8_t *rgba, uint32_t width, uint32_t height,
                                stn_err *err)
{
    /* In the order of the GL's faces: +X -X +Y -Y +Z -Z. */
    static const uint8_t cells[6][2] = {{3, 1}, {1, 1}, {2, 0}, {2, 2}, {2, 1}, {0, 1}};
    uint32_t side = width / 4;

    if (side == 0 || side > 4096 || width != side * 4 || height != side * 3)
        return stn_fail(err, STN_BAD_DATA, "sky of %ux%u pixels: a sheet of 4 by 3 squares is expected",
                        width, height);
    if (!s->sky) {
        glGenTextures(1, &s->sky);
        glGenSamplers(1, &s->sky_sampler);
        glSamplerParameteri(s->sky_sampler, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
        glSamplerParameteri(s->sky_sampler, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    }
    stn_glrec_texture(s->rec, STN_UNIT_SKY, GL_TEXTURE_CUBE_MAP, s->sky, s->sky_sampler);
    glActiveTexture(GL_TEXTURE0 + STN_UNIT_SKY);
    s->rec->unit = STN_UNIT_SKY;
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAX_LEVEL, 0);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, (GLint)width);
    for (GLenum i = 0; i < 6; i++)
        glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + i, 0, GL_RGBA8, (GLsizei)side, (GLsizei)side, 0,
                     GL_RGBA, GL_UNSIGNED_BYTE,
                     rgba + ((size_t)cells[i][1] * side * width + (size_t)cells[i][0] * side) * 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    s->has_sky = true;
    return STN_OK;
}

bool stn_surroundings_has_sky(const stn_surroundings *s)
{
    return s->has_sky;
}

void stn_surroundings_bind(stn_surroundings *s)
{
    static const int units[STN_PATTERNS] = {[STN_PATTERN_WAVES] = STN_UNIT_WAVES,
                                            [STN_PATTERN_FOAM] = STN_UNIT_FOAM,
                                            [STN_PATTERN_CLOUDS] = STN_UNIT_CLOUDS};

    for (int i = 0; i < STN_PATTERNS; i++)
        stn_textures_bind(s->textures, s->used[i], units[i]);
    if (s->has_sky)
        stn_glrec_texture(s->rec, STN_UNIT_SKY, GL_TEXTURE_CUBE_MAP, s->sky, s->sky_sampler);
}
