/* The bounded queue between two threads (meant for the thread sanitizer too), and jobs. */
#include "renderer/build/job.h"
#include "renderer/net/spsc.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void a_full_queue_takes_nothing(void **state)
{
    stn_spsc *q = stn_spsc_new(4);
    int items[5];

    (void)state;
    assert_null(stn_spsc_take(q));
    for (int i = 0; i < 4; i++)
        assert_true(stn_spsc_give(q, &items[i]));
    assert_false(stn_spsc_give(q, &items[4]));
    assert_int_equal(stn_spsc_count(q), 4);
    assert_int_equal(stn_spsc_room(q), 0);
    for (int i = 0; i < 4; i++) {
        assert_ptr_equal(stn_spsc_peek(q), &items[i]);
        assert_ptr_equal(stn_spsc_take(q), &items[i]);
    }
    assert_null(stn_spsc_take(q));
    stn_spsc_free(q);
}

#define MANY 200000

/* Each item is a number written before it is given: the taker must see it. */
static void *giver(void *arg)
{
    stn_spsc *q = arg;

    for (uintptr_t i = 1; i <= MANY; i++) {
        uintptr_t *item = malloc(sizeof *item);

        *item = i;
        while (!stn_spsc_give(q, item))
            sched_yield();
    }
    return NULL;
}

static void two_threads_keep_order_and_contents(void **state)
{
    stn_spsc *q = stn_spsc_new(64);
    pthread_t t;

    (void)state;
    assert_int_equal(pthread_create(&t, NULL, giver, q), 0);
    for (uintptr_t want = 1; want <= MANY;) {
        uintptr_t *item = stn_spsc_take(q);

        if (!item) {
            sched_yield();
            continue;
        }
        assert_int_equal(*item, want);
        free(item);
        want++;
    }
    pthread_join(t, NULL);
    assert_int_equal(stn_spsc_count(q), 0);
    stn_spsc_free(q);
}

static int released;

static void release(void *arg)
{
    released += *(int *)arg;
}

static void a_job_frees_what_it_holds_once(void **state)
{
    stn_job *job = stn_job_new(STN_JOB_MESH, 7);
    int one = 1;

    (void)state;
    assert_non_null(job);
    assert_int_equal(job->frame, 7);
    for (int i = 0; i < 6; i++)
        assert_non_null(stn_job_memory(job, 100));
    assert_null(stn_job_memory(job, 100)); /* six is the most */
    job->release = release;
    job->arg = &one;
    stn_job_free(job);
    assert_int_equal(released, 1);
    stn_job_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_queue_takes_nothing),
        cmocka_unit_test(two_threads_keep_order_and_contents),
        cmocka_unit_test(a_job_frees_what_it_holds_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
