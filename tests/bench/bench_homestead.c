/* bench_homestead [--clients N] [--seconds S] [--objects N] [--movers N]: a homestead process under many
 * clients.
 *
 * Each client holds a true session over UDP, asks for the ground around it, walks somewhere new every two
 * seconds and acknowledges what it is told. Prints one JSON line each five seconds, one of memory each
 * minute, and a summary: resident memory of homestead, ticks and how late the latest was, processor time of a
 * tick, datagrams and bytes a second, the machine's load. A tick that comes over twice its period after the
 * one before is late; it is `busy` when homestead itself was at work for longer than the period, else the
 * machine had no time for it. The defaults are the 20 s form; the long one is --seconds 600. Exit 1 when
 * memory grew after the first minute (or the first quarter of a short run) by more than an eighth, when a
 * tick was late for homestead's own work, or when a client fell out. */
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "bus/control.h"
#include "homestead/sim.h"
#include "res/values.h"
#include "session/messages.h"
#include "world/session/session.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS_MAX 500
#define BATCH 32

typedef struct bench_client {
    stn_session *session;
    int fd;
    double wake, next_click, next_map;
    uint64_t deltas, fragments, messages;
    bool in_game, lost;
    int32_t centre[2];
} bench_client;

typedef struct figures {
    double ticks, late, busy, longest_ms, objects, in_view, out_datagrams, out_bytes, unsent, clients;
    double tick_p50_ms, tick_p99_ms, tick_max_ms; /* processor time */
} figures;

static bench_client clients[CLIENTS_MAX];
static uint64_t chance = 1;

static double chance01(void)
{
    chance = chance * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(chance >> 33) * 0x1p-31;
}

static void die(const char *what, const char *why)
{
    fprintf(stderr, "bench_homestead: %s: %s\n", what, why);
    exit(2);
}

/* ---- the process */

static pid_t start(const char *instance, const char *objects, const char *movers, const char *most)
{
    char exe[4096], *slash;
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 32);
    pid_t pid;

    exe[n > 0 ? n : 0] = 0;
    for (int i = 0; i < 3; i++)
        if ((slash = strrchr(exe, '/')) != NULL)
            *slash = 0;
    strcat(exe, "/bin/stenness-homestead");
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl(exe, exe, "--instance", instance, "--objects", objects, "--movers", movers, "--clients", most,
              (char *)NULL);
        _exit(127);
    }
    return pid;
}

/* The address that it writes when it is up. */
static struct sockaddr_in find(const char *instance)
{
    char folder[3000], path[3100], host[64];
    struct sockaddr_in addr = {.sin_family = AF_INET};
    stn_err err = {0};

    if (stn_address_folder(instance, folder, sizeof folder, &err))
        die("folder", err.text);
    snprintf(path, sizeof path, "%s/homestead.json", folder);
    for (int tries = 0; tries < 200; tries++) {
        json_t *o = json_load_file(path, 0, NULL);
        const char *udp = json_string_value(json_object_get(o, "udp"));
        int64_t port;

        if (udp && strchr(udp, ':') && stn_text_i64(strchr(udp, ':') + 1, 1, 65535, &port)) {
            snprintf(host, sizeof host, "%.*s", (int)(strchr(udp, ':') - udp), udp);
            inet_pton(AF_INET, host, &addr.sin_addr);
            addr.sin_port = htons((uint16_t)port);
            json_decref(o);
            return addr;
        }
        json_decref(o);
        stn_sleep_ns(50 * STN_MS);
    }
    die("homestead", "did not come up in 10 s");
    return addr;
}

static double resident_mib(pid_t pid)
{
    char path[64], line[256];
    double kib = 0.0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    if ((f = fopen(path, "r")) == NULL)
        return 0.0;
    while (fgets(line, sizeof line, f))
        if (sscanf(line, "VmRSS: %lf", &kib) == 1)
            break;
    fclose(f);
    return kib / 1024.0;
}

