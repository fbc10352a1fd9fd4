/* http_cases.c - all cases run at once, each against a server of its own: some take the whole 8.6 s of
 * pauses. */
#include "vectors/http_cases.h"

#include "base/clock.h"
#include "bus/loop.h"
#include "loader/http.h"
#include "loader/judge.h"
#include "loader/resname.h"
#include "support/httpd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct http_case {
    const json_t *doc;
    test_httpd *server;
    bool done;
    const char *kind;
    size_t *left;
} http_case;

static void on_request(void *ctx, unsigned n, const char *path, const char *head, test_reply *out)
{
    const http_case *c = ctx;
    const json_t *all = json_object_get(c->doc, "responses");
    size_t last = json_array_size(all) - 1;
    (void)path;
    (void)head;
    out->data = vec_unhex(json_string_value(json_array_get(all, n < last ? n : last)), &out->len);
}

static void on_answer(void *ctx, uint64_t token, const stn_http_answer *a)
{
    http_case *c = ctx;
    (void)token;
    c->done = true;
    --*c->left;
    if (a->outcome == STN_HTTP_NOT_FOUND) {
        c->kind = "not_found";
    } else if (a->outcome == STN_HTTP_FAILED) {
        c->kind = "io_error";
    } else {
        stn_res *res;
        stn_verdict v;
        stn_judge(a->data, a->len, -1, &res, &v);
        c->kind = v.miss == STN_MISS_NONE ? "ok" : stn_miss_name(v.miss);
        stn_res_free(res);
        free(a->data);
    }
}

static stn_status ask(stn_http *http, http_case *c, size_t i, stn_err *err)
{
    char text[80];
    stn_url_base base;
    stn_buf url = {0};
    snprintf(text, sizeof text, "http://127.0.0.1:%u/", test_httpd_port(c->server));
    stn_status st = stn_url_base_init(&base, text, err);
    if (st == STN_OK)
        st = stn_url_of(&base, "x", -1, false, &url, err);
    if (st == STN_OK)
        st = stn_http_get(http, (const char *)url.data, -1, 0, on_answer, c, i + 1, err);
    stn_url_base_fini(&base);
    stn_buf_fini(&url);
    return st;
}

void vec_http_cases(const json_t *doc, vec_report *report)
{
    const json_t *list = json_object_get(doc, "cases");
    size_t n = json_array_size(list), left = n;
    http_case *cases = calloc(n + 1, sizeof *cases);
    stn_loop *loop = NULL;
    stn_http *http = NULL;
    stn_err err = {0};
    if (stn_loop_new(&loop, &err) != STN_OK ||
        stn_http_new(loop, &(stn_http_opts){.agent = "Haven/1.0 (test) Stenness/test", .active_max = 256},
                     &http, &err) != STN_OK) {
        vec_fail(report, "http: %s", err.text);
        left = n = 0;
    }
    for (size_t i = 0; i < n; i++) {
        cases[i] = (http_case){.doc = json_array_get(list, i), .left = &left};
        cases[i].server = test_httpd_new(on_request, &cases[i]);
        if (ask(http, &cases[i], i, &err) != STN_OK) {
            vec_fail(report, "http: %s", err.text);
            left--;
        }
    }
    int64_t deadline = stn_clock_ns() + 60 * STN_S;
    while (left && stn_clock_ns() < deadline)
        stn_loop_turn(loop, 100 * STN_MS, &err);
    for (size_t i = 0; i < n; i++) {
        const http_case *c = &cases[i];
        const char *title = json_string_value(json_object_get(c->doc, "title"));
        const char *want = json_string_value(json_object_get(c->doc, "require"));
        json_int_t requests = json_integer_value(json_object_get(c->doc, "require_requests"));
        unsigned got = test_httpd_requests(c->server);
        if (!c->done)
            vec_fail(report, "http \"%s\": no answer in 60 s", title);
        else if (strcmp(c->kind, want) != 0 || got != requests)
            vec_fail(report, "http \"%s\": %s after %u requests, expected %s after %lld", title, c->kind, got,
                     want, (long long)requests);
        else
            vec_pass(report);
    }
    stn_http_free(http);
    stn_loop_free(loop);
    for (size_t i = 0; i < n; i++)
        test_httpd_free(cases[i].server);
    free(cases);
}
