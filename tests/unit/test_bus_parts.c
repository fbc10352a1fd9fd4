/* The pure parts of the bus: addresses, envelope, unpacking, arrays, credit, window, pieces, snapshots,
 * reports. */
#include "base/clock.h"
#include "bus/address.h"
#include "bus/array.h"
#include "bus/bulk.h"
#include "bus/credit.h"
#include "bus/envelope.h"
#include "bus/lock.h"
#include "bus/report.h"
#include "bus/snapshot.h"
#include "bus/unpack.h"
#include "bus/window.h"

#include "proto/control.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/stn-test-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    return setenv("XDG_RUNTIME_DIR", folder, 1);
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* --- addresses and locks --- */

static void name_becomes_a_path_in_the_runtime_folder(void **state)
{
    char got[STN_ADDRESS_MAX], want[STN_ADDRESS_MAX];
    (void)state;
    assert_int_equal(stn_address_local("default", "ctl/loader.0", got, sizeof got, NULL), STN_OK);
    snprintf(want, sizeof want, "ipc://%s/stenness/default/ctl/loader.0", folder);
    assert_string_equal(got, want);
}

static void without_runtime_folder_tmp_is_used(void **state)
{
    char got[STN_ADDRESS_MAX], want[STN_ADDRESS_MAX];
    (void)state;
    unsetenv("XDG_RUNTIME_DIR");
    assert_int_equal(stn_address_folder("a", got, sizeof got, NULL), STN_OK);
    setenv("XDG_RUNTIME_DIR", folder, 1);
    snprintf(want, sizeof want, "/tmp/stenness-%u/a", (unsigned)getuid());
    assert_string_equal(got, want);
}

