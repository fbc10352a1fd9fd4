#include "client/commands.h"

#include "base/opts.h"
#include "tape/stand_in.h"
#include "tape/tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static const stn_opt options[] = {
    {"list", STN_OPT_SWITCH, NULL, 0, 0, NULL, "print what the capture holds, and play nothing"},
    {"process", STN_OPT_TEXT, NULL, 0, 0, "NAME",
     "whose part is played to, as in the list (default: the first renderer)"},
    {"speed", STN_OPT_REAL, "1", 0, 1000, "N", "times real time; 0 = as fast as possible"},
    {"exit-at-end", STN_OPT_SWITCH, NULL, 0, 0, NULL, "end when a viewer has been told everything"},
};

static const stn_opts_spec spec = {
    .program = "stenness-replay",
    .command = "stenness replay",
    .summary =
        "Stands in for world and loader out of a capture: start stenness-renderer in the same instance.",
    .operands = "FILE.mcap",
    .opts = options,
    .count = sizeof options / sizeof *options,
};

static int replay(const stn_opts *opts)
{
    const char *process = stn_opts_text(opts, "process"), *instance = stn_opts_instance(opts);
    stn_stand_in_spec what = {.file = stn_opts_operand(opts, 0),
                              .process = process && process[0] ? process : NULL,
                              .speed = stn_opts_real(opts, "speed"),
                              .exit_at_end = stn_opts_switch(opts, "exit-at-end")};
    stn_err err = {0};

    if (stn_opts_operands(opts) != 1) {
        fprintf(stderr, "stenness replay: expected one capture, as in \"stenness replay walk.mcap\"\n");
        return EX_USAGE;
    }
    /* The instance that a person plays in is left alone unless it is asked for by another name. */
    what.instance = strcmp(instance, "default") == 0 ? "replay" : instance;
    if (stn_opts_switch(opts, "list")) {
        stn_tape_list(what.file, stdout, &err);
    } else {
        printf("In the place of world and loader. Now start: stenness-renderer --instance %s\n",
               what.instance);
        fflush(stdout);
        stn_stand_in_run(&what, &err);
    }
    if (err.code != STN_OK)
        fprintf(stderr, "stenness replay: %s\n", err.text);
    return err.code == STN_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

int cmd_replay(int argc, char **argv)
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
    status = replay(opts);
    stn_opts_free(opts);
    return status;
}
