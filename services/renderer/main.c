#include "base/hash.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/opts.h"
#include "renderer/film.h"
#include "renderer/renderer.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#define FILM_SEED 1

static const stn_opt options[] = {
    {"headless", STN_OPT_SWITCH, NULL, 0, 0, NULL,
     "draw without a window; pictures through the control door"},
    {"null-gl", STN_OPT_SWITCH, NULL, 0, 0, NULL, "a driver that draws nothing: measures this program alone"},
    {"size", STN_OPT_TEXT, "1280x720", 0, 0, "WxH", "size of the window or picture, pixels"},
    {"preset", STN_OPT_TEXT, "auto", 0, 0, "NAME", "detail: auto, low or high"},
    {"fps", STN_OPT_INT, "-1", -1, 1000, "N", "most frames a second, 0 = no limit, -1 = as fits the machine"},
    {"no-vsync", STN_OPT_SWITCH, NULL, 0, 0, NULL, "do not wait for the display"},
    {"shadows", STN_OPT_TEXT, "auto", 0, 0, "on|off", "shadows; auto: as the preset has it"},
    {"outlines", STN_OPT_TEXT, "auto", 0, 0, "on|off", "lines around things; auto: as the preset has it"},
    {"smooth", STN_OPT_TEXT, "auto", 0, 0, "on|off",
     "smooth edges, at four times the work; auto: as the preset has it"},
    {"frame-cap", STN_OPT_INT, "-1", -1, 1000, "N",
     "frames a second while in front, 0 = no limit, -1 = as fits the machine"},
    {"haze", STN_OPT_SWITCH, "on", 0, 0, NULL, "far ground fades to the sky"},
    {"haze-distance", STN_OPT_INT, "700", 300, 3000, "UNITS", "where it is gone"},
    {"detail", STN_OPT_INT, "-1", -1, 1000, "PERCENT",
     "of things far away: less = coarser sooner, 0 = never coarser, -1 = as the preset has it"},
    {"sway", STN_OPT_SWITCH, "on", 0, 0, NULL, "trees move in the wind"},
    {"clouds", STN_OPT_SWITCH, "on", 0, 0, NULL, "shadows of clouds, when they are part of the weather"},
    {"grid", STN_OPT_SWITCH, "off", 0, 0, NULL, "lines between tiles"},
    {"overlays", STN_OPT_SWITCH, "off", 0, 0, NULL, "marks on the ground: claims and the like"},
    {"fov", STN_OPT_INT, "53", 28, 103, "DEG", "field of view across, of cameras with perspective"},
    {"place-steps", STN_OPT_INT, "8", 0, 32, "N",
     "steps to a tile for what is placed with Shift; 0 = anywhere"},
    {"names", STN_OPT_SWITCH, "on", 0, 0, NULL, "names above people"},
    {"minimap", STN_OPT_SWITCH, "on", 0, 0, NULL, "show the minimap"},
    {"line", STN_OPT_SWITCH, "on", 0, 0, NULL, "show the line of health"},
    {"camera", STN_OPT_TEXT, "ortho", 0, 0, "NAME", "ortho, follow, bad, rts or worse"},
    {"camera-args", STN_OPT_TEXT, "", 0, 0, "TEXT", "of the ortho camera: -e -n -i -f -t SPEED -Z FIELD"},
    {"bind", STN_OPT_TEXT, "", 0, 0, "LIST", "keys: help=F2,shot=Ctrl+P; the help panel names the actions"},
    {"shots", STN_OPT_TEXT, "", 0, 0, "DIR", "where the picture key writes (default: the current folder)"},
    {"ui-scale", STN_OPT_REAL, "1", 0.5, 4, "X", "size of text"},
    {"font", STN_OPT_TEXT, "", 0, 0, "FILE", "a font instead of DejaVu Sans"},
    {"range", STN_OPT_REAL, "1100", 100, 10000, "UNITS", "how far objects are seen, map units (11 a tile)"},
    {"cuts", STN_OPT_INT, "2", 0, 10, "N", "ground drawn around the cut in focus, cuts (25 tiles each)"},
    {"spectator", STN_OPT_SWITCH, NULL, 0, 0, NULL, "only look: never ask to steer"},
    {"gl-debug", STN_OPT_SWITCH, NULL, 0, 0, NULL, "log what the driver complains about"},
    {"program-cache", STN_OPT_TEXT, "", 0, 0, "DIR",
     "where shader programs are kept for the next start; none = nowhere (default: in the cache folder)"},
    {"fly", STN_OPT_SWITCH, NULL, 0, 0, NULL, "the camera flies round by itself, for measuring"},
    {"film", STN_OPT_TEXT, "", 0, 0, "DIR",
     "with --headless: write each frame to DIR/frame-00001.png and so on, in steps of a clock of its own; "
     "none is "
     "left out, frames wait for their pictures"},
    {"film-frames", STN_OPT_INT, "0", 0, STN_FILM_MOST, "N",
     "so many, 0 = until the capture ends or a signal comes"},
    {"film-rate", STN_OPT_INT, "25", 1, 1000, "HZ", "pictures for each second of the scene's clock"},
    {"film-of", STN_OPT_TEXT, "", 0, 0, "FILE",
     "film a capture instead of the running world: the same pictures each time, at any speed of the machine"},
    {"film-process", STN_OPT_TEXT, "", 0, 0, "NAME",
     "whose part of the capture (default: the first renderer's)"},
    {"frames", STN_OPT_INT, "0", 0, 100000000, "N", "end after so many frames"},
};

static const stn_opts_spec spec = {.program = "stenness-renderer",
                                   .summary =
                                       "The window: draws the world that others prepare, and takes clicks.",
                                   .opts = options,
                                   .count = sizeof options / sizeof *options};