static double cpu_seconds(pid_t pid)
{
    char path[64], text[1024], *p;
    unsigned long user = 0, system = 0;
    FILE *f;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if ((f = fopen(path, "r")) == NULL)
        return 0.0;
    if (fgets(text, sizeof text, f) && (p = strrchr(text, ')')) != NULL)
        sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    fclose(f);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static void ask(const char *instance, figures *out)
{
    Stenness__StatusGet get = STENNESS__STATUS_GET__INIT;
    stn_ask *a = NULL;
    stn_msg *answer = NULL;
    stn_err err = {0};
    const void *body = NULL;
    const Stenness__Status *s;

    if (stn_ask_open(instance, "ctl/homestead.0", 5 * STN_S, &a, &err) ||
        stn_ask_for(a, STENNESS__CONTROL_KIND__CTL_STATUS_GET, &get.base, 5 * STN_S, &answer, &err) ||
        stn_ask_unpack(a, answer, &stenness__status__descriptor, &body, &err))
        die("status", err.text);
    s = body;
    for (size_t i = 0; i < s->n_items; i++) {
        const Stenness__StatusItem *item = s->items[i];
        static const struct {
            const char *name;
            size_t at;
        } wanted[] = {{"ticks", offsetof(figures, ticks)},
                      {"ticks.late", offsetof(figures, late)},
                      {"ticks.late.busy", offsetof(figures, busy)},
                      {"ticks.longest.ms", offsetof(figures, longest_ms)},
                      {"objects", offsetof(figures, objects)},
                      {"objects.in-view", offsetof(figures, in_view)},
                      {"datagrams.out", offsetof(figures, out_datagrams)},
                      {"bytes.out", offsetof(figures, out_bytes)},
                      {"datagrams.unsent", offsetof(figures, unsent)},
                      {"clients", offsetof(figures, clients)}};

        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++)
            if (!strcmp(item->name, wanted[k].name))
                *(double *)((char *)out + wanted[k].at) = item->value;
        if (!strcmp(item->name, "tick.time")) {
            out->tick_p50_ms = (double)item->p50_ns * 1e-6;
            out->tick_p99_ms = (double)item->p99_ns * 1e-6;
            out->tick_max_ms = (double)item->max_ns * 1e-6;
        }
    }
    stn_msg_unref(answer);
    stn_ask_free(a);
}

/* ---- the clients */

static void take(bench_client *c, const stn_delivery *d)
{
    if (d->kind == STN_DELIVER_OBJD) {
        c->deltas++;
    } else if (d->kind == STN_DELIVER_MAP) {
        c->fragments++;
    } else {
        c->messages++;
        if (d->type == STN_RMSG_NEWWDG && d->len > 30 && memmem(d->data, d->len, "mapview", 7)) {
            c->in_game = true;
            /* Its last values: coord size, coord centre, int person. */
            c->centre[0] = (int32_t)stn_ld32(d->data + d->len - 13);
            c->centre[1] = (int32_t)stn_ld32(d->data + d->len - 9);
        }
    }
}

static void click(bench_client *c)
{
    stn_value v[4] = {
        {.kind = STN_VALUE_COORD}, {.kind = STN_VALUE_COORD}, stn_value_int(1), stn_value_int(0)};
    stn_buf b = {0};

    for (int i = 0; i < 2; i++)
        v[1].u.coord[i] = c->centre[i] + (int32_t)((chance01() - 0.5) * 400.0 / STN_SIM_UNIT);
    if (stn_message_write_widget(&b, 2, "click", &(stn_values){4, v}, NULL) == STN_OK)
        stn_session_queue(c->session, STN_RMSG_WDGMSG, b.data, b.len, NULL);
    stn_buf_fini(&b);
}

static void ask_map(bench_client *c)
{
    int32_t gx = (int32_t)floor(c->centre[0] * STN_SIM_UNIT / 1100.0),
            gy = (int32_t)floor(c->centre[1] * STN_SIM_UNIT / 1100.0);

    stn_session_mapreq(c->session, gx + (int32_t)(chance01() * 3.0) - 1,
                       gy + (int32_t)(chance01() * 3.0) - 1);
}

static void run(bench_client *c, double now)
{
    static uint8_t data[BATCH][4096];
    stn_datagram in[BATCH];
    size_t n = 0, at = 0;
    ssize_t got;

    while (n < BATCH && (got = recv(c->fd, data[n], sizeof data[n], MSG_DONTWAIT)) >= 0) {
        in[n] = (stn_datagram){data[n], (size_t)got};
        n++;
    }
    if (c->in_game && now >= c->next_click) {
        click(c);
        c->next_click = now + 2.0;
        c->wake = now;
    }
    if (c->in_game && now >= c->next_map) {
        ask_map(c);
        c->next_map = now + 1.0;
        c->wake = now;
    }
    if (!n && now < c->wake)
        return;
    do {
        const stn_session_out *out = stn_session_step(c->session, now, in + at, n - at);

        at += out->taken;
        for (size_t i = 0; i < out->n_send; i++)
            if (send(c->fd, out->send[i].data, out->send[i].len, MSG_DONTWAIT) < 0 && errno != EAGAIN)
                break; /* like a lost datagram */
        for (size_t i = 0; i < out->n_deliver; i++)
            take(c, &out->deliver[i]);
        c->wake = now + out->wait;
        if (out->phase == STN_SESSION_DONE) {
            c->lost = true;
            c->wake = INFINITY;
            return;
        }
    } while (at < n);
}

static void enter(bench_client *c, unsigned i, const struct sockaddr_in *addr)
{
    stn_session_settings set = stn_session_defaults();
    char name[32];
    stn_err err = {0};

    snprintf(name, sizeof name, "bench%u", i);
    set.user = name;
    set.cookie = (const uint8_t *)"";
    set.cookie_len = 1;
    c->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0 || connect(c->fd, (const struct sockaddr *)addr, sizeof *addr))
        die("socket", strerror(errno));
    if (stn_session_new(&set, &c->session, &err))
        die("session", err.text);
    c->next_click = 2.0 * chance01();
}

