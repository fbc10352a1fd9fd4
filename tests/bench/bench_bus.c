/* What the bus costs: a request and its answer, a stream of small messages, and forwarding a cut's product,
 * between processes on one machine. The door in the middle forwards; its processor time is what counts. */
#include "base/clock.h"
#include "base/log.h"
#include "bus/bus.h"

#include "proto/control.pb-c.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KIND_ECHO = 150, KIND_PRODUCT = 151, KIND_END = 152 };
#define BULK 16u
#define ROUND_TRIPS 20000
#define SMALL 200000
#define PRODUCTS 2000

typedef struct state {
    stn_loop *loop;
    stn_conv *conv;
    stn_peer *peer, *to; /* the door: from whom, to whom */
    unsigned got;
    bool echo;
    int64_t sent_ns;
    stn_hist trips;
} state;

static double cpu_s(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u); /* with libzmq's I/O thread */
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static stn_status send_again(stn_peer *to, stn_msg *msg, stn_err *err)
{
    stn_send send = {.kind = stn_msg_kind(msg),
                     .stream = stn_msg_stream(msg),
                     .correlation = stn_msg_correlation(msg),
                     .raw_frame = stn_msg_body_frame(msg),
                     .bulk = stn_msg_bulk_frames(msg),
                     .n_bulk = stn_msg_bulk_count(msg)};
    return stn_peer_send(to, &send, err);
}

static stn_status on_echo(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    state *s = ctx;
    s->got++;
    return s->echo ? send_again(peer, msg, err) : STN_OK;
}

static stn_status on_product(void *ctx, stn_peer *peer, stn_msg *msg, stn_err *err)
{
    state *s = ctx;
    (void)peer;
    s->got++;
    return s->to ? send_again(s->to, msg, err) : STN_OK;
}

static const stn_handler handlers[] = {
    {KIND_ECHO, "echo", 65536, &stenness__text__descriptor, on_echo, false},
    {KIND_PRODUCT, "product", 4 << 20, NULL, on_product, false},
};

static void on_up(void *ctx, stn_peer *peer)
{
    state *s = ctx;
    s->peer = peer;
    if (strcmp(stn_peer_kind(peer), "renderer") == 0)
        s->to = peer;
}

static void on_down(void *ctx, stn_peer *peer, stn_down_reason why)
{
    state *s = ctx;
    (void)why;
    if (s->to == peer)
        s->to = NULL;
    s->peer = NULL;
}

static void start(state *s, const char *kind, bool door)
{
    stn_bus_spec spec = {.kind = kind, .unnumbered = !door};
    stn_conv_spec conv = {
        .name = "bench", .handlers = handlers, .n_handlers = 2, .ctx = s, .up = on_up, .down = on_down};
    stn_bus *bus;
    stn_err err = {0};

    if (stn_loop_new(&s->loop, &err) || stn_bus_new(s->loop, &spec, &bus, &err) ||
        (door ? stn_bus_bind(bus, &conv, &s->conv, &err) : stn_bus_connect(bus, &conv, &s->conv, &err))) {
        fprintf(stderr, "bench_bus: %s\n", err.text);
        exit(1);
    }
}

static void turn(state *s)
{
    if (stn_loop_turn(s->loop, STN_S, NULL) != STN_OK)
        exit(1);
}

static void round_trips(state *s, size_t text_len)
{
    Stenness__Text t = STENNESS__TEXT__INIT;
    char *text = malloc(text_len + 1);

    if (!text)
        exit(1);
    memset(text, 'x', text_len);
    text[text_len] = 0;
    t.text = text;
    s->trips = (stn_hist){0};
    for (unsigned i = 0; i < ROUND_TRIPS; i++) {
        unsigned before = s->got;
        s->sent_ns = stn_clock_ns();
        stn_peer_say(s->peer, KIND_ECHO, 0, i + 1, &t.base, NULL);
        while (s->got == before)
            turn(s);
        stn_hist_add(&s->trips, stn_clock_ns() - s->sent_ns);
    }
    printf("request and answer, %zu bytes: median %.1f us, p99 %.1f us\n", text_len,
           (double)stn_hist_quantile(&s->trips, 0.5) / 1e3, (double)stn_hist_quantile(&s->trips, 0.99) / 1e3);
    free(text);
}

