/* loader_client.h - for tests: a loader process of one's own, and a client of it that waits for answers.
 */
#ifndef STN_TESTS_LOADER_CLIENT_H
#define STN_TESTS_LOADER_CLIENT_H

#include "res/wire.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct test_loader test_loader;
typedef struct test_client test_client;

/* Starts BUILD/bin/stenness-loader in a fresh runtime folder with the given further arguments
 * (NULL-terminated). Exits with a message when it does not come up. */
test_loader *test_loader_new(const char *program, const char *const *args);
void test_loader_stop(test_loader *l); /* SIGTERM, and waits */
void test_loader_kill(test_loader *l); /* SIGKILL, and waits */
void test_loader_start(test_loader *l); /* again, after a stop or kill */
pid_t test_loader_pid(const test_loader *l);
const char *test_loader_dir(const test_loader *l); /* a folder for files, removed with it */
void test_loader_free(test_loader *l);

typedef enum test_end { TEST_NONE, TEST_PENDING, TEST_READY, TEST_FAILED, TEST_REFUSED } test_end;

typedef struct test_get {
    const char *name;
    int version;
    int priority;
    uint32_t want;
    bool saved;
    /* filled by test_client_run() */
    test_end end;
    uint64_t ask, object;
    int got_version;
    char source[32], kind[32];
    char chain[512]; /* "http:not_found disk:empty …", newest first */
    unsigned problems; /* layers that say what is wrong with them */
    size_t layers, bytes; /* bytes: of all frames */
    uint64_t pixels_hash;
    int64_t asked_ns, ended_ns;
    uint64_t correlation;
} test_get;

test_client *test_client_new(const test_loader *l);
void test_client_free(test_client *c);
/* Sends them all and waits until each has ended, asking again what is open whenever the loader came back.
 * False when the time is over. between (may be NULL) is called about every 10 ms. */
bool test_client_run(test_client *c, test_get *gets, size_t n, int64_t timeout_ns, void (*between)(void *ctx),
                     void *ctx);
void test_client_release(test_client *c, const uint64_t *objects, size_t n);
/* The answer to "what" of the control door; free(). NULL when it failed. */
char *test_client_words(const test_loader *l, const char *what, const char *arg);
double test_client_figure(const test_loader *l, const char *item); /* of the status; -1 when there is none */
/* Asks why; the walk as in chain, first source first, then the outcome. False: no answer. */
bool test_client_why(test_client *c, const char *name, char *out, size_t cap);
/* Reloads; true when Changed came for it. */
bool test_client_reload(test_client *c, const char *name);

#endif
