/* bus_fixture.h - two processes on the bus in one test: an instance in a folder of its own, one loop. */
#ifndef STN_TESTS_BUS_FIXTURE_H
#define STN_TESTS_BUS_FIXTURE_H

#include "base/clock.h"
#include "base/log.h"
#include "bus/bus.h"
#include "bus/control.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void own_runtime_folder(void)
{
    static char folder[] = "/tmp/stn-test-XXXXXX";
    if (!mkdtemp(folder))
        abort();
    setenv("XDG_RUNTIME_DIR", folder, 1);
    stn_log_set_level(STN_LOG_ERROR);
}

static inline void remove_runtime_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", getenv("XDG_RUNTIME_DIR"));
    if (system(command) != 0)
        fprintf(stderr, "%s: left behind\n", getenv("XDG_RUNTIME_DIR"));
}

/* Turns until `what` holds or a minute has passed (sanitizers are slow, machines busy). */
#define UNTIL(loop, what)                                                                                    \
    do {                                                                                                     \
        int64_t until_end = stn_clock_ns() + 60 * STN_S;                                                     \
        while (!(what) && stn_clock_ns() < until_end)                                                        \
            assert_int_equal(stn_loop_turn(loop, 20 * STN_MS, NULL), STN_OK);                                \
        assert_true(what);                                                                                   \
    } while (0)

/* Turns for so long. */
#define TURNS_FOR(loop, ns)                                                                                  \
    do {                                                                                                     \
        int64_t turns_end = stn_clock_ns() + (ns);                                                           \
        while (stn_clock_ns() < turns_end)                                                                   \
            assert_int_equal(stn_loop_turn(loop, 10 * STN_MS, NULL), STN_OK);                                \
    } while (0)

#endif
