/* What a peer may send that it should not: none of it ends more than its own connection. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(garbage_of_every_kind_is_counted_and_dropped),
        T(huge_message_ends_that_connection_alone),
        T(other_version_is_told_on_both_sides),
        T(message_for_another_start_is_dropped_and_hello_wanted),
        T(refused_message_ends_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
