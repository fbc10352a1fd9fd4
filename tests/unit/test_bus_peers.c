/* Two processes and what may go wrong between them: coming up, restarting, losing, flooding, lying, stopping.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/bus_fixture.h"

#include "base/hash.h"
#include "bus/array.h"
#include "bus/tap.h"

#include "proto/control.pb-c.h"
#include "proto/envelope.pb-c.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <zmq.h>

enum { KIND_TEXT = 150, KIND_BULK = 151, KIND_SMALL = 152, KIND_UNKNOWN = 199 };
#define BULK 20u

/* One side: what it saw. */
typedef struct side {
    stn_bus *bus;
    stn_conv *conv;
    stn_peer *peer;
    int ups, downs, gaps, rooms, texts, bulks;
    stn_down_reason why;
    char text[256];
    uint64_t correlation;
    uint32_t bulk_sum;
    size_t bulk_frames;
    stn_msg *kept;
    bool forward;
    uint64_t gap_expected, gap_got;
    int order; /* of the last text among the bulks seen so far */
} side;

static stn_loop *loop;

static stn_status on_text(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    side *s = ctx;
    const Stenness__Text *t = stn_msg_body(msg);
    (void)peer;
    if (strcmp(t->text, "bad") == 0)
        return stn_fail(err, STN_BAD_DATA, "bad text");
    snprintf(s->text, sizeof s->text, "%s", t->text);
    s->correlation = stn_msg_correlation(msg);
    s->texts++;
    s->order = s->bulks;
    return STN_OK;
}

static uint32_t sum_of(const stn_frame *f)
{
    return (uint32_t)stn_hash_feed(STN_HASH_START, stn_frame_data(f), stn_frame_len(f));
}

static stn_status on_bulk(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    side *s = ctx;
    (void)peer;
    (void)err;
    s->bulks++;
    s->bulk_frames = stn_msg_bulk_count(msg);
    s->bulk_sum = sum_of(stn_msg_bulk(msg, 0));
    if (s->forward) {
        stn_msg_unref(s->kept);
        s->kept = stn_msg_ref(msg);
    }
    return STN_OK;
}

static const stn_handler handlers[] = {
    {KIND_TEXT, "text", 100000, &stenness__text__descriptor, on_text, false},
    {KIND_BULK, "bulk", 64 << 20, NULL, on_bulk, false},
    {KIND_SMALL, "small", 100, &stenness__text__descriptor, on_text, false},
};

static void on_up(void *ctx, stn_peer *peer)
{
    side *s = ctx;
    s->ups++;
    s->peer = peer;
}

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    side *s = ctx;
    s->downs++;
    s->why = why;
    if (s->peer == peer)
        s->peer = NULL;
}

static void on_gap(void *ctx, stn_peer *peer, uint32_t stream, uint64_t expected, uint64_t got)
{
    side *s = ctx;
    (void)peer;
    (void)stream;
    s->gaps++;
    s->gap_expected = expected;
    s->gap_got = got;
}

static void on_room(void *ctx, stn_peer *peer)
{
    side *s = ctx;
    (void)peer;
    s->rooms++;
}

static stn_conv_spec spec_of(side *s, const char *name)
{
    return (stn_conv_spec){.name = name,
                           .handlers = handlers,
                           .n_handlers = 3,
                           .ctx = s,
                           .up = on_up,
                           .down = on_down,
                           .gap = on_gap,
                           .room = on_room,
                           .queue_bytes = 40 << 20};
}

static void open_door(side *s, const char *kind)
{
    stn_bus_spec bus = {.kind = kind};
    stn_conv_spec spec = spec_of(s, "world");
    stn_err err = {0};
    memset(s, 0, sizeof *s);
    if (stn_bus_new(loop, &bus, &s->bus, &err) != STN_OK ||
        stn_bus_bind(s->bus, &spec, &s->conv, &err) != STN_OK)
        fail_msg("%s", err.text);
}

static void open_link(side *s, const char *kind)
{
    stn_bus_spec bus = {.kind = kind};
    stn_conv_spec spec = spec_of(s, "world");
    stn_err err = {0};
    memset(s, 0, sizeof *s);
    if (stn_bus_new(loop, &bus, &s->bus, &err) != STN_OK ||
        stn_bus_connect(s->bus, &spec, &s->conv, &err) != STN_OK)
        fail_msg("%s", err.text);
}

static void close_side(side *s)
{
    stn_bus_free(s->bus);
    stn_msg_unref(s->kept);
    memset(s, 0, sizeof *s);
}