static void odd_names_are_refused(void **state)
{
    static const char *const bad[] = {"", "/a", "a/", "a//b", "../a", "a/../b", ".a", "a b", "a\n", "a:b"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(stn_address_name_ok(bad[i]));
    assert_true(stn_address_name_ok("ctl/mesher.12"));
    assert_false(stn_address_instance_ok("a/b"));
    assert_false(stn_address_instance_ok("123456789012345678901234567890123"));
}

static void path_too_long_for_a_socket_is_an_error_that_says_so(void **state)
{
    char got[STN_ADDRESS_MAX], deep[200];
    stn_err err = {0};
    (void)state;
    memset(deep, 'd', sizeof deep);
    deep[0] = '/';
    deep[90] = 0;
    setenv("XDG_RUNTIME_DIR", deep, 1);
    assert_int_equal(stn_address_local("default", "ctl/loader.0", got, sizeof got, &err), STN_TOO_BIG);
    setenv("XDG_RUNTIME_DIR", folder, 1);
    assert_non_null(strstr(err.text, "107"));
    assert_non_null(strstr(err.text, "XDG_RUNTIME_DIR"));
}

static void folder_open_to_others_is_refused(void **state)
{
    char path[128];
    stn_err err = {0};
    (void)state;
    assert_int_equal(stn_address_prepare("open", NULL), STN_OK);
    snprintf(path, sizeof path, "%s/stenness", folder);
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(stn_address_prepare("open", &err), STN_DENIED);
    assert_non_null(strstr(err.text, "chmod 700"));
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(stn_address_prepare("open", NULL), STN_OK);
}

static void tcp_outside_loopback_needs_keys(void **state)
{
    static const struct {
        const char *endpoint;
        bool keys, binding;
        stn_status want;
    } cases[] = {
        {"tcp://127.0.0.1:7000", false, false, STN_OK},
        {"tcp://localhost:7000", false, false, STN_OK},
        {"tcp://[::1]:7000", false, true, STN_OK},
        {"tcp://10.0.0.1:7000", false, false, STN_DENIED},
        {"tcp://*:7000", false, true, STN_DENIED},
        {"tcp://0.0.0.0:7000", false, true, STN_DENIED},
        {"tcp://127.0.0.1.example.org:7000", false, false, STN_DENIED},
        {"tcp://10.0.0.1:7000", true, false, STN_OK},
        {"tcp://*:*", true, true, STN_OK},
        {"tcp://host:*", true, false, STN_USAGE},
        {"tcp://host:0", true, false, STN_USAGE},
        {"tcp://host:65536", true, false, STN_USAGE},
        {"tcp://host", true, false, STN_USAGE},
        {"tcp://:1", true, false, STN_USAGE},
        {"udp://host:1", true, false, STN_USAGE},
        {"ipc:///run/x", false, true, STN_OK},
        {"ipc://", false, true, STN_TOO_BIG},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stn_err err = {0};
        stn_status got = stn_address_check(cases[i].endpoint, cases[i].keys, cases[i].binding, &err);
        if (got != cases[i].want)
            fail_msg("%s: %s (%s)", cases[i].endpoint, stn_status_name(got), err.text);
        if (got == STN_DENIED)
            assert_non_null(strstr(err.text, cases[i].binding ? "--allow" : "--server-key"));
    }
}

static void second_start_of_a_name_names_the_pid(void **state)
{
    stn_lock *one = NULL, *two = NULL;
    stn_err err = {0};
    char want[64];
    (void)state;
    assert_int_equal(stn_lock_take("default", "world", &one, &err), STN_OK);
    assert_int_equal(stn_lock_take("default", "world", &two, &err), STN_BUSY);
    snprintf(want, sizeof want, "world: already running (pid %d)", (int)getpid());
    assert_string_equal(err.text, want);
    assert_int_equal(stn_lock_holder("default", "world"), getpid());
    stn_lock_free(one);
    assert_int_equal(stn_lock_holder("default", "world"), 0);
    assert_int_equal(stn_lock_take("default", "world", &two, &err), STN_OK);
    stn_lock_free(two);
}

static void lock_of_a_killed_process_does_not_hinder(void **state)
{
    stn_lock *lock = NULL;
    int ready[2];
    char byte;
    pid_t pid;
    (void)state;
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        if (stn_lock_take("default", "loader", &lock, NULL) == STN_OK && write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(stn_lock_holder("default", "loader"), pid);
    assert_int_equal(stn_lock_take("default", "loader", &lock, NULL), STN_BUSY);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    assert_int_equal(stn_lock_take("default", "loader", &lock, NULL), STN_OK);
    stn_lock_free(lock);
    close(ready[0]);
    close(ready[1]);
}

static void numbers_are_the_lowest_free(void **state)
{
    stn_lock *l[3];
    unsigned n;
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(stn_lock_take_number("default", "mesher", &n, &l[i], NULL), STN_OK);
        assert_int_equal(n, i);
    }
    stn_lock_free(l[1]);
    assert_int_equal(stn_lock_take_number("default", "mesher", &n, &l[1], NULL), STN_OK);
    assert_int_equal(n, 1);
    for (unsigned i = 0; i < 3; i++)
        stn_lock_free(l[i]);
}

/* --- envelope --- */

static stn_envelope good_envelope(void)
{
    stn_envelope e = {.major = STN_PROTOCOL_MAJOR,
                      .minor = 3,
                      .peer = "mesher.0@desk",
                      .sender_epoch = 7,
                      .receiver_epoch = 9,
                      .stream = 31,
                      .sequence = UINT64_MAX,
                      .correlation = 5,
                      .kind = 300,
                      .transfer = 2,
                      .n_frame_bytes = 3,
                      .frame_bytes = {1, 0, UINT64_MAX},
                      .piece_frame = 1,
                      .piece_offset = 1u << 20};
    return e;
}

static void envelope_comes_back_as_it_went(void **state)
{
    stn_envelope e = good_envelope(), got;
    uint8_t packed[STN_ENVELOPE_MAX];
    size_t len = stn_envelope_pack(&e, packed);
    (void)state;
    assert_int_equal(stn_envelope_unpack(packed, len, &got, NULL), STN_OK);
    assert_memory_equal(&got, &e, sizeof e);
}

static void largest_envelope_fits(void **state)
{
    stn_envelope e = good_envelope(), got;
    uint8_t packed[STN_ENVELOPE_MAX];
    size_t len;
    (void)state;
    memset(e.peer, 'p', sizeof e.peer - 1);
    e.peer[sizeof e.peer - 1] = 0;
    e.n_frame_bytes = STN_BULK_FRAMES_MAX;
    for (unsigned i = 0; i < STN_BULK_FRAMES_MAX; i++)
        e.frame_bytes[i] = UINT64_MAX;
    e.major = STN_PROTOCOL_MAJOR;
    e.minor = UINT32_MAX;
    e.kind = UINT32_MAX;
    e.transfer = e.piece_offset = e.correlation = UINT64_MAX;
    e.piece_frame = UINT32_MAX;
    len = stn_envelope_pack(&e, packed);
    assert_in_range(len, 700, STN_ENVELOPE_MAX);
    assert_int_equal(stn_envelope_unpack(packed, len, &got, NULL), STN_OK);
    assert_memory_equal(&got, &e, sizeof e);
}

static void broken_envelopes_are_refused(void **state)
{
    uint8_t packed[STN_ENVELOPE_MAX + 1];
    stn_envelope got, e;
    size_t len;
    stn_err err = {0};
    (void)state;
#define REFUSED(change, status)                                                                              \
    e = good_envelope();                                                                                     \
    change;                                                                                                  \
    len = stn_envelope_pack(&e, packed);                                                                     \
    assert_int_equal(stn_envelope_unpack(packed, len, &got, &err), status)
    REFUSED(e.peer[0] = 0, STN_BAD_DATA);
    REFUSED(e.peer[3] = '\n', STN_BAD_DATA);
    REFUSED(e.sender_epoch = 0, STN_BAD_DATA);
    REFUSED(e.kind = 0, STN_BAD_DATA);
    REFUSED(e.stream = STN_STREAMS, STN_BAD_DATA);
    REFUSED(e.major = 2, STN_VERSION);
    assert_string_equal(got.peer, "mesher.0@desk");
    assert_non_null(strstr(err.text, "2.3"));
    e = good_envelope();
    len = stn_envelope_pack(&e, packed);
    for (size_t cut = 0; cut < len; cut++) /* every half envelope is refused or at least read without harm */
        (void)stn_envelope_unpack(packed, cut, &got, &err);
    assert_int_equal(stn_envelope_unpack(packed, sizeof packed, &got, &err), STN_TOO_BIG);
    memset(packed, 0xff, sizeof packed);
    assert_int_equal(stn_envelope_unpack(packed, 100, &got, &err), STN_BAD_DATA);
}

/* --- unpacking in bounded memory --- */

static void small_message_that_wants_much_memory_is_refused(void **state)
{
    enum { ITEMS = 20000 };
    static uint8_t body[2 * ITEMS];
    stn_unpacker *u = stn_unpacker_new(256 * 1024);
    const ProtobufCMessage *m;
    stn_err err = {0};
    (void)state;
    for (size_t i = 0; i < ITEMS; i++)
        body[2 * i] = 8 << 3 | 2; /* Status.items, empty: two bytes here, a whole structure there */
    assert_int_equal(stn_unpack(u, &stenness__status__descriptor, body, sizeof body, &m, &err), STN_TOO_BIG);
    assert_null(m);
    assert_int_equal(stn_unpack(u, &stenness__status__descriptor, body, 200, &m, &err), STN_OK);
    assert_int_equal(((const Stenness__Status *)m)->n_items, 100);
    assert_int_equal(stn_unpack(u, &stenness__status__descriptor, "\xff\xff", 2, &m, &err), STN_BAD_DATA);
    stn_unpacker_free(u);
}

/* --- arrays --- */

static void array_is_viewed_when_it_lies_in_its_frame(void **state)
{
    stn_array_plan plan = {0};
    Stenness__Array a = STENNESS__ARRAY__INIT, b = STENNESS__ARRAY__INIT;
    stn_array_rule rule = {
        .name = "heights", .format = STENNESS__ELEMENT_FORMAT__ELEMENT_F32, .min = 3, .max = 3};
    const float heights[3] = {1, 2.5f, -3};
    stn_array view;
    stn_frame *frame;
    float out[3];
    (void)state;
    stn_array_add(&plan, &a, STENNESS__ELEMENT_FORMAT__ELEMENT_U8, 5);
    assert_int_equal(stn_array_add(&plan, &b, STENNESS__ELEMENT_FORMAT__ELEMENT_F32, 3), 16);
    assert_int_equal(plan.bytes, 28);
    frame = stn_array_plan_frame(&plan);
    memcpy(stn_frame_writable(frame) + b.offset, heights, sizeof heights);
    assert_int_equal(stn_array_view(&b, &frame, 1, &rule, &view, NULL), STN_OK);
    assert_int_equal(view.count, 3);
    assert_true(stn_array_f32(&view, 2) == -3);
    stn_array_copy(&view, out);
    assert_memory_equal(out, heights, sizeof heights);
    stn_frame_unref(frame);
}

static void array_outside_its_frame_is_refused(void **state)
{
    static const struct {
        uint32_t frame;
        uint64_t offset, count;
        int format;
    } bad[] = {
        {1, 0, 1, STENNESS__ELEMENT_FORMAT__ELEMENT_U8},
        {0, 8, 1, STENNESS__ELEMENT_FORMAT__ELEMENT_U8},
        {0, 112, 1, STENNESS__ELEMENT_FORMAT__ELEMENT_U8},
        {0, 0, 101, STENNESS__ELEMENT_FORMAT__ELEMENT_U8},
        {0, 0, 26, STENNESS__ELEMENT_FORMAT__ELEMENT_F32},
        {0, 96, 2, STENNESS__ELEMENT_FORMAT__ELEMENT_U32},
        {0, 0, UINT64_MAX / 4 + 2, STENNESS__ELEMENT_FORMAT__ELEMENT_U32}, /* the product wraps */
        {0, UINT64_MAX - 15, 16, STENNESS__ELEMENT_FORMAT__ELEMENT_U8},
        {0, 0, 1, 99},
        {0, 0, 1, -1},
        {0, 0, 1, STENNESS__ELEMENT_FORMAT__ELEMENT_NONE},
    };
    stn_frame *frame = stn_frame_new(100);
    stn_array_rule any = {.name = "a"};
    stn_array view;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        Stenness__Array a = STENNESS__ARRAY__INIT;
        a.frame = bad[i].frame;
        a.offset = bad[i].offset;
        a.count = bad[i].count;
        a.format = (Stenness__ElementFormat)bad[i].format;
        assert_int_equal(stn_array_view(&a, &frame, 1, &any, &view, NULL), STN_BAD_DATA);
        assert_int_equal(view.count, 0);
    }
    assert_int_equal(stn_array_view(NULL, &frame, 1, &any, &view, NULL), STN_BAD_DATA);
    any.optional = true;
    assert_int_equal(stn_array_view(NULL, &frame, 1, &any, &view, NULL), STN_OK);
    stn_frame_unref(frame);
}