static void small_messages(state *s)
{
    Stenness__Text t = STENNESS__TEXT__INIT;
    unsigned sent = 0, before = s->got;
    int64_t start_ns = stn_clock_ns();

    t.text = "forty bytes or so, like an object's move";
    while (s->got - before < SMALL) {
        while (sent < SMALL && sent - (s->got - before) < 512 &&
               stn_peer_say(s->peer, KIND_ECHO, 0, 0, &t.base, NULL) == STN_OK)
            sent++;
        turn(s);
    }
    printf("small messages, there and back: %.0f a second\n",
           SMALL / ((double)(stn_clock_ns() - start_ns) / 1e9));
}

/* A mesher, in a process of its own, sends products of `bytes`; the door here forwards them to a renderer in
 * another. */
static void forward(size_t bytes)
{
    state door = {0};
    pid_t mesher, renderer;
    double cpu;
    uint64_t copied;
    int64_t own_ns;
    int64_t start_ns;

    renderer = fork();
    if (renderer == 0) {
        state r = {0};
        start(&r, "renderer", false);
        for (;;)
            turn(&r);
    }
    mesher = fork();
    if (mesher == 0) {
        state m = {0};
        stn_frame *f = stn_frame_new(bytes);
        stn_send send = {.kind = KIND_PRODUCT, .stream = BULK, .bulk = &f, .n_bulk = 1};
        if (!f)
            exit(1);
        memset(stn_frame_writable(f), 7, bytes);
        start(&m, "mesher", false);
        while (!m.peer)
            turn(&m);
        stn_sleep_ns(300 * STN_MS); /* the renderer is there too */
        for (unsigned i = 0; i < PRODUCTS;) {
            if (stn_peer_unsent_bytes(m.peer) < 4 * bytes && stn_peer_send(m.peer, &send, NULL) == STN_OK)
                i++;
            else
                turn(&m);
        }
        for (;;)
            turn(&m);
    }
    start(&door, "world", true);
    while (!door.to)
        turn(&door);
    while (door.got == 0)
        turn(&door);
    cpu = cpu_s();
    own_ns = stn_clock_thread_cpu_ns();
    copied = stn_frame_copied_bytes();
    start_ns = stn_clock_ns();
    while (door.got < PRODUCTS)
        turn(&door);
    printf("forwarding %zu kB: %.0f us of processor time each, of it %.0f in our thread, %.0f a second, %llu "
           "payload "
           "bytes copied by us\n",
           bytes / 1000, (cpu_s() - cpu) / (PRODUCTS - 1) * 1e6,
           (double)(stn_clock_thread_cpu_ns() - own_ns) / (PRODUCTS - 1) / 1e3,
           (PRODUCTS - 1) / ((double)(stn_clock_ns() - start_ns) / 1e9),
           (unsigned long long)(stn_frame_copied_bytes() - copied));
    kill(mesher, SIGKILL);
    kill(renderer, SIGKILL);
    waitpid(mesher, NULL, 0);
    waitpid(renderer, NULL, 0);
}

int main(void)
{
    char folder[] = "/tmp/stn-bench-XXXXXX", command[64];
    pid_t echo;

    if (!mkdtemp(folder) || setenv("XDG_RUNTIME_DIR", folder, 1) != 0)
        return 1;
    stn_log_set_level(STN_LOG_ERROR);
    for (size_t bytes = 60000; bytes <= 300000; bytes *= 5) {
        pid_t pid = fork(); /* each with fresh counters */
        if (pid == 0) {
            forward(bytes);
            fflush(stdout);
            _exit(0);
        }
        waitpid(pid, NULL, 0);
    }
    echo = fork();
    if (echo == 0) {
        state s = {.echo = true};
        start(&s, "world", true);
        for (;;)
            turn(&s);
    }
    {
        state s = {0};
        start(&s, "renderer", false);
        while (!s.peer)
            turn(&s);
        round_trips(&s, 16);
        round_trips(&s, 4000);
        small_messages(&s);
    }
    kill(echo, SIGKILL);
    waitpid(echo, NULL, 0);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0;
}
