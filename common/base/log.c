#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char log_name[32] = "stenness";
static atomic_int log_level = STN_LOG_INFO;

static const char *const level_names[] = {"error", "warn", "info", "debug"};

void stn_log_set_name(const char *name)
{
    snprintf(log_name, sizeof log_name, "%s", name);
}

void stn_log_set_level(stn_log_level level)
{
    atomic_store_explicit(&log_level, (int)level, memory_order_relaxed);
}

stn_log_level stn_log_get_level(void)
{
    return (stn_log_level)atomic_load_explicit(&log_level, memory_order_relaxed);
}

void stn_log_level_from_env(void)
{
    const char *word = getenv("STN_LOG");
    if (!word || !*word)
        return;
    for (int i = 0; i < 4; i++)
        if (strcmp(word, level_names[i]) == 0) {
            stn_log_set_level((stn_log_level)i);
            return;
        }
    stn_log_warn("STN_LOG=%.20s: expected error, warn, info or debug", word);
}

void stn_log_write(stn_log_level level, const char *fmt, ...)
{
    char line[1024];
    struct timespec now;
    struct tm tm;
    va_list ap;
    int n, m;

    if (level > stn_log_get_level())
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    n = snprintf(line, sizeof line, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ %s %s ", tm.tm_year + 1900,
                 tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, now.tv_nsec / 1000000,
                 level_names[level], log_name);
    va_start(ap, fmt);
    m = vsnprintf(line + n, sizeof line - (size_t)n - 1, fmt, ap);
    va_end(ap);
    if (m < 0)
        return;
    n += m;
    if (n > (int)sizeof line - 2)
        n = (int)sizeof line - 2;
    /* Text from outside may be quoted in a line: it must not fake a second line or move the terminal's
     * cursor. */
    for (int i = 0; i < n; i++)
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
            line[i] = '?';
    line[n++] = '\n';
    if (write(STDERR_FILENO, line, (size_t)n) < 0)
        return; /* nowhere left to say it */
}

int stn_log_due(stn_log_once *once)
{
    once->count++;
    if (once->next == 0)
        once->next = 1;
    if (once->count < once->next)
        return 0;
    once->next *= 10;
    return 1;
}