/* --- credit and window --- */

static void credit_runs_out_and_is_granted_again(void **state)
{
    stn_grant g;
    stn_credit c = {0};
    uint64_t bytes, messages;
    (void)state;
    stn_grant_init(&g, 1000, 10);
    assert_false(stn_credit_fits(&c, 0));
    assert_true(stn_grant_due(&g, &bytes, &messages));
    assert_true(stn_credit_granted(&c, bytes, messages));
    assert_false(stn_grant_due(&g, &bytes, &messages));
    for (int i = 0; i < 10; i++) {
        assert_true(stn_credit_fits(&c, 10));
        stn_credit_spent(&c, 10);
    }
    assert_false(stn_credit_fits(&c, 1)); /* messages are used up, bytes are not */
    for (int i = 0; i < 3; i++)
        stn_grant_took(&g, 10);
    assert_true(stn_grant_due(&g, &bytes, &messages));
    assert_int_equal(messages, 13);
    assert_true(stn_credit_granted(&c, bytes, messages));
    assert_false(stn_credit_granted(&c, 1000, 10)); /* an old grant that comes late */
    assert_int_equal(stn_credit_left_messages(&c), 3);
    assert_false(stn_grant_overdrawn(&g));
}

static void message_larger_than_the_window_goes_in_the_end(void **state)
{
    stn_credit c = {0};
    (void)state;
    stn_credit_granted(&c, 1000, 10);
    assert_true(stn_credit_fits(&c, 5000));
    stn_credit_spent(&c, 5000);
    assert_false(stn_credit_fits(&c, 1));
    stn_credit_granted(&c, 6000, 11);
    assert_true(stn_credit_fits(&c, 1));
}

