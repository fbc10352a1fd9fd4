/* scenario-frames: how long a renderer's frames took since the last asking, as its own JSON.
 *
 *   scenario-frames --instance NAME [--door ctl/renderer.0] */
#include "base/clock.h"
#include "base/opts.h"
#include "bus/control.h"

#include "proto/control.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

#define ASK_NS (5 * STN_S)

static const stn_opt options[] = {
    {"door", STN_OPT_TEXT, "ctl/renderer.0", 0, 0, "NAME", "whose frames"},
};

static stn_status print_frames(stn_ask *ask, stn_err *err)
{
    Stenness__FramesGet get = STENNESS__FRAMES_GET__INIT;
    stn_msg *answer = NULL;
    const void *body = NULL;
    stn_status st;

    get.reset = true;
    st = stn_ask_for(ask, STENNESS__CONTROL_KIND__CTL_FRAMES_GET, &get.base, ASK_NS, &answer, err);
    if (st == STN_OK)
        st = stn_ask_unpack(ask, answer, &stenness__frames__descriptor, &body, err);
    if (st == STN_OK)
        printf("%s\n", ((const Stenness__Frames *)body)->json);
    stn_msg_unref(answer);
    return st;
}

int main(int argc, char **argv)
{
    static const stn_opts_spec spec = {.program = "scenario-frames",
                                       .summary = "how long a renderer's frames took since the last asking",
                                       .opts = options,
                                       .count = sizeof options / sizeof options[0]};
    stn_opts *o;
    stn_ask *ask = NULL;
    stn_err err = {0};
    stn_status st;

    if (stn_opts_parse(&spec, argc, argv, &o) != STN_OPTS_RUN)
        return EX_USAGE;
    st = stn_ask_open(stn_opts_instance(o), stn_opts_text(o, "door"), ASK_NS, &ask, &err);
    if (st == STN_OK)
        st = print_frames(ask, &err);
    if (st != STN_OK)
        fprintf(stderr, "scenario-frames: %s\n", err.text);
    stn_ask_free(ask);
    stn_opts_free(o);
    return st == STN_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
