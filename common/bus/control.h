/* control.h - the control door ctl/KIND.N of every process, and the asking side for tools.
 *
 * Serving: one stn_control on the bus. It answers StatusGet (once or periodically), TapSet, HashGet and Quit
 * by itself, with the service's functions; further kinds (pictures of the renderer) come from a table of the
 * service's own. Asking: stn_control_list() finds the doors of an instance, stn_ask_* talk to one with a
 * deadline, in a loop of their own; blocking, for tools only.
 */
#ifndef STN_BUS_CONTROL_H
#define STN_BUS_CONTROL_H

#include "bus/bus.h"
#include "bus/report.h"

typedef struct stn_control stn_control;

typedef struct stn_control_spec {
    void *ctx;
    /* Adds health, line and items. The bus's own figures are there already. */
    void (*report)(void *ctx, stn_report *report);
    /* A hash over the replayable state and what it covers; NULL = the process has none. */
    uint64_t (*hash)(void *ctx, const char **covers);
    /* NULL: Quit stops the loop. */
    void (*quit)(void *ctx, const char *why);
    /* A tap that is to be complete by itself was switched on: ask again for all that is held from other
     * processes. The bus then says Hello on every link again, so `down` and `up` run as if the other side had
     * forgotten. NULL: nothing beyond that. */
    void (*refresh)(void *ctx);
    /* Kinds of the service's own, at most 16; their handlers get `ctx` and answer through stn_peer_send(). */
    const stn_handler *handlers;
    size_t n_handlers;
} stn_control_spec;

stn_status stn_control_new(stn_bus *bus, const stn_control_spec *spec, stn_control **out, stn_err *err);
void stn_control_free(stn_control *control);
/* The answer to a request that has none of its own, or that failed. */
stn_status stn_control_done(stn_peer *peer, uint64_t correlation, stn_status status, const char *text);

/* --- asking --- */

typedef struct stn_door_name {
    char name[STN_NAME_MAX]; /* "ctl/loader.0" */
    char kind[32];
    unsigned number;
    int pid;
} stn_door_name;

/* Doors whose process lives, sorted by kind and number; at most cap. STN_NOT_FOUND: no such instance. */
stn_status stn_control_list(const char *instance, stn_door_name *out, size_t cap, size_t *count,
                            stn_err *err);

typedef struct stn_ask stn_ask;
/* door "ctl/loader.0". Waits for it to be up: STN_TIMEOUT, STN_NOT_FOUND (nobody holds the name). */
stn_status stn_ask_open(const char *instance, const char *door, int64_t timeout_ns, stn_ask **out,
                        stn_err *err);
void stn_ask_free(stn_ask *ask);
/* Sends `body` as `kind` and waits for the answer with the same correlation: the answer, or STN_TIMEOUT, or
 * what a Done that is not ok says. *answer is released by stn_msg_unref(). Done itself is an answer when it
 * is ok. */
stn_status stn_ask_for(stn_ask *ask, uint32_t kind, const ProtobufCMessage *body, int64_t timeout_ns,
                       stn_msg **answer, stn_err *err);
/* The next message that is no answer (periodic Status, tap records), or STN_TIMEOUT. */
stn_status stn_ask_next(stn_ask *ask, int64_t timeout_ns, stn_msg **msg, stn_err *err);
/* Unpacks an answer; valid until the next call with this ask. */
stn_status stn_ask_unpack(stn_ask *ask, const stn_msg *msg, const ProtobufCMessageDescriptor *type,
                          const void **out, stn_err *err);

#endif
