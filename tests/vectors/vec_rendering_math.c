/* matrix, project, place, shadow, lights: sections 4, 7, 6, 15, 10. */
#include "vec_rendering.h"

#include "renderer/scene/light.h"
#include "renderer/scene/project.h"
#include "renderer/scene/shadow.h"

#include <stdlib.h>
#include <string.h>

static void check(vec_report *r, const rec_file *f, bool ok)
{
    if (ok)
        vec_pass(r);
    else
        vec_fail(r, "%s line %d: %s: other figures", f->name, f->line, f->field[0]);
}

static void check_m4(vec_report *r, rec_file *f, stn_m4 got, int ulps)
{
    stn_m4 want = rec_m4(f);

    check(r, f, same_f32s(got.m, want.m, 16, ulps));
}

static void check_v4(vec_report *r, rec_file *f, stn_v4 got, int ulps)
{
    stn_v4 want = rec_v4(f);

    check(r, f, same_f32s(&got.x, &want.x, 4, ulps));
}

static void check_v3(vec_report *r, rec_file *f, stn_v3 got, int ulps)
{
    stn_v3 want = rec_v3(f);

    check(r, f, same_f32s(&got.x, &want.x, 3, ulps));
}

static void check_f(vec_report *r, rec_file *f, float got, int ulps)
{
    check(r, f, same_f32(got, rec_f32(f), ulps));
}

static void invert_case(vec_report *r, rec_file *f)
{
    stn_m4 a = rec_m4(f), got;
    bool ok = stn_m4_invert(&a, &got);

    if (strcmp(f->field[f->at], "null") == 0)
        check(r, f, !ok);
    else if (ok)
        check_m4(r, f, got, 0);
    else
        check(r, f, false);
}

static bool matrix_case(vec_report *r, rec_file *f)
{
    if (rec_is(f, "mul")) {
        stn_m4 a = rec_m4(f), b = rec_m4(f);
        check_m4(r, f, stn_m4_mul(a, b), 0);
    } else if (rec_is(f, "vec3")) {
        stn_m4 a = rec_m4(f);
        stn_v3 v = rec_v3(f);
        check_v3(r, f, stn_m4_pt(&a, v), 0);
    } else if (rec_is(f, "vec4")) {
        stn_m4 a = rec_m4(f);
        stn_v4 v = rec_v4(f);
        check_v4(r, f, stn_m4_v4(&a, v), 0);
    } else if (rec_is(f, "invert")) {
        invert_case(r, f);
    } else if (rec_is(f, "transpose")) {
        stn_m4 a = rec_m4(f);
        check_m4(r, f, stn_m4_transpose(a), 0);
    } else if (rec_is(f, "trim3")) {
        stn_m4 a = rec_m4(f);
        check_m4(r, f, stn_m4_trim3(a, 1.0f), 0);
    } else if (rec_is(f, "trim9")) {
        stn_m4 a = rec_m4(f);
        const float got[9] = {a.m[0], a.m[1], a.m[2], a.m[4], a.m[5], a.m[6], a.m[8], a.m[9], a.m[10]};
        bool ok = true;
        for (int i = 0; i < 9; i++)
            ok = same_f32(got[i], rec_f32(f), 0) && ok;
        check(r, f, ok);
    } else if (rec_is(f, "rxinvert")) {
        stn_m4 a = rec_m4(f);
        check_m4(r, f, stn_m4_rxinvert(a), 0);
    } else if (rec_is(f, "nullrot")) {
        stn_m4 a = rec_m4(f);
        check_m4(r, f, stn_m4_nullrot(a), 0);
    } else if (rec_is(f, "onlyxl")) {
        stn_m4 a = rec_m4(f);
        check_m4(r, f, stn_m4_onlyxl(a), 0);
    } else if (rec_is(f, "xlate")) {
        stn_v3 v = rec_v3(f);
        check_m4(r, f, stn_m4_xlate(v), 0);
    } else if (rec_is(f, "scale")) {
        stn_v3 v = rec_v3(f);
        check_m4(r, f, stn_m4_scale(v.x, v.y, v.z), 0);
    } else {
        return false;
    }
    return true;
}

