/* loader.c - the loader as a process, against servers that misbehave and under kills. Each case says what it
 * shows; exit status 1 when one does not hold. Arguments: BUILD folder, optionally the number of kills. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "support/httpd.h"
#include "support/loader_client.h"
#include "support/support.h"

#include "proto/resource.pb-c.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define RAW STENNESS__RESOURCE_WANT__WANT_RAW

static char *program, *command_line;
static int failures;

static void check(bool good, const char *what)
{
    printf("%s %s\n", good ? "ok  " : "FAIL", what);
    fflush(stdout);
    failures += !good;
}

/* A resource whose text and size follow from its name, so that any byte out of place shows. */
static void put_body(stn_buf *b, const char *name, int version, size_t filler)
{
    stn_buf_put(b, "Haven Resource 1", 16);
    stn_buf_u16(b, (uint16_t)version);
    stn_buf_cstr(b, "tooltip");
    stn_buf_u32(b, (uint32_t)strlen(name));
    stn_buf_put(b, name, strlen(name));
    stn_buf_cstr(b, "x-filler");
    stn_buf_u32(b, (uint32_t)filler);
    uint64_t h = stn_hash_feed(STN_HASH_START, name, strlen(name));
    for (size_t i = 0; i < filler; i++)
        stn_buf_u8(b, (uint8_t)((h >> (i % 8 * 8)) + i));
}

static void name_of(const char *path, char *name, size_t cap)
{
    size_t n = strlen(path);
    snprintf(name, cap, "%.*s", n > 5 ? (int)(n - 5) : 0, path + 1);
}

static void give(test_reply *out, const char *path, size_t filler)
{
    char name[600];
    stn_buf b = {0};
    name_of(path, name, sizeof name);
    put_body(&b, name, 1, filler);
    test_reply_set(out, "200 OK", "", b.data, b.len);
    out->keep = true;
    stn_buf_fini(&b);
}

/* hang/…: silence; slow/…: 20 ms; none/…: 404; anything else at once. */
static void server(void *ctx, unsigned n, const char *path, const char *head, test_reply *out)
{
    (void)ctx;
    (void)n;
    (void)head;
    if (strncmp(path, "/hang/", 6) == 0) {
        out->hang = true;
    } else if (strncmp(path, "/none/", 6) == 0) {
        test_reply_set(out, "404 Not Found", "", NULL, 0);
        out->keep = true;
    } else if (strncmp(path, "/loop/", 6) == 0) {
        char where[700];
        snprintf(where, sizeof where, "Location: %s\r\n", path);
        test_reply_set(out, "302 Found", where, NULL, 0);
        out->keep = true;
    } else if (strncmp(path, "/gzip/", 6) == 0) {
        test_reply_set(out, "200 OK", "Content-Encoding: gzip\r\n", "this is no gzip", 15);
    } else if (strncmp(path, "/lie/", 5) == 0) {
        const char *lie = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nHaven Resource 1";
        out->data = strdup(lie);
        out->len = strlen(lie);
    } else {
        if (strncmp(path, "/slow/", 6) == 0)
            out->delay_ms = 20;
        else if (strncmp(path, "/late/", 6) == 0)
            out->delay_ms = 800;
        give(out, path, strncmp(path, "/big/", 5) == 0 ? 300000 : 500);
    }
}

static test_loader *start(test_httpd *s, const char *cache)
{
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", test_httpd_port(s));
    const char *args[] = {"--resurl", url, cache ? "--cache" : NULL, cache, NULL};
    return test_loader_new(program, args);
}

static void coalesces(void)
{
    test_httpd *s = test_httpd_new(server, NULL);
    test_loader *l = start(s, NULL);
    test_client *c = test_client_new(l);
    test_get gets[100];
    for (size_t i = 0; i < 100; i++)
        gets[i] = (test_get){.name = "slow/one", .version = -1, .want = RAW};
    bool all = test_client_run(c, gets, 100, 20 * STN_S, NULL, NULL);
    bool ready = all;
    for (size_t i = 0; i < 100; i++)
        ready = ready && gets[i].end == TEST_READY && gets[i].object == gets[0].object;
    check(ready, "100 asks for one name are answered with one object");
    check(test_httpd_requests(s) == 1, "and cost one fetch");
    test_get late = {.name = "late/one", .version = -1, .want = RAW};
    char why[600];
    test_client_run(c, &late, 1, 200 * STN_MS, NULL, NULL); /* on its way */
    check(test_client_why(c, "late/one", why, sizeof why) && strstr(why, "http:ok"),
          "a second walk to the same source is answered");
    check(test_client_run(c, &late, 1, 10 * STN_S, NULL, NULL) && late.end == TEST_READY, "and the first");
    check(test_httpd_requests(s) == 2, "by the one request that was in the air");
    test_client_free(c);
    test_loader_free(l);
    test_httpd_free(s);
}

