#include "support/picture_compare.h"

#include <math.h>
#include <string.h>

typedef struct lab {
    double l, a, b;
} lab;

/* The values are what a screen shows, so they are read as sRGB with its white. */
static double linear(uint8_t v)
{
    double x = v / 255.0;

    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

static double curve(double t)
{
    return t > 216.0 / 24389.0 ? cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
}

static lab lab_of(const uint8_t *p, const double table[256])
{
    double r = table[p[0]], g = table[p[1]], b = table[p[2]];
    double x = curve((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
    double y = curve(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
    double z = curve((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);

    return (lab){116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)};
}

/* Mean colour of a block, and the standard deviation of its lightness: what its lines and grain weigh. */
static lab block(const uint8_t *p, int w, int h, int x0, int y0, const double table[256], double *spread)
{
    lab sum = {0, 0, 0};
    double squares = 0.0;
    int n = 0;

    for (int y = y0; y < h && y < y0 + STN_LOOKS_BLOCK; y++)
        for (int x = x0; x < w && x < x0 + STN_LOOKS_BLOCK; x++) {
            lab c = lab_of(p + ((size_t)y * (size_t)w + (size_t)x) * 4, table);

            sum = (lab){sum.l + c.l, sum.a + c.a, sum.b + c.b};
            squares += c.l * c.l;
            n++;
        }
    sum = (lab){sum.l / n, sum.a / n, sum.b / n};
    *spread = sqrt(fmax(squares / n - sum.l * sum.l, 0.0));
    return sum;
}

static void shade(uint8_t *diff, int w, int h, int x0, int y0, double e)
{
    uint8_t v = (uint8_t)fmin(255.0, 40.0 * e), over = e > STN_LOOKS_WORST;

    for (int y = y0; y < h && y < y0 + STN_LOOKS_BLOCK; y++)
        for (int x = x0; x < w && x < x0 + STN_LOOKS_BLOCK; x++) {
            uint8_t *p = diff + ((size_t)y * (size_t)w + (size_t)x) * 4;

            p[0] = over ? 255 : v;
            p[1] = over ? 0 : v;
            p[2] = over ? 0 : v;
            p[3] = 255;
        }
}

picture_difference picture_compare(const uint8_t *a, const uint8_t *b, int w, int h, uint8_t *diff)
{
    picture_difference out = {0};
    double table[256], sum = 0.0;
    int n = 0;

    for (int i = 0; i < 256; i++)
        table[i] = linear((uint8_t)i);
    for (int y = 0; y < h; y += STN_LOOKS_BLOCK)
        for (int x = 0; x < w; x += STN_LOOKS_BLOCK) {
            double sa, sb, e;
            lab ca = block(a, w, h, x, y, table, &sa), cb = block(b, w, h, x, y, table, &sb);

            e = sqrt((ca.l - cb.l) * (ca.l - cb.l) + (ca.a - cb.a) * (ca.a - cb.a) +
                     (ca.b - cb.b) * (ca.b - cb.b) + (sa - sb) * (sa - sb));
            sum += e;
            n++;
            if (e > out.worst) {
                out.worst = e;
                out.worst_x = x;
                out.worst_y = y;
            }
            if (diff)
                shade(diff, w, h, x, y, e);
        }
    out.mean = n ? sum / n : 0.0;
    return out;
}

bool picture_looks_same(const picture_difference *d)
{
    return d->worst <= STN_LOOKS_WORST && d->mean <= STN_LOOKS_MEAN;
}