static void play(unsigned n, double until, int64_t start_ns)
{
    struct pollfd fds[CLIENTS_MAX];

    for (;;) {
        double now = (double)(stn_clock_ns() - start_ns) * 1e-9, wake = now + 0.02;

        if (now >= until)
            return;
        for (unsigned i = 0; i < n; i++) {
            if (clients[i].lost)
                continue;
            run(&clients[i], now);
            if (clients[i].wake < wake)
                wake = clients[i].wake;
        }
        for (unsigned i = 0; i < n; i++)
            fds[i] = (struct pollfd){.fd = clients[i].lost ? -1 : clients[i].fd, .events = POLLIN};
        poll(fds, n, wake > now ? (int)((wake - now) * 1000.0) + 1 : 0);
    }
}

int main(int argc, char **argv)
{
    const char *objects = "2000", *movers = "500";
    char instance[32], most[16];
    int64_t n = 50, seconds = 20;
    double early = 0.0, rss = 0.0, warm, load[1] = {0.0};
    unsigned lost = 0, outside = 0;
    uint64_t deltas = 0;
    struct sockaddr_in addr;
    figures f = {0};
    int64_t start_ns;
    pid_t pid;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--clients")   ? !stn_text_i64(argv[i + 1], 1, CLIENTS_MAX, &n)
            : !strcmp(argv[i], "--seconds") ? !stn_text_i64(argv[i + 1], 4, 100000, &seconds)
                                            : strcmp(argv[i], "--objects") && strcmp(argv[i], "--movers"))
            die(argv[i], "unknown, or its value is out of range");
        if (!strcmp(argv[i], "--objects"))
            objects = argv[i + 1];
        if (!strcmp(argv[i], "--movers"))
            movers = argv[i + 1];
    }
    snprintf(instance, sizeof instance, "bench%d", (int)getpid());
    snprintf(most, sizeof most, "%d", (int)n);
    pid = start(instance, objects, movers, most);
    addr = find(instance);
    start_ns = stn_clock_ns();
    for (unsigned i = 0; i < n; i++)
        enter(&clients[i], i, &addr);
    warm = seconds >= 120 ? 60.0 : (double)seconds / 4.0;
    for (double t = 5.0; t < (double)seconds + 5.0; t += 5.0) {
        play((unsigned)n, fmin(t, (double)seconds), start_ns);
        rss = resident_mib(pid);
        if (early == 0.0 && t >= warm)
            early = rss;
        ask(instance, &f);
        printf("{\"t\": %.0f, \"rss_mib\": %.1f, \"cpu_s\": %.2f, \"clients\": %.0f, \"objects\": %.0f, "
               "\"in_view\": %.0f, "
               "\"ticks\": %.0f, \"late\": %.0f, \"busy\": %.0f, \"longest_tick_ms\": %.1f, "
               "\"tick_cpu_p99_ms\": %.2f, \"datagrams_out\": %.0f, \"mib_out\": %.1f}\n",
               fmin(t, (double)seconds), rss, cpu_seconds(pid), f.clients, f.objects, f.in_view, f.ticks,
               f.late, f.busy, f.longest_ms, f.tick_p99_ms, f.out_datagrams, f.out_bytes / 1048576.0);
        if (fmod(t, 60.0) == 0.0)
            printf("{\"minute\": %.0f, \"rss_mib\": %.1f}\n", t / 60.0, rss);
        fflush(stdout);
    }
    for (unsigned i = 0; i < n; i++) {
        lost += clients[i].lost;
        outside += !clients[i].in_game;
        deltas += clients[i].deltas;
        stn_session_free(clients[i].session);
        close(clients[i].fd);
    }
    printf(
        "{\"summary\": true, \"clients\": %d, \"seconds\": %d, \"lost\": %u, \"not_in_game\": %u, "
        "\"deltas_per_client_s\": "
        "%.1f, \"rss_early_mib\": %.1f, \"rss_end_mib\": %.1f, \"cpu_percent\": %.1f, \"datagrams_s\": %.0f, "
        "\"kib_s\": %.0f, \"ticks\": %.0f, \"ticks_late\": %.0f, \"ticks_late_busy\": %.0f, "
        "\"longest_tick_ms\": %.1f, "
        "\"tick_cpu_p50_ms\": %.2f, \"tick_cpu_p99_ms\": %.2f, \"tick_cpu_max_ms\": %.2f, \"unsent\": %.0f, "
        "\"load_average\": %.2f}\n",
        (int)n, (int)seconds, lost, outside, (double)deltas / (double)n / (double)seconds, early, rss,
        100.0 * cpu_seconds(pid) / (double)seconds, f.out_datagrams / (double)seconds,
        f.out_bytes / 1024.0 / (double)seconds, f.ticks, f.late, f.busy, f.longest_ms, f.tick_p50_ms,
        f.tick_p99_ms, f.tick_max_ms, f.unsent, getloadavg(load, 1) == 1 ? load[0] : -1.0);
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
    return lost || outside || rss > early * 1.125 + 1.0 || f.busy > 0.0;
}