static void local_window_is_fixed_and_lies_are_refused(void **state)
{
    stn_window w;
    (void)state;
    stn_window_init(&w, 1000, 1000, 0);
    assert_true(stn_window_fits(&w, 5000)); /* nothing under way */
    stn_window_sent(&w, 600, 0);
    assert_true(stn_window_fits(&w, 400));
    assert_false(stn_window_fits(&w, 401));
    assert_false(stn_window_acked(&w, 601, STN_MS));
    assert_true(stn_window_acked(&w, 500, STN_MS));
    assert_false(stn_window_acked(&w, 499, STN_MS));
    assert_int_equal(w.size, 1000);
}

/* A link of 10 MB/s and 40 ms: twice its product is 800 kB. */
static void remote_window_grows_to_twice_the_product(void **state)
{
    enum { PIECE = 20000 };
    stn_window w;
    int64_t now = 0, wire_free = 0;
    struct {
        uint64_t total;
        int64_t at;
    } acks[4096];
    size_t first = 0, n = 0;
    uint64_t sent = 0;
    (void)state;
    stn_window_init(&w, 64 << 10, 32 << 20, 0);
    w.size = 128 << 10;
    for (int step = 0; step < 3000; step++, now += STN_MS) {
        while (first < n && acks[first].at <= now)
            assert_true(stn_window_acked(&w, acks[first++].total, now));
        while (n < 4096 && stn_window_fits(&w, PIECE)) {
            stn_window_sent(&w, PIECE, now);
            sent += PIECE;
            wire_free = (wire_free > now ? wire_free : now) + PIECE * 100; /* 10 MB/s is 100 ns a byte */
            acks[n].total = sent;
            acks[n++].at = wire_free + 40 * STN_MS;
        }
    }
    assert_in_range(w.size, 600000, 1300000);
}

