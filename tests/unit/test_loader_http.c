/* test_loader_http.c - the HTTP client against a server that breaks off, dribbles, keeps connections, and
 * hangs. */
#include "base/clock.h"
#include "base/text.h"
#include "loader/http.h"
#include "support/httpd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BODY 20000

typedef struct fixture {
    stn_loop *loop;
    stn_http *http;
    test_httpd *server;
    char heads[16][2048]; /* of the requests, in order */
    unsigned head_count;
    unsigned answered;
    unsigned order[64]; /* tokens in the order of their answers */
    int outcome[64];
    uint8_t *data[64];
    size_t len[64];
    char text[64][300];
    char body[BODY];
} fixture;

static fixture *f;

static void on_answer(void *ctx, uint64_t token, const stn_http_answer *a)
{
    (void)ctx;
    f->order[f->answered++] = (unsigned)token;
    f->outcome[token] = a->outcome;
    f->data[token] = a->data;
    f->len[token] = a->len;
    snprintf(f->text[token], sizeof f->text[token], "%s", a->text ? a->text : "");
}

static void start(test_httpd_fn *fn, const stn_http_opts *opts)
{
    stn_err err = {0};
    f = calloc(1, sizeof *f);
    for (size_t i = 0; i < BODY; i++)
        f->body[i] = (char)(i * 7 + i / 256);
    f->server = test_httpd_new(fn, NULL);
    assert_int_equal(stn_loop_new(&f->loop, &err), STN_OK);
    assert_int_equal(stn_http_new(f->loop, opts, &f->http, &err), STN_OK);
}

static void stop(void)
{
    stn_http_free(f->http);
    stn_loop_free(f->loop);
    test_httpd_free(f->server);
    for (size_t i = 0; i < 64; i++)
        free(f->data[i]);
    free(f);
}

static void get(unsigned token, const char *path, int prio)
{
    char url[200];
    stn_err err = {0};
    snprintf(url, sizeof url, "http://127.0.0.1:%u/%s", test_httpd_port(f->server), path);
    assert_int_equal(stn_http_get(f->http, url, -1, prio, on_answer, NULL, token, &err), STN_OK);
}

static void run_until(unsigned answered, int64_t timeout_ns)
{
    int64_t end = stn_clock_ns() + timeout_ns;
    stn_err err = {0};
    while (f->answered < answered && stn_clock_ns() < end)
        stn_loop_turn(f->loop, 20 * STN_MS, &err);
}

static void note_head(const char *head)
{
    if (f->head_count < 16)
        snprintf(f->heads[f->head_count++], sizeof f->heads[0], "%s", head);
}

static void raw(test_reply *out, const char *head, const char *body, size_t len)
{
    size_t n = strlen(head);
    out->data = malloc(n + len);
    memcpy(out->data, head, n);
    if (len)
        memcpy((char *)out->data + n, body, len);
    out->len = n + len;
}

/* ---- resuming ---- */

static void breaks_off_once(void *ctx, unsigned n, const char *path, const char *head, test_reply *out)
{
    (void)ctx;
    note_head(head);
    if (n == 0) {
        raw(out, "HTTP/1.1 200 OK\r\nContent-Length: 20000\r\nETag: \"v1\"\r\n\r\n", f->body, 8000);
    } else if (strstr(path, "changed")) {
        raw(out, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nETag: \"v2\"\r\n\r\n", "other", 5);
    } else if (strstr(path, "wrong")) {
        /* A part that is not the wanted one, and after that the whole. */
        if (strstr(head, "Range:"))
            raw(out, "HTTP/1.1 206 P\r\nContent-Range: bytes 0-4/20000\r\nContent-Length: 5\r\n\r\n", "wrong",
                5);
        else
            raw(out, "HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n", f->body, BODY);
    } else {
        raw(out,
            "HTTP/1.1 206 P\r\nContent-Range: bytes 8000-19999/20000\r\nContent-Length: 12000\r\nETag: "
            "\"v1\"\r\n\r\n",
            f->body + 8000, BODY - 8000);
    }
}

static void the_rest_of_a_broken_body_is_asked_for(void **state)
{
    (void)state;
    start(breaks_off_once, &(stn_http_opts){.agent = "test"});
    get(1, "a", 0);
    run_until(1, 10 * STN_S);
    assert_int_equal(f->outcome[1], STN_HTTP_BODY);
    assert_int_equal(f->len[1], BODY);
    assert_memory_equal(f->data[1], f->body, BODY);
    assert_null(strstr(f->heads[0], "Range:"));
    assert_non_null(strstr(f->heads[1], "Range: bytes=8000-\r\n"));
    assert_non_null(strstr(f->heads[1], "If-Range: \"v1\"\r\n"));
    stop();
}

