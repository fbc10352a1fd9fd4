/* A window that nobody sees: the key for a picture, the background, and a window that is hidden. No other
 * process runs. Skipped, aloud, where SDL cannot draw without a display. */
#include "renderer/renderer_impl.h"

#include "base/file.h"
#include "renderer/gl/picture.h"
#include "renderer/pacing.h"

#include <SDL.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define WIDTH 96
#define HEIGHT 64

static char folder[64], shots[80];

static stn_renderer *open_one(int frames)
{
    stn_renderer_options o = {.instance = "window",
                              .surface = STN_SURFACE_WINDOW,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .shadows = -1,
                              .outlines = -1,
                              .smooth = -1,
                              .fov = STN_HUD_FOV,
                              .haze_distance = 700,
                              .frame_cap = -1,
                              .detail = -1,
                              .fps = 0,
                              .preset = "low",
                              .camera = "ortho",
                              .camera_args = "",
                              .bindings = "",
                              .shot_folder = shots,
                              .ui_scale = 1.0,
                              .range = 1100.0,
                              .cuts = 2,
                              .font = "",
                              .program_cache = "none",
                              .film = "",
                              .film_of = "",
                              .frames = frames};
    stn_renderer *r = NULL;
    stn_err err = {0};

    if (stn_renderer_new(&o, &r, &err) != STN_OK) {
        printf("skipped: %s\n", err.text);
        return NULL;
    }
    return r;
}

static void press(SDL_Scancode key)
{
    SDL_Event e = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED, .keysym = {.scancode = key}}};

    SDL_PushEvent(&e);
    e.key.type = SDL_KEYUP;
    e.key.state = SDL_RELEASED;
    SDL_PushEvent(&e);
}

/* How many pictures lie there; the last one's size. */
static int pictures(int *w, int *h)
{
    DIR *d = opendir(shots);
    const struct dirent *e;
    int n = 0;

    while (d && (e = readdir(d)) != NULL) {
        char path[400];
        uint8_t *png = NULL, *rgba = NULL;
        size_t len = 0;
        stn_err err = {0};

        if (strncmp(e->d_name, "stenness-", 9) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", shots, e->d_name);
        assert_int_equal(stn_file_read(path, 1 << 20, &png, &len, &err), STN_OK);
        assert_int_equal(stn_picture_from_png(png, len, &rgba, w, h, &err), STN_OK);
        free(png);
        free(rgba);
        unlink(path);
        n++;
    }
    if (d)
        closedir(d);
    return n;
}

static void the_key_writes_a_picture_of_the_window(void **state)
{
    stn_renderer *r = open_one(60);
    stn_err err = {0};
    int w = 0, h = 0;

    (void)state;
    if (!r)
        skip();
    press(SDL_SCANCODE_F12);
    assert_int_equal(stn_renderer_run(r, &err), STN_OK);
    stn_renderer_free(r); /* what was read is written before it ends */
    assert_int_equal(pictures(&w, &h), 1);
    assert_int_equal(w, WIDTH);
    assert_int_equal(h, HEIGHT);
}

static void more_pictures_than_there_is_room_for_are_refused(void **state)
{
    stn_renderer *r = open_one(60);
    stn_err err = {0};
    int w, h;

    (void)state;
    if (!r)
        skip();
    /* All in one moment: the rest is refused with a note, and nothing is lost of those that were taken. */
    for (int i = 0; i < STN_PICTURES + 2; i++)
        renderer_save_shot(r);
    assert_int_equal(stn_renderer_run(r, &err), STN_OK);
    stn_renderer_free(r);
    assert_int_equal(pictures(&w, &h), STN_PICTURES);
}

static void a_hidden_window_is_not_drawn_and_still_lives(void **state)
{
    stn_renderer *r = open_one(20);
    stn_err err = {0};
    SDL_Window *window;

    (void)state;
    if (!r)
        skip();
    window = stn_surface_sdl_window(r->surface);
    SDL_HideWindow(window);
    assert_true(stn_surface_hidden(r->surface));
    assert_true(stn_surface_in_background(r->surface));
    assert_int_equal(stn_renderer_run(r, &err), STN_OK);
    assert_int_equal(r->drawn, 20);
    for (int i = 0; i < 20; i++) {
        assert_true(r->frames->kept[i].swap_ms == 0.0f);
        assert_true(r->frames->kept[i].phase_ms[STN_PHASE_DRAW] == 0.0f);
    }
    SDL_ShowWindow(window);
    assert_false(stn_surface_hidden(r->surface));
    r->o.frames = 40;
    assert_int_equal(stn_renderer_run(r, &err), STN_OK);
    assert_true(r->frames->kept[r->frames->count - 1].phase_ms[STN_PHASE_DRAW] > 0.0f);
    stn_renderer_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_key_writes_a_picture_of_the_window),
        cmocka_unit_test(more_pictures_than_there_is_room_for_are_refused),
        cmocka_unit_test(a_hidden_window_is_not_drawn_and_still_lives),
    };
    int failed;

    snprintf(folder, sizeof folder, "/tmp/stn-window-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    snprintf(shots, sizeof shots, "%s/shots", folder);
    setenv("XDG_RUNTIME_DIR", folder, 1);
    setenv("XDG_CONFIG_HOME", folder, 1);
    setenv("SDL_VIDEODRIVER", "offscreen", 1);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (chdir("/tmp") == 0) {
        char command[120];

        snprintf(command, sizeof command, "rm -rf %s", folder);
        failed += system(command) != 0;
    }
    return failed;
}