static void hung_servers(void)
{
    test_httpd *s = test_httpd_new(server, NULL);
    test_loader *l = start(s, NULL);
    test_client *c = test_client_new(l);
    test_get gets[16], alone[8];
    char names[16][32];
    for (size_t i = 0; i < 16; i++) {
        snprintf(names[i], sizeof names[i], "%s/%zu", i < 8 ? "hang" : "good", i);
        gets[i] = (test_get){.name = names[i], .version = -1, .want = RAW};
    }
    for (size_t i = 0; i < 8; i++)
        alone[i] = (test_get){.name = i % 2 ? "first/a" : "first/b", .version = -1, .want = RAW};
    test_client_run(c, alone, 8, 10 * STN_S, NULL, NULL); /* connections stand */
    bool all = test_client_run(c, gets, 16, 2 * STN_S, NULL, NULL);
    int64_t worst = 0;
    bool good = !all;
    for (size_t i = 8; i < 16; i++) {
        good = good && gets[i].end == TEST_READY;
        if (gets[i].ended_ns - gets[i].asked_ns > worst)
            worst = gets[i].ended_ns - gets[i].asked_ns;
    }
    check(good && worst < STN_S, "8 names at hung servers do not delay 8 good ones");
    printf("     slowest of the good ones %.1f ms\n", (double)worst / 1e6);
    test_client_free(c);
    int64_t t = stn_clock_ns();
    test_loader_stop(l);
    check(stn_clock_ns() - t < 2 * STN_S, "a stop with fetches in the air takes under 2 s");
    test_loader_free(l);
    test_httpd_free(s);
}

static void bad_answers(void)
{
    test_httpd *s = test_httpd_new(server, NULL);
    test_loader *l = start(s, NULL);
    test_client *c = test_client_new(l);
    char long_name[10001];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    test_get gets[] = {
        {.name = "none/x", .version = -1},        {.name = "loop/x", .version = -1},
        {.name = "../etc/passwd", .version = -1}, {.name = "/etc/passwd", .version = -1},
        {.name = "a/\x01/b", .version = -1},      {.name = "good/x", .version = -1, .want = RAW},
        {.name = "gzip/x", .version = -1},        {.name = "lie/x", .version = -1},
        {.name = long_name, .version = -1},
    };
    bool all = test_client_run(c, gets, 9, 30 * STN_S, NULL, NULL);
    check(all && gets[0].end == TEST_FAILED && strcmp(gets[0].kind, "no_such") == 0, "404 ends as no_such");
    check(gets[1].end == TEST_FAILED && strstr(gets[1].chain, "http:io_error"),
          "a redirect loop ends as an error");
    check(gets[2].end == TEST_FAILED && strstr(gets[2].chain, "invalid_name"), "a name with .. is refused");
    check(gets[3].end == TEST_FAILED && strstr(gets[3].chain, "invalid_name"), "an absolute name is refused");
    check(gets[4].end == TEST_FAILED && strstr(gets[4].chain, "invalid_name"),
          "a control character is refused");
    check(gets[5].end == TEST_READY, "a good name beside them is answered");
    check(gets[6].end == TEST_FAILED && strstr(gets[6].chain, "http:io_error"),
          "a false gzip body ends as an error");
    check(gets[7].end == TEST_FAILED && strstr(gets[7].chain, "http:io_error"),
          "a false length ends as an error");
    check(gets[8].end == TEST_FAILED && strstr(gets[8].chain, "invalid_name"),
          "a name of 10 kB is refused, and whoever asks is told");
    test_get again[] = {{.name = "good/x", .version = 1, .want = RAW}, {.name = "good/x", .version = 0}};
    test_client_run(c, again, 2, 10 * STN_S, NULL, NULL);
    check(again[0].end == TEST_READY && again[0].object == gets[5].object, "the same object again");
    check(again[1].end == TEST_REFUSED && again[1].got_version == 1, "an older version is refused");
    test_get saved[] = {{.name = "good/x", .version = 9, .saved = true, .want = RAW},
                        {.name = "none/x", .version = 9, .saved = true}};
    test_client_run(c, saved, 2, 20 * STN_S, NULL, NULL);
    check(saved[0].end == TEST_READY && saved[0].got_version == 1,
          "a stored record takes an older copy at hand");
    check(saved[1].end == TEST_FAILED, "and fails when there is nothing");
    char why[600];
    check(test_client_why(c, "good/x", why, sizeof why) &&
              strstr(why, "disk:ok http:ok = version 1 from disk"),
          "why names every source");
    printf("     %s\n", why);
    test_client_free(c);
    test_loader_free(l);
    test_httpd_free(s);
}