static void a_body_that_changed_meanwhile_is_taken_whole(void **state)
{
    (void)state;
    start(breaks_off_once, &(stn_http_opts){.agent = "test"});
    get(1, "changed", 0);
    run_until(1, 10 * STN_S);
    assert_int_equal(f->outcome[1], STN_HTTP_BODY);
    assert_int_equal(f->len[1], 5);
    assert_memory_equal(f->data[1], "other", 5);
    stop();
}

static void a_part_that_was_not_asked_for_is_not_put_in(void **state)
{
    (void)state;
    start(breaks_off_once, &(stn_http_opts){.agent = "test"});
    get(1, "wrong", 0);
    run_until(1, 10 * STN_S);
    assert_int_equal(f->outcome[1], STN_HTTP_BODY);
    assert_int_equal(f->len[1], BODY);
    assert_memory_equal(f->data[1], f->body, BODY);
    stop();
}

/* ---- connections, order, limits ---- */

static void answers_and_keeps(void *ctx, unsigned n, const char *path, const char *head, test_reply *out)
{
    (void)ctx;
    (void)n;
    note_head(head);
    if (strstr(path, "hang")) {
        out->hang = true;
        return;
    }
    test_reply_set(out, "200 OK", "", path, strlen(path));
    out->keep = true;
}

static void one_connection_serves_many_requests(void **state)
{
    (void)state;
    start(answers_and_keeps, &(stn_http_opts){.agent = "Haven/1.0 (test) Test/1"});
    for (unsigned i = 1; i <= 10; i++) {
        get(i, "x", 0);
        run_until(i, 5 * STN_S);
    }
    assert_int_equal(f->answered, 10);
    assert_int_equal(test_httpd_connections(f->server), 1);
    assert_non_null(strstr(f->heads[0], "User-Agent: Haven/1.0 (test) Test/1\r\n"));
    assert_non_null(strstr(f->heads[0], "Accept-Encoding: deflate, gzip\r\n"));
    assert_non_null(strstr(f->heads[0], "Cache-Control: no-cache\r\n"));
    assert_null(strstr(f->heads[0], "X-Brodgar"));
    stop();
}

static void more_urgent_requests_go_first(void **state)
{
    (void)state;
    start(answers_and_keeps, &(stn_http_opts){.agent = "test", .active_max = 1});
    get(1, "first", 0); /* runs at once */
    get(2, "low", -5);
    get(3, "high", 5);
    get(4, "low-raised", -5);
    stn_http_raise(f->http, 4, 9);
    run_until(4, 10 * STN_S);
    const unsigned want[4] = {1, 4, 3, 2};
    assert_memory_equal(f->order, want, sizeof want);
    stop();
}

static void requests_that_hang_make_room_for_others(void **state)
{
    (void)state;
    start(answers_and_keeps, &(stn_http_opts){.agent = "test", .active_max = 4, .host_max = 4});
    for (unsigned i = 1; i <= 8; i++)
        get(i, "hang", 0);
    get(20, "good", 0);
    int64_t t = stn_clock_ns();
    run_until(1, 25 * STN_S);
    assert_int_equal(f->answered, 1);
    assert_int_equal(f->outcome[20], STN_HTTP_BODY);
    /* Two groups of four that fall silent, not two stalls of 30 s. */
    assert_true(stn_clock_ns() - t < 25 * STN_S);
    stop();
}

static void silence_is_a_failed_attempt(void **state)
{
    (void)state;
    start(answers_and_keeps, &(stn_http_opts){.agent = "test", .stall_ms = 100});
    get(1, "hang", 0);
    run_until(1, 30 * STN_S);
    assert_int_equal(f->outcome[1], STN_HTTP_FAILED);
    assert_int_equal(test_httpd_requests(f->server), STN_HTTP_ATTEMPTS);
    assert_non_null(strstr(f->text[1], "7 attempts"));
    stop();
}

static void a_cancelled_request_is_never_answered(void **state)
{
    (void)state;
    start(answers_and_keeps, &(stn_http_opts){.agent = "test", .active_max = 1});
    get(1, "x", 0);
    get(2, "y", 0);
    stn_http_cancel(f->http, 1); /* runs */
    stn_http_cancel(f->http, 2); /* waits */
    get(3, "z", 0);
    run_until(1, 5 * STN_S);
    run_until(2, 300 * STN_MS);
    assert_int_equal(f->answered, 1);
    assert_int_equal(f->order[0], 3);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_of_a_broken_body_is_asked_for),
        cmocka_unit_test(a_body_that_changed_meanwhile_is_taken_whole),
        cmocka_unit_test(a_part_that_was_not_asked_for_is_not_put_in),
        cmocka_unit_test(one_connection_serves_many_requests),
        cmocka_unit_test(more_urgent_requests_go_first),
        cmocka_unit_test(requests_that_hang_make_room_for_others),
        cmocka_unit_test(silence_is_a_failed_attempt),
        cmocka_unit_test(a_cancelled_request_is_never_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
