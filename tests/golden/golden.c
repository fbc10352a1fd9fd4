/* golden: twelve scenes of homestead's world drawn without a window and compared with the pictures kept
 * beside this file. Usage:
 *
 *   golden PICTURES OUT [NAME ...]     compares; writes OUT/NAME.new.png and OUT/NAME.diff.png of what
 * differs golden --renew PICTURES [NAME ...] writes the pictures anew
 *
 * The scenes come from code alone (support/scenery.h), so they change when homestead's land or things change,
 * and when the look changes: look at the new pictures, and renew them when they please. What counts as the
 * same is said in support/picture_compare.h. Exit 77 where nothing can draw. */
#include "base/file.h"
#include "renderer/gl/picture.h"
#include "support/picture_compare.h"
#include "support/scenery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define W 320
#define H 180
#define SKIPPED 77

enum sky { NOON, EVENING, NIGHT };

static const struct scene {
    const char *name;
    int place; /* of `places` */
    double x, y, up; /* from the place */
    double distance, elevation, angle, field;
    enum sky sky;
    double seconds; /* that pass before the picture */
    bool plain; /* without shadows, lines and haze */
} scenes[] = {
    {"wood", 1, 0, 0, 30, 420, 0.42, 0.5, 0, NOON, 2.2, false},
    {"yard", 0, 0, -30, 10, 330, 0.62, -0.6, 0, NOON, 0.5, false},
    {"cupboards", 0, -34, -80, 10, 95, 0.42, -1.3, 0, NOON, 0.5, false},
    {"house", 0, 70, -90, 20, 190, 0.40, -2.6, 0, NOON, 0.5, false},
    {"people", 0, 10, 0, 8, 75, 0.30, 0.9, 0, NOON, 0.85, false},
    {"fire-by-night", 0, 12, -14, 8, 130, 0.45, 0.4, 0, NIGHT, 1.5, false},
    {"yard-at-evening", 0, 0, 0, 10, 260, 0.40, 2.4, 0, EVENING, 1.0, false},
    {"shore", 0, -60, 230, 5, 230, 0.30, -1.4, 0, NOON, 2.0, false},
    {"growth", 0, -150, 40, 2, 60, 0.50, 0.2, 0, NOON, 0.5, false},
    {"from-above", 0, 60, 40, 0, 800, 1.1, 0.8, 200, NOON, 0.5, false},
    {"plain", 0, 0, -30, 10, 330, 0.62, 1.6, 0, NOON, 0.5, true},
    {"ridge", 2, 0, 0, 0, 300, 0.35, 0.9, 0, NOON, 0.5, false},
};
#define SCENES (sizeof scenes / sizeof scenes[0])

/* Where the scenes are: the spawn, a wood of spruce and beech, a cliff; map units. */
static const double places[3][2] = {{0, 0}, {-413, 137}, {412, 137}};

static stn_status open_place(scenery *s, int place, double *x, double *y, stn_err *err)
{
    static const char *const poses[] = {"homestead/people/run", "homestead/people/walk",
                                        "homestead/people/idle"};
    static const char *const dyes[] = {"homestead/people/dye-blue", "homestead/people/dye-ochre",
                                       "homestead/people/dye-green"};
    double angle;
    stn_status st = scenery_open(s, 1, STN_PACK_FOLDER, W, H, err);

    if (st != STN_OK)
        return st;
    stn_land_spawn(scenery_ground_land(s->ground), x, y, &angle);
    if (place != 0) {
        *x = places[place][0];
        *y = places[place][1];
    }
    st = scenery_land(s, *x, *y, place == 0 ? 2 : 1, err);
    for (int i = 0; place == 0 && st == STN_OK && i < 3; i++)
        st = scenery_person(s, 101 + i, *x + 4 + 16 * i, *y - 6 + 5 * i, 0.4 + 1.1 * i, poses[i], dyes[i],
                            err);
    return st;
}

static void light(scenery *s, enum sky sky)
{
    static const struct {
        stn_colour ambient, sun;
        double angle, elevation;
    } of[] = {{{88, 98, 114, 255}, {255, 243, 220, 255}, 3.93, 0.785},
              {{76, 73, 92, 255}, {242, 170, 118, 255}, 4.40, 0.40},
              {{38, 46, 74, 255}, {60, 74, 118, 255}, 4.60, 1.047}};

    scenery_light(s, of[sky].ambient, of[sky].sun, of[sky].angle, of[sky].elevation);
}

