#include "base/heap.h"
#include "base/log.h"
#include "base/opts.h"
#include "mesher/blocks.h"
#include "mesher/mesher.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

static const stn_opt options[] = {
    {"connect", STN_OPT_TEXT, "", 0, 0, "ENDPOINT",
     "world of another machine (tcp://HOST:PORT); default: this instance's"},
    {"server-key", STN_OPT_TEXT, "", 0, 0, "KEY", "public key of that world, 40 characters"},
    {"key", STN_OPT_TEXT, "", 0, 0, "FILE", "own key pair (NAME.pub_secret), which that world must list"},
    {"threads", STN_OPT_INT, "0", 0, 64, "N", "build threads, 0 = one a core"},
    {"idle", STN_OPT_SWITCH, NULL, 0, 0, NULL, "build only when nobody else wants the processor"},
    {"blocks", STN_OPT_INT, "1024", 16, 65536, "N", "noise blocks held, about 10 kB each"},
    {"no-zstd", STN_OPT_SWITCH, NULL, 0, 0, NULL, "never compress products"},
    {"no-ahead", STN_OPT_SWITCH, NULL, 0, 0, NULL, "make no noise blocks before they are needed"},
};

static const stn_opts_spec spec = {
    .program = "stenness-mesher",
    .summary = "Builds the cuts of the ground for a world, here or on another machine.",
    .opts = options,
    .count = sizeof options / sizeof *options};

/* A remote world needs both keys; a local one none. */
static stn_status read_keys(const stn_opts *o, stn_mesher_opts *mo, stn_keys *keys, stn_err *err)
{
    const char *own = stn_opts_text(o, "key"), *server = stn_opts_text(o, "server-key");

    if (!*own && !*server)
        return STN_OK;
    if (!*own || !*server)
        return stn_fail(err, STN_USAGE,
                        "--key and --server-key go together: make a pair with `stenness keys`");
    mo->keys = keys;
    mo->server_key = server;
    return stn_keys_load(own, keys, err);
}

/* For all threads that are made from now on, libzmq's too. Under the batch class a thread that wakes does not
 * put another in its place: what was finished and what has come is moved when a build ends or waits, several
 * at once, and a mesher beside others on the machine does not break into what they do. */
static void take_turns(void)
{
    const struct sched_param none = {0};

    if (sched_setscheduler(0, SCHED_BATCH, &none) != 0)
        stn_log_info("the system refused the batch class: products are moved one by one");
}

int main(int argc, char **argv)
{
    stn_opts *opts = NULL;
    stn_err err = {0};
    stn_loop *loop = NULL;
    stn_bus *bus = NULL;
    stn_mesher *m = NULL;
    stn_keys keys = {0};
    int rc = EXIT_FAILURE;

    switch (stn_opts_parse(&spec, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    stn_log_level_from_env();
    stn_heap_for_bulk();
    take_turns();
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t threads = stn_opts_int(opts, "threads");
    const char *endpoint = stn_opts_text(opts, "connect");
    stn_mesher_opts mo = {
        .endpoint = *endpoint ? endpoint : NULL,
        .threads = (unsigned)(threads      ? threads
                              : cores < 1  ? 1
                              : cores > 64 ? 64
                                           : cores),
        .idle = stn_opts_switch(opts, "idle"),
        .blocks = (size_t)stn_opts_int(opts, "blocks"),
        .zstd = !stn_opts_switch(opts, "no-zstd"),
        .ahead = !stn_opts_switch(opts, "no-ahead"),
    };
    if (read_keys(opts, &mo, &keys, &err) != STN_OK || stn_loop_new(&loop, &err) != STN_OK ||
        stn_loop_stop_on_signals(loop, &err) != STN_OK ||
        stn_bus_new(loop,
                    &(stn_bus_spec){.kind = "mesher", .instance = stn_opts_instance(opts), .software = "0.1"},
                    &bus, &err) != STN_OK ||
        stn_mesher_new(bus, &mo, &m, &err) != STN_OK)
        goto out;
    if (stn_loop_run(loop, &err) == STN_OK)
        rc = EXIT_SUCCESS;
out:
    if (err.code)
        fprintf(stderr, "stenness-mesher: %s\n", err.text);
    stn_mesher_free(m);
    stn_bus_free(bus);
    stn_loop_free(loop);
    stn_keys_wipe(&keys);
    stn_opts_free(opts);
    return rc;
}
