/* The line to the server over real sockets, against servers of a few lines: handing over to a second one. */
#include "base/clock.h"
#include "session/wire.h"
#include "world/line.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LONG_ENOUGH (60 * STN_S)

/* Says yes to everybody and sends one reliable message again and again until it is acknowledged. */
typedef struct server {
    int fd;
    uint16_t port;
    struct sockaddr_in peer;
    bool entered, acked, closed;
    uint8_t message, cookie[8];
    size_t cookie_len;
    int64_t said_ns;
} server;

typedef struct scene {
    stn_loop *loop;
    stn_line *line;
    server one, two;
    unsigned started, ended, delivered[256];
    int32_t handed_widget;
    int handed; /* code; -1 = not answered */
    char order[32]; /* s, e and the types delivered, as letters */
} scene;

static void note(scene *s, char what)
{
    size_t n = strlen(s->order);

    if (n + 1 < sizeof s->order && (!n || s->order[n - 1] != what))
        s->order[n] = what;
}

static void on_started(void *arg)
{
    scene *s = arg;
    s->started++;
    note(s, 's');
}

static void on_ended(void *arg)
{
    scene *s = arg;
    s->ended++;
    note(s, 'e');
}

static void on_deliver(void *arg, const stn_delivery *d)
{
    scene *s = arg;

    s->delivered[d->type]++;
    note(s, (char)('0' + d->type));
}

static void on_handed(void *arg, int32_t widget, unsigned code)
{
    scene *s = arg;

    s->handed = (int)code;
    s->handed_widget = widget;
}

static void open_server(server *s, uint8_t message)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t len = sizeof at;

    *s = (server){.fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), .message = message};
    assert_true(s->fd >= 0);
    assert_int_equal(bind(s->fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(s->fd, (struct sockaddr *)&at, &len), 0);
    s->port = ntohs(at.sin_port);
}

static void answer(server *s, const void *data, size_t len)
{
    assert_true(sendto(s->fd, data, len, 0, (struct sockaddr *)&s->peer, sizeof s->peer) >= 0);
}

static void serve(server *s, int64_t now)
{
    static const uint8_t yes[] = {STN_PACKET_SESS, STN_SESS_OK}, bye[] = {STN_PACKET_CLOSE};
    uint8_t in[2048], rel[] = {STN_PACKET_REL, 0, 0, s->message, 1};
    socklen_t len = sizeof s->peer;
    ssize_t n;

    while (s->fd >= 0 && (n = recvfrom(s->fd, in, sizeof in, 0, (struct sockaddr *)&s->peer, &len)) > 0) {
        stn_sess_hello hello;

        if (in[0] == STN_PACKET_SESS && stn_sess_read(in, (size_t)n, &hello, NULL) == STN_OK) {
            s->entered = true;
            s->cookie_len = hello.cookie_len < sizeof s->cookie ? hello.cookie_len : sizeof s->cookie;
            memcpy(s->cookie, hello.cookie, s->cookie_len);
            answer(s, yes, sizeof yes);
        }
        s->acked |= in[0] == STN_PACKET_ACK;
        if (in[0] == STN_PACKET_CLOSE) {
            s->closed = true;
            answer(s, bye, sizeof bye);
        }
    }
    if (s->entered && !s->acked && !s->closed && now - s->said_ns > 100 * STN_MS) {
        s->said_ns = now;
        answer(s, rel, sizeof rel);
    }
}

/* Turns of the loop until it is so, or a minute has gone. */
static void until(scene *s, bool (*so)(const scene *s))
{
    int64_t give_up = stn_clock_ns() + LONG_ENOUGH;

    while (!so(s)) {
        int64_t now = stn_clock_ns();

        assert_true(now < give_up);
        serve(&s->one, now);
        serve(&s->two, now);
        assert_int_equal(stn_loop_turn(s->loop, 10 * STN_MS, NULL), STN_OK);
    }
}

static bool in_session(const scene *s)
{
    return s->started == 1 && s->delivered[STN_RMSG_GLOBLOB] == 1;
}
static bool was_answered(const scene *s)
{
    return s->handed >= 0;
}
static bool second_spoke(const scene *s)
{
    return s->delivered[STN_RMSG_MAPIV] == 1 && s->two.acked;
}
static bool first_is_closed(const scene *s)
{
    return s->one.closed;
}
static bool second_is_closed(const scene *s)
{
    return s->two.closed;
}

