#include "view_link.h"

#include <stdio.h>

stn_status view_ignore(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    (void)ctx;
    (void)peer;
    (void)msg;
    (void)err;
    return STN_OK;
}

bool view_link_open(view_link *l, const char *kind, const stn_opts *opts, const stn_conv_spec *conv,
                    stn_timer_fn look)
{
    stn_err err = {0};
    stn_bus_spec bus = {.kind = kind, .instance = stn_opts_instance(opts), .unnumbered = true};

    if (stn_loop_new(&l->loop, &err) != STN_OK || stn_loop_stop_on_signals(l->loop, &err) != STN_OK ||
        stn_bus_new(l->loop, &bus, &l->bus, &err) != STN_OK ||
        stn_bus_connect(l->bus, conv, &l->conv, &err) != STN_OK ||
        !(l->timer = stn_timer_new(l->loop, "look", look, conv->ctx))) {
        fprintf(stderr, "%s: %s\n", kind, err.text);
        return false;
    }
    stn_timer_in(l->timer, VIEW_LOOK_NS);
    return true;
}

void view_link_run(view_link *l)
{
    stn_err err = {0};

    if (stn_loop_run(l->loop, &err) != STN_OK)
        fprintf(stderr, "scenario: %s\n", err.text);
}

void view_link_close(view_link *l)
{
    stn_conv_free(l->conv);
    stn_bus_free(l->bus);
    stn_timer_free(l->timer);
    stn_loop_free(l->loop);
}