static void write_file(const char *dir, const char *name, int version, const char *text)
{
    char path[1024];
    stn_buf b = {0};
    snprintf(path, sizeof path, "%s/%s.res", dir, name);
    put_body(&b, text, version, 10);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(b.data, 1, b.len, f) != b.len || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
    stn_buf_fini(&b);
}

static void developer_folder(void)
{
    char dir[] = "/tmp/stn-resdir-XXXXXX", link_path[1024], url[64], why[600];
    test_httpd *s = test_httpd_new(server, NULL);
    if (!mkdtemp(dir))
        exit(1);
    snprintf(link_path, sizeof link_path, "%s/out.res", dir);
    if (symlink("/etc/passwd", link_path) != 0)
        exit(1);
    write_file(dir, "mine", 3, "first");
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", test_httpd_port(s));
    const char *args[] = {"--resurl", url, "--resdir", dir, NULL};
    test_loader *l = test_loader_new(program, args);
    test_client *c = test_client_new(l);
    test_get gets[] = {{.name = "mine", .version = -1, .want = RAW},
                       {.name = "out", .version = -1, .want = RAW},
                       {.name = "other", .version = -1, .want = RAW}};
    test_client_run(c, gets, 3, 20 * STN_S, NULL, NULL);
    check(gets[0].end == TEST_READY && strcmp(gets[0].source, "resdir") == 0,
          "the developer folder comes first");
    check(gets[1].end == TEST_READY && strcmp(gets[1].source, "http") == 0,
          "a link out of it is not followed");
    check(gets[2].end == TEST_READY && strcmp(gets[2].source, "http") == 0,
          "what it has not comes from the server");
    check(test_client_why(c, "out", why, sizeof why) && strstr(why, "resdir:io_error"),
          "why tells of the link");
    write_file(dir, "mine", 3, "second text, longer");
    check(test_client_reload(c, "mine"), "a reload announces the change");
    test_get again = {.name = "mine", .version = 3, .want = RAW};
    test_client_run(c, &again, 1, 10 * STN_S, NULL, NULL);
    check(again.end == TEST_READY && again.object == gets[0].object && again.bytes != gets[0].bytes,
          "and the same object has other layers");
    write_file(dir, "mine", 4, "third");
    check(!test_client_reload(c, "mine"), "a reload refuses another version");
    unlink(link_path);
    snprintf(link_path, sizeof link_path, "%s/mine.res", dir);
    unlink(link_path);
    rmdir(dir);
    test_client_free(c);
    test_loader_free(l);
    test_httpd_free(s);
}

/* Asks until the answer has other bytes than before, or 5 s are over. */
static bool comes_anew(test_client *c, const char *name, size_t before, test_get *out)
{
    int64_t end = stn_clock_ns() + 5 * STN_S;
    do {
        *out = (test_get){.name = name, .version = -1, .want = RAW};
        test_client_run(c, out, 1, 5 * STN_S, NULL, NULL);
        if (out->end == TEST_READY && out->bytes != before)
            return true;
        stn_sleep_ns(50 * STN_MS);
    } while (stn_clock_ns() < end);
    return false;
}

