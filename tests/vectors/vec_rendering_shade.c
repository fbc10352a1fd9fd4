/* shade.tsv: the formulas of sections 9.3, 10.4, 12, 14, 15, 16. */
#include "vec_rendering.h"

#include "renderer/scene/shade.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void take(rec_file *f, double *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = rec_f64(f);
}

static void compare(vec_report *r, rec_file *f, const double *got, int n, double tolerance)
{
    for (int i = 0; i < n; i++) {
        double want = rec_f64(f);

        if (!(got[i] == want || (isnan(got[i]) && isnan(want)) ||
              fabs(got[i] - want) <= tolerance + tolerance * fabs(want))) {
            vec_fail(r, "%s line %d: %s: part %d is %.9g, not %.9g", f->name, f->line, f->field[0], i, got[i],
                     want);
            return;
        }
    }
    vec_pass(r);
}

static void phong(vec_report *r, rec_file *f)
{
    stn_shade_surface m;
    stn_shade_light lights[64];
    double pos[3], normal[3], share, in[4], got[10];
    long n, shadowed;

    take(f, m.emi, 4);
    take(f, m.amb, 4);
    take(f, m.dif, 4);
    take(f, m.spc, 4);
    m.shine = rec_f64(f);
    take(f, pos, 3);
    take(f, normal, 3);
    n = rec_int(f);
    shadowed = rec_int(f);
    share = rec_f64(f);
    for (long i = 0; i < n && i < 64; i++) {
        take(f, lights[i].amb, 4);
        take(f, lights[i].dif, 4);
        take(f, lights[i].spc, 4);
        take(f, lights[i].pos, 4);
        lights[i].ac = rec_f64(f);
        lights[i].al = rec_f64(f);
        lights[i].aq = rec_f64(f);
        lights[i].at = rec_f64(f);
    }
    take(f, in, 4);
    stn_shade_phong(&m, pos, normal, lights, (size_t)(n < 64 ? n : 64), (int)shadowed, share, got, got + 3);
    for (int i = 0; i < 3; i++)
        got[6 + i] = in[i] * got[i] + got[3 + i];
    got[9] = in[3] * m.dif[3];
    compare(r, f, got, 10, 1e-4);
}

static void shadow(vec_report *r, rec_file *f)
{
    long n = rec_int(f);
    double *map, v[4], got;

    if (n < 1 || n > 4096) {
        vec_fail(r, "%s line %d: map of %ld", f->name, f->line, n);
        return;
    }
    map = malloc(sizeof *map * (size_t)(n * n));
    take(f, map, (int)(n * n));
    take(f, v, 4);
    got = rec_is(f, "pcf4") ? stn_shade_pcf(map, (int)n, v[0], v[1], v[2], v[3])
                            : stn_shade_tap16(map, (int)n, v[0], v[1], v[2], v[3]);
    compare(r, f, &got, 1, 1e-5);
    free(map);
}

static bool colour_case(vec_report *r, rec_file *f)
{
    double a[16], got[8];

    if (rec_is(f, "cel")) {
        take(f, a, 3);
        stn_shade_cel(a, got);
        compare(r, f, got, 3, 1e-5);
    } else if (rec_is(f, "colblend") || rec_is(f, "olblend") || rec_is(f, "cpblend") || rec_is(f, "blend")) {
        take(f, a, 8);
        (rec_is(f, "colblend")  ? stn_shade_colblend
         : rec_is(f, "olblend") ? stn_shade_olblend
         : rec_is(f, "cpblend") ? stn_shade_cpblend
                                : stn_shade_blend)(a, a + 4, got);
        compare(r, f, got, 4, 1e-5);
    } else if (rec_is(f, "rgb2hsv") || rec_is(f, "hsv2rgb")) {
        take(f, a, 3);
        (rec_is(f, "rgb2hsv") ? stn_shade_rgb2hsv : stn_shade_hsv2rgb)(a, got);
        compare(r, f, got, 3, 1e-4);
    } else if (rec_is(f, "huemod")) {
        take(f, a, 6);
        stn_shade_hue(a, a[3], a[4], a[5], got);
        compare(r, f, got, 3, 1e-4);
    } else if (rec_is(f, "lin2srgb")) {
        take(f, a, 4);
        stn_shade_lin2srgb(a, got);
        compare(r, f, got, 4, 1e-5);
    } else if (rec_is(f, "bottomfog") || rec_is(f, "obfog")) {
        take(f, a, 5);
        (rec_is(f, "obfog") ? stn_shade_object_fog : stn_shade_bottom_fog)(a, a[4], got);
        compare(r, f, got, 4, 1e-5);
    } else if (rec_is(f, "cloud")) {
        take(f, a, 5);
        got[0] = stn_shade_cloud(a[0], a[1], a[2], a[3], a[4]);
        compare(r, f, got, 1, 1e-5);
    } else
        return false;
    return true;
}

static bool vector_case(vec_report *r, rec_file *f)
{
    double a[32], n[5][3], got[8];

    if (rec_is(f, "vqrot")) {
        take(f, a, 7);
        stn_shade_turn(a, a + 3, got);
        compare(r, f, got, 3, 1e-5);
    } else if (rec_is(f, "bump")) {
        take(f, a, 12);
        stn_shade_bump(a, a + 3, a + 6, a + 9, got);
        compare(r, f, got, 3, 1e-5);
    } else if (rec_is(f, "waternrm")) {
        take(f, &n[0][0], 12);
        take(f, a, 4);
        stn_shade_waves((const double(*)[3])n, a[0], a + 1, got, got + 3);
        compare(r, f, got, 6, 1e-5);
    } else if (rec_is(f, "outline")) {
        take(f, a, 5);
        take(f, &n[0][0], 15);
        got[0] = stn_shade_outline(a, (const double(*)[3])n);
        compare(r, f, got, 1, 5e-3);
    } else
        return false;
    return true;
}

void vec_shade(vec_report *r, const char *dir)
{
    rec_file f;

    if (!rec_open(&f, dir, "shade.tsv"))
        return;
    while (rec_next(&f)) {
        if (rec_is(&f, "phong"))
            phong(r, &f);
        else if (rec_is(&f, "shadow16") || rec_is(&f, "pcf4"))
            shadow(r, &f);
        else if (!colour_case(r, &f) && !vector_case(r, &f))
            vec_fail(r, "%s line %d: unknown record %s", f.name, f.line, f.field[0]);
    }
    rec_close(&f);
}
