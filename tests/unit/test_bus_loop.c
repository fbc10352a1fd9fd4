/* The event loop: turns, timers, fds, inboxes from other threads, typed inputs. */
#include "base/clock.h"
#include "bus/loop_internal.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

static stn_loop *loop;

static int make_loop(void **state)
{
    (void)state;
    return stn_loop_new(&loop, NULL) == STN_OK ? 0 : -1;
}

static int free_loop(void **state)
{
    (void)state;
    stn_loop_free(loop);
    return 0;
}

static char order[32];
static int64_t seen_now[32];

static void note(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    size_t n = strlen(order);
    (void)timer;
    seen_now[n] = turn->now_ns;
    order[n] = *(const char *)ctx;
    order[n + 1] = 0;
}

static void timers_fire_by_due_time_with_the_turns_time(void **state)
{
    stn_timer *a = stn_timer_new(loop, "a", note, "a"), *b = stn_timer_new(loop, "b", note, "b"),
              *c = stn_timer_new(loop, "c", note, "c"), *d = stn_timer_new(loop, "d", note, "d");
    int64_t now = stn_clock_ns();
    (void)state;
    order[0] = 0;
    stn_timer_at(c, now - 3);
    stn_timer_at(a, now - 2);
    stn_timer_at(b, now - 2);
    stn_timer_at(d, now - 1);
    stn_timer_stop(d);
    stn_loop_turn(loop, 0, NULL);
    assert_string_equal(order, "cab");
    assert_int_equal(seen_now[0], seen_now[2]);
    stn_timer_free(a);
    stn_timer_free(b);
    stn_timer_free(c);
    stn_timer_free(d);
}

static stn_timer *victim;

static void again_and_stop_other(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    note(ctx, turn, timer);
    stn_timer_in(timer, 0);
    stn_timer_free(victim);
    victim = NULL;
}

static void timer_set_in_its_turn_fires_in_the_next_and_may_free_others(void **state)
{
    stn_timer *a = stn_timer_new(loop, "a", again_and_stop_other, "a");
    int64_t now = stn_clock_ns();
    (void)state;
    order[0] = 0;
    victim = stn_timer_new(loop, "v", note, "v");
    stn_timer_at(a, now - 2);
    stn_timer_at(victim, now - 1);
    stn_loop_turn(loop, 0, NULL);
    assert_string_equal(order, "a");
    stn_loop_turn(loop, 0, NULL);
    assert_string_equal(order, "aa");
    stn_timer_free(a);
}

static void many_timers_keep_their_order(void **state)
{
    enum { N = 500 };
    static char name = 'x';
    stn_timer *t[N];
    int64_t last = 0, now = stn_clock_ns();
    (void)state;
    for (int i = 0; i < N; i++) {
        t[i] = stn_timer_new(loop, "t", note, &name);
        stn_timer_at(t[i], now + 60 * STN_S + (int64_t)((uint32_t)i * 2654435761u % 1000));
    }
    for (int i = 0; i < N; i += 3)
        stn_timer_free(t[i]);
    order[0] = 0;
    stn_loop_turn(loop, 0, NULL);
    assert_string_equal(order, "");
    for (int i = 0; i < N; i++)
        if (i % 3 != 0) {
            last = stn_timer_due(t[i]) > last ? stn_timer_due(t[i]) : last;
            stn_timer_free(t[i]);
        }
    assert_true(last > now);
}

struct reader {
    stn_watch *watch;
    int reads;
};

static void on_read(void *ctx, const stn_turn *turn, int fd, unsigned ready)
{
    struct reader *r = ctx;
    char byte;
    (void)turn;
    assert_true(ready & STN_FD_READ);
    assert_int_equal(read(fd, &byte, 1), 1);
    if (++r->reads == 2) {
        stn_watch_free(r->watch);
        r->watch = NULL;
    }
}

static void fd_is_watched_until_its_watch_is_freed(void **state)
{
    struct reader r = {0};
    int p[2];
    (void)state;
    assert_int_equal(pipe(p), 0);
    assert_int_equal(stn_loop_watch_fd(loop, p[0], STN_FD_READ, on_read, &r, &r.watch, NULL), STN_OK);
    assert_int_equal(write(p[1], "abc", 3), 3);
    for (int i = 0; i < 5; i++)
        stn_loop_turn(loop, 0, NULL);
    assert_int_equal(r.reads, 2);
    close(p[0]);
    close(p[1]);
}

/* --- inbox --- */

enum { GIVERS = 4, EACH = 20000 };
struct item {
    stn_inbox_link link;
    int giver, number;
};
static stn_inbox *inbox;
static int next_of[GIVERS];
static unsigned taken;

