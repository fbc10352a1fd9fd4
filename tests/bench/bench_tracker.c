/* bench_tracker: time per tick over population x movers x viewers, one core. Prints JSON lines.
 *
 * A mover moves and has its motion component (48 bytes) set each tick. Entities lie in a square that is as
 * large as makes a viewer see the wanted number; viewers stand at random in it. "dense": everything lies in
 * everyone's range. */
#include "base/clock.h"
#include "world/tracker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS 1100.0
#define TICKS 40

typedef struct row {
    const char *name;
    uint32_t entities, movers, viewers, seen;
} row;

static const row rows[] = {
    {"issue", 100000, 10000, 100, 1000},
    {"population/10", 10000, 1000, 100, 1000},
    {"movers/10", 100000, 1000, 100, 1000},
    {"no movers", 100000, 0, 100, 1000},
    {"viewers/10", 100000, 10000, 10, 1000},
    {"seen/10", 100000, 10000, 100, 100},
    {"population*4", 400000, 10000, 100, 1000},
    {"B6 64 viewers", 10000, 500, 64, 600},
    {"B6 one viewer", 3000, 150, 1, 3000},
    {"dense", 10000, 10000, 100, 10000},
    {"idle", 10000, 0, 64, 600},
};

typedef struct totals {
    size_t packets, bytes, entries;
} totals;

static void on_packet(void *arg, const stn_tracker_packet *p)
{
    totals *t = arg;
    t->packets++;
    t->entries += p->n_entries + p->n_removed;
    for (size_t i = 0; i < p->n_updates; i++)
        t->bytes += p->updates[i].len + p->updates[i].data[0] % 1u;
}

static uint64_t state = 88172645463325252u;

static double chance(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void run(const row *r)
{
    stn_tracker *t = stn_tracker_new();
    stn_incarnation *e = malloc(r->entities * sizeof *e);
    double *x = malloc(r->entities * sizeof *x), *y = malloc(r->entities * sizeof *y);
    /* seen = entities * pi R^2 / side^2; the dense and full rows fit into the circle instead. */
    double side = r->seen >= r->entities
                      ? RADIUS
                      : sqrt((double)r->entities * 3.14159265358979 * RADIUS * RADIUS / r->seen);
    uint8_t motion[48] = {0};
    int64_t times[TICKS], changes = 0;
    totals total = {0};
    stn_tracker_stats s;

    for (uint32_t i = 0; i < r->entities; i++) {
        x[i] = chance() * side;
        y[i] = chance() * side;
        e[i] = stn_tracker_spawn(t, i + 1, x[i], y[i], 20);
        stn_tracker_set(t, e[i], 0, motion, 32);
        stn_tracker_set(t, e[i], 2, motion, 40);
        if (i < r->movers)
            stn_tracker_set(t, e[i], 1, motion, 48);
    }
    for (uint32_t i = 0; i < r->viewers; i++) {
        stn_viewer_id v = stn_tracker_add_viewer(t);
        bool all = r->seen >= r->entities;
        stn_tracker_look(t, v, RADIUS, 0, NULL);
        /* Away from the rim, so that each sees the number it should. */
        stn_tracker_place_at(t, v, all ? side / 2 : RADIUS + chance() * (side - 2 * RADIUS),
                             all ? side / 2 : RADIUS + chance() * (side - 2 * RADIUS));
    }
    for (int k = -3; k < TICKS; k++) {
        int64_t begin, changed;
        if (k == 0)
            total = (totals){0};
        begin = stn_clock_thread_cpu_ns();
        for (uint32_t i = 0; i < r->movers; i++) {
            x[i] += (double)(i % 7) * 0.3 - 0.9;
            y[i] += (double)(i % 5) * 0.3 - 0.6;
            motion[8] = (uint8_t)k;
            stn_tracker_move(t, e[i], x[i], y[i]);
            stn_tracker_set(t, e[i], 1, motion, sizeof motion);
        }
        changed = stn_clock_thread_cpu_ns();
        stn_tracker_tick(t, on_packet, &total, NULL);
        if (k >= 0) {
            times[k] = stn_clock_thread_cpu_ns() - begin;
            changes += changed - begin;
        }
    }
    stn_tracker_get_stats(t, &s);
    qsort(times, TICKS, sizeof times[0], by_time);
    printf(
        "{\"row\":\"%s\",\"entities\":%u,\"movers\":%u,\"viewers\":%u,\"seen_each\":%.0f,\"median_ms\":%.3f,"
        "\"p95_ms\":%.3f,\"of_that_changes_ms\":%.3f,\"updates_per_tick\":%zu,\"ns_per_seen\":%.1f,"
        "\"entries_per_viewer\":%.1f,\"bytes_per_viewer\":%.0f}\n",
        r->name, r->entities, r->movers, r->viewers, (double)s.seen_pairs / r->viewers,
        (double)times[TICKS / 2] / 1e6, (double)times[TICKS * 95 / 100] / 1e6, (double)changes / TICKS / 1e6,
        s.updates, (double)times[TICKS / 2] / (double)(s.seen_pairs ? s.seen_pairs : 1),
        (double)total.entries / (double)total.packets, (double)total.bytes / (double)total.packets);
    stn_tracker_free(t);
    free(e);
    free(x);
    free(y);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (argc < 2 || !strcmp(argv[1], rows[i].name))
            run(&rows[i]);
    return 0;
}
