/* One mesher process against two: bench_meshers PROGRAM CASE.in [--cuts N] [--link ipc|curve|curve+delay]
 *                                                               [--mode free|bound] [--blocks cold|warm]
 *
 * PROGRAM is stenness-mesher, CASE.in a terrain vector; this program plays world. Each mesher has one build
 * thread, a reactor and libzmq's I/O thread.
 *
 * Modes:
 *   free   the system puts every thread where it likes. One mesher then builds on one core while the other
 *          core moves its products, so it has the whole machine already, and two cannot be faster than the
 *          work of moving leaves room for.
 *   bound  each mesher with all its threads has a core of its own (mesher 0 core 0, mesher 1 core 1), as a
 *          machine of its own would be; what plays world runs where there is room. One mesher then has one
 *          core for building and moving, and a second one brings a second core, less what world takes of it.
 *
 * Blocks:
 *   cold   every cut lies where no noise block was made before
 *   warm   a few cuts over and over, all their blocks made
 *
 * Links: over the local socket, over CURVE on loopback, and over CURVE through a relay that delays every byte
 * by DELAY_MS each way.
 *
 * JSON, one object a line: `times` is the cuts a second with two meshers over those with one. Of each: which
 * part of the time the build threads had a cut in hand (the rest are gaps); a cut's processor time, of
 * building alone, of the meshers, of world and of the relay; how often a thread stopped running a cut, by
 * waiting or by being put aside, in the meshers and in world; how many jobs a mesher asks for at the end. And
 * megabytes a second, bytes a cut, and the copies that this process made of the products (none).
 */
#include "relay.h"
#include "support/terrain_case.h"
#include "usage.h"

#include "base/clock.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/text.h"
#include "bus/array.h"
#include "bus/bus.h"
#include "support/support.h"

#include "proto/mesh.pb-c.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESHERS 2
#define DELAY_MS 20
#define REFILL_MAX 8
#define ROUNDS 5
#define SETTLE_NS (3 * STN_S) /* a mesher says anew each second what it asks for */

typedef struct worker {
    stn_peer *peer;
    uint32_t jobs, inflight;
} worker;

typedef struct world {
    const char *link, *mode, *blocks; /* the one to measure; NULL: all */
    stn_loop *loop;
    stn_bus *bus;
    stn_conv *door;
    const terrain_case *c;
    worker workers[MESHERS];
    bool warm, running;
    pid_t relay; /* 0: there is none */
    uint64_t given, done, failed, bytes, copied, build_us;
    char why[320];
} world;

static void fail(const char *what, const stn_err *err)
{
    fprintf(stderr, "bench_meshers: %s: %s\n", what, err->text);
    exit(1);
}

static worker *worker_of(world *w, const stn_peer *peer)
{
    for (int i = 0; i < MESHERS; i++)
        if (w->workers[i].peer == peer)
            return &w->workers[i];
    return NULL;
}

static void send_set(stn_peer *peer, const stn_tileset *set, uint32_t handle)
{
    Stenness__Tileset t = STENNESS__TILESET__INIT;
    Stenness__Array data = STENNESS__ARRAY__INIT;
    stn_buf b = {0};
    stn_err err = {0};

    stn_tileset_encode(set, &b);
    stn_frame *frame = stn_frame_copy(b.data, b.len);
    data.count = b.len;
    data.format = STENNESS__ELEMENT_FORMAT__ELEMENT_BYTES;
    t.handle = handle;
    t.name = (char *)set->def.name;
    t.data = &data;
    stn_send s = {.kind = STENNESS__MESH_KIND__MESH_TILESET, .body = &t.base, .bulk = &frame, .n_bulk = 1};
    if (stn_peer_send(peer, &s, &err) != STN_OK)
        fail("tileset", &err);
    stn_frame_unref(frame);
    stn_buf_fini(&b);
}