static bool matrix_angle_case(vec_report *r, rec_file *f)
{
    if (rec_is(f, "rot")) {
        stn_v3 v = rec_v3(f);
        float a = rec_f32(f);
        check_m4(r, f, stn_m4_rot(v, a), 1);
    } else if (rec_is(f, "rotsc")) {
        stn_v3 v = rec_v3(f);
        float s = rec_f32(f), c = rec_f32(f);
        check_m4(r, f, stn_m4_rot_sc(v, s, c), 0);
    } else if (rec_is(f, "frustum") || rec_is(f, "ortho")) {
        float v[6];
        for (int i = 0; i < 6; i++)
            v[i] = rec_f32(f);
        check_m4(r, f,
                 rec_is(f, "ortho") ? stn_m4_ortho(v[0], v[1], v[2], v[3], v[4], v[5])
                                    : stn_m4_frustum(v[0], v[1], v[2], v[3], v[4], v[5]),
                 0);
    } else if (rec_is(f, "pointed")) {
        stn_v3 b = rec_v3(f);
        float d = rec_f32(f), e = rec_f32(f), a = rec_f32(f);
        check_m4(r, f, stn_m4_pointed(b, d, e, a), 1);
    } else if (rec_is(f, "camdir")) {
        stn_v3 b = rec_v3(f), d = rec_v3(f);
        check_m4(r, f, stn_m4_camdir(b, d), 1);
    } else if (rec_is(f, "norm")) {
        stn_v3 a = rec_v3(f);
        check_v3(r, f, stn_v3_norm(a), 0);
    } else if (rec_is(f, "cross")) {
        stn_v3 a = rec_v3(f), b = rec_v3(f);
        check_v3(r, f, stn_v3_cross(a, b), 0);
    } else if (rec_is(f, "dist")) {
        stn_v3 a = rec_v3(f), b = rec_v3(f);
        check_f(r, f, stn_v3_dist(a, b), 0);
    } else if (rec_is(f, "abs")) {
        stn_v3 a = rec_v3(f);
        check_f(r, f, stn_v3_abs(a), 0);
    } else if (rec_is(f, "xyangle")) {
        stn_v3 a = rec_v3(f), b = rec_v3(f);
        check_f(r, f, stn_v3_xyangle(a, b), 1);
    } else if (rec_is(f, "sadd")) {
        float e = rec_f32(f), a = rec_f32(f), d = rec_f32(f);
        check_v3(r, f, stn_v3_sph(e, a, d), 1);
    } else {
        return false;
    }
    return true;
}

void vec_matrix(vec_report *r, const char *dir)
{
    rec_file f;

    if (!rec_open(&f, dir, "matrix.tsv"))
        return;
    while (rec_next(&f))
        if (!matrix_case(r, &f) && !matrix_angle_case(r, &f))
            vec_fail(r, "%s line %d: unknown record %s", f.name, f.line, f.field[0]);
    rec_close(&f);
}

void vec_project(vec_report *r, const char *dir)
{
    rec_file f;

    if (!rec_open(&f, dir, "project.tsv"))
        return;
    while (rec_next(&f)) {
        if (rec_is(&f, "o2c")) {
            stn_m4 w = rec_m4(&f), v = rec_m4(&f), p = rec_m4(&f);
            stn_v3 at = rec_v3(&f);
            check_v4(r, &f, stn_project_clip(&w, &v, &p, at), 0);
        } else if (rec_is(&f, "toview")) {
            stn_v4 c = rec_v4(&f);
            long x0 = rec_int(&f), y0 = rec_int(&f), w = rec_int(&f), h = rec_int(&f);
            check_v3(r, &f, stn_project_view(c, (float)x0, (float)y0, (float)w, (float)h), 0);
        } else if (rec_is(&f, "clipped")) {
            stn_v4 c = rec_v4(&f);
            long mask = rec_int(&f);
            check(r, &f, stn_project_clipped(c, (unsigned)mask) == (rec_int(&f) != 0));
        } else if (rec_is(&f, "lineclip")) {
            stn_v4 a = rec_v4(&f), b = rec_v4(&f);
            long mask = rec_int(&f);
            check_v4(r, &f, stn_project_line_clip(a, b, (unsigned)mask), 0);
        } else if (rec_is(&f, "fromndc")) {
            stn_m4 p = rec_m4(&f);
            stn_v3 n = rec_v3(&f);
            check_v4(r, &f, stn_project_from_ndc(&p, n), 0);
        } else if (rec_is(&f, "fromclip")) {
            stn_m4 p = rec_m4(&f);
            stn_v3 n = rec_v3(&f);
            check_v4(r, &f, stn_project_from_clip(&p, n), 0);
        } else {
            vec_fail(r, "%s line %d: unknown record %s", f.name, f.line, f.field[0]);
        }
    }
    rec_close(&f);
}

void vec_place(vec_report *r, const char *dir)
{
    rec_file f;

    if (!rec_open(&f, dir, "place.tsv"))
        return;
    while (rec_next(&f)) {
        double a = rec_f64(&f);

        if (rec_is(&f, "default"))
            check_m4(r, &f, stn_place_default(a), 1);
        else if (rec_is(&f, "incline")) {
            stn_v3 n = rec_v3(&f);
            check_m4(r, &f, stn_place_incline(a, n), 1);
        } else
            vec_fail(r, "%s line %d: unknown record %s", f.name, f.line, f.field[0]);
    }
    rec_close(&f);
}

