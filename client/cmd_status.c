#include "client/commands.h"
#include "client/doors.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/opts.h"
#include "bus/address.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#define ASK_NS (2 * STN_S)

static const stn_opt options[] = {
    {"json", STN_OPT_SWITCH, NULL, 0, 0, NULL, "everything, for programs"},
    {"all", STN_OPT_SWITCH, NULL, 0, 0, NULL, "every figure of every piece, for people"},
};

static const stn_opts_spec spec = {
    .program = "stenness-status",
    .command = "stenness status",
    .summary = "Says how each piece of an instance is. Exit status 1 when one does not answer or has failed.",
    .opts = options,
    .count = sizeof options / sizeof *options,
};

static const char *health_word(Stenness__HealthState health)
{
    switch (health) {
    case STENNESS__HEALTH_STATE__HEALTH_OK:
        return "ok";
    case STENNESS__HEALTH_STATE__HEALTH_WAITING:
        return "waiting";
    case STENNESS__HEALTH_STATE__HEALTH_DEGRADED:
        return "degraded";
    case STENNESS__HEALTH_STATE__HEALTH_FAILED:
        return "failed";
    default:
        return "unknown";
    }
}

static json_t *item_json(const Stenness__StatusItem *item)
{
    switch (item->type) {
    case STENNESS__ITEM_TYPE__ITEM_TEXT:
        return json_string(item->text);
    case STENNESS__ITEM_TYPE__ITEM_HISTOGRAM:
        return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "count", (json_int_t)item->count, "p50_ns",
                         (json_int_t)item->p50_ns, "p90_ns", (json_int_t)item->p90_ns, "p99_ns",
                         (json_int_t)item->p99_ns, "p999_ns", (json_int_t)item->p999_ns, "max_ns",
                         (json_int_t)item->max_ns);
    default:
        return json_real(item->value);
    }
}

static json_t *status_json(const Stenness__Status *s)
{
    json_t *items = json_object();
    for (size_t i = 0; i < s->n_items; i++)
        json_object_set_new(items, s->items[i]->name, item_json(s->items[i]));
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:f, s:o}", "peer", s->peer, "health", health_word(s->health),
                     "line", s->line, "epoch", (json_int_t)s->epoch, "pid", (json_int_t)s->pid, "up_seconds",
                     (double)s->up_ns / (double)STN_S, "items", items);
}

static void print_items(const Stenness__Status *s)
{
    for (size_t i = 0; i < s->n_items; i++) {
        const Stenness__StatusItem *item = s->items[i];
        switch (item->type) {
        case STENNESS__ITEM_TYPE__ITEM_TEXT:
            printf("    %-40s %s\n", item->name, item->text);
            break;
        case STENNESS__ITEM_TYPE__ITEM_HISTOGRAM:
            printf("    %-40s %" PRIu64 " times, median %.3f ms, 99 %% under %.3f ms, worst %.3f ms\n",
                   item->name, item->count, (double)item->p50_ns / 1e6, (double)item->p99_ns / 1e6,
                   (double)item->max_ns / 1e6);
            break;
        default:
            printf("    %-40s %.10g\n", item->name, item->value);
        }
    }
}

/* Asks one door and prints or collects; false when it is not well. */
static bool one_door(const char *instance, const stn_door_name *door, bool all, json_t *list)
{
    stn_ask *ask = NULL;
    stn_msg *answer = NULL;
    const Stenness__Status *s = NULL;
    stn_err err = {0};
    bool well = false;

    if (stn_ask_open(instance, door->name, ASK_NS, &ask, &err) == STN_OK &&
        stn_door_status(ask, ASK_NS, &answer, &s, &err) == STN_OK) {
        well = s->health != STENNESS__HEALTH_STATE__HEALTH_FAILED;
        if (list) {
            json_array_append_new(list, status_json(s));
        } else {
            printf("  %-14s %-9s pid %-8u up %6.0f s  %s\n", s->peer, health_word(s->health), s->pid,
                   (double)s->up_ns / (double)STN_S, s->line);
            if (all)
                print_items(s);
        }
    } else if (list) {
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s}", "peer", door->name, "health", "silent", "line", err.text));
    } else {
        printf("  %-14s silent    pid %-8d %s\n", door->name, door->pid, err.text);
    }
    if (answer)
        stn_msg_unref(answer);
    stn_ask_free(ask);
    return well;
}

static json_t *supervisor_state(const char *instance)
{
    char folder[STN_ADDRESS_MAX], path[STN_ADDRESS_MAX + 16];
    uint8_t *text;
    size_t len;
    json_t *state;

    if (stn_address_folder(instance, folder, sizeof folder, NULL) != STN_OK)
        return NULL;
    snprintf(path, sizeof path, "%s/run.json", folder);
    if (stn_file_read(path, 1 << 20, &text, &len, NULL) != STN_OK)
        return NULL;
    state = json_loadb((const char *)text, len, 0, NULL);
    free(text);
    return state;
}

static bool print_supervisor(json_t *state)
{
    json_t *piece;
    size_t i;
    bool well = true;

    json_array_foreach(json_object_get(state, "pieces"), i, piece)
    {
        const char *name = json_string_value(json_object_get(piece, "name"));
        int deaths = (int)json_integer_value(json_object_get(piece, "deaths"));
        bool loop = json_is_true(json_object_get(piece, "crash_loop"));
        well &= !loop;
        if (deaths > 0)
            printf("  %-14s died %d time%s%s\n", name ? name : "?", deaths, deaths == 1 ? "" : "s",
                   loop ? " and is in a crash loop: see its log" : ", runs again");
    }
    return well;
}

static int status(const stn_opts *opts)
{
    const char *instance = stn_opts_instance(opts);
    stn_door_name doors[256];
    size_t n = 0;
    stn_err err = {0};
    json_t *list = stn_opts_switch(opts, "json") ? json_array() : NULL, *state;
    bool well = true;

    if (stn_control_list(instance, doors, sizeof doors / sizeof *doors, &n, &err) != STN_OK || n == 0) {
        fprintf(stderr, "stenness status: %s\n", err.code ? err.text : "nothing runs in this instance");
        json_decref(list);
        return EXIT_FAILURE;
    }
    state = supervisor_state(instance);
    if (!list)
        printf("instance %s\n", instance);
    for (size_t i = 0; i < n; i++)
        well &= one_door(instance, &doors[i], stn_opts_switch(opts, "all"), list);
    if (list) {
        json_t *whole =
            json_pack("{s:s, s:o, s:O?}", "instance", instance, "pieces", list, "supervisor", state);
        json_dumpf(whole, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(whole);
    } else if (state) {
        well &= print_supervisor(state);
    }
    json_decref(state);
    return well ? EXIT_SUCCESS : EXIT_FAILURE;
}

int cmd_status(int argc, char **argv)
{
    stn_opts *opts;
    int result;

    switch (stn_opts_parse(&spec, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    result = status(opts);
    stn_opts_free(opts);
    return result;
}
