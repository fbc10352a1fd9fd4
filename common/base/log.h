/* log.h - one line, one event, greppable, on standard error.
 *
 * Line: "2026-01-31T12:00:00.123Z warn mesher.0 text". error = someone must act; warn = degraded but running;
 * info = state changes; debug = per message; never per frame. The level comes from STN_LOG
 * (error|warn|info|debug), default info. A condition that repeats uses an stn_log_once, which logs the first
 * and then counts. Thread-safe: one write(2) a line.
 */
#ifndef STN_BASE_LOG_H
#define STN_BASE_LOG_H

#include <stdint.h>

typedef enum stn_log_level { STN_LOG_ERROR, STN_LOG_WARN, STN_LOG_INFO, STN_LOG_DEBUG } stn_log_level;

/* The name that stands in every line ("world", "mesher.1"); copied, at most 31 bytes. */
void stn_log_set_name(const char *name);
void stn_log_set_level(stn_log_level level);
stn_log_level stn_log_get_level(void);
/* Reads STN_LOG; unknown words leave the level and are said once. */
void stn_log_level_from_env(void);

void stn_log_write(stn_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define stn_log_error(...) stn_log_write(STN_LOG_ERROR, __VA_ARGS__)
#define stn_log_warn(...) stn_log_write(STN_LOG_WARN, __VA_ARGS__)
#define stn_log_info(...) stn_log_write(STN_LOG_INFO, __VA_ARGS__)
#define stn_log_debug(...)                                                                                   \
    do {                                                                                                     \
        if (stn_log_get_level() >= STN_LOG_DEBUG)                                                            \
            stn_log_write(STN_LOG_DEBUG, __VA_ARGS__);                                                       \
    } while (0)

/* A repeating condition: true the first time and at every power of ten after, so a flood costs few lines. The
 * count so far is in .count; reset by zeroing. Not thread-safe: one owner. */
typedef struct stn_log_once {
    uint64_t count;
    uint64_t next;
} stn_log_once;
int stn_log_due(stn_log_once *once);

#endif