void vec_shadow(vec_report *r, const char *dir)
{
    rec_file f;

    if (!rec_open(&f, dir, "shadow.tsv"))
        return;
    while (rec_next(&f)) {
        stn_v4 day = rec_v4(&f);
        stn_v3 player = rec_v3(&f);
        stn_m4 view = rec_m4(&f);
        stn_shadow_place p = stn_shadow_place_at(day, player, STN_SHADOW_SIZE);
        stn_m4 t = stn_shadow_matrix(&p, &view), want_v = rec_m4(&f), want_p = rec_m4(&f),
               want_t = rec_m4(&f);

        check(r, &f,
              same_f32s(p.view.m, want_v.m, 16, 1) && same_f32s(p.proj.m, want_p.m, 16, 0) &&
                  same_f32s(t.m, want_t.m, 16, 1));
    }
    rec_close(&f);
}

static void order_case(vec_report *r, rec_file *f)
{
    stn_light_order o = {0};
    const char *ops = rec_text(f), *want = rec_text(f);
    bool ok = true;

    for (const char *p = ops; *p;) {
        char *end;

        if (*p == '+') {
            unsigned long id = strtoul(p + 1, &end, 10);
            long priority = *end == ':' ? strtol(end + 1, &end, 10) : 0;

            ok = stn_light_order_add(&o, id, (int)priority) && ok;
        } else {
            stn_light_order_remove(&o, strtoul(p + 1, &end, 10));
        }
        p = end;
        while (*p == ' ')
            p++;
    }
    for (size_t i = 0; i < o.count; i++) {
        char *end;
        unsigned long id = strtoul(want, &end, 10);

        ok = ok && end != want && id == o.items[i].id;
        want = end;
    }
    while (*want == ' ')
        want++;
    check(r, f, ok && *want == '\0');
    stn_light_order_fini(&o);
}

static uint32_t argb(rec_file *f)
{
    return (uint32_t)strtoul(rec_text(f), NULL, 16);
}

void vec_lights(vec_report *r, const char *dir)
{
    rec_file f;
    stn_dayfade fade;

    stn_dayfade_init(&fade);
    if (!rec_open(&f, dir, "lights.tsv"))
        return;
    while (rec_next(&f)) {
        if (rec_is(&f, "dir") || rec_is(&f, "pos")) {
            stn_m4 v = rec_m4(&f), w = rec_m4(&f);
            stn_v3 p = rec_v3(&f);
            check_v4(r, &f, rec_is(&f, "dir") ? stn_light_dir(&v, &w, p) : stn_light_pos(&v, &w, p), 0);
        } else if (rec_is(&f, "col")) {
            long c[4];
            for (int i = 0; i < 4; i++)
                c[i] = rec_int(&f);
            check_v4(r, &f,
                     stn_colour_f((stn_colour){(uint8_t)c[0], (uint8_t)c[1], (uint8_t)c[2], (uint8_t)c[3]}),
                     0);
        } else if (rec_is(&f, "amb")) {
            double e = rec_f64(&f), a = rec_f64(&f);
            check_v4(r, &f, stn_daylight_dir(e, a), 1);
        } else if (rec_is(&f, "order")) {
            order_case(r, &f);
        } else if (rec_is(&f, "colstep")) {
            uint32_t a = argb(&f), b = argb(&f);
            double k = rec_f64(&f);
            check(r, &f,
                  stn_colour_argb(stn_colour_step(stn_colour_of_argb(a), stn_colour_of_argb(b), k)) ==
                      argb(&f));
        } else if (rec_is(&f, "fade")) {
            stn_daylight a = {0}, b = {0};
            a.amb = stn_colour_of_argb(argb(&f));
            b.amb = stn_colour_of_argb(argb(&f));
            a.angle = rec_f64(&f);
            b.angle = rec_f64(&f);
            a.elev = rec_f64(&f);
            b.elev = rec_f64(&f);
            stn_dayfade_set(&fade, &a, false);
            stn_dayfade_set(&fade, &b, true);
        } else if (rec_is(&f, "fadetick")) {
            double dt = rec_f64(&f), t, angle, elev;
            uint32_t c;
            stn_dayfade_tick(&fade, dt);
            t = rec_f64(&f);
            c = argb(&f);
            angle = rec_f64(&f);
            elev = rec_f64(&f);
            check(r, &f,
                  same_f64(fade.t, t) && stn_colour_argb(fade.now.amb) == c &&
                      same_f64(fade.now.angle, angle) && same_f64(fade.now.elev, elev));
        } else if (rec_is(&f, "preblend")) {
            stn_v4 a = rec_v4(&f), b = rec_v4(&f);
            check_v4(r, &f, stn_colour_preblend(a, b), 0);
        } else {
            vec_fail(r, "%s line %d: unknown record %s", f.name, f.line, f.field[0]);
        }
    }
    rec_close(&f);
}