static void send_job(world *w, worker *m)
{
    const terrain_case *c = w->c;
    Stenness__Job job = STENNESS__JOB__INIT;
    Stenness__Array tiles = STENNESS__ARRAY__INIT, heights = STENNESS__ARRAY__INIT;
    stn_array_plan plan = {0};
    uint32_t ids[TERRAIN_MAX_SETS], handles[TERRAIN_MAX_SETS];
    stn_err err = {0};
    size_t t = stn_array_add(&plan, &tiles, STENNESS__ELEMENT_FORMAT__ELEMENT_U16, 27 * 27);
    size_t h = stn_array_add(&plan, &heights, STENNESS__ELEMENT_FORMAT__ELEMENT_F32, 28 * 28);
    stn_frame *frame = stn_array_plan_frame(&plan);

    memcpy(stn_frame_writable(frame) + t, c->tiles, sizeof c->tiles);
    memcpy(stn_frame_writable(frame) + h, c->heights, sizeof c->heights);
    uint64_t n = w->given++;
    job.ticket = n + 1;
    job.grid_id = (int64_t)n;
    /* Two grids apart, no two cuts read the same block. */
    job.grid_x = (int32_t)(2 * (w->warm ? n % 4 : n));
    job.grid_y = w->warm ? 1000 : 0;
    job.blend_passes = c->job.blend;
    job.transitions = true;
    job.margin = 1;
    job.tiles = &tiles;
    job.heights = &heights;
    for (size_t i = 0; i < c->nsets; i++) {
        ids[i] = c->sets[i].id;
        handles[i] = 200 + (uint32_t)i;
    }
    job.n_tile_ids = job.n_tilesets = c->nsets;
    job.tile_ids = ids;
    job.tilesets = handles;
    job.lease_ms = 60000;
    stn_send s = {.kind = STENNESS__MESH_KIND__MESH_JOB, .body = &job.base, .bulk = &frame, .n_bulk = 1};
    if (stn_peer_send(m->peer, &s, &err) != STN_OK)
        fail("job", &err);
    stn_frame_unref(frame);
    m->inflight++;
}

/* As world does: several places free, or all taken. */
static void fill(world *w)
{
    for (int i = 0; i < MESHERS; i++) {
        worker *m = &w->workers[i];
        uint32_t room = m->jobs / 4;
        room = room < 1 ? 1 : room > REFILL_MAX ? REFILL_MAX : room;
        if (w->running && m->peer && m->inflight + room <= m->jobs)
            while (m->inflight < m->jobs)
                send_job(w, m);
    }
}

static stn_status on_ready(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    world *w = ctx;
    worker *m = worker_of(w, peer);

    (void)err;
    for (int i = 0; i < MESHERS && !m; i++)
        if (!w->workers[i].peer) {
            m = &w->workers[i];
            m->peer = peer;
            for (size_t k = 0; k < w->c->nmasks; k++)
                send_set(peer, w->c->masks[k], 100 + (uint32_t)k);
            for (size_t k = 0; k < w->c->nsets; k++)
                send_set(peer, w->c->sets[k].set, 200 + (uint32_t)k);
        }
    if (m)
        m->jobs = ((const Stenness__MesherReady *)stn_msg_body(msg))->jobs;
    fill(w);
    return STN_OK;
}

static void finished(world *w, stn_peer *peer)
{
    worker *m = worker_of(w, peer);
    if (m)
        m->inflight--;
    w->done++;
    fill(w);
}

static stn_status on_product(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    world *w = ctx;
    (void)err;
    w->bytes += stn_frame_len(stn_msg_bulk(msg, 0));
    w->build_us += ((const Stenness__Product *)stn_msg_body(msg))->build_us;
    finished(w, peer);
    return STN_OK;
}

static stn_status on_failed(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    world *w = ctx;
    (void)err;
    w->failed++;
    snprintf(w->why, sizeof w->why, "%s", ((const Stenness__JobFailed *)stn_msg_body(msg))->text);
    finished(w, peer);
    return STN_OK;
}

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    worker *m = worker_of(ctx, peer);
    (void)why;
    if (m)
        *m = (worker){0};
}

static const stn_handler handlers[] = {
    {STENNESS__MESH_KIND__MESH_MESHER_READY, "ready", 4096, &stenness__mesher_ready__descriptor, on_ready,
     false},
    {STENNESS__MESH_KIND__MESH_PRODUCT, "product", 8 << 20, &stenness__product__descriptor, on_product,
     false},
    {STENNESS__MESH_KIND__MESH_JOB_FAILED, "failed", 4096, &stenness__job_failed__descriptor, on_failed,
     false},
};

