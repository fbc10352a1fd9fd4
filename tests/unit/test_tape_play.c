/* A session is recorded from three small processes and told again to another renderer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/bus_fixture.h"

#include "base/hash.h"
#include "bus/control.h"
#include "bus/tap.h"
#include "tape/capture.h"
#include "tape/play.h"

#include "proto/resource.pb-c.h"
#include "proto/world.pb-c.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

enum { TICKS = 40, PIXELS = 3000000 };
#define BULK 20u
#ifdef STN_SANITIZED
#define RECORDED_NS (5000 * STN_MS)
#else
#define RECORDED_NS (1500 * STN_MS)
#endif

static char file[200];

/* --- the three processes, in one child --- */

static stn_conv *to_world, *to_loader;

static stn_frame *pixels(void)
{
    stn_frame *f = stn_frame_new(PIXELS);
    for (size_t i = 0; i < PIXELS; i++)
        stn_frame_writable(f)[i] = (uint8_t)(i % 251 + i / 1000);
    return f;
}

static stn_status world_subscribe(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    (void)ctx;
    (void)msg;
    (void)err;
    for (unsigned i = 0; i < TICKS; i++) {
        Stenness__Tick tick = STENNESS__TICK__INIT;
        tick.tick = i;
        stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_TICK, 1, 0, &tick.base, NULL);
    }
    return STN_OK;
}

static stn_status loader_get(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    const Stenness__Get *get = stn_msg_body(msg);
    Stenness__Ready ready = STENNESS__READY__INIT;
    stn_frame *f = pixels();
    stn_send send = {.kind = STENNESS__RESOURCE_KIND__RESOURCE_READY,
                     .stream = BULK,
                     .body = &ready.base,
                     .bulk = &f,
                     .n_bulk = 1,
                     .correlation = stn_msg_correlation(msg)};
    stn_status st;
    (void)ctx;
    ready.name = get->name;
    ready.version = 3;
    ready.want = get->want;
    st = stn_peer_send(peer, &send, err);
    stn_frame_unref(f);
    return st;
}

static stn_status nothing(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    (void)ctx;
    (void)peer;
    (void)msg;
    (void)err;
    return STN_OK;
}

static void subscribe_when_up(void *ctx, stn_peer *peer)
{
    Stenness__Subscribe s = STENNESS__SUBSCRIBE__INIT;
    (void)ctx;
    stn_peer_say(peer, STENNESS__VIEW_KIND__VIEW_SUBSCRIBE, 0, 0, &s.base, NULL);
}

static void ask_for(stn_peer *peer, const char *name, uint64_t correlation)
{
    Stenness__Get get = STENNESS__GET__INIT;
    get.name = (char *)(uintptr_t)name;
    get.version = -1;
    get.want = 1;
    stn_peer_say(peer, STENNESS__RESOURCE_KIND__RESOURCE_GET, 0, correlation, &get.base, NULL);
}

static void get_when_up(void *ctx, stn_peer *peer)
{
    (void)ctx;
    ask_for(peer, "gfx/tiles/grass", 7);
}

static const stn_handler world_side[] = {{STENNESS__VIEW_KIND__VIEW_SUBSCRIBE, "subscribe", 4096,
                                          &stenness__subscribe__descriptor, world_subscribe, false}};
static const stn_handler loader_side[] = {
    {STENNESS__RESOURCE_KIND__RESOURCE_GET, "get", 4096, &stenness__get__descriptor, loader_get, false}};
static const stn_handler renderer_side[] = {
    {STENNESS__VIEW_KIND__VIEW_TICK, "tick", 4096, &stenness__tick__descriptor, nothing, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_READY, "ready", 8 << 20, &stenness__ready__descriptor, nothing, false},
};

