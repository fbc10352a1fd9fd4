#include "loader/dirwatch.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/table.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUIET_NS (100 * STN_MS)
#define LATEST_NS STN_S
#define DEPTH_MAX 16
#define EVENTS (IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ONLYDIR | IN_DONT_FOLLOW)

struct stn_dirwatch {
    char *root;
    int fd;
    stn_watch *watch;
    stn_timer *timer;
    stn_table *folders; /* watch descriptor -> path below the root, "" for itself (char *) */
    stn_names *changed; /* names to tell */
    int64_t first_ns; /* of those */
    bool full_said;
    stn_dirwatch_fn fn;
    void *ctx;
};

static void note(stn_dirwatch *w, const char *below, const char *file, int64_t now_ns)
{
    char name[PATH_MAX];
    int n = snprintf(name, sizeof name, "%s%s%s", below, *below ? "/" : "", file);
    if (n < 5 || n >= (int)sizeof name || !stn_text_ends(name, ".res"))
        return;
    name[n - 4] = 0;
    if (stn_names_count(w->changed) == 0)
        w->first_ns = now_ns;
    if (stn_names_count(w->changed) >= STN_DIRWATCH_NAMES)
        stn_log_warn("%s: over %d files changed at once: %s.res and others go unseen", w->root,
                     STN_DIRWATCH_NAMES, name);
    else
        stn_names_put(w->changed, name, w, NULL);
}

/* Watches a folder, and those in it; `tell`: what lies there already is news. */
static void add_folder(stn_dirwatch *w, const char *below, unsigned depth, bool tell, int64_t now_ns)
{
    char path[PATH_MAX], deeper[PATH_MAX];
    const struct dirent *e;
    struct stat sb;
    void *old = NULL;
    if (depth > DEPTH_MAX || stn_table_count(w->folders) >= STN_DIRWATCH_FOLDERS) {
        if (!w->full_said)
            stn_log_warn("%s: too many or too deep folders: changes in %s and others go unseen", w->root,
                         below);
        w->full_said = true;
        return;
    }
    if (snprintf(path, sizeof path, "%s/%s", w->root, below) >= (int)sizeof path)
        return;
    int wd = inotify_add_watch(w->fd, path, EVENTS);
    char *copy = wd >= 0 ? strdup(below) : NULL;
    if (!copy || !stn_table_put(w->folders, (uint64_t)wd, copy, &old)) {
        stn_log_warn("%s is not watched: %s", path, copy ? "out of memory" : strerror(errno));
        free(copy);
        return;
    }
    free(old); /* the folder was watched under an earlier name */
    DIR *d = opendir(path);
    while (d && (e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
            fstatat(dirfd(d), e->d_name, &sb, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISREG(sb.st_mode) && tell)
            note(w, below, e->d_name, now_ns);
        else if (S_ISDIR(sb.st_mode) && snprintf(deeper, sizeof deeper, "%s%s%s", below, *below ? "/" : "",
                                                 e->d_name) < (int)sizeof deeper)
            add_folder(w, deeper, depth + 1, tell, now_ns);
    }
    if (d)
        closedir(d);
}

static unsigned depth_of(const char *below)
{
    unsigned n = *below != 0;
    for (; *below; below++)
        n += *below == '/';
    return n;
}

static void on_event(stn_dirwatch *w, const struct inotify_event *e, int64_t now_ns)
{
    char deeper[PATH_MAX];
    if (e->mask & IN_Q_OVERFLOW) {
        stn_log_warn("%s: too many changes at once: some go unseen", w->root);
        return;
    }
    if (e->mask & IN_IGNORED) { /* the folder is gone */
        free(stn_table_remove(w->folders, (uint64_t)e->wd));
        return;
    }
    const char *below = stn_table_get(w->folders, (uint64_t)e->wd);
    if (!below || e->len == 0)
        return;
    if (!(e->mask & IN_ISDIR)) {
        if (e->mask & (IN_CLOSE_WRITE | IN_MOVED_TO))
            note(w, below, e->name, now_ns);
    } else if (snprintf(deeper, sizeof deeper, "%s%s%s", below, *below ? "/" : "", e->name) <
               (int)sizeof deeper) {
        add_folder(w, deeper, depth_of(deeper), true, now_ns);
    }
}

static void on_readable(void *ctx, const stn_turn *turn, int fd, unsigned ready)
{
    stn_dirwatch *w = ctx;
    _Alignas(struct inotify_event) char chunk[65536];
    ssize_t n = read(fd, chunk, sizeof chunk);
    (void)ready;
    for (ssize_t at = 0; at < n;) {
        const struct inotify_event *e = (const struct inotify_event *)(const void *)(chunk + at);
        on_event(w, e, turn->now_ns);
        at += (ssize_t)sizeof *e + (ssize_t)e->len;
    }
    if (stn_names_count(w->changed) == 0)
        return;
    int64_t quiet = turn->now_ns + QUIET_NS, latest = w->first_ns + LATEST_NS;
    stn_timer_at(w->timer, quiet < latest ? quiet : latest);
}

static void on_quiet(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_dirwatch *w = ctx;
    stn_names *list = w->changed, *fresh = stn_names_new();
    const char *name;
    void *mark;
    size_t it = 0;
    (void)turn;
    if (!fresh) { /* later, then */
        stn_timer_in(timer, LATEST_NS);
        return;
    }
    w->changed = fresh;
    while (stn_names_next(list, &it, &name, &mark))
        w->fn(w->ctx, name);
    stn_names_free(list);
}

stn_status stn_dirwatch_new(stn_loop *loop, const char *folder, stn_dirwatch_fn fn, void *ctx,
                            stn_dirwatch **out, stn_err *err)
{
    stn_status st;
    stn_dirwatch *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w)
        return stn_fail(err, STN_NO_MEMORY, "watch of %s", folder);
    *w = (stn_dirwatch){.root = strdup(folder),
                        .fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC),
                        .timer = stn_timer_new(loop, "dirwatch", on_quiet, w),
                        .folders = stn_table_new(),
                        .changed = stn_names_new(),
                        .fn = fn,
                        .ctx = ctx};
    if (w->fd < 0)
        st = stn_fail(err, STN_IO, "watch of %s: %s", folder, strerror(errno));
    else if (!w->root || !w->timer || !w->folders || !w->changed)
        st = stn_fail(err, STN_NO_MEMORY, "watch of %s", folder);
    else
        st = stn_loop_watch_fd(loop, w->fd, STN_FD_READ, on_readable, w, &w->watch, err);
    if (st == STN_OK) {
        add_folder(w, "", 0, false, 0);
        if (stn_table_count(w->folders) == 0)
            st = stn_fail(err, STN_IO, "watch of %s: not possible", folder);
    }
    if (st != STN_OK) {
        stn_dirwatch_free(w);
        return st;
    }
    *out = w;
    return STN_OK;
}

void stn_dirwatch_free(stn_dirwatch *w)
{
    size_t it = 0;
    uint64_t wd;
    void *path;
    if (!w)
        return;
    stn_watch_free(w->watch);
    stn_timer_free(w->timer);
    if (w->fd >= 0)
        close(w->fd);
    while (w->folders && stn_table_next(w->folders, &it, &wd, &path))
        free(path);
    stn_table_free(w->folders);
    stn_names_free(w->changed);
    free(w->root);
    free(w);
}