static stn_status say(side *s, const char *text, uint32_t stream, uint32_t kind)
{
    Stenness__Text t = STENNESS__TEXT__INIT;
    t.text = (char *)(uintptr_t)text;
    return stn_peer_say(s->peer, kind, stream, 42, &t.base, NULL);
}

static stn_frame *noise(size_t len, uint8_t seed)
{
    stn_frame *f = stn_frame_new(len);
    for (size_t i = 0; i < len; i++)
        stn_frame_writable(f)[i] = (uint8_t)(i * 131 + seed + (i >> 8));
    return f;
}

static stn_status send_bulk(side *s, stn_frame *f, uint32_t stream)
{
    stn_send send = {.kind = KIND_BULK, .stream = stream, .bulk = &f, .n_bulk = 1};
    return stn_peer_send(s->peer, &send, NULL);
}

static double counter(const stn_bus *bus, const char *name)
{
    stn_report *r = stn_report_new();
    Stenness__Status s = STENNESS__STATUS__INIT;
    double v = 0;
    stn_bus_report(bus, r);
    stn_report_fill(r, &s);
    for (size_t i = 0; i < s.n_items; i++)
        if (strcmp(s.items[i]->name, name) == 0)
            v = s.items[i]->value;
    stn_report_free(r);
    return v;
}

static side door, link_a;

static int make(void **state)
{
    (void)state;
    return stn_loop_new(&loop, NULL) == STN_OK ? 0 : -1;
}

static int unmake(void **state)
{
    (void)state;
    close_side(&link_a);
    close_side(&door);
    stn_loop_free(loop);
    return 0;
}

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

/* --- bad messages --- */

/* A peer that speaks ZeroMQ, and whatever else it likes. */
typedef struct raw {
    void *ctx, *socket;
    stn_envelope env;
} raw;

