/* stenness-tape: records the taps of an instance, or stands in for a renderer's world and loader. */
#include "base/clock.h"
#include "base/log.h"
#include "base/opts.h"
#include "tape/capture.h"
#include "tape/stand_in.h"
#include "tape/tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

static const stn_opt options[] = {
    {"capture", STN_OPT_TEXT, NULL, 0, 0, "FILE", "record all processes of the instance into FILE"},
    {"seconds", STN_OPT_REAL, "0", 0, 86400, "N", "how long to record; 0 = until interrupted"},
    {"whole", STN_OPT_TEXT, NULL, 0, 0, "KIND", "let processes of this kind ask for everything again first"},
    {"play", STN_OPT_TEXT, NULL, 0, 0, "FILE", "stand in for world and loader of the instance out of FILE"},
    {"process", STN_OPT_TEXT, NULL, 0, 0, "NAME",
     "whose part of the capture is played to (default: first renderer)"},
    {"speed", STN_OPT_REAL, "1", 0, 1000, "N", "times real time; 0 = as fast as possible"},
    {"exit-at-end", STN_OPT_SWITCH, NULL, 0, 0, NULL, "end when a viewer has been told everything"},
    {"list", STN_OPT_TEXT, NULL, 0, 0, "FILE", "print what a capture holds"},
};
static const stn_opts_spec spec = {
    .program = "stenness-tape",
    .summary = "records the messages of all processes, and plays them",
    .opts = options,
    .count = sizeof options / sizeof *options,
};

static const char *given(const stn_opts *opts, const char *name)
{
    const char *text = stn_opts_text(opts, name);
    return text && text[0] ? text : NULL;
}

static stn_status capture(const stn_opts *opts, stn_err *err)
{
    stn_capture_spec what = {.instance = stn_opts_instance(opts),
                             .out = given(opts, "capture"),
                             .duration_ns = (int64_t)(stn_opts_real(opts, "seconds") * 1e9),
                             .wait_ns = 60 * STN_S,
                             .whole = given(opts, "whole")};
    stn_capture_sum sum;
    stn_status st = stn_capture_run(&what, &sum, err);

    if (st == STN_OK)
        stn_log_info("%s: %u processes, %llu records, %llu lost, %llu bytes", what.out, sum.processes,
                     (unsigned long long)sum.records, (unsigned long long)sum.lost,
                     (unsigned long long)sum.bytes);
    return st;
}

static stn_status play(const stn_opts *opts, stn_err *err)
{
    stn_stand_in_spec what = {.file = given(opts, "play"),
                              .instance = stn_opts_instance(opts),
                              .process = given(opts, "process"),
                              .speed = stn_opts_real(opts, "speed"),
                              .exit_at_end = stn_opts_switch(opts, "exit-at-end")};
    return stn_stand_in_run(&what, err);
}

int main(int argc, char **argv)
{
    stn_opts *opts;
    stn_err err = {0};
    int modes;

    stn_log_set_name("tape");
    stn_log_level_from_env();
    switch (stn_opts_parse(&spec, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    modes = (given(opts, "capture") != NULL) + (given(opts, "play") != NULL) + (given(opts, "list") != NULL);
    if (modes != 1)
        stn_fail(&err, STN_USAGE, "give one of --capture, --play and --list");
    else if (given(opts, "capture"))
        capture(opts, &err);
    else if (given(opts, "play"))
        play(opts, &err);
    else
        stn_tape_list(given(opts, "list"), stdout, &err);
    stn_opts_free(opts);
    if (err.code != STN_OK)
        fprintf(stderr, "stenness-tape: %s\n", err.text);
    return err.code == STN_OK ? EXIT_SUCCESS : err.code == STN_USAGE ? EX_USAGE : EXIT_FAILURE;
}