static int setup(void **state)
{
    scene *s = calloc(1, sizeof *s);
    stn_line_hooks hooks = {on_started, on_deliver, on_ended, on_handed, s};
    stn_line_settings set = {.user = "demo", .runtime = "/nonexistent"};
    char address[64];

    assert_non_null(s);
    s->handed = -1;
    open_server(&s->one, STN_RMSG_GLOBLOB);
    open_server(&s->two, STN_RMSG_MAPIV);
    snprintf(address, sizeof address, "127.0.0.1:%u", s->one.port);
    set.server = address;
    assert_int_equal(stn_loop_new(&s->loop, NULL), STN_OK);
    assert_int_equal(stn_line_new(s->loop, &set, &hooks, &s->line, NULL), STN_OK);
    *state = s;
    until(s, in_session);
    return 0;
}

static int teardown(void **state)
{
    scene *s = *state;

    stn_line_free(s->line);
    stn_loop_free(s->loop);
    close(s->one.fd);
    if (s->two.fd >= 0)
        close(s->two.fd);
    free(s);
    return 0;
}

static stn_hand_over to_second(const scene *s)
{
    return (stn_hand_over){
        .widget = 7, .host = "127.0.0.1", .port = s->two.port, .cookie = {1, 2, 3}, .cookie_len = 3};
}

static void the_second_session_takes_the_place_of_the_first(void **state)
{
    scene *s = *state;
    stn_hand_over to = to_second(s);
    char address[64];

    stn_line_hand_over(s->line, &to);
    until(s, was_answered);
    assert_int_equal(s->handed, STN_SESS_OK);
    assert_int_equal(s->handed_widget, 7);
    assert_int_equal(s->two.cookie_len, 3);
    assert_memory_equal(s->two.cookie, "\1\2\3", 3);
    /* It speaks already, and nobody listens yet. */
    for (int i = 0; i < 30; i++) {
        serve(&s->two, stn_clock_ns());
        assert_int_equal(stn_loop_turn(s->loop, 10 * STN_MS, NULL), STN_OK);
    }
    assert_int_equal(s->delivered[STN_RMSG_MAPIV], 0);
    assert_false(s->two.acked);
    stn_line_go(s->line);
    until(s, second_spoke);
    until(s, first_is_closed);
    assert_string_equal(s->order, "s4es3");
    assert_int_equal(stn_line_state_now(s->line), STN_LINE_RUNNING);
    snprintf(address, sizeof address, "127.0.0.1:%u", s->two.port);
    assert_string_equal(stn_line_server(s->line), address);
    assert_true(stn_line_send(s->line, STN_RMSG_USERAGENT, "a\0b", 4));
}

static void where_nobody_listens_the_first_goes_on(void **state)
{
    scene *s = *state;
    stn_hand_over to = to_second(s);

    close(s->two.fd);
    s->two.fd = -1;
    stn_line_hand_over(s->line, &to);
    until(s, was_answered);
    assert_int_equal(s->handed, STN_SESS_NO_CONNECTION);
    stn_line_go(s->line); /* ignored: there is nothing to go on with */
    assert_int_equal(stn_loop_turn(s->loop, 10 * STN_MS, NULL), STN_OK);
    assert_int_equal(s->ended, 0);
    assert_false(s->one.closed);
    assert_int_equal(stn_line_state_now(s->line), STN_LINE_RUNNING);
}

static void what_is_taken_back_is_closed(void **state)
{
    scene *s = *state;
    stn_hand_over to = to_second(s);

    stn_line_hand_over(s->line, &to);
    stn_line_hand_over(s->line, NULL); /* while the name is looked up */
    to.widget = 8;
    stn_line_hand_over(s->line, &to);
    until(s, was_answered);
    assert_int_equal(s->handed_widget, 8);
    stn_line_hand_over(s->line, NULL);
    until(s, second_is_closed);
    assert_string_equal(s->order, "s4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_second_session_takes_the_place_of_the_first, setup, teardown),
        cmocka_unit_test_setup_teardown(where_nobody_listens_the_first_goes_on, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_taken_back_is_closed, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