static void *give(void *arg)
{
    int giver = (int)(intptr_t)arg;
    for (int i = 0; i < EACH;) {
        stn_inbox_link *oldest = NULL, **end = &oldest;
        for (int n = 1 + i % 3; n > 0 && i < EACH; n--) { /* one to three together */
            struct item *item = malloc(sizeof *item);
            item->giver = giver;
            item->number = i++;
            *end = &item->link;
            end = &item->link.next;
        }
        *end = NULL;
        while (stn_inbox_give_list(inbox, oldest) == STN_BUSY)
            stn_sleep_ns(10000);
    }
    return NULL;
}

static void on_item(void *ctx, const stn_turn *turn, stn_inbox_link *link)
{
    struct item *item = (struct item *)link;
    (void)ctx;
    (void)turn;
    assert_int_equal(item->number, next_of[item->giver]++);
    taken++;
    free(item);
}

static void items_of_a_thread_come_in_their_order_and_are_bounded(void **state)
{
    pthread_t threads[GIVERS];
    stn_watch *watch;
    int64_t end = stn_clock_ns() + 20 * STN_S;
    stn_inbox_link a, b, c;
    (void)state;
    assert_int_equal(stn_inbox_new(2, &inbox, NULL), STN_OK);
    assert_int_equal(stn_inbox_give(inbox, &a), STN_OK);
    assert_int_equal(stn_inbox_give(inbox, &b), STN_OK);
    assert_int_equal(stn_inbox_give(inbox, &c), STN_BUSY);
    assert_ptr_equal(stn_inbox_take(inbox), &a);
    /* A list goes in whole or not at all, and stays as it was. */
    a.next = &b;
    b.next = &c;
    c.next = NULL;
    assert_int_equal(stn_inbox_give_list(inbox, &a), STN_BUSY);
    assert_ptr_equal(a.next, &b);
    assert_ptr_equal(b.next, &c);
    assert_int_equal(stn_inbox_give_list(inbox, &b), STN_OK);
    assert_int_equal(stn_inbox_give_list(inbox, NULL), STN_OK);
    assert_ptr_equal(stn_inbox_take(inbox), &b);
    assert_ptr_equal(b.next, &c);
    assert_null(c.next);
    assert_null(stn_inbox_take(inbox));
    stn_inbox_free(inbox, NULL, NULL);

    assert_int_equal(stn_inbox_new(64, &inbox, NULL), STN_OK);
    assert_int_equal(stn_loop_watch_inbox(loop, inbox, on_item, NULL, &watch, NULL), STN_OK);
    for (int i = 0; i < GIVERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, give, (void *)(intptr_t)i), 0);
    while (taken < GIVERS * EACH && stn_clock_ns() < end)
        stn_loop_turn(loop, 100 * STN_MS, NULL);
    for (int i = 0; i < GIVERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(taken, GIVERS * EACH);
    stn_watch_free(watch);
    stn_inbox_free(inbox, NULL, NULL);
}

/* --- sockets --- */

enum { MESSAGES = 3000, A_TURN = 2 };
static void *ours, *theirs;
static stn_watch *socket_watch;
static unsigned received, answered;

/* Sends its share, each after a pause that lets the loop fall asleep now and then, and swallows what comes.
 */
static void *talk(void *arg)
{
    char word[8];
    (void)arg;
    for (int i = 0; i < MESSAGES; i++) {
        zmq_send(theirs, "a", 1, 0);
        while (zmq_recv(theirs, word, sizeof word, ZMQ_DONTWAIT) > 0)
            ;
        stn_sleep_ns(i % 7 * 10000);
    }
    return NULL;
}

static void take_two(void *ctx, const stn_turn *turn, int fd, unsigned ready)
{
    char word[8];
    (void)ctx;
    (void)turn;
    (void)fd;
    assert_int_equal(ready, STN_FD_READ);
    for (int i = 0; i < A_TURN; i++) {
        if (zmq_recv(ours, word, sizeof word, ZMQ_DONTWAIT) < 0) {
            stn_watch_drained(socket_watch);
            return;
        }
        received++;
    }
}

/* Asking and sending take the notice of what came away. */
static void use_socket(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    int events;
    size_t len = sizeof events;
    (void)ctx;
    (void)turn;
    stn_sleep_ns(70000); /* something comes meanwhile, or has come */
    stn_watch_used(socket_watch);
    assert_int_equal(zmq_getsockopt(ours, ZMQ_EVENTS, &events, &len), 0);
    answered += zmq_send(ours, "b", 1, ZMQ_DONTWAIT) == 1;
    stn_timer_in(timer, 50000);
}

