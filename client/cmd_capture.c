#include "client/commands.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/opts.h"
#include "tape/capture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

static const stn_opt options[] = {
    {"seconds", STN_OPT_REAL, "30", 0, 86400, "N", "how long to record; 0 = until interrupted"},
    {"whole", STN_OPT_TEXT, "renderer", 0, 0, "KIND",
     "pieces of this kind ask for everything again first, so that the capture can be played into one; "
     "\"none\" = leave all "
     "alone"},
};

static const stn_opts_spec spec = {
    .program = "stenness-capture",
    .command = "stenness capture",
    .summary = "Records what the pieces of a running instance say to each other, as an MCAP file.",
    .operands = "OUT.mcap",
    .opts = options,
    .count = sizeof options / sizeof *options,
};

static int capture(const stn_opts *opts)
{
    stn_capture_spec what = {.instance = stn_opts_instance(opts),
                             .out = stn_opts_operand(opts, 0),
                             .duration_ns = (int64_t)(stn_opts_real(opts, "seconds") * 1e9),
                             .wait_ns = 5 * STN_S,
                             .whole = stn_opts_text(opts, "whole")};
    stn_capture_sum sum;
    stn_err err = {0};

    /* Who comes and goes at the control doors is of no interest here. */
    if (stn_log_get_level() == STN_LOG_INFO)
        stn_log_set_level(STN_LOG_WARN);
    if (stn_opts_operands(opts) != 1) {
        fprintf(stderr,
                "stenness capture: expected one file to write, as in \"stenness capture walk.mcap\"\n");
        return EX_USAGE;
    }
    if (stn_capture_run(&what, &sum, &err) != STN_OK) {
        fprintf(stderr, "stenness capture: %s\n", err.text);
        return EXIT_FAILURE;
    }
    printf("%s: %u pieces, %" PRIu64 " records, %" PRIu64 " lost, %" PRIu64 " bytes\n", what.out,
           sum.processes, sum.records, sum.lost, sum.bytes);
    return EXIT_SUCCESS;
}

int cmd_capture(int argc, char **argv)
{
    stn_opts *opts;
    int status;

    switch (stn_opts_parse(&spec, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    status = capture(opts);
    stn_opts_free(opts);
    return status;
}
