/* view_link.h - a scenario's link to an instance's world, as a renderer's net thread has it. */
#ifndef TESTS_SCENARIO_VIEW_LINK_H
#define TESTS_SCENARIO_VIEW_LINK_H

#include "base/clock.h"
#include "base/opts.h"
#include "bus/bus.h"

#include "proto/world.pb-c.h"

typedef struct view_link {
    stn_loop *loop;
    stn_bus *bus;
    stn_conv *conv;
    stn_timer *timer;
} view_link;

#define VIEW_LOOK_NS (20 * STN_MS) /* how often `look` runs */

/* An entry of a table of handlers: VIEW_KIND(GRID, grid, 1 << 20, on_grid). */
#define VIEW_KIND(name, type, max, fn)                                                                       \
    {                                                                                                        \
        STENNESS__VIEW_KIND__VIEW_##name, #name, max, &stenness__##type##__descriptor, fn, false             \
    }
/* A handler for what does not matter. */
stn_status view_ignore(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err);

/* Connects as a `kind`; `look` is called again and again with conv->ctx, and sets itself anew. False: said on
 * stderr. */
bool view_link_open(view_link *l, const char *kind, const stn_opts *opts, const stn_conv_spec *conv,
                    stn_timer_fn look);
void view_link_run(view_link *l); /* until stn_loop_stop() or a signal */
void view_link_close(view_link *l);

#endif