static _Noreturn void session(bool armed)
{
    stn_loop *loop;
    stn_bus *world, *loader, *renderer;
    stn_control *c[3];
    stn_conv *door;
    stn_control_spec control = {0};
    stn_bus_spec spec = {.kind = "world"};
    stn_conv_spec w = {.name = "world", .handlers = world_side, .n_handlers = 1};
    stn_conv_spec l = {.name = "loader", .handlers = loader_side, .n_handlers = 1};
    stn_conv_spec rw = {.name = "world", .handlers = renderer_side, .n_handlers = 2, .up = subscribe_when_up};
    stn_conv_spec rl = {.name = "loader", .handlers = renderer_side, .n_handlers = 2, .up = get_when_up};
    bool ok;

    if (armed)
        setenv("STENNESS_TAP", "armed", 1);
    ok = stn_loop_new(&loop, NULL) == STN_OK && stn_bus_new(loop, &spec, &world, NULL) == STN_OK;
    spec.kind = "loader";
    ok = ok && stn_bus_new(loop, &spec, &loader, NULL) == STN_OK;
    spec.kind = "renderer";
    ok = ok && stn_bus_new(loop, &spec, &renderer, NULL) == STN_OK &&
         stn_control_new(world, &control, &c[0], NULL) == STN_OK &&
         stn_control_new(loader, &control, &c[1], NULL) == STN_OK &&
         stn_control_new(renderer, &control, &c[2], NULL) == STN_OK &&
         stn_bus_bind(world, &w, &door, NULL) == STN_OK && stn_bus_bind(loader, &l, &door, NULL) == STN_OK &&
         stn_bus_connect(renderer, &rw, &to_world, NULL) == STN_OK &&
         stn_bus_connect(renderer, &rl, &to_loader, NULL) == STN_OK;
    while (ok)
        ok = stn_loop_turn(loop, STN_S, NULL) == STN_OK;
    _exit(1);
}

static stn_capture_sum record(bool armed, const char *whole)
{
    stn_capture_spec spec = {.instance = "default",
                             .out = file,
                             .duration_ns = RECORDED_NS,
                             .wait_ns = 10 * STN_S,
                             .whole = whole};
    stn_capture_sum sum;
    stn_err err = {0};
    pid_t pid = fork();

    if (pid == 0)
        session(armed);
    stn_sleep_ns(RECORDED_NS / 2); /* all has been said before anybody listens */
    if (stn_capture_run(&spec, &sum, &err) != STN_OK)
        fail_msg("%s", err.text);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return sum;
}

/* --- the other renderer --- */

typedef struct viewer {
    unsigned ticks, ready, failed, finished;
    bool in_order;
    uint64_t sum;
} viewer;

static stn_status on_tick(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    (void)peer;
    (void)err;
    v->in_order = v->in_order && ((const Stenness__Tick *)stn_msg_body(msg))->tick == v->ticks;
    v->ticks++;
    return STN_OK;
}

static stn_status on_ready(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    (void)peer;
    (void)err;
    assert_int_equal(stn_msg_correlation(msg), 1001);
    assert_string_equal(((const Stenness__Ready *)stn_msg_body(msg))->name, "gfx/tiles/grass");
    v->sum = stn_hash_feed(STN_HASH_START, stn_frame_data(stn_msg_bulk(msg, 0)),
                           stn_frame_len(stn_msg_bulk(msg, 0)));
    v->ready++;
    return STN_OK;
}

static stn_status on_failed(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    viewer *v = ctx;
    (void)peer;
    (void)err;
    assert_int_equal(stn_msg_correlation(msg), 1002);
    assert_string_equal(((const Stenness__Failed *)stn_msg_body(msg))->chain[0]->source, "capture");
    v->failed++;
    return STN_OK;
}

static void ask_when_up(void *ctx, stn_peer *peer)
{
    (void)ctx;
    ask_for(peer, "gfx/tiles/grass", 1001);
    ask_for(peer, "gfx/never/seen", 1002);
}

static void on_finished(void *ctx)
{
    ((viewer *)ctx)->finished++;
}

static const stn_handler viewer_handlers[] = {
    {STENNESS__VIEW_KIND__VIEW_TICK, "tick", 4096, &stenness__tick__descriptor, on_tick, false},
    {STENNESS__RESOURCE_KIND__RESOURCE_READY, "ready", 8 << 20, &stenness__ready__descriptor, on_ready,
     false},
    {STENNESS__RESOURCE_KIND__RESOURCE_FAILED, "failed", 8 << 20, &stenness__failed__descriptor, on_failed,
     false},
};