/* core < 0: anywhere. */
static pid_t spawn(const char *program, const char *const endpoint[3], int core)
{
    cpu_set_t set;
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("STN_LOG", "error", 1);
    CPU_ZERO(&set);
    CPU_SET((size_t)(core < 0 ? 0 : core), &set);
    if (core >= 0 && sched_setaffinity(0, sizeof set, &set) != 0)
        perror("bench_meshers: a core of its own");
    else if (endpoint[0])
        execl(program, program, "--threads", "1", "--no-ahead", "--no-zstd", "--connect", endpoint[0],
              "--server-key", endpoint[1], "--key", endpoint[2], (char *)NULL);
    else
        execl(program, program, "--threads", "1", "--no-ahead", (char *)NULL);
    perror(program);
    _exit(127);
}

typedef struct figures {
    double cuts_per_s, mb_per_s, busy;
    double build_us, mesher_us, world_us, relay_us; /* of a cut */
    double mesher_switches, world_switches;
    uint32_t jobs;
} figures;

/* What was used from one reading to the next, by the meshers, this process and the relay. */
typedef struct reading {
    int64_t ns;
    uint64_t done, bytes, build_us;
    usage meshers[MESHERS], world, relay;
} reading;

static reading read_all(const world *w, const pid_t *pids, int n)
{
    reading r = {.ns = stn_clock_ns(), .done = w->done, .bytes = w->bytes, .build_us = w->build_us};

    for (int i = 0; i < n; i++)
        r.meshers[i] = usage_of(pids[i]);
    r.world = usage_of(getpid());
    if (w->relay)
        r.relay = usage_of(w->relay);
    return r;
}

static figures figures_of(const world *w, const reading *from, const reading *to, int n)
{
    usage meshers = {0}, own = {0}, relay = {0};
    double s = (double)(to->ns - from->ns) / 1e9, cuts = (double)(to->done - from->done);

    for (int i = 0; i < n; i++)
        usage_add(&meshers, &from->meshers[i], &to->meshers[i]);
    usage_add(&own, &from->world, &to->world);
    usage_add(&relay, &from->relay, &to->relay);
    return (figures){.cuts_per_s = cuts / s,
                     .mb_per_s = (double)(to->bytes - from->bytes) / 1e6 / s,
                     .busy = (double)(to->build_us - from->build_us) / 1e6 / s / n,
                     .build_us = (double)(to->build_us - from->build_us) / cuts,
                     .mesher_us = (double)meshers.cpu_ns / 1e3 / cuts,
                     .world_us = (double)own.cpu_ns / 1e3 / cuts,
                     .relay_us = (double)relay.cpu_ns / 1e3 / cuts,
                     .mesher_switches = (double)(meshers.waits + meshers.preempted) / cuts,
                     .world_switches = (double)(own.waits + own.preempted) / cuts,
                     .jobs = w->workers[0].jobs};
}

static void turn_until(world *w, bool (*over)(const world *w, uint64_t want, int64_t when), uint64_t want,
                       int64_t when)
{
    int64_t end = stn_clock_ns() + 60 * STN_S;
    stn_err err = {0};

    while (!over(w, want, when)) {
        if (stn_loop_turn(w->loop, 20 * STN_MS, &err) != STN_OK)
            fail("loop", &err);
        if (w->failed) {
            snprintf(err.text, sizeof err.text, "%.300s", w->why);
            fail("a cut failed", &err);
        }
        if (stn_clock_ns() > end) {
            snprintf(err.text, sizeof err.text, "within a minute");
            fail("the meshers did not answer", &err);
        }
    }
}

static bool all_there(const world *w, uint64_t want, int64_t when)
{
    (void)when;
    return stn_conv_peer_count(w->door) == want;
}

static bool built(const world *w, uint64_t want, int64_t when)
{
    return w->done >= want && stn_clock_ns() >= when;
}