/* --- pieces --- */

static void pieces_are_put_together_again(void **state)
{
    stn_frame *frames[3] = {stn_frame_new(STN_PIECE_MAX + 5), stn_frame_new(0), stn_frame_new(3)};
    stn_envelope env = {.transfer = 4, .n_frame_bytes = 3, .frame_bytes = {STN_PIECE_MAX + 5, 0, 3}};
    stn_reassembly *r = stn_reassembly_new();
    stn_piece_at at = {0};
    uint32_t frame;
    size_t offset, len, n, pieces = 0;
    bool done = false;
    stn_frame *const *got;
    (void)state;
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < stn_frame_len(frames[i]); k++)
            stn_frame_writable(frames[i])[k] = (uint8_t)(k * 7 + (size_t)i);
    assert_int_equal(stn_reassembly_begin(r, &env, 4 << 20, NULL), STN_OK);
    while (stn_bulk_next_piece(frames, 3, &at, &frame, &offset, &len)) {
        stn_envelope piece = {.transfer = 4, .piece_frame = frame, .piece_offset = offset};
        assert_false(done);
        assert_in_range(len, 1, STN_PIECE_MAX);
        assert_int_equal(
            stn_reassembly_add(r, &piece, stn_frame_data(frames[frame]) + offset, len, &done, NULL), STN_OK);
        pieces++;
    }
    assert_int_equal(pieces, 3);
    assert_true(done);
    got = stn_reassembly_frames(r, &n);
    assert_int_equal(n, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(stn_frame_len(got[i]), stn_frame_len(frames[i]));
        assert_memory_equal(stn_frame_data(got[i]), stn_frame_data(frames[i]), stn_frame_len(frames[i]));
        stn_frame_unref(frames[i]);
    }
    stn_reassembly_free(r);
}

