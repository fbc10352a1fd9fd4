/* Two processes and what may go wrong between them: coming up, restarting, losing, flooding, stopping. */
#include "unit/bus_sides.h"

#include "base/hash.h"
#include "bus/array.h"
#include "bus/tap.h"

#include "proto/control.pb-c.h"
#include "proto/envelope.pb-c.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <zmq.h>

/* --- coming up --- */

static void both_sides_come_up_in_any_order_and_talk(void **state)
{
    (void)state;
    open_link(&link_a, "renderer"); /* first, when nobody is there */
    TURNS_FOR(loop, 150 * STN_MS);
    assert_int_equal(link_a.ups, 0);
    open_door(&door, "world");
    UNTIL(loop, link_a.ups == 1 && door.ups == 1);
    assert_string_equal(stn_peer_id(link_a.peer), "world.0");
    assert_string_equal(stn_peer_id(door.peer), "renderer.0");
    assert_string_equal(stn_peer_kind(door.peer), "renderer");
    assert_true(stn_peer_epoch(door.peer) == stn_bus_epoch(link_a.bus));
    assert_int_equal(say(&link_a, "hello", 0, KIND_TEXT), STN_OK);
    assert_int_equal(say(&door, "there", 3, KIND_TEXT), STN_OK);
    UNTIL(loop, door.texts == 1 && link_a.texts == 1);
    assert_string_equal(door.text, "hello");
    assert_string_equal(link_a.text, "there");
    assert_int_equal(door.correlation, 42);
}

static void second_bind_of_a_name_is_refused_with_the_pid(void **state)
{
    stn_bus_spec bus = {.kind = "world"};
    stn_conv_spec spec = spec_of(&link_a, "world");
    stn_conv *again;
    stn_bus *other;
    stn_err err = {0};
    char want[64];
    (void)state;
    open_door(&door, "world");
    assert_int_equal(stn_bus_new(loop, &bus, &other, NULL), STN_OK);
    assert_string_equal(stn_bus_id(other), "world.1");
    assert_int_equal(stn_bus_bind(other, &spec, &again, &err), STN_BUSY);
    snprintf(want, sizeof want, "world: already running (pid %d)", (int)getpid());
    assert_string_equal(err.text, want);
    stn_bus_free(other);
}

static void restarted_door_is_found_again_with_a_new_epoch(void **state)
{
    uint64_t epoch;
    (void)state;
    open_door(&door, "world");
    open_link(&link_a, "renderer");
    UNTIL(loop, link_a.ups == 1);
    epoch = stn_peer_epoch(link_a.peer);
    close_side(&door);
    UNTIL(loop, link_a.downs == 1);
    assert_int_equal(link_a.why, STN_DOWN_BYE);
    open_door(&door, "world");
    UNTIL(loop, link_a.ups == 2 && door.ups == 1);
    assert_true(stn_peer_epoch(link_a.peer) != epoch);
    assert_int_equal(say(&link_a, "again", 0, KIND_TEXT), STN_OK);
    UNTIL(loop, door.texts == 1);
    assert_int_equal(door.gaps, 0);
}

static void killed_peer_is_down_at_once_and_its_successor_up(void **state)
{
    pid_t pid;
    (void)state;
    pid = fork();
    if (pid == 0) { /* a link in another process */
        stn_loop_new(&loop, NULL);
        open_link(&link_a, "mesher");
        for (;;)
            stn_loop_turn(loop, STN_S, NULL);
    }
    open_door(&door, "world");
    UNTIL(loop, door.ups == 1);
    assert_int_equal(stn_peer_pid(door.peer), pid);
    kill(pid, SIGKILL);
    UNTIL(loop, door.downs == 1);
    assert_int_equal(door.why, STN_DOWN_CLOSED);
    waitpid(pid, NULL, 0);
    open_link(&link_a, "mesher");
    UNTIL(loop, door.ups == 2);
    assert_string_equal(stn_peer_id(door.peer), "mesher.0");
}

