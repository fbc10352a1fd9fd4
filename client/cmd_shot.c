#include "client/child.h"
#include "client/commands.h"
#include "client/doors.h"
#include "client/paths.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/opts.h"
#include "base/text.h"
#include "bus/address.h"
#include "bus/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#define START_NS (30 * STN_S) /* for a renderer of our own to open its door */
#define DEGREE (3.14159265358979323846 / 180.0)
#define DRAW_NS (60 * STN_S) /* drawing in full detail, in software, on a busy machine */

static const stn_opt options[] = {
    {"size", STN_OPT_TEXT, "1280x720", 0, 0, "WxH", "size of the picture"},
    {"after", STN_OPT_TEXT, "cuts", 0, 0, "WHEN",
     "\"cuts\": when all wanted ground and objects are there; or seconds"},
    {"timeout", STN_OPT_INT, "60", 1, 3600, "S",
     "the picture is taken as it is after so long, and that is said"},
    {"eye", STN_OPT_TEXT, "", 0, 0, "D,E,A[,X,Y]",
     "from so far (map units), so high (degrees) and from where (degrees; 0 east, 90 north), looking so far "
     "aside"},
    {"hud", STN_OPT_SWITCH, NULL, 0, 0, NULL,
     "with what is written over the picture, in the detail that the window has"},
    {"land", STN_OPT_TEXT, NULL, 0, 0, "FILE", "of this recorded land (own instance)"},
    {"seed", STN_OPT_TEXT, NULL, 0, 0, "N", "of the land of this seed (own instance)"},
};

static const stn_opts_spec spec = {
    .program = "stenness-shot",
    .command = "stenness shot",
    .summary =
        "Writes a picture of the world to a PNG file: of the running instance, or of one started for it.",
    .operands = "OUT.png",
    .opts = options,
    .count = sizeof options / sizeof *options,
};

static stn_status parse_size(const char *text, uint32_t *w, uint32_t *h, stn_err *err)
{
    char copy[32], *x;
    uint64_t a, b;

    snprintf(copy, sizeof copy, "%s", text);
    x = strchr(copy, 'x');
    if (x)
        *x = 0;
    if (!x || !stn_text_u64(copy, 8192, &a) || !stn_text_u64(x + 1, 8192, &b) || a < 16 || b < 16)
        return stn_fail(err, STN_USAGE, "--size: expected WIDTHxHEIGHT, each 16 to 8192, got \"%.30s\"",
                        text);
    *w = (uint32_t)a;
    *h = (uint32_t)b;
    return STN_OK;
}

/* Numbers between commas; the first three are needed. */
static stn_status parse_eye(const char *text, Stenness__PictureGet *get, stn_err *err)
{
    static const double least[5] = {1, 0, -3600, -5000, -5000}, most[5] = {5000, 90, 3600, 5000, 5000};
    double v[5] = {0};
    size_t n = 0;

    for (const char *p = text; *p && n < 5; n++) {
        char one[32];
        size_t len = strcspn(p, ",");

        snprintf(one, sizeof one, "%.*s", (int)len, p);
        p += len + (p[len] == ',');
        if (!stn_text_f64(one, least[n], most[n], &v[n]))
            return stn_fail(err, STN_USAGE, "--eye: \"%.30s\" is not a number from %g to %g", one, least[n],
                            most[n]);
    }
    if (n > 0 && n < 3)
        return stn_fail(err, STN_USAGE, "--eye: expected DISTANCE,ELEVATION,ANGLE, got \"%.60s\"", text);
    get->eye_distance = v[0];
    get->eye_elevation = v[1] * DEGREE;
    get->eye_angle = v[2] * DEGREE;
    get->eye_x = v[3];
    get->eye_y = v[4];
    return STN_OK;
}

static stn_status parse_request(const stn_opts *opts, Stenness__PictureGet *get, stn_err *err)
{
    const char *after = stn_opts_text(opts, "after");
    double seconds;
    stn_status st = parse_size(stn_opts_text(opts, "size"), &get->width, &get->height, err);

    if (st == STN_OK)
        st = parse_eye(stn_opts_text(opts, "eye"), get, err);
    if (st != STN_OK)
        return st;
    get->hud = stn_opts_switch(opts, "hud");
    get->timeout_ms = (uint32_t)stn_opts_int(opts, "timeout") * 1000;
    if (strcmp(after, "cuts") == 0)
        get->complete = true;
    else if (stn_text_f64(after, 0, 3600, &seconds))
        get->after_ms = (uint32_t)(seconds * 1000);
    else
        return stn_fail(err, STN_USAGE, "--after: expected \"cuts\" or seconds, got \"%.30s\"", after);
    if (get->timeout_ms < get->after_ms + 1000)
        get->timeout_ms = get->after_ms + 1000;
    return STN_OK;
}

