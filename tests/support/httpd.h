/* httpd.h - a scripted HTTP server on loopback for tests: every byte of an answer is the test's own, so
 * that it can lie, break off, dribble or hang. A thread a connection; the script function is called under
 * one lock.
 */
#ifndef STN_TESTS_HTTPD_H
#define STN_TESTS_HTTPD_H

#include <stdbool.h>
#include <stddef.h>

typedef struct test_httpd test_httpd;

typedef struct test_reply {
    void *data; /* raw answer with its head; free()d after sending; NULL = nothing */
    size_t len;
    bool hang; /* after the data: keep the connection open and silent until the server ends */
    bool keep; /* after the data: read the next request of the connection */
    unsigned delay_ms; /* before the data */
} test_reply;

/* n: requests before this one. head: the request with its headers. */
typedef void test_httpd_fn(void *ctx, unsigned n, const char *path, const char *head, test_reply *out);

test_httpd *test_httpd_new(test_httpd_fn *fn, void *ctx); /* exits with a message when it cannot listen */
unsigned test_httpd_port(const test_httpd *s);
unsigned test_httpd_requests(test_httpd *s);
unsigned test_httpd_connections(test_httpd *s);
void test_httpd_free(test_httpd *s);

/* A plain answer: "HTTP/1.1 STATUS", Content-Length, further header lines (each ending in CRLF), body. */
void test_reply_set(test_reply *out, const char *status, const char *headers, const void *body, size_t len);

#endif