static void piece_out_of_place_drops_the_transfer(void **state)
{
    static const stn_envelope wrong[] = {
        {.transfer = 5, .piece_frame = 0, .piece_offset = 0},
        {.transfer = 4, .piece_frame = 1, .piece_offset = 0},
        {.transfer = 4, .piece_frame = 0, .piece_offset = 1},
        {.transfer = 4, .piece_frame = 99, .piece_offset = UINT64_MAX},
    };
    stn_envelope begin = {.transfer = 4, .n_frame_bytes = 2, .frame_bytes = {10, 10}};
    uint8_t data[20] = {0};
    bool done;
    stn_reassembly *r = stn_reassembly_new();
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(stn_reassembly_begin(r, &begin, 100, NULL), STN_OK);
        assert_int_equal(stn_reassembly_add(r, &wrong[i], data, 10, &done, NULL), STN_BAD_DATA);
        assert_false(stn_reassembly_open(r));
    }
    assert_int_equal(stn_reassembly_begin(r, &begin, 100, NULL), STN_OK);
    assert_int_equal(stn_reassembly_add(r, &(stn_envelope){.transfer = 4}, data, 20, &done, NULL),
                     STN_BAD_DATA);
    stn_reassembly_free(r);
}

static void transfer_over_its_ceiling_allocates_nothing(void **state)
{
    stn_envelope wrap = {.transfer = 1, .n_frame_bytes = 2, .frame_bytes = {UINT64_MAX, 2}};
    stn_envelope big = {.transfer = 1, .n_frame_bytes = 2, .frame_bytes = {60, 41}};
    stn_envelope none = {.transfer = 1, .n_frame_bytes = 1, .frame_bytes = {0}};
    stn_reassembly *r = stn_reassembly_new();
    (void)state;
    assert_int_equal(stn_reassembly_begin(r, &wrap, 100, NULL), STN_TOO_BIG);
    assert_int_equal(stn_reassembly_begin(r, &big, 100, NULL), STN_TOO_BIG);
    assert_int_equal(stn_reassembly_begin(r, &none, 100, NULL), STN_BAD_DATA);
    assert_false(stn_reassembly_open(r));
    stn_reassembly_free(r);
}

static void slice_keeps_its_frame_alive(void **state)
{
    stn_frame *f = stn_frame_copy("abcdef", 6), *s = stn_frame_slice(f, 2, 3);
    (void)state;
    assert_null(stn_frame_slice(f, 4, 3));
    assert_null(stn_frame_slice(f, SIZE_MAX, 2));
    stn_frame_unref(f);
    assert_memory_equal(stn_frame_data(s), "cde", 3);
    stn_frame_unref(s);
}

/* --- snapshots --- */

static void follower_asks_again_after_a_hole(void **state)
{
    stn_follow f = {0};
    (void)state;
    stn_follow_peer(&f, 77, 0);
    assert_int_equal(stn_follow_change(&f, 77, 5, 0), STN_FOLLOW_DROP); /* before the snapshot */
    assert_int_equal(stn_follow_snapshot(&f, 77, 6), STN_FOLLOW_APPLY);
    assert_int_equal(stn_follow_change(&f, 77, 6, 0), STN_FOLLOW_DROP); /* not newer than the snapshot */
    assert_int_equal(stn_follow_change(&f, 77, 7, 0), STN_FOLLOW_APPLY);
    assert_int_equal(stn_follow_change(&f, 78, 8, 0), STN_FOLLOW_DROP); /* another start of the owner */
    assert_int_equal(stn_follow_change(&f, 77, 9, 10), STN_FOLLOW_ASK);
    assert_int_equal(stn_follow_change(&f, 77, 10, 11), STN_FOLLOW_DROP); /* asked only once */
    assert_false(stn_follow_overdue(&f, 20, 100));
    assert_true(stn_follow_overdue(&f, 200, 100));
    assert_false(stn_follow_overdue(&f, 250, 100));
    assert_int_equal(stn_follow_snapshot(&f, 77, 12), STN_FOLLOW_APPLY);
    assert_int_equal(stn_follow_snapshot(&f, 77, 11), STN_FOLLOW_DROP); /* older than what is held */
    assert_int_equal(stn_follow_change(&f, 77, 13, 0), STN_FOLLOW_APPLY);
    assert_int_equal(f.gaps, 1);
    stn_follow_lost(&f);
    assert_int_equal(stn_follow_snapshot(&f, 77, 20), STN_FOLLOW_DROP);
}