static void watched_folder(void)
{
    char dir[] = "/tmp/stn-resdir-XXXXXX", path[1024], to[1024], url[64];
    test_httpd *s = test_httpd_new(server, NULL);
    if (!mkdtemp(dir))
        exit(1);
    write_file(dir, "mine", 3, "first");
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", test_httpd_port(s));
    const char *args[] = {"--resurl", url, "--resdir", dir, "--watch-resdir", NULL};
    test_loader *l = test_loader_new(program, args);
    test_client *c = test_client_new(l);
    test_get first[] = {{.name = "mine", .version = -1, .want = RAW},
                        {.name = "none/late", .version = -1, .want = RAW}},
             now;
    test_client_run(c, first, 2, 20 * STN_S, NULL, NULL);
    check(first[0].end == TEST_READY && first[1].end == TEST_FAILED, "a watched folder");
    write_file(dir, "mine", 3, "second text, longer");
    check(comes_anew(c, "mine", first[0].bytes, &now) && now.object == first[0].object,
          "a file that is written over is read again by itself, and stays the same object");
    write_file(dir, "draft", 3, "the third text is longer still");
    snprintf(path, sizeof path, "%s/draft.res", dir);
    snprintf(to, sizeof to, "%s/mine.res", dir);
    check(rename(path, to) == 0 && comes_anew(c, "mine", now.bytes, &now),
          "and one that is moved into its place");
    snprintf(path, sizeof path, "%s/none", dir);
    check(mkdir(path, 0700) == 0, "a folder is made in it");
    write_file(path, "late", 1, "in a new folder");
    check(comes_anew(c, "none/late", 0, &now) && strcmp(now.source, "resdir") == 0,
          "a name that failed is found once its file is there");
    snprintf(path, sizeof path, "rm -rf '%s'", dir);
    check(system(path) == 0 && test_client_figure(l, "disk.entries") >= 0,
          "the folder goes, the loader stays");
    test_client_free(c);
    test_loader_free(l);
    test_httpd_free(s);
}

/* Runs `stenness res …` in the instance of the last loader; its words, both streams. free(). */
static char *tool(const char *arguments, int *status)
{
    char *command = NULL;
    stn_buf out = {0};
    char chunk[4096];
    size_t n;
    if (asprintf(&command, "%s res %s 2>&1", command_line, arguments) < 0)
        exit(1);
    FILE *p = popen(command, "r");
    if (!p)
        exit(1);
    while ((n = fread(chunk, 1, sizeof chunk, p)) > 0)
        stn_buf_put(&out, chunk, n);
    *status = pclose(p);
    free(command);
    stn_buf_u8(&out, 0);
    return (char *)stn_buf_take(&out, &n);
}

/* One line of the tool; what it said is printed when it is not as promised. */
static void check_tool(const char *arguments, bool good, const char *says, const char *what)
{
    int status;
    char *text = tool(arguments, &status);
    bool held = (status == 0) == good && text && strstr(text, says);
    check(held, what);
    if (!held)
        printf("     status %d, said: %s\n", status, text ? text : "");
    free(text);
}

static void tool_asks_the_loader(void)
{
    char dir[] = "/tmp/stn-resdir-XXXXXX", path[1024], url[64];
    test_httpd *s = test_httpd_new(server, NULL);
    if (!mkdtemp(dir))
        exit(1);
    write_file(dir, "mine", 3, "first");
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", test_httpd_port(s));
    const char *args[] = {"--resurl", url, "--resdir", dir, NULL};
    test_loader *l = test_loader_new(program, args);
    test_client *c = test_client_new(l);
    test_get gets[] = {{.name = "mine", .version = -1, .want = RAW},
                       {.name = "good/kept", .version = -1, .want = RAW},
                       {.name = "none/x", .version = -1}};
    test_client_run(c, gets, 3, 20 * STN_S, NULL, NULL);
    check_tool("why mine", true, "mine: version 3 from resdir; loaded now: version 3 from resdir",
               "`res why` says which source counts");
    check_tool("why none/x", true, "none/x: no source has it", "and that no source has a name");
    check_tool("why ../x", false, "invalid_name", "and that a name is none");
    check_tool("why mine 70000", false, "0 to 65535", "and that a version is none");
    write_file(dir, "mine", 3, "second text, longer");
    check_tool("reload mine", true, "mine: version 3 read again", "`res reload` reads a changed file");
    check_tool("reload never/loaded", false, "not loaded", "and says of a name that nobody loaded it");
    check_tool("cache memory", true, "good/kept\t1\thttp", "`res cache memory` lists what is held");
    check_tool("cache forget never/asked", true, "0\n",
               "`res cache forget` lets go of nothing that did not fail");
    check_tool("cache verify", true, "good       good/kept: version 1", "`res cache verify` finds the store");
    check_tool("cache drop good/kept", true, "", "`res cache drop` takes it out");
    int64_t end = stn_clock_ns() + 5 * STN_S; /* a worker does it, after the answer */
    char *left;
    int status;
    for (;;) {
        left = tool("cache list", &status);
        if (!left || !strstr(left, "good/kept") || stn_clock_ns() > end)
            break;
        free(left);
        stn_sleep_ns(50 * STN_MS);
    }
    check(status == 0 && left && !strstr(left, "good/kept"), "and it is gone");
    free(left);
    check_tool("why x --instance nobody-runs-this", false, "no loader in instance",
               "without a loader the tool says so");
    snprintf(path, sizeof path, "%s/mine.res", dir);
    unlink(path);
    rmdir(dir);
    test_client_free(c);
    test_loader_free(l);
    test_httpd_free(s);
}