static void play_to_another(bool answered)
{
    viewer v = {.in_order = true};
    stn_loop *loop;
    stn_bus *tape, *renderer;
    stn_conv *world, *loader;
    stn_tape_reader *reader;
    stn_script *script;
    stn_play *play;
    stn_bus_spec spec = {.kind = "tape", .instance = "replay"};
    stn_conv_spec w = {
        .name = "world", .handlers = viewer_handlers, .n_handlers = 3, .ctx = &v, .up = subscribe_when_up};
    stn_conv_spec l = {
        .name = "loader", .handlers = viewer_handlers, .n_handlers = 3, .ctx = &v, .up = ask_when_up};
    stn_frame *f = pixels();

    assert_int_equal(stn_tape_open(file, &reader, NULL), STN_OK);
    assert_int_equal(stn_script_new(reader, "renderer", NULL, &script, NULL), STN_OK);
    stn_tape_reader_free(reader);
    assert_string_equal(stn_script_process(script), "renderer.0");
    assert_int_equal(stn_script_world_count(script), TICKS);
    assert_int_equal(stn_script_lost(script), 0);
    assert_int_equal(stn_loop_new(&loop, NULL), STN_OK);
    assert_int_equal(stn_bus_new(loop, &spec, &tape, NULL), STN_OK);
    assert_int_equal(stn_play_new(tape, script, 0, on_finished, &v, &play, NULL), STN_OK);
    spec.kind = "renderer";
    assert_int_equal(stn_bus_new(loop, &spec, &renderer, NULL), STN_OK);
    assert_int_equal(stn_bus_connect(renderer, &w, &world, NULL), STN_OK);
    assert_int_equal(stn_bus_connect(renderer, &l, &loader, NULL), STN_OK);
    UNTIL(loop, v.ticks == TICKS && v.ready + v.failed == (answered ? 2 : 1) && v.finished == 1);
    assert_true(v.in_order);
    if (answered)
        assert_true(v.sum == stn_hash_feed(STN_HASH_START, stn_frame_data(f), PIXELS));
    stn_frame_unref(f);
    stn_bus_free(renderer);
    stn_play_free(play);
    stn_bus_free(tape);
    stn_loop_free(loop);
    stn_script_free(script);
}

static void armed_taps_record_from_the_start(void **state)
{
    stn_capture_sum sum;
    (void)state;
    sum = record(true, NULL);
    assert_int_equal(sum.processes, 3);
    assert_int_equal(sum.lost, 0);
    play_to_another(true);
}

static void late_capture_is_complete_when_asked_to_be(void **state)
{
    stn_capture_sum sum;
    (void)state;
    sum = record(false, "renderer");
    assert_int_equal(sum.processes, 3);
    play_to_another(true);
}

static void late_capture_without_that_has_nothing_to_play(void **state)
{
    stn_tape_reader *reader;
    stn_script *script;
    stn_err err = {0};
    (void)state;
    record(false, NULL);
    assert_int_equal(stn_tape_open(file, &reader, NULL), STN_OK);
    assert_int_equal(stn_script_new(reader, "renderer", NULL, &script, &err), STN_NOT_FOUND);
    assert_non_null(strstr(err.text, "renderer"));
    stn_tape_reader_free(reader);
}

static void nobody_running_is_said(void **state)
{
    stn_capture_spec spec = {.instance = "empty", .out = file, .wait_ns = 300 * STN_MS};
    stn_capture_sum sum;
    stn_err err = {0};
    (void)state;
    assert_int_equal(stn_capture_run(&spec, &sum, &err), STN_NOT_FOUND);
    assert_non_null(strstr(err.text, "stenness run"));
}

static int make_folder(void **state)
{
    (void)state;
    own_runtime_folder();
    snprintf(file, sizeof file, "%s/test.mcap", getenv("XDG_RUNTIME_DIR"));
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    remove_runtime_folder();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(armed_taps_record_from_the_start),
        cmocka_unit_test(late_capture_is_complete_when_asked_to_be),
        cmocka_unit_test(late_capture_without_that_has_nothing_to_play),
        cmocka_unit_test(nobody_running_is_said),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
