/* The asking side of the control door (control.h): blocking, with deadlines, for tools. */
#include "base/clock.h"
#include "base/text.h"
#include "bus/bus_internal.h"
#include "bus/control.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WAITING_MAX 4096u /* messages that came and were not asked for yet */
#define ANSWER_MAX (STN_BULK_MAX)
#define UNPACK_MAX ((size_t)64 << 20)

static int by_kind_and_number(const void *a, const void *b)
{
    const stn_door_name *x = a, *y = b;
    int order = strcmp(x->kind, y->kind);
    return order != 0 ? order : (x->number > y->number) - (x->number < y->number);
}

stn_status stn_control_list(const char *instance, stn_door_name *out, size_t cap, size_t *count, stn_err *err)
{
    char folder[STN_ADDRESS_MAX], path[STN_ADDRESS_MAX + 8];
    stn_status st = stn_address_folder(instance, folder, sizeof folder, err);
    DIR *d;

    *count = 0;
    if (st != STN_OK)
        return st;
    snprintf(path, sizeof path, "%s/ctl", folder);
    d = opendir(path);
    if (!d)
        return stn_fail(err, STN_NOT_FOUND, "no instance \"%s\" is running here (%s: %s)", instance, path,
                        strerror(errno));
    for (struct dirent *e; *count < cap && (e = readdir(d)) != NULL;) {
        stn_door_name door = {0};
        char base[STN_NAME_MAX], *dot;
        uint64_t number;
        size_t n = strlen(e->d_name);

        if (!stn_text_ends(e->d_name, ".lock") || n - 5 >= sizeof base - 4)
            continue;
        memcpy(base, e->d_name, n - 5);
        base[n - 5] = 0;
        dot = strrchr(base, '.');
        if (!dot || !stn_text_u64(dot + 1, 255, &number) || (size_t)(dot - base) >= sizeof door.kind)
            continue;
        memcpy(door.kind, base, (size_t)(dot - base));
        door.number = (unsigned)number;
        snprintf(door.name, sizeof door.name, "ctl/%.59s", base);
        door.pid = stn_lock_holder(instance, door.name);
        if (door.pid != 0)
            out[(*count)++] = door;
    }
    closedir(d);
    qsort(out, *count, sizeof *out, by_kind_and_number);
    if (*count == 0)
        return stn_fail(err, STN_NOT_FOUND, "no process of instance \"%s\" is running", instance);
    return STN_OK;
}

struct stn_ask {
    stn_loop *loop;
    stn_bus *bus;
    stn_conv *link;
    stn_unpacker *unpacker;
    stn_msg *waiting[WAITING_MAX];
    size_t first, count;
    stn_handler handlers[16];
};

static stn_status on_any(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    stn_ask *a = ctx;

    (void)peer;
    if (a->count == WAITING_MAX)
        return stn_fail(err, STN_BUSY, "%u messages wait to be taken", WAITING_MAX);
    a->waiting[(a->first + a->count++) % WAITING_MAX] = stn_msg_ref(msg);
    return STN_OK;
}

void stn_ask_free(stn_ask *a)
{
    if (!a)
        return;
    stn_conv_free(a->link);
    stn_bus_free(a->bus);
    stn_loop_free(a->loop);
    stn_unpacker_free(a->unpacker);
    while (a->count > 0) {
        stn_msg_unref(a->waiting[a->first]);
        a->first = (a->first + 1) % WAITING_MAX;
        a->count--;
    }
    free(a);
}

stn_status stn_ask_open(const char *instance, const char *door, int64_t timeout_ns, stn_ask **out,
                        stn_err *err)
{
    static const struct {
        uint32_t kind;
        const char *name;
    } kinds[] = {
        {STENNESS__CONTROL_KIND__CTL_STATUS, "status"}, {STENNESS__CONTROL_KIND__CTL_HASH, "hash"},
        {STENNESS__CONTROL_KIND__CTL_DONE, "done"},     {STENNESS__CONTROL_KIND__CTL_PICTURE, "picture"},
        {STENNESS__CONTROL_KIND__CTL_FRAMES, "frames"}, {STENNESS__CONTROL_KIND__CTL_TEXT, "text"},
        {STENNESS__TAPE_KIND__TAPE_RECORD, "record"},
    };
    stn_conv_spec spec = {.name = door, .instance = instance};
    stn_bus_spec bus = {.kind = "stenness", .instance = instance, .unnumbered = true};
    int64_t deadline = stn_clock_ns() + timeout_ns;
    stn_ask *a = calloc(1, sizeof *a);
    stn_status st;

    *out = NULL;
    if (!a)
        return stn_fail(err, STN_NO_MEMORY, "asking %s", door);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        a->handlers[i] = (stn_handler){kinds[i].kind, kinds[i].name, ANSWER_MAX, NULL, on_any, false};
    spec.handlers = a->handlers;
    spec.n_handlers = sizeof kinds / sizeof *kinds;
    spec.ctx = a;
    a->unpacker = stn_unpacker_new(UNPACK_MAX);
    if (!a->unpacker)
        st = stn_fail(err, STN_NO_MEMORY, "asking %s", door);
    else if (stn_lock_holder(instance, door) == 0)
        st = stn_fail(err, STN_NOT_FOUND, "%s: no such process in instance \"%s\"", door, instance);
    else if ((st = stn_loop_new(&a->loop, err)) == STN_OK &&
             (st = stn_bus_new(a->loop, &bus, &a->bus, err)) == STN_OK &&
             (st = stn_bus_connect(a->bus, &spec, &a->link, err)) == STN_OK) {
        stn_conv_set_untapped(a->link);
        while (st == STN_OK && !stn_conv_peer(a->link)) {
            int64_t left = deadline - stn_clock_ns();
            if (left <= 0)
                st = stn_fail(err, STN_TIMEOUT, "%s: %s", door, stn_conv_diagnosis(a->link));
            else
                st = stn_loop_turn(a->loop, left, err);
        }
    }
    if (st != STN_OK) {
        stn_ask_free(a);
        return st;
    }
    *out = a;
    return STN_OK;
}