static figures rate(world *w, const char *program, const char *const endpoint[3], int n, bool warm,
                    bool bound, uint64_t cuts)
{
    pid_t pids[MESHERS];

    memset(w->workers, 0, sizeof w->workers);
    w->running = false;
    for (int i = 0; i < n; i++)
        pids[i] = spawn(program, endpoint, bound ? i : -1);
    turn_until(w, all_there, (uint64_t)n, 0);
    w->warm = warm;
    w->running = true;
    w->done = w->given = w->bytes = w->failed = w->build_us = 0;
    fill(w);
    /* Code, arenas, when warm also blocks, and, over a far link, what a mesher asks for. Nothing is waited
     * for in between: the figures are those of a stream of cuts, without its beginning and end. */
    turn_until(w, built, (uint64_t)n * 64 + cuts / 4, stn_clock_ns() + (w->relay ? SETTLE_NS : 0));
    uint64_t copied = stn_frame_copied_bytes();
    reading from = read_all(w, pids, n);
    turn_until(w, built, w->done + cuts, 0);
    reading to = read_all(w, pids, n);
    w->copied += stn_frame_copied_bytes() - copied;
    figures f = figures_of(w, &from, &to, n);
    w->running = false;
    for (int i = 0; i < n; i++)
        kill(pids[i], SIGTERM);
    for (int i = 0; i < n; i++)
        waitpid(pids[i], NULL, 0);
    turn_until(w, all_there, 0, 0);
    return f;
}

static int by_rate(const void *a, const void *b)
{
    double x = ((const figures *)a)->cuts_per_s, y = ((const figures *)b)->cuts_per_s;
    return (x > y) - (x < y);
}