/* --- reports --- */

static void histogram_is_exact_to_an_eighth(void **state)
{
    stn_hist h = {0};
    (void)state;
    assert_int_equal(stn_hist_quantile(&h, 0.5), 0);
    for (int64_t i = 1; i <= 1000; i++)
        stn_hist_add(&h, i * 10000);
    assert_in_range(stn_hist_quantile(&h, 0.5), 5000000, 5000000 * 9 / 8);
    assert_in_range(stn_hist_quantile(&h, 0.99), 9900000, 10000000);
    assert_int_equal(h.max_ns, 10000000);
    stn_hist_add(&h, INT64_MAX);
    stn_hist_add(&h, -5);
    assert_int_equal(h.count, 1002);
}

static void report_is_cut_at_its_limit_and_says_so(void **state)
{
    stn_report *r = stn_report_new();
    Stenness__Status s = STENNESS__STATUS__INIT;
    (void)state;
    stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_WAITING, "waits for %s", "loader");
    stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_OK, "fine");
    for (int i = 0; i < STN_REPORT_ITEMS + 10; i++)
        stn_report_gauge(r, "g", i);
    stn_report_fill(r, &s);
    assert_int_equal(s.health, STENNESS__HEALTH_STATE__HEALTH_WAITING);
    assert_string_equal(s.line, "waits for loader");
    assert_int_equal(s.n_items, STN_REPORT_ITEMS);
    assert_string_equal(s.items[STN_REPORT_ITEMS - 1]->name, "report.cut");
    assert_true(s.items[STN_REPORT_ITEMS - 1]->value == 11);
    stn_report_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_becomes_a_path_in_the_runtime_folder),
        cmocka_unit_test(without_runtime_folder_tmp_is_used),
        cmocka_unit_test(odd_names_are_refused),
        cmocka_unit_test(path_too_long_for_a_socket_is_an_error_that_says_so),
        cmocka_unit_test(folder_open_to_others_is_refused),
        cmocka_unit_test(tcp_outside_loopback_needs_keys),
        cmocka_unit_test(second_start_of_a_name_names_the_pid),
        cmocka_unit_test(lock_of_a_killed_process_does_not_hinder),
        cmocka_unit_test(numbers_are_the_lowest_free),
        cmocka_unit_test(envelope_comes_back_as_it_went),
        cmocka_unit_test(largest_envelope_fits),
        cmocka_unit_test(broken_envelopes_are_refused),
        cmocka_unit_test(small_message_that_wants_much_memory_is_refused),
        cmocka_unit_test(array_is_viewed_when_it_lies_in_its_frame),
        cmocka_unit_test(array_outside_its_frame_is_refused),
        cmocka_unit_test(credit_runs_out_and_is_granted_again),
        cmocka_unit_test(message_larger_than_the_window_goes_in_the_end),
        cmocka_unit_test(local_window_is_fixed_and_lies_are_refused),
        cmocka_unit_test(remote_window_grows_to_twice_the_product),
        cmocka_unit_test(pieces_are_put_together_again),
        cmocka_unit_test(piece_out_of_place_drops_the_transfer),
        cmocka_unit_test(transfer_over_its_ceiling_allocates_nothing),
        cmocka_unit_test(slice_keeps_its_frame_alive),
        cmocka_unit_test(follower_asks_again_after_a_hole),
        cmocka_unit_test(histogram_is_exact_to_an_eighth),
        cmocka_unit_test(report_is_cut_at_its_limit_and_says_so),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