static stn_msg *take_at(stn_ask *a, size_t at)
{
    stn_msg *m = a->waiting[(a->first + at) % WAITING_MAX];

    for (size_t i = at; i + 1 < a->count; i++)
        a->waiting[(a->first + i) % WAITING_MAX] = a->waiting[(a->first + i + 1) % WAITING_MAX];
    a->count--;
    return m;
}

/* Waits until something new has come or the deadline has passed. */
static stn_status wait_turn(stn_ask *a, int64_t deadline, stn_err *err)
{
    int64_t left = deadline - stn_clock_ns();

    if (!stn_conv_peer(a->link))
        return stn_fail(err, STN_IO, "%s has gone", stn_conv_name(a->link));
    if (left <= 0)
        return stn_fail(err, STN_TIMEOUT, "%s did not answer in time", stn_conv_name(a->link));
    return stn_loop_turn(a->loop, left, err);
}

stn_status stn_ask_for(stn_ask *a, uint32_t kind, const ProtobufCMessage *body, int64_t timeout_ns,
                       stn_msg **answer, stn_err *err)
{
    int64_t deadline = stn_clock_ns() + timeout_ns;
    uint64_t correlation = stn_bus_correlation(a->bus);
    stn_peer *peer = stn_conv_peer(a->link);
    size_t looked = 0;
    stn_status st;

    *answer = NULL;
    if (!peer)
        return stn_fail(err, STN_IO, "%s has gone", stn_conv_name(a->link));
    if ((st = stn_peer_say(peer, kind, 0, correlation, body, err)) != STN_OK)
        return st;
    for (;;) {
        for (; looked < a->count; looked++) {
            stn_msg *m = a->waiting[(a->first + looked) % WAITING_MAX];
            if (stn_msg_correlation(m) == correlation) {
                *answer = take_at(a, looked);
                break;
            }
        }
        if (*answer)
            break;
        if ((st = wait_turn(a, deadline, err)) != STN_OK)
            return st;
    }
    if (stn_msg_kind(*answer) == STENNESS__CONTROL_KIND__CTL_DONE) {
        const void *body_of;
        const Stenness__Done *done;

        st = stn_ask_unpack(a, *answer, &stenness__done__descriptor, &body_of, err);
        done = body_of;
        if (st == STN_OK && done->status != STN_OK)
            st = stn_fail(err, done->status < STN_STATUS_COUNT ? (stn_status)done->status : STN_IO,
                          "%s: %.250s", stn_conv_name(a->link), done->text);
        if (st != STN_OK) {
            stn_msg_unref(*answer);
            *answer = NULL;
        }
    }
    return st;
}

stn_status stn_ask_next(stn_ask *a, int64_t timeout_ns, stn_msg **msg, stn_err *err)
{
    int64_t deadline = stn_clock_ns() + timeout_ns;

    *msg = NULL;
    while (a->count == 0) {
        stn_status st = wait_turn(a, deadline, err);
        if (st != STN_OK)
            return st;
    }
    *msg = take_at(a, 0);
    return STN_OK;
}

stn_status stn_ask_unpack(stn_ask *a, const stn_msg *msg, const ProtobufCMessageDescriptor *type,
                          const void **out, stn_err *err)
{
    const ProtobufCMessage *m;
    stn_status st = stn_unpack(a->unpacker, type, stn_frame_data(stn_msg_body_frame(msg)),
                               stn_frame_len(stn_msg_body_frame(msg)), &m, err);
    *out = m;
    return st;
}
