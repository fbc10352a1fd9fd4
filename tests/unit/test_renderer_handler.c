/* The frame handler: order, latch, late canvases. Source: docs/spec/rendering.md 23.4. */
#include "renderer/scene/handler.h"

#include "base/clock.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct script {
    char said[256];
    stn_frame_handler *h;
    stn_canvas_turn *kept; /* of a canvas that is not done */
    double seconds;
    bool adds;
} script;

static void say(script *s, const char *word)
{
    size_t n = strlen(s->said);
    snprintf(s->said + n, sizeof s->said - n, "%s ", word);
}

static void init_a(void *arg)
{
    say(arg, "init-a");
}

static void init_canvas(void *arg)
{
    say(arg, "init-canvas");
}

static void draw_now(void *arg, stn_canvas_turn *turn)
{
    say(arg, "draw");
    stn_canvas_done(turn);
}

static void draw_later(void *arg, stn_canvas_turn *turn)
{
    say(arg, "later");
    ((script *)arg)->kept = turn;
}

static void update_b(void *arg, double seconds)
{
    (void)seconds;
    say(arg, "b");
}

static void update_a(void *arg, double seconds)
{
    script *s = arg;

    s->seconds = seconds;
    say(s, "a");
    if (s->adds) {
        stn_err err = {0};
        const stn_updater b = {.update = update_b, .arg = s};
        const stn_canvas c = {.init = init_canvas, .draw = draw_now, .arg = s};
        assert_int_equal(stn_frame_handler_add_updater(s->h, &b, &err), STN_OK);
        assert_int_equal(stn_frame_handler_add_canvas(s->h, &c, &err), STN_OK);
    }
}

static void open_with_a(script *s, int64_t wait_ns)
{
    stn_err err = {0};

    s->h = stn_frame_handler_new(wait_ns);
    assert_non_null(s->h);
    assert_int_equal(stn_frame_handler_add_updater(
                         s->h, &(stn_updater){.init = init_a, .update = update_a, .arg = s}, &err),
                     STN_OK);
}

static void what_is_added_in_a_frame_takes_part_from_the_next(void **state)
{
    script s = {.adds = true};

    (void)state;
    open_with_a(&s, STN_FRAME_WAIT_NS);
    stn_frame_handler_frame(s.h, 10 * STN_S);
    assert_string_equal(s.said, "init-a a ");
    assert_true(s.seconds == 0.0);
    s.said[0] = '\0';
    stn_frame_handler_frame(s.h, 10 * STN_S + STN_S / 4); /* it adds both again, which changes nothing */
    assert_string_equal(s.said, "a b init-canvas draw ");
    assert_true(s.seconds == 0.25);
    s.said[0] = '\0';
    stn_frame_handler_frame(s.h, 11 * STN_S);
    assert_string_equal(s.said, "a b draw ");
    assert_int_equal(stn_frame_handler_get(s.h).late, 0);
    stn_frame_handler_free(s.h);
}

static void a_canvas_that_never_ends_costs_each_frame_the_wait_and_one_late(void **state)
{
    script s = {0};
    stn_err err = {0};
    const int64_t wait = 20 * STN_MS;

    (void)state;
    open_with_a(&s, wait);
    stn_frame_handler_add_canvas(s.h, &(stn_canvas){.draw = draw_later, .arg = &s}, &err);
    stn_frame_handler_add_canvas(s.h, &(stn_canvas){.draw = draw_now, .arg = &s}, &err);
    int64_t start = stn_clock_ns();
    stn_frame_handler_frame(s.h, STN_S);
    assert_true(stn_clock_ns() - start >= wait);
    assert_int_equal(stn_frame_handler_get(s.h).late, 1);
    /* The next frame is drawn without it. */
    s.said[0] = '\0';
    stn_frame_handler_frame(s.h, 2 * STN_S);
    assert_string_equal(s.said, "a draw ");
    assert_int_equal(stn_frame_handler_get(s.h).skipped, 1);
    assert_int_equal(stn_frame_handler_get(s.h).late, 1);
    /* Done at last, it counts no other frame down, and draws again. */
    stn_canvas_done(s.kept);
    stn_canvas_done(s.kept);
    s.said[0] = '\0';
    stn_frame_handler_frame(s.h, 3 * STN_S);
    assert_string_equal(s.said, "a later draw ");
    assert_int_equal(stn_frame_handler_get(s.h).late, 2);
    stn_canvas_done(NULL);
    stn_frame_handler_free(s.h);
}