static bool serves(test_client *c, const char *what, size_t n)
{
    static char names[100][40];
    test_get gets[100];
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "%s/%zu", what, i);
        gets[i] = (test_get){.name = names[i], .version = -1, .want = RAW};
    }
    good = test_client_run(c, gets, n, 20 * STN_S, NULL, NULL);
    for (size_t i = 0; i < n; i++)
        good = good && gets[i].end == TEST_READY;
    return good;
}

/* A cache of 64 kB that is really full, then really read-only: a file system of its own, which needs rights
 * that not every user has. */
static void full_and_read_only_cache(void)
{
    char dir[] = "/tmp/stn-full-XXXXXX";
    if (!mkdtemp(dir))
        exit(1);
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", dir, "tmpfs", 0, "size=64k,mode=0700") != 0) {
        printf("skip a full and a read-only cache: no right to mount (%s)\n", strerror(errno));
        rmdir(dir);
        return;
    }
    test_httpd *s = test_httpd_new(server, NULL);
    test_loader *l = start(s, dir);
    test_client *c = test_client_new(l);
    check(serves(c, "good", 5), "a cache with room");
    int64_t end = stn_clock_ns() + 5 * STN_S;
    while (test_client_figure(l, "disk.stores") < 5 && stn_clock_ns() < end)
        stn_sleep_ns(20 * STN_MS);
    check(serves(c, "big", 3) && serves(c, "more", 30), "with a full disk every ask is answered");
    double lost = test_client_figure(l, "disk.store.failures");
    check(lost >= 3, "and the stores that failed are counted");
    char *command = NULL;
    if (asprintf(&command, "ls %s | grep -q '[.]new$'", dir) < 0)
        exit(1);
    check(system(command) != 0, "no half of an entry is left behind");
    free(command);
    test_client_free(c);
    test_loader_stop(l);
    check(mount("none", dir, NULL, MS_REMOUNT | MS_RDONLY, NULL) == 0, "the cache is now read-only");
    unsigned before = test_httpd_requests(s);
    test_loader_start(l);
    c = test_client_new(l);
    check(serves(c, "good", 5), "what a read-only cache holds is served");
    check(test_httpd_requests(s) == before, "from the cache");
    check(serves(c, "fresh", 5) && test_client_figure(l, "disk.store.failures") >= 5,
          "and what it cannot take is served all the same");
    test_client_free(c);
    test_loader_free(l);
    test_httpd_free(s);
    umount(dir);
    rmdir(dir);
}

static unsigned signal_decoders(test_loader *l, int number)
{
    char *pids = test_client_words(l, "decoders", NULL);
    unsigned reached = 0;
    for (char *p = pids, *end; p && *p; p = end + (*end == '\n')) {
        long pid = strtol(p, &end, 10);
        if (end == p)
            break;
        reached += kill((pid_t)pid, number) == 0;
    }
    free(pids);
    return reached;
}

/* Of 20 resources the ones that are not ready in time. during: called again and again meanwhile. */
static unsigned lost_of_20(test_client *c, const char *folder, void (*during)(void *ctx), void *ctx)
{
    test_get gets[20];
    char names[20][32];
    for (size_t i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "good/%s/%zu", folder, i);
        gets[i] = (test_get){.name = names[i], .version = -1, .want = RAW};
    }
    test_client_run(c, gets, 20, 20 * STN_S, during, ctx);
    unsigned lost = 0;
    for (size_t i = 0; i < 20; i++)
        lost += gets[i].end != TEST_READY;
    return lost;
}

typedef struct late_killer {
    test_loader *l;
    int64_t at_ns;
    unsigned killed;
} late_killer;

static void kill_late(void *ctx)
{
    late_killer *k = ctx;
    if (!k->killed && stn_clock_ns() >= k->at_ns)
        k->killed = signal_decoders(k->l, SIGKILL);
}