static raw raw_open(const char *id)
{
    char endpoint[STN_ADDRESS_MAX];
    raw r = {.ctx = zmq_ctx_new()};
    int linger = 0;
    assert_int_equal(stn_address_local("default", "world", endpoint, sizeof endpoint, NULL), STN_OK);
    r.socket = zmq_socket(r.ctx, ZMQ_DEALER);
    zmq_setsockopt(r.socket, ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(r.socket, ZMQ_ROUTING_ID, id, strlen(id));
    assert_int_equal(zmq_connect(r.socket, endpoint), 0);
    r.env = (stn_envelope){.major = STN_PROTOCOL_MAJOR, .sender_epoch = 1234};
    snprintf(r.env.peer, sizeof r.env.peer, "%s", id);
    return r;
}

static void raw_close(raw *r)
{
    zmq_close(r->socket);
    zmq_ctx_term(r->ctx);
}

static void raw_send(raw *r, const void *body, size_t len, const void *bulk, size_t bulk_len)
{
    uint8_t packed[STN_ENVELOPE_MAX];
    size_t n = stn_envelope_pack(&r->env, packed);
    assert_int_equal(zmq_send(r->socket, packed, n, ZMQ_SNDMORE), (int)n);
    assert_int_equal(zmq_send(r->socket, body, len, bulk ? ZMQ_SNDMORE : 0), (int)len);
    if (bulk)
        assert_int_equal(zmq_send(r->socket, bulk, bulk_len, 0), (int)bulk_len);
}

static void raw_hello(raw *r, const char *conversation)
{
    Stenness__Hello h = STENNESS__HELLO__INIT;
    uint8_t body[256];
    h.kind = "raw";
    h.connection = 99;
    h.conversation = (char *)(uintptr_t)conversation;
    r->env.kind = STENNESS__BUS_KIND__BUS_HELLO;
    r->env.receiver_epoch = 0;
    r->env.sequence = 0;
    raw_send(r, body, stenness__hello__pack(&h, body), NULL, 0);
}

/* The kind of the next message that comes to the raw peer within a second; 0 when none does. */
static uint32_t raw_receive(raw *r)
{
    int64_t end = stn_clock_ns() + STN_S;
    uint8_t data[4096];
    while (stn_clock_ns() < end) {
        int n = zmq_recv(r->socket, data, sizeof data, ZMQ_DONTWAIT), more = 1;
        size_t size = sizeof more;
        stn_envelope env;
        if (n < 0) {
            stn_loop_turn(loop, 10 * STN_MS, NULL);
            continue;
        }
        assert_int_equal(stn_envelope_unpack(data, (size_t)n, &env, NULL), STN_OK);
        for (zmq_getsockopt(r->socket, ZMQ_RCVMORE, &more, &size); more;
             zmq_getsockopt(r->socket, ZMQ_RCVMORE, &more, &size))
            zmq_recv(r->socket, data, sizeof data, 0);
        return env.kind;
    }
    return 0;
}

static void garbage_of_every_kind_is_counted_and_dropped(void **state)
{
    static uint8_t junk[4096];
    raw r;
    (void)state;
    open_door(&door, "world");
    open_link(&link_a, "renderer");
    UNTIL(loop, link_a.ups == 1);
    r = raw_open("evil.0");

    stn_random_bytes(junk, sizeof junk);
    junk[0] = 0xff;
    zmq_send(r.socket, junk, 100, 0); /* one frame */
    zmq_send(r.socket, junk, 100, ZMQ_SNDMORE);
    zmq_send(r.socket, junk, 100, 0); /* no envelope */
    zmq_send(r.socket, junk, sizeof junk, ZMQ_SNDMORE);
    zmq_send(r.socket, junk, 1, 0); /* an envelope that is too long */
    for (int i = 0; i < 80; i++)
        zmq_send(r.socket, junk, 1, i < 79 ? ZMQ_SNDMORE : 0); /* too many frames */
    r.env.kind = KIND_TEXT;
    raw_send(&r, junk, 10, NULL, 0); /* before Hello */
    raw_hello(&r, "loader"); /* a name that is not bound here */
    snprintf(r.env.peer, sizeof r.env.peer, "renderer.0");
    raw_hello(&r, "world"); /* posing as another */
    snprintf(r.env.peer, sizeof r.env.peer, "evil.0");
    r.env.kind = STENNESS__BUS_KIND__BUS_HELLO;
    raw_send(&r, junk, 500, NULL, 0); /* a Hello that is none */
    TURNS_FOR(loop, 300 * STN_MS);
    assert_int_equal(door.ups, 1);
    assert_true(counter(door.bus, "bus.world.dropped.parts") == 2);
    assert_true(counter(door.bus, "bus.world.dropped.envelope") == 2);
    assert_true(counter(door.bus, "bus.world.dropped.stranger") == 1);
    assert_true(counter(door.bus, "bus.world.dropped.identity") == 2);
    assert_true(counter(door.bus, "bus.world.dropped.body") == 1);

    raw_hello(&r, "world");
    UNTIL(loop, door.ups == 2);
    r.env.receiver_epoch = stn_bus_epoch(door.bus);
    r.env.sequence = 1;
    r.env.kind = KIND_UNKNOWN;
    raw_send(&r, junk, 10, NULL, 0);
    r.env.sequence = 2;
    r.env.kind = KIND_TEXT;
    raw_send(&r, junk, 10, NULL, 0); /* no Text */
    r.env.sequence = 3;
    r.env.kind = KIND_SMALL;
    raw_send(&r, junk, 101, NULL, 0); /* over the limit of its kind */
    r.env.sequence = 4;
    r.env.kind = KIND_BULK;
    r.env.transfer = 1;
    r.env.stream = BULK;
    r.env.n_frame_bytes = 1;
    r.env.frame_bytes[0] = UINT64_C(1) << 40;
    raw_send(&r, junk, 1, NULL, 0); /* a transfer of a terabyte */
    r.env.kind = STENNESS__BUS_KIND__BUS_PIECE;
    r.env.sequence = 5;
    raw_send(&r, junk, 1, junk, 100); /* a piece of it */
    r.env.kind = 50;
    raw_send(&r, junk, 1, NULL, 0); /* a bus message of a later version */
    TURNS_FOR(loop, 300 * STN_MS);
    assert_true(counter(door.bus, "bus.world.dropped.kind") == 2);
    assert_true(counter(door.bus, "bus.world.dropped.body") == 2);
    assert_true(counter(door.bus, "bus.world.dropped.size") == 2);
    assert_true(counter(door.bus, "bus.world.dropped.piece") == 1);
    assert_true(counter(door.bus, "bus.world.kind.small.errors") == 1);

    /* All else goes on. */
    assert_int_equal(link_a.downs, 0);
    assert_int_equal(say(&link_a, "still here", 0, KIND_TEXT), STN_OK);
    UNTIL(loop, door.texts == 1);
    raw_close(&r);
}

static void huge_message_ends_that_connection_alone(void **state)
{
    static uint8_t huge[STN_MESSAGE_MAX + 1];
    raw r;
    (void)state;
    open_door(&door, "world");
    open_link(&link_a, "renderer");
    UNTIL(loop, link_a.ups == 1);
    r = raw_open("evil.0");
    raw_hello(&r, "world");
    UNTIL(loop, door.ups == 2);
    r.env.kind = KIND_BULK;
    r.env.receiver_epoch = stn_bus_epoch(door.bus);
    r.env.sequence = 1;
    raw_send(&r, huge, sizeof huge, NULL, 0);
    UNTIL(loop, door.downs == 1);
    assert_int_equal(door.bulks, 0);
    assert_int_equal(link_a.downs, 0);
    raw_close(&r);
}

static void other_version_is_told_on_both_sides(void **state)
{
    raw r;
    (void)state;
    open_door(&door, "world");
    r = raw_open("future.0");
    r.env.major = STN_PROTOCOL_MAJOR; /* raw_receive() reads the answer as ours */
    r.env.major++;
    raw_hello(&r, "world");
    assert_int_equal(raw_receive(&r), STENNESS__BUS_KIND__BUS_REJECT);
    assert_int_equal(door.ups, 0);
    assert_true(counter(door.bus, "bus.world.dropped.version") == 1);
    raw_close(&r);
}

static void message_for_another_start_is_dropped_and_hello_wanted(void **state)
{
    Stenness__Text t = STENNESS__TEXT__INIT;
    uint8_t body[64];
    size_t len;
    raw r;
    (void)state;
    open_door(&door, "world");
    r = raw_open("renderer.7");
    raw_hello(&r, "world");
    UNTIL(loop, door.ups == 1);
    assert_int_equal(raw_receive(&r), STENNESS__BUS_KIND__BUS_HELLO);
    t.text = "meant for another";
    len = stenness__text__pack(&t, body);
    r.env.kind = KIND_TEXT;
    r.env.sequence = 1;
    r.env.receiver_epoch = stn_bus_epoch(door.bus) + 1;
    raw_send(&r, body, len, NULL, 0);
    assert_int_equal(raw_receive(&r), STENNESS__BUS_KIND__BUS_HELLO_WANTED);
    assert_int_equal(door.texts, 0);
    assert_true(counter(door.bus, "bus.world.dropped.epoch") == 1);
    r.env.receiver_epoch = stn_bus_epoch(door.bus);
    raw_send(&r, body, len, NULL, 0);
    UNTIL(loop, door.texts == 1);
    raw_send(&r, body, len, NULL, 0); /* the same number again: at most once */
    r.env.sequence = 4;
    raw_send(&r, body, len, NULL, 0); /* and two are missing */
    UNTIL(loop, door.texts == 2);
    assert_int_equal(door.gaps, 1);
    assert_int_equal(door.gap_expected, 2);
    assert_int_equal(door.gap_got, 4);
    assert_true(counter(door.bus, "bus.world.dropped.sequence") == 1);
    r.env.sender_epoch++;
    raw_hello(&r, "world"); /* it restarted */
    UNTIL(loop, door.ups == 2);
    assert_int_equal(door.why, STN_DOWN_EPOCH);
    raw_close(&r);
}

static void refused_message_ends_nothing(void **state)
{
    (void)state;
    open_door(&door, "world");
    open_link(&link_a, "renderer");
    UNTIL(loop, link_a.ups == 1);
    for (int i = 0; i < 100; i++)
        say(&link_a, "bad", 0, KIND_TEXT);
    say(&link_a, "good", 0, KIND_TEXT);
    UNTIL(loop, door.texts == 1);
    assert_true(counter(door.bus, "bus.world.dropped.handler") == 100);
    assert_true(counter(door.bus, "bus.world.kind.text.errors") == 100);
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

static int make_folder(void **state)
{
    (void)state;
    own_runtime_folder();
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    remove_runtime_folder();
    return 0;
}

#define T(name) cmocka_unit_test_setup_teardown(name, make, unmake)

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
        T(garbage_of_every_kind_is_counted_and_dropped),
        T(huge_message_ends_that_connection_alone),
        T(other_version_is_told_on_both_sides),
        T(message_for_another_start_is_dropped_and_hello_wanted),
        T(refused_message_ends_nothing),
        T(control_door_answers_a_tool),
        T(secrets_are_recorded_as_zeros_of_their_length),
        T(sigterm_with_messages_queued_ends_in_time),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