static void without_a_wait_a_frame_goes_on_at_once(void **state)
{
    script s = {0};
    stn_err err = {0};

    (void)state;
    open_with_a(&s, 0);
    stn_frame_handler_add_canvas(s.h, &(stn_canvas){.draw = draw_later, .arg = &s}, &err);
    for (int i = 1; i <= 3; i++)
        stn_frame_handler_frame(s.h, i * STN_S);
    assert_string_equal(s.said, "init-a a later a a ");
    assert_int_equal(stn_frame_handler_get(s.h).skipped, 2);
    stn_frame_handler_free(s.h);
}

static void there_is_an_end_to_canvases(void **state)
{
    static script many[STN_CANVASES_MAX + 1];
    script s = {0};
    stn_err err = {0};

    (void)state;
    open_with_a(&s, 0);
    for (int i = 0; i <= STN_CANVASES_MAX; i++)
        assert_int_equal(
            stn_frame_handler_add_canvas(s.h, &(stn_canvas){.draw = draw_now, .arg = &many[i]}, &err),
            i < STN_CANVASES_MAX ? STN_OK : STN_TOO_BIG);
    stn_frame_handler_frame(s.h, STN_S);
    assert_string_equal(many[STN_CANVASES_MAX - 1].said, "draw ");
    stn_frame_handler_free(s.h);
}

/* ---- canvases with threads of their own ---- */

#define THREADS 3
#define FRAMES 2000

typedef struct painter {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    stn_canvas_turn *turn;
    uint64_t drawn;
    bool stop;
} painter;

static void *paint(void *arg)
{
    painter *p = arg;

    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->turn && !p->stop)
            pthread_cond_wait(&p->wake, &p->lock);
        stn_canvas_turn *turn = p->turn;
        p->turn = NULL;
        if (!turn)
            break;
        p->drawn++;
        pthread_mutex_unlock(&p->lock);
        stn_canvas_done(turn);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void hand_over(void *arg, stn_canvas_turn *turn)
{
    painter *p = arg;

    pthread_mutex_lock(&p->lock);
    p->turn = turn;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

static void all_threads_have_drawn_when_the_frame_ends(void **state)
{
    painter p[THREADS] = {0};
    stn_frame_handler *h = stn_frame_handler_new(60 * STN_S);
    stn_err err = {0};

    (void)state;
    for (int i = 0; i < THREADS; i++) {
        pthread_mutex_init(&p[i].lock, NULL);
        pthread_cond_init(&p[i].wake, NULL);
        assert_int_equal(pthread_create(&p[i].thread, NULL, paint, &p[i]), 0);
        stn_frame_handler_add_canvas(h, &(stn_canvas){.draw = hand_over, .arg = &p[i]}, &err);
    }
    for (uint64_t f = 1; f <= FRAMES; f++) {
        stn_frame_handler_frame(h, (int64_t)f * STN_MS);
        for (int i = 0; i < THREADS; i++) {
            pthread_mutex_lock(&p[i].lock);
            assert_int_equal(p[i].drawn, f);
            pthread_mutex_unlock(&p[i].lock);
        }
    }
    assert_int_equal(stn_frame_handler_get(h).late, 0);
    assert_int_equal(stn_frame_handler_get(h).skipped, 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_mutex_lock(&p[i].lock);
        p[i].stop = true;
        pthread_cond_signal(&p[i].wake);
        pthread_mutex_unlock(&p[i].lock);
        pthread_join(p[i].thread, NULL);
        pthread_cond_destroy(&p[i].wake);
        pthread_mutex_destroy(&p[i].lock);
    }
    stn_frame_handler_free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_added_in_a_frame_takes_part_from_the_next),
        cmocka_unit_test(a_canvas_that_never_ends_costs_each_frame_the_wait_and_one_late),
        cmocka_unit_test(without_a_wait_a_frame_goes_on_at_once),
        cmocka_unit_test(there_is_an_end_to_canvases),
        cmocka_unit_test(all_threads_have_drawn_when_the_frame_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