static void nothing_that_came_on_a_socket_is_overlooked(void **state)
{
    void *zctx = zmq_ctx_new();
    int64_t end = stn_clock_ns() + 60 * STN_S;
    stn_timer *timer = stn_timer_new(loop, "use", use_socket, NULL);
    pthread_t thread;
    (void)state;
    ours = zmq_socket(zctx, ZMQ_PAIR);
    theirs = zmq_socket(zctx, ZMQ_PAIR);
    assert_int_equal(zmq_bind(ours, "inproc://talk"), 0);
    assert_int_equal(zmq_connect(theirs, "inproc://talk"), 0);
    assert_int_equal(stn_loop_watch_socket(loop, ours, take_two, NULL, &socket_watch, NULL), STN_OK);
    stn_timer_in(timer, 0);
    assert_int_equal(pthread_create(&thread, NULL, talk, NULL), 0);
    while (received < MESSAGES - 1 && stn_clock_ns() < end)
        stn_loop_turn(loop, STN_S, NULL);
    stn_timer_free(timer); /* the last ones have nothing else to wake the loop */
    while (received < MESSAGES && stn_clock_ns() < end)
        stn_loop_turn(loop, STN_S, NULL);
    pthread_join(thread, NULL);
    assert_int_equal(received, MESSAGES);
    assert_true(answered > 0);
    stn_watch_free(socket_watch);
    int linger = 0;
    zmq_setsockopt(ours, ZMQ_LINGER, &linger, sizeof linger);
    zmq_setsockopt(theirs, ZMQ_LINGER, &linger, sizeof linger);
    zmq_close(ours);
    zmq_close(theirs);
    zmq_ctx_term(zctx);
}

/* --- the rest --- */

static void *stop_it(void *arg)
{
    stn_sleep_ns(20 * STN_MS);
    stn_loop_stop(arg);
    return NULL;
}

static void stop_from_another_thread_wakes_the_loop(void **state)
{
    int64_t start = stn_clock_ns();
    pthread_t t;
    (void)state;
    assert_int_equal(pthread_create(&t, NULL, stop_it, loop), 0);
    assert_int_equal(stn_loop_run(loop, NULL), STN_OK);
    pthread_join(t, NULL);
    assert_true(stn_clock_ns() - start < 950 * STN_MS); /* a loop that is not woken looks up after 1 s */
}

static void signal_stops_the_loop(void **state)
{
    sigset_t both;
    (void)state;
    assert_int_equal(stn_loop_stop_on_signals(loop, NULL), STN_OK);
    kill(getpid(), SIGTERM);
    assert_int_equal(stn_loop_run(loop, NULL), STN_OK);
    assert_true(stn_loop_stopping(loop));
    sigemptyset(&both);
    sigaddset(&both, SIGTERM);
    sigaddset(&both, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &both, NULL);
}

static void chance_is_repeated_from_its_state(void **state)
{
    uint64_t kept[2], first[3];
    (void)state;
    memcpy(kept, stn_loop_now(loop)->chance, sizeof kept);
    for (int i = 0; i < 3; i++)
        first[i] = stn_turn_random(loop);
    assert_true(first[0] != first[1]);
    stn_loop_set_chance(loop, kept);
    for (int i = 0; i < 3; i++)
        assert_true(stn_turn_random(loop) == first[i]);
}

static size_t fed;

static void on_input(void *ctx, const stn_turn *turn, const stn_input *in)
{
    (void)ctx;
    (void)turn;
    fed += in->len;
}

static void inputs_reach_the_function_of_their_type(void **state)
{
    (void)state;
    assert_int_equal(stn_loop_on_input(loop, 0, "x", false, on_input, NULL, NULL), STN_USAGE);
    assert_int_equal(stn_loop_on_input(loop, 64, "x", false, on_input, NULL, NULL), STN_USAGE);
    assert_int_equal(stn_loop_on_input(loop, 3, "datagram", false, on_input, NULL, NULL), STN_OK);
    stn_loop_feed(loop, &(stn_input){.type = 3, .data = (const uint8_t *)"abc", .len = 3});
    stn_loop_feed(loop, &(stn_input){.type = 4, .len = 100});
    stn_loop_feed(loop, &(stn_input){.type = UINT32_MAX, .len = 100});
    assert_int_equal(fed, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(timers_fire_by_due_time_with_the_turns_time, make_loop, free_loop),
        cmocka_unit_test_setup_teardown(timer_set_in_its_turn_fires_in_the_next_and_may_free_others,
                                        make_loop, free_loop),
        cmocka_unit_test_setup_teardown(many_timers_keep_their_order, make_loop, free_loop),
        cmocka_unit_test_setup_teardown(fd_is_watched_until_its_watch_is_freed, make_loop, free_loop),
        cmocka_unit_test_setup_teardown(items_of_a_thread_come_in_their_order_and_are_bounded, make_loop,
                                        free_loop),
        cmocka_unit_test_setup_teardown(nothing_that_came_on_a_socket_is_overlooked, make_loop, free_loop),
        cmocka_unit_test_setup_teardown(stop_from_another_thread_wakes_the_loop, make_loop, free_loop),
        cmocka_unit_test_setup_teardown(signal_stops_the_loop, make_loop, free_loop),
        cmocka_unit_test_setup_teardown(chance_is_repeated_from_its_state, make_loop, free_loop),
        cmocka_unit_test_setup_teardown(inputs_reach_the_function_of_their_type, make_loop, free_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