static void decoder_killed(void)
{
    test_httpd *s = test_httpd_new(server, NULL);
    test_loader *l = start(s, NULL);
    test_client *c = test_client_new(l);
    check(lost_of_20(c, "before", NULL, NULL) == 0, "decoders at work");
    unsigned killed = signal_decoders(l, SIGKILL);
    unsigned lost = lost_of_20(c, "after", NULL, NULL);
    check(killed > 0 && lost == 0 && test_client_figure(l, "decoders.restarted") >= 1,
          "decoders that die idle cost nothing and are made again");
    printf("     %u decoders killed, %u of 20 resources failed, %.0f restarts\n", killed, lost,
           test_client_figure(l, "decoders.restarted"));
    /* Stopped ones hold what they are given until they are killed with it. */
    unsigned stopped = signal_decoders(l, SIGSTOP);
    late_killer k = {.l = l, .at_ns = stn_clock_ns() + 300 * STN_MS};
    lost = lost_of_20(c, "within", kill_late, &k);
    check(stopped > 0 && k.killed == stopped && lost == 0,
          "a resource whose decoder was killed by another gets a second one");
    printf("     %u decoders killed at work, %u of 20 resources failed\n", k.killed, lost);
    test_client_free(c);
    test_loader_free(l);
    test_httpd_free(s);
}

/* ---- kills ---- */

typedef struct killer {
    test_loader *l;
    unsigned left;
    int64_t next_ns;
} killer;

static void maybe_kill(void *ctx)
{
    killer *k = ctx;
    if (!k->left || stn_clock_ns() < k->next_ns)
        return;
    test_loader_kill(k->l);
    test_loader_start(k->l);
    k->left--;
    k->next_ns = stn_clock_ns() + (int64_t)(stn_random_u64() % 160) * STN_MS + 20 * STN_MS;
}

static void kills(unsigned n)
{
    enum { COUNT = 400 };
    test_httpd *s = test_httpd_new(server, NULL);
    test_loader *l = start(s, NULL);
    test_client *c = test_client_new(l);
    static test_get gets[COUNT];
    static char names[COUNT][40];
    killer k = {.l = l, .left = n, .next_ns = stn_clock_ns() + 100 * STN_MS};
    unsigned rounds = 0, wrong = 0, failed = 0, unanswered = 0;
    while (k.left && rounds < 1000) {
        for (size_t i = 0; i < COUNT; i++) {
            snprintf(names[i], sizeof names[i], "%s/%u/%zu", i % 8 ? "slow" : "big", rounds % 3, i);
            gets[i] = (test_get){.name = names[i], .version = -1, .want = RAW};
        }
        if (!test_client_run(c, gets, COUNT, 60 * STN_S, maybe_kill, &k))
            unanswered++;
        for (size_t i = 0; i < COUNT; i++) {
            size_t filler = i % 8 ? 500 : 300000;
            size_t bytes = 18 + sizeof "tooltip" + 4 + strlen(names[i]) + sizeof "x-filler" + 4 + filler;
            failed += gets[i].end == TEST_FAILED;
            wrong += gets[i].end == TEST_READY && (gets[i].got_version != 1 || gets[i].bytes != bytes);
        }
        rounds++;
    }
    char text[200];
    snprintf(text, sizeof text,
             "%u kills in %u rounds of %d: no torn resource (%u), every ask answered (%u not, %u failed)", n,
             rounds, COUNT, wrong, unanswered, failed);
    check(k.left == 0 && wrong == 0 && unanswered == 0 && failed == 0, text);
    test_client_free(c);
    test_loader_free(l);
    test_httpd_free(s);
}

int main(int argc, char **argv)
{
    if (argc < 2 || asprintf(&program, "%s/bin/stenness-loader", argv[1]) < 0 ||
        asprintf(&command_line, "%s/bin/stenness", argv[1]) < 0) {
        fprintf(stderr, "usage: scenario-loader BUILD [KILLS]\n");
        return 2;
    }
    setenv("STN_LOG", "error", 0);
    coalesces();
    hung_servers();
    bad_answers();
    developer_folder();
    watched_folder();
    tool_asks_the_loader();
    full_and_read_only_cache();
    decoder_killed();
    kills(argc > 2 ? (unsigned)atoi(argv[2]) : 20);
    free(program);
    free(command_line);
    printf("%s\n", failures ? "FAILED" : "all held");
    return failures != 0;
}
