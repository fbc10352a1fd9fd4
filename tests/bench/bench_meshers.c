/* One mesher process against two: bench_meshers PROGRAM CASE.in [--cuts N] [--link ipc|curve|curve+delay]
 *
 * PROGRAM is stenness-mesher, CASE.in a terrain vector; this program plays world. Each mesher has one build
 * thread.
 *   cold   every cut lies where no noise block was made before
 *   warm   a few cuts over and over, all their blocks made
 * over the local socket, over CURVE on loopback, and over CURVE through a relay that delays every byte by
 * DELAY_MS each way. JSON, one object a line: cuts a second with one and with two meshers, how many times
 * that is, which part of the time the build threads had a cut in hand (the rest are gaps), the processor
 * time of all processes a cut, starting them included, how many jobs a mesher asks for at the end, megabytes
 * a second, and the copies that this process made of the products (none).
 */
#include "relay.h"
#include "support/terrain_case.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "bus/array.h"
#include "bus/bus.h"
#include "support/support.h"

#include "proto/mesh.pb-c.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MESHERS 2
#define DELAY_MS 20

typedef struct worker {
    stn_peer *peer;
    uint32_t jobs, inflight;
} worker;

typedef struct world {
    const char *only; /* the one link to measure; NULL: all */
    stn_loop *loop;
    stn_bus *bus;
    stn_conv *door;
    const terrain_case *c;
    worker workers[MESHERS];
    bool warm, running;
    uint64_t given, most, done, failed, bytes, copied, build_us;
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

static void fill(world *w)
{
    for (int i = 0; i < MESHERS; i++)
        while (w->running && w->workers[i].peer && w->workers[i].inflight < w->workers[i].jobs &&
               w->given < w->most)
            send_job(w, &w->workers[i]);
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

/* Processor time of this process and of the meshers that have ended, in microseconds. */
static double cpu_us(void)
{
    struct rusage own, theirs;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &theirs);
    return 1e6 * (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + theirs.ru_utime.tv_sec +
                          theirs.ru_stime.tv_sec) +
           (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + theirs.ru_utime.tv_usec +
                    theirs.ru_stime.tv_usec);
}

/* Turns until the count is reached, a minute at most. */
static bool until(world *w, const uint64_t *count, uint64_t want)
{
    int64_t end = stn_clock_ns() + 60 * STN_S;
    stn_err err = {0};
    while (*count < want && stn_clock_ns() < end)
        if (stn_loop_turn(w->loop, 20 * STN_MS, &err) != STN_OK)
            fail("loop", &err);
    return *count >= want;
}

static pid_t spawn(const char *program, const char *endpoint, const char *server_key, const char *key)
{
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv("STN_LOG", "error", 1);
    if (endpoint)
        execl(program, program, "--threads", "1", "--no-ahead", "--no-zstd", "--connect", endpoint,
              "--server-key", server_key, "--key", key, (char *)NULL);
    else
        execl(program, program, "--threads", "1", "--no-ahead", (char *)NULL);
    _exit(127);
}

typedef struct figures {
    double cuts_per_s, mb_per_s, busy, cpu_us;
    uint32_t jobs;
} figures;

static figures rate(world *w, const char *program, const char *const endpoint[3], int n, bool warm,
                    uint64_t cuts)
{
    pid_t pids[MESHERS];
    uint64_t there = 0;
    int64_t end = stn_clock_ns() + 30 * STN_S, start, ns;
    stn_err err = {0};

    memset(w->workers, 0, sizeof w->workers);
    w->running = false;
    double cpu = cpu_us();
    for (int i = 0; i < n; i++)
        pids[i] = spawn(program, endpoint[0], endpoint[1], endpoint[2]);
    while (there < (uint64_t)n && stn_clock_ns() < end) {
        if (stn_loop_turn(w->loop, 20 * STN_MS, &err) != STN_OK)
            fail("loop", &err);
        there = stn_conv_peer_count(w->door);
    }
    w->warm = warm;
    w->running = true;
    w->done = w->given = w->bytes = w->failed = 0;
    /* Code, arenas, when warm also blocks, and what a mesher asks for over its link. */
    w->most = (uint64_t)n * 64 + cuts / 4;
    fill(w);
    if (!until(w, &w->done, w->most))
        fail("the meshers did not answer", &err);
    w->bytes = w->build_us = 0;
    uint64_t before = w->done;
    w->most += cuts;
    uint64_t copied = stn_frame_copied_bytes();
    start = stn_clock_ns();
    fill(w);
    if (!until(w, &w->done, before + cuts) || w->failed) {
        snprintf(err.text, sizeof err.text, "%.300s", w->why);
        fail("cuts failed", &err);
    }
    ns = stn_clock_ns() - start;
    w->copied += stn_frame_copied_bytes() - copied;
    figures f = {(double)cuts / ((double)ns / 1e9), (double)w->bytes / 1e6 / ((double)ns / 1e9),
                 (double)w->build_us * 1e3 / (double)ns / n, 0, w->workers[0].jobs};
    for (int i = 0; i < n; i++)
        kill(pids[i], SIGTERM);
    for (int i = 0; i < n; i++)
        waitpid(pids[i], NULL, 0);
    f.cpu_us = (cpu_us() - cpu) / (double)w->done;
    for (end = stn_clock_ns() + 10 * STN_S; stn_conv_peer_count(w->door) && stn_clock_ns() < end;)
        if (stn_loop_turn(w->loop, 20 * STN_MS, &err) != STN_OK)
            fail("loop", &err);
    return f;
}

static void measure(world *w, const char *program, const char *link, const char *const endpoint[3],
                    uint64_t cuts)
{
    if (w->only && strcmp(w->only, link) != 0)
        return;
    for (int warm = 0; warm < 2; warm++) {
        w->copied = 0;
        figures one = rate(w, program, endpoint, 1, warm, cuts);
        figures two = rate(w, program, endpoint, 2, warm, cuts);
        printf("{\"case\":\"%s\",\"link\":\"%s\",\"blocks\":\"%s\",\"one_cuts_per_s\":%.0f,\"two_cuts_per_"
               "s\":%.0f,"
               "\"times\":%.2f,\"one_busy\":%.2f,\"two_busy\":%.2f,\"one_cpu_us_a_cut\":%.0f,\"two_cpu_us_a_"
               "cut\":%.0f,\"one_jobs\":%u,\"two_jobs\":%u,"
               "\"two_mb_per_s\":%.1f,\"copied_bytes\":%llu}\n",
               w->c->name, link, warm ? "warm" : "cold", one.cuts_per_s, two.cuts_per_s,
               two.cuts_per_s / one.cuts_per_s, one.busy, two.busy, one.cpu_us, two.cpu_us, one.jobs,
               two.jobs, two.mb_per_s, (unsigned long long)w->copied);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const char *program = NULL, *file = NULL;
    int64_t cuts = 1000;
    char folder[] = "/tmp/stn-meshers-XXXXXX", path[512], allow[64], own[64], far[64];
    pid_t relay;
    world w = {0};
    size_t len;
    stn_err err = {0};
    stn_keys server = {0}, client = {0};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--cuts") == 0 && i + 1 < argc && stn_text_i64(argv[i + 1], 10, 1000000, &cuts))
            i++;
        else if (strcmp(argv[i], "--link") == 0 && i + 1 < argc)
            w.only = argv[++i];
        else if (!program)
            program = argv[i];
        else
            file = argv[i];
    }
    if (!program || !file) {
        fprintf(stderr, "usage: bench_meshers PROGRAM CASE.in [--cuts N] [--link ipc|curve|curve+delay]\n");
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
    if (relay_start(stn_conv_endpoint(w.door, 1), DELAY_MS, far, sizeof far, &relay, &err) != STN_OK)
        fail("relay", &err);
    measure(&w, program, "curve+delay", (const char *const[3]){far, server.public_key, own}, (uint64_t)cuts);
    kill(relay, SIGKILL);
    waitpid(relay, NULL, 0);
    stn_conv_free(w.door);
    stn_bus_free(w.bus);
    stn_loop_free(w.loop);
    terrain_case_free(c);
    free(text);
    snprintf(path, sizeof path, "rm -rf %s", folder);
    return system(path);
}
