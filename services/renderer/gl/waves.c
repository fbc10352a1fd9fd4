#include "renderer/gl/waves.h"

#include <math.h>
#include <stdlib.h>

#define SIDE 256

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

uint32_t stn_waves_texture(stn_textures *textures)
{
    uint8_t *px = malloc(SIDE * SIDE * 4);
    stn_texture_level level = {SIDE, SIDE, px};
    uint32_t id = 0;

    if (!px)
        return 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double dx = (height(x + 1, y) - height(x - 1, y)) * 2.2,
                   dy = (height(x, y + 1) - height(x, y - 1)) * 2.2;
            double len = sqrt(dx * dx + dy * dy + 1.0);
            uint8_t *p = px + ((size_t)y * SIDE + (size_t)x) * 4;

            p[0] = byte_of(-dx / len);
            p[1] = byte_of(-dy / len);
            p[2] = byte_of(1.0 / len);
            p[3] = 255;
        }
    if (stn_textures_add(textures, &level, 1,
                         (stn_sampling){STN_FILTER_LINEAR, STN_FILTER_LINEAR, STN_MIPS_NONE, 0}, &id,
                         NULL) != STN_OK)
        id = 0;
    free(px);
    return id;
}