static void print_figures(const char *name, const figures *f)
{
    printf("\"%s\":{\"cuts_per_s\":%.0f,\"busy\":%.2f,\"build_us\":%.0f,\"mesher_cpu_us\":%.0f,"
           "\"world_cpu_us\":%.0f,\"relay_cpu_us\":%.0f,\"mesher_switches\":%.1f,"
           "\"world_switches\":%.1f,\"jobs\":%u,\"mb_per_s\":%.1f},",
           name, f->cuts_per_s, f->busy, f->build_us, f->mesher_us, f->world_us, f->relay_us,
           f->mesher_switches, f->world_switches, f->jobs, f->mb_per_s);
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One and two in turn, ROUNDS times: other guests of the machine take what they take, so two figures are
 * compared that were measured together, and the comparison in the middle counts. */
static void measure_one(world *w, const char *program, const char *link, const char *const endpoint[3],
                        bool bound, bool warm, uint64_t cuts)
{
    figures one[ROUNDS], two[ROUNDS];
    double times[ROUNDS];

    w->copied = 0;
    for (int k = 0; k < ROUNDS; k++) {
        one[k] = rate(w, program, endpoint, 1, warm, bound, cuts);
        two[k] = rate(w, program, endpoint, 2, warm, bound, cuts);
        times[k] = two[k].cuts_per_s / one[k].cuts_per_s;
    }
    qsort(times, ROUNDS, sizeof *times, by_number);
    qsort(one, ROUNDS, sizeof *one, by_rate);
    qsort(two, ROUNDS, sizeof *two, by_rate);
    const figures *a = &one[ROUNDS / 2], *b = &two[ROUNDS / 2];
    printf("{\"case\":\"%s\",\"link\":\"%s\",\"mode\":\"%s\",\"blocks\":\"%s\","
           "\"times\":%.2f,\"times_least\":%.2f,\"times_most\":%.2f,",
           w->c->name, link, bound ? "bound" : "free", warm ? "warm" : "cold", times[ROUNDS / 2], times[0],
           times[ROUNDS - 1]);
    print_figures("one", a);
    print_figures("two", b);
    printf("\"bytes_a_cut\":%.0f,\"copied_bytes\":%llu}\n", a->mb_per_s * 1e6 / a->cuts_per_s,
           (unsigned long long)w->copied);
    fflush(stdout);
}

static void measure(world *w, const char *program, const char *link, const char *const endpoint[3],
                    uint64_t cuts)
{
    if (w->link && strcmp(w->link, link) != 0)
        return;
    for (int bound = 0; bound < 2; bound++)
        for (int warm = 0; warm < 2; warm++)
            if ((!w->mode || strcmp(w->mode, bound ? "bound" : "free") == 0) &&
                (!w->blocks || strcmp(w->blocks, warm ? "warm" : "cold") == 0))
                measure_one(w, program, link, endpoint, bound, warm, cuts);
}

int main(int argc, char **argv)
{
    const char *program = NULL, *file = NULL;
    int64_t cuts = 1000;
    char folder[] = "/tmp/stn-meshers-XXXXXX", path[512], allow[64], own[64], far[64];
    world w = {0};
    size_t len;
    stn_err err = {0};
    stn_keys server = {0}, client = {0};

    stn_heap_for_bulk(); /* as world does */
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--cuts") == 0 && i + 1 < argc && stn_text_i64(argv[i + 1], 10, 1000000, &cuts))
            i++;
        else if (strcmp(argv[i], "--link") == 0 && i + 1 < argc)
            w.link = argv[++i];
        else if (strcmp(argv[i], "--mode") == 0 && i + 1 < argc)
            w.mode = argv[++i];
        else if (strcmp(argv[i], "--blocks") == 0 && i + 1 < argc)
            w.blocks = argv[++i];
        else if (!program)
            program = argv[i];
        else
            file = argv[i];
    }
    if (!program || !file) {
        fprintf(stderr, "usage: bench_meshers PROGRAM CASE.in [--cuts N] [--link ipc|curve|curve+delay] "
                        "[--mode free|bound] [--blocks cold|warm]\n");
        return 2;
    }
    char *text = (char *)vec_read(*file == '/' ? "/" : ".", file, &len);
    terrain_case *c = text ? terrain_case_new(text, len, &err) : NULL;
    if (!c)
        fail(file, &err);
    w.c = c;
    for (size_t i = 0; i < c->nmasks; i++)
        c->masks[i]->def.handle = 100 + (uint32_t)i;
    if (!mkdtemp(folder))
        return 1;
    setenv("XDG_RUNTIME_DIR", folder, 1);
    stn_log_set_level(STN_LOG_ERROR);
    const stn_conv_spec door = {.name = "mesh",
                                .handlers = handlers,
                                .n_handlers = sizeof handlers / sizeof handlers[0],
                                .ctx = &w,
                                .down = on_down};
    snprintf(allow, sizeof allow, "%s/allow", folder);
    snprintf(own, sizeof own, "%s/bench.pub_secret", folder);
    snprintf(path, sizeof path, "mkdir -p %s && cp %s/bench.pub %s/", allow, folder, allow);
    if (stn_loop_new(&w.loop, &err) != STN_OK ||
        stn_bus_new(w.loop, &(stn_bus_spec){.kind = "world"}, &w.bus, &err) != STN_OK ||
        stn_bus_bind(w.bus, &door, &w.door, &err) != STN_OK ||
        stn_keys_generate("server", &server, &err) != STN_OK ||
        stn_keys_generate("bench", &client, &err) != STN_OK || stn_keys_save(&client, folder, &err) != STN_OK)
        fail("world", &err);
    if (system(path) != 0 || stn_conv_bind_also(w.door, "tcp://127.0.0.1:*", &server, allow, &err) != STN_OK)
        fail("CURVE door", &err);
    measure(&w, program, "ipc", (const char *const[3]){NULL, NULL, NULL}, (uint64_t)cuts);
    measure(&w, program, "curve",
            (const char *const[3]){stn_conv_endpoint(w.door, 1), server.public_key, own}, (uint64_t)cuts);
    if (relay_start(stn_conv_endpoint(w.door, 1), DELAY_MS, far, sizeof far, &w.relay, &err) != STN_OK)
        fail("relay", &err);
    measure(&w, program, "curve+delay", (const char *const[3]){far, server.public_key, own}, (uint64_t)cuts);
    kill(w.relay, SIGKILL);
    waitpid(w.relay, NULL, 0);
    stn_conv_free(w.door);
    stn_bus_free(w.bus);
    stn_loop_free(w.loop);
    terrain_case_free(c);
    free(text);
    snprintf(path, sizeof path, "rm -rf %s", folder);
    return system(path);
}