static void stopped_peer_is_down_after_the_silence_deadline(void **state)
{
    pid_t pid;
    int64_t stopped, end;
    (void)state;
    pid = fork();
    if (pid == 0) {
        stn_loop_new(&loop, NULL);
        open_link(&link_a, "mesher");
        for (;;)
            stn_loop_turn(loop, STN_S, NULL);
    }
    open_door(&door, "world");
    UNTIL(loop, door.ups == 1);
    kill(pid, SIGSTOP);
    stopped = stn_clock_ns();
    end = stopped + (STN_SILENCE_MS + 3000) * STN_MS;
    while (door.downs == 0 && stn_clock_ns() < end)
        stn_loop_turn(loop, 100 * STN_MS, NULL);
    assert_int_equal(door.downs, 1);
    assert_true(stn_clock_ns() - stopped > 3 * STN_S);
    kill(pid, SIGCONT); /* it finds back by itself */
    UNTIL(loop, door.ups == 2);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* --- bulk --- */

static void large_bulk_arrives_whole_and_state_overtakes_it(void **state)
{
    stn_frame *big = noise(30 << 20, 1);
    uint32_t sum = sum_of(big);
    (void)state;
    open_door(&door, "world");
    open_link(&link_a, "renderer");
    UNTIL(loop, link_a.ups == 1 && door.ups == 1);
    assert_int_equal(send_bulk(&door, big, BULK), STN_OK);
    stn_frame_unref(big); /* the bus has its own reference */
    assert_in_range(stn_peer_unacked_bytes(door.peer), 1, 2 << 20);
    assert_int_equal(say(&door, "first", 0, KIND_TEXT), STN_OK);
    UNTIL(loop, link_a.bulks == 1);
    assert_int_equal(link_a.bulk_sum, sum);
    assert_int_equal(link_a.order, 0); /* the text came before the bulk was complete */
    assert_int_equal(link_a.texts, 1);
    UNTIL(loop, stn_peer_unacked_bytes(door.peer) == 0 && stn_peer_unsent_bytes(door.peer) == 0);
}

static void more_than_the_queue_is_refused_until_there_is_room(void **state)
{
    stn_frame *f = noise(15 << 20, 2);
    int sent = 0;
    (void)state;
    open_door(&door, "world");
    open_link(&link_a, "renderer");
    UNTIL(loop, link_a.ups == 1 && door.ups == 1);
    while (send_bulk(&door, f, BULK) == STN_OK)
        sent++;
    assert_int_equal(sent, 2); /* 40 MiB may wait */
    UNTIL(loop, link_a.bulks == 2);
    UNTIL(loop, door.rooms == 1);
    assert_int_equal(send_bulk(&door, f, BULK), STN_OK);
    UNTIL(loop, link_a.bulks == 3);
    assert_int_equal(send_bulk(&door, f, 0), STN_TOO_BIG); /* a state stream takes no such bulk */
    stn_frame_unref(f);
}

static void forwarding_copies_no_payload(void **state)
{
    stn_frame *f = noise(300000, 3);
    uint32_t sum = sum_of(f);
    uint64_t copied;
    stn_send send = {.kind = KIND_BULK, .stream = BULK};
    (void)state;
    open_door(&door, "world");
    open_link(&link_a, "renderer");
    door.forward = true;
    UNTIL(loop, link_a.ups == 1 && door.ups == 1);
    copied = stn_frame_copied_bytes();
    assert_int_equal(send_bulk(&link_a, f, BULK), STN_OK);
    UNTIL(loop, door.bulks == 1);
    send.raw_frame = stn_msg_body_frame(door.kept);
    send.bulk = stn_msg_bulk_frames(door.kept);
    send.n_bulk = stn_msg_bulk_count(door.kept);
    assert_int_equal(stn_peer_send(door.peer, &send, NULL), STN_OK);
    UNTIL(loop, link_a.bulks == 1);
    assert_int_equal(link_a.bulk_sum, sum);
    assert_true(stn_frame_copied_bytes() == copied);
    stn_frame_unref(f);
}

/* --- control door and tap --- */

static void report(void *ctx, stn_report *r)
{
    (void)ctx;
    stn_report_gauge(r, "cuts.pending", 12);
}

static uint64_t hash(void *ctx, const char **covers)
{
    (void)ctx;
    *covers = "grids";
    return 0xfeed;
}

static void control_door_answers_a_tool(void **state)
{
    stn_control_spec spec = {.report = report, .hash = hash};
    stn_door_name doors[8];
    size_t n;
    int status = 0;
    pid_t pid;
    (void)state;
    pid = fork();
    if (pid == 0) {
        stn_control *control;
        stn_loop_new(&loop, NULL);
        if (stn_loop_stop_on_signals(loop, NULL) != STN_OK)
            _exit(2);
        open_door(&door, "world");
        if (stn_control_new(door.bus, &spec, &control, NULL) != STN_OK)
            _exit(3);
        if (stn_loop_run(loop, NULL) != STN_OK)
            _exit(4);
        stn_control_free(control);
        stn_bus_free(door.bus);
        _exit(7);
    }
    for (int i = 0; i < 100 && stn_control_list("default", doors, 8, &n, NULL) != STN_OK; i++)
        stn_sleep_ns(20 * STN_MS);
    assert_int_equal(n, 1);
    assert_string_equal(doors[0].name, "ctl/world.0");
    assert_int_equal(doors[0].pid, pid);
    {
        Stenness__StatusGet get = STENNESS__STATUS_GET__INIT;
        Stenness__TapSet tap = STENNESS__TAP_SET__INIT;
        Stenness__HashGet hash_get = STENNESS__HASH_GET__INIT;
        Stenness__Quit quit = STENNESS__QUIT__INIT;
        Stenness__PictureGet picture = STENNESS__PICTURE_GET__INIT;
        const void *body;
        const Stenness__Status *s;
        const Stenness__TapRecord *r;
        bool found = false;
        stn_ask *ask;
        stn_msg *m;
        stn_err err = {0};

        assert_int_equal(stn_ask_open("default", doors[0].name, 5 * STN_S, &ask, &err), STN_OK);
        assert_int_equal(
            stn_ask_for(ask, STENNESS__CONTROL_KIND__CTL_STATUS_GET, &get.base, 5 * STN_S, &m, &err), STN_OK);
        assert_int_equal(stn_ask_unpack(ask, m, &stenness__status__descriptor, &body, &err), STN_OK);
        s = body;
        assert_string_equal(s->peer, "world.0");
        assert_int_equal(s->health, STENNESS__HEALTH_STATE__HEALTH_OK);
        for (size_t i = 0; i < s->n_items; i++)
            found = found || (strcmp(s->items[i]->name, "cuts.pending") == 0 && s->items[i]->value == 12);
        assert_true(found);
        stn_msg_unref(m);

        assert_int_equal(
            stn_ask_for(ask, STENNESS__CONTROL_KIND__CTL_HASH_GET, &hash_get.base, 5 * STN_S, &m, &err),
            STN_OK);
        assert_int_equal(stn_ask_unpack(ask, m, &stenness__hash__descriptor, &body, &err), STN_OK);
        assert_true(((const Stenness__Hash *)body)->hash == 0xfeed);
        stn_msg_unref(m);

        /* A kind that this process does not know is dropped there: the deadline speaks. */
        assert_int_equal(
            stn_ask_for(ask, STENNESS__CONTROL_KIND__CTL_PICTURE_GET, &picture.base, 300 * STN_MS, &m, &err),
            STN_TIMEOUT);

        tap.on = true;
        assert_int_equal(
            stn_ask_for(ask, STENNESS__CONTROL_KIND__CTL_TAP_SET, &tap.base, 5 * STN_S, &m, &err), STN_OK);
        stn_msg_unref(m);
        open_link(&link_a, "renderer");
        UNTIL(loop, link_a.ups == 1);
        assert_int_equal(say(&link_a, "seen", 0, KIND_TEXT), STN_OK);
        TURNS_FOR(loop, 200 * STN_MS);
        found = false;
        for (int i = 0; i < 50 && !found; i++) {
            assert_int_equal(stn_ask_next(ask, 5 * STN_S, &m, &err), STN_OK);
            assert_int_equal(stn_ask_unpack(ask, m, &stenness__tap_record__descriptor, &body, &err), STN_OK);
            r = body;
            if (i == 0)
                assert_int_equal(r->type, STENNESS__TAP_TYPE__TAP_START);
            if (r->type == STENNESS__TAP_TYPE__TAP_MESSAGE_IN) {
                Stenness__Text *t;
                assert_int_equal(stn_msg_bulk_count(m), 2);
                t = stenness__text__unpack(NULL, stn_frame_len(stn_msg_bulk(m, 1)),
                                           stn_frame_data(stn_msg_bulk(m, 1)));
                assert_non_null(t);
                found = strcmp(t->text, "seen") == 0 && strcmp(r->peer, "renderer.0") == 0;
                stenness__text__free_unpacked(t, NULL);
            }
            stn_msg_unref(m);
        }
        assert_true(found);
        assert_int_equal(stn_ask_for(ask, STENNESS__CONTROL_KIND__CTL_QUIT, &quit.base, 5 * STN_S, &m, &err),
                         STN_OK);
        stn_msg_unref(m);
        stn_ask_free(ask);
    }
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    assert_int_equal(stn_control_list("default", doors, 8, &n, NULL), STN_OK); /* the renderer's */
    assert_string_equal(doors[0].name, "ctl/renderer.0");
}

/* --- stopping --- */

typedef struct listener {
    unsigned records, zeros;
    size_t zero_len;
} listener;

static stn_status on_record(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    listener *l = ctx;
    const Stenness__TapRecord *r = stn_msg_body(msg);
    (void)peer;
    (void)err;
    l->records++;
    if (r->redacted) {
        const uint8_t *body = stn_frame_data(stn_msg_bulk(msg, 1));
        l->zero_len = stn_frame_len(stn_msg_bulk(msg, 1));
        l->zeros++;
        for (size_t i = 0; i < l->zero_len; i++)
            assert_int_equal(body[i], 0);
    }
    return STN_OK;
}

static void secrets_are_recorded_as_zeros_of_their_length(void **state)
{
    static const stn_handler records[] = {{STENNESS__TAPE_KIND__TAPE_RECORD, "record", 1 << 20,
                                           &stenness__tap_record__descriptor, on_record, false}};
    listener seen = {0};
    stn_conv_spec spec = {.name = "ears", .handlers = records, .n_handlers = 1, .ctx = &seen};
    stn_bus_spec bus = {.kind = "tape"};
    stn_bus *tape;
    stn_conv *ears, *to;
    stn_conv_spec door_spec = {.name = "ears"};
    size_t it = 0;
    (void)state;
    open_door(&door, "world");
    open_link(&link_a, "renderer");
    UNTIL(loop, link_a.ups == 1 && door.ups == 1);
    assert_int_equal(stn_bus_bind(door.bus, &door_spec, &ears, NULL), STN_OK);
    assert_int_equal(stn_bus_new(loop, &bus, &tape, NULL), STN_OK);
    assert_int_equal(stn_bus_connect(tape, &spec, &to, NULL), STN_OK);
    UNTIL(loop, stn_conv_peer_count(ears) == 1 && stn_conv_peer(to));
    assert_int_equal(stn_tap_add_secret(stn_bus_tap(door.bus), KIND_TEXT, NULL), STN_OK);
    assert_int_equal(stn_tap_start(stn_bus_tap(door.bus), stn_conv_next_peer(ears, &it), NULL), STN_OK);
    assert_int_equal(say(&door, "the password", 0, KIND_TEXT), STN_OK);
    UNTIL(loop, link_a.texts == 1 && seen.zeros == 1);
    assert_string_equal(link_a.text, "the password"); /* the other side gets it */
    assert_int_equal(seen.zero_len, 2 + strlen("the password"));
    stn_bus_free(tape);
    UNTIL(loop, !stn_tap_is_on(stn_bus_tap(door.bus))); /* nobody listens any more */
}

static void sigterm_with_messages_queued_ends_in_time(void **state)
{
    int status;
    int64_t start;
    pid_t pid;
    (void)state;
    pid = fork();
    if (pid == 0) { /* a door that sends to a peer which never reads */
        stn_frame *f;
        stn_loop_new(&loop, NULL);
        if (stn_loop_stop_on_signals(loop, NULL) != STN_OK)
            _exit(2);
        open_door(&door, "world");
        while (!door.peer)
            stn_loop_turn(loop, STN_S, NULL);
        f = noise(1 << 20, 4);
        for (int i = 0; i < 30; i++)
            send_bulk(&door, f, BULK);
        for (int i = 0; i < 3000; i++)
            say(&door, "queued", 0, KIND_TEXT);
        stn_frame_unref(f);
        stn_loop_run(loop, NULL);
        close_side(&door);
        stn_loop_free(loop);
        _exit(9);
    }
    open_link(&link_a, "renderer");
    UNTIL(loop, link_a.ups == 1);
    stn_sleep_ns(200 * STN_MS); /* now the other side's queues are full, and nobody reads */
    kill(pid, SIGTERM);
    start = stn_clock_ns();
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 9);
    /* Two seconds at most on a machine that has the time; without a limit it would wait for ever. */
    assert_true(stn_clock_ns() - start < 15 * STN_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(both_sides_come_up_in_any_order_and_talk),
        T(second_bind_of_a_name_is_refused_with_the_pid),
        T(restarted_door_is_found_again_with_a_new_epoch),
        T(killed_peer_is_down_at_once_and_its_successor_up),
        T(stopped_peer_is_down_after_the_silence_deadline),
        T(large_bulk_arrives_whole_and_state_overtakes_it),
        T(more_than_the_queue_is_refused_until_there_is_room),
        T(forwarding_copies_no_payload),
        T(control_door_answers_a_tool),
        T(secrets_are_recorded_as_zeros_of_their_length),
        T(sigterm_with_messages_queued_ends_in_time),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