static bool take_size(const char *text, int *w, int *h)
{
    char end;

    return sscanf(text, "%dx%d%c", w, h, &end) == 2 && *w >= 16 && *h >= 16 && *w <= 8192 && *h <= 8192;
}

/* on, off, or auto: -1. */
static bool take_switch(const stn_opts *opts, const char *name, int *out)
{
    const char *text = stn_opts_text(opts, name);

    *out = strcmp(text, "on") == 0 ? 1 : strcmp(text, "off") == 0 ? 0 : -1;
    if (*out >= 0 || strcmp(text, "auto") == 0)
        return true;
    fprintf(stderr, "stenness-renderer: --%s %s: on, off or auto\n", name, text);
    return false;
}

/* A driver that draws in software takes and frees memory in each frame. Given back to the system each time,
 * it is fresh pages in the next frame, which the system hands out one by one: a frame five times as long as
 * the others, now and then. Larger limits than those of bulk (8 and 32 MiB) were measured: 40 MB more, and no
 * fewer long frames. */
static void keep_memory(void)
{
    stn_heap_for_bulk();
#ifdef __GLIBC__
    mallopt(M_ARENA_MAX, 4); /* the GL thread's, and those of net, build and the rest */
#endif
}

int main(int argc, char **argv)
{
    stn_opts *opts = NULL;
    stn_renderer_options o = {0};
    stn_renderer *r = NULL;
    stn_err err = {0};
    int rc = EXIT_FAILURE;

    switch (stn_opts_parse(&spec, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    keep_memory();
    if (!take_size(stn_opts_text(opts, "size"), &o.width, &o.height)) {
        fprintf(stderr, "stenness-renderer: --size %s: WIDTHxHEIGHT, 16 to 8192 each\n",
                stn_opts_text(opts, "size"));
        stn_opts_free(opts);
        return EX_USAGE;
    }
    if (!take_switch(opts, "shadows", &o.shadows) || !take_switch(opts, "outlines", &o.outlines) ||
        !take_switch(opts, "smooth", &o.smooth)) {
        stn_opts_free(opts);
        return EX_USAGE;
    }
    o.haze = stn_opts_switch(opts, "haze");
    o.frame_cap = (int)stn_opts_int(opts, "frame-cap");
    o.haze_distance = (int)stn_opts_int(opts, "haze-distance");
    o.detail = (int)stn_opts_int(opts, "detail");
    o.sway = stn_opts_switch(opts, "sway");
    o.clouds = stn_opts_switch(opts, "clouds");
    o.grid = stn_opts_switch(opts, "grid");
    o.overlays = stn_opts_switch(opts, "overlays");
    o.fov = (int)stn_opts_int(opts, "fov");
    o.place_steps = (int)stn_opts_int(opts, "place-steps");
    o.names = stn_opts_switch(opts, "names");
    o.minimap = stn_opts_switch(opts, "minimap");
    o.line = stn_opts_switch(opts, "line");
    o.instance = stn_opts_instance(opts);
    o.surface = stn_opts_switch(opts, "null-gl")    ? STN_SURFACE_NULL
                : stn_opts_switch(opts, "headless") ? STN_SURFACE_HEADLESS
                                                    : STN_SURFACE_WINDOW;
    o.vsync = !stn_opts_switch(opts, "no-vsync");
    o.gl_debug = stn_opts_switch(opts, "gl-debug");
    o.spectator = stn_opts_switch(opts, "spectator");
    o.fps = (int)stn_opts_int(opts, "fps");
    o.preset = stn_opts_text(opts, "preset");
    o.camera = stn_opts_text(opts, "camera");
    o.camera_args = stn_opts_text(opts, "camera-args");
    o.bindings = stn_opts_text(opts, "bind");
    o.shot_folder = stn_opts_text(opts, "shots")[0] ? stn_opts_text(opts, "shots") : ".";
    o.ui_scale = stn_opts_real(opts, "ui-scale");
    o.range = stn_opts_real(opts, "range");
    o.cuts = (unsigned)stn_opts_int(opts, "cuts");
    o.font = stn_opts_text(opts, "font");
    o.program_cache = stn_opts_text(opts, "program-cache");
    o.fly = stn_opts_switch(opts, "fly");
    o.frames = (int)stn_opts_int(opts, "frames");
    o.film = stn_opts_text(opts, "film");
    o.film_of = stn_opts_text(opts, "film-of");
    o.film_process = stn_opts_text(opts, "film-process");
    /* What a film shows of chance hangs on the order in which objects are looked at. */
    if (o.film_of[0] && !stn_hash_fix(FILM_SEED))
        stn_log_warn("this film may not be the same twice: the order of tables is given already");
    o.film_rate = (int)stn_opts_int(opts, "film-rate");
    o.film_frames = (int)stn_opts_int(opts, "film-frames");
    if ((o.film[0] && o.surface != STN_SURFACE_HEADLESS) || (o.film_of[0] && !o.film[0])) {
        fprintf(stderr, o.film[0]
                            ? "stenness-renderer: --film needs --headless: frames of a window do not wait\n"
                            : "stenness-renderer: --film-of: give --film DIR too, where the pictures go\n");
        stn_opts_free(opts);
        return EX_USAGE;
    }
    if (stn_renderer_new(&o, &r, &err) == STN_OK && stn_renderer_run(r, &err) == STN_OK)
        rc = EXIT_SUCCESS;
    if (err.code)
        fprintf(stderr, "stenness-renderer: %s\n", err.text);
    stn_renderer_free(r);
    stn_opts_free(opts);
    return rc;
}