static bool wanted(const char *name, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc == 0;
}

static bool save(const char *folder, const char *name, const char *tail, const uint8_t *rgba)
{
    char path[600];
    uint8_t *png = NULL;
    size_t len;
    stn_err err = {0};

    snprintf(path, sizeof path, "%s/%s%s.png", folder, name, tail);
    if (stn_file_mkdirs(folder, 0755, &err) != STN_OK ||
        stn_picture_to_png(rgba, W, H, 0, &png, &len, &err) != STN_OK ||
        stn_file_write(path, png, len, 0644, false, &err) != STN_OK) {
        printf("%s: %s\n", path, err.text);
        free(png);
        return false;
    }
    free(png);
    printf("written: %s\n", path);
    return true;
}

/* NULL: there is none of this size. */
static uint8_t *kept(const char *folder, const char *name)
{
    char path[600];
    uint8_t *png = NULL, *rgba = NULL;
    size_t len;
    int w = 0, h = 0;
    stn_err err = {0};

    snprintf(path, sizeof path, "%s/%s.png", folder, name);
    if (stn_file_read(path, 4u << 20, &png, &len, &err) == STN_OK)
        stn_picture_from_png(png, len, &rgba, &w, &h, &err);
    free(png);
    if (rgba && (w != W || h != H)) {
        free(rgba);
        rgba = NULL;
    }
    return rgba;
}

static bool check(const char *pictures, const char *out, const char *name, const uint8_t *rgba)
{
    static uint8_t diff[W * H * 4];
    uint8_t *want = kept(pictures, name);
    picture_difference d;

    if (!want) {
        printf("%-16s no picture of %dx%d in %s\n", name, W, H, pictures);
        save(out, name, ".new", rgba);
        return false;
    }
    d = picture_compare(want, rgba, W, H, diff);
    free(want);
    printf("%-16s worst block %5.2f at %d,%d, mean %.3f\n", name, d.worst, d.worst_x, d.worst_y, d.mean);
    if (picture_looks_same(&d))
        return true;
    printf("%s looks different (worst over %.1f or mean over %.1f)\n", name, STN_LOOKS_WORST, STN_LOOKS_MEAN);
    save(out, name, ".new", rgba);
    save(out, name, ".diff", diff);
    return false;
}

int main(int argc, char **argv)
{
    static uint8_t rgba[W * H * 4];
    bool renew = argc > 1 && strcmp(argv[1], "--renew") == 0;
    const char *pictures = argc > 2 ? argv[renew ? 2 : 1] : NULL, *out = argc > 2 ? argv[2] : NULL;
    unsigned failed = 0;
    scenery s = {0};
    int place = -1;
    double x = 0, y = 0;

    if (!pictures) {
        fprintf(stderr, "usage: golden PICTURES OUT [NAME ...] | golden --renew PICTURES [NAME ...]\n");
        return 64;
    }
    for (size_t i = 0; i < SCENES; i++) {
        const struct scene *sc = &scenes[i];
        stn_err err = {0};

        if (sc->place != place) {
            stn_status st;

            scenery_close(&s);
            st = open_place(&s, sc->place, &x, &y, &err);
            place = sc->place;
            if (st != STN_OK) {
                printf("%s: %s\n", st == STN_UNSUPPORTED ? "skipped" : sc->name, err.text);
                return st == STN_UNSUPPORTED ? SKIPPED : 1;
            }
        }
        light(&s, sc->sky);
        s.clock = 0.0;
        scenery_run(&s, sc->seconds);
        /* Also in what is not wanted time passes: a scene does not depend on which others are asked for. */
        if (!wanted(sc->name, argc - 3, argv + 3))
            continue;
        /* How each tree sways is drawn by chance, in the order in which things are made: in the wood, which
         * comes first, that depends on the wood alone; elsewhere one more thing in the land would move all
         * crowns. */
        s.look.sway = sc->place == 1;
        s.look.shadows = s.look.outlines = s.look.fog = !sc->plain;
        scenery_eye(&s, x + sc->x, y + sc->y, sc->up, sc->distance, sc->elevation, sc->angle, sc->field);
        scenery_draw(&s, rgba);
        failed += !(renew ? save(pictures, sc->name, "", rgba) : check(pictures, out, sc->name, rgba));
    }
    scenery_close(&s);
    return failed > 0;
}