static stn_status save(const stn_msg *answer, const Stenness__Picture *picture, const char *path,
                       stn_err *err)
{
    static const stn_array_rule rule = {"png", STENNESS__ELEMENT_FORMAT__ELEMENT_BYTES, 8, 64 << 20, false};
    stn_array png;
    stn_status st;

    if (!picture->png)
        return stn_fail(err, STN_IO, "no picture: %.200s", picture->text);
    st = stn_array_view(picture->png, stn_msg_bulk_frames(answer), stn_msg_bulk_count(answer), &rule, &png,
                        err);
    if (st != STN_OK)
        return st;
    if ((st = stn_file_write(path, png.data, png.count, 0644, false, err)) != STN_OK)
        return st;
    printf("%s: %ux%u, %u cuts, %u objects\n", path, picture->width, picture->height, picture->cuts,
           picture->entities);
    if (picture->partial)
        fprintf(stderr, "stenness shot: the picture is not complete: %s\n", picture->text);
    return STN_OK;
}

static stn_status take(const char *instance, const Stenness__PictureGet *get, const char *path,
                       int64_t open_ns, stn_err *err)
{
    stn_ask *ask = NULL;
    stn_msg *answer = NULL;
    const void *picture = NULL;
    stn_status st = stn_door_open(instance, "renderer", open_ns, &ask, err);

    if (st != STN_OK)
        return st;
    st = stn_ask_for(ask, STENNESS__CONTROL_KIND__CTL_PICTURE_GET, &get->base,
                     (int64_t)get->timeout_ms * STN_MS + DRAW_NS, &answer, err);
    if (st == STN_OK && stn_msg_kind(answer) != STENNESS__CONTROL_KIND__CTL_PICTURE)
        st = stn_fail(err, STN_BAD_DATA, "the renderer answered with another kind");
    if (st == STN_OK)
        st = stn_ask_unpack(ask, answer, &stenness__picture__descriptor, &picture, err);
    if (st == STN_OK)
        st = save(answer, picture, path, err);
    if (answer)
        stn_msg_unref(answer);
    stn_ask_free(ask);
    return st;
}

/* An instance of our own, without a window, for one picture. */
static stn_status take_of_own(const stn_opts *opts, const Stenness__PictureGet *get, const char *path,
                              stn_err *err)
{
    char instance[32];
    const char *argv[16];
    size_t n = 0;
    stn_child *child = NULL;
    int64_t deadline = stn_clock_ns() + START_NS;
    stn_status st;

    snprintf(instance, sizeof instance, "shot-%d", (int)getpid());
    argv[n++] = "stenness";
    argv[n++] = "run";
    argv[n++] = "--headless";
    argv[n++] = "--instance";
    argv[n++] = instance;
    argv[n++] = "--size";
    argv[n++] = stn_opts_text(opts, "size");
    for (size_t i = 0; i < 2; i++) {
        static const char *const flags[2][2] = {{"land", "--land"}, {"seed", "--seed"}};
        if (stn_opts_given(opts, flags[i][0])) {
            argv[n++] = flags[i][1];
            argv[n++] = stn_opts_text(opts, flags[i][0]);
        }
    }
    argv[n] = NULL;
    if ((st = stn_child_start(argv, &child, err)) != STN_OK)
        return st;
    do {
        stn_err_clear(err);
        st = take(instance, get, path, STN_S, err);
        if (st != STN_NOT_FOUND && st != STN_TIMEOUT)
            break;
        if (!stn_child_alive(child)) {
            st = stn_fail(err, STN_IO, "the pieces could not be started; the lines above say why");
            break;
        }
        stn_sleep_ns(100 * STN_MS);
    } while (stn_clock_ns() < deadline);
    stn_child_end(child);
    stn_client_forget(instance);
    return st;
}

static stn_status shot(const stn_opts *opts, stn_err *err)
{
    Stenness__PictureGet get = STENNESS__PICTURE_GET__INIT;
    bool own = stn_opts_given(opts, "land") || stn_opts_given(opts, "seed");
    const char *path = stn_opts_operand(opts, 0);
    stn_status st;

    if (stn_opts_operands(opts) != 1)
        return stn_fail(err, STN_USAGE, "expected one file name, as in: stenness shot world.png");
    if ((st = parse_request(opts, &get, err)) != STN_OK)
        return st;
    if (!own) {
        st = take(stn_opts_instance(opts), &get, path, 2 * STN_S, err);
        if (st != STN_NOT_FOUND)
            return st;
        stn_err_clear(err);
    }
    return take_of_own(opts, &get, path, err);
}

int cmd_shot(int argc, char **argv)
{
    stn_opts *opts;
    stn_err err = {0};

    switch (stn_opts_parse(&spec, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    if (shot(opts, &err) != STN_OK)
        fprintf(stderr, "stenness shot: %s\n", err.text);
    stn_opts_free(opts);
    return err.code == STN_OK ? EXIT_SUCCESS : err.code == STN_USAGE ? EX_USAGE : EXIT_FAILURE;
}
