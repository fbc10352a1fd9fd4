/* report.h - what a process says about itself: health, one line, and named values. Pure.
 *
 * Names: lower case, parts joined by dots, the unit as the last part when there is one ("cuts.pending",
 * "build.time", "cache.bytes"). At most STN_REPORT_ITEMS items; more are counted as "report.cut".
 */
#ifndef STN_BUS_REPORT_H
#define STN_BUS_REPORT_H

#include "proto/control.pb-c.h"

#include <stddef.h>
#include <stdint.h>

#define STN_REPORT_ITEMS 512

typedef struct stn_report stn_report;

/* Durations in ns, 1 us to over a minute in steps of at most 1/8, so a quantile is exact to 12.5 %. Zeroed =
 * empty. */
#define STN_HIST_BUCKETS 224
typedef struct stn_hist {
    uint64_t count, max_ns;
    uint32_t buckets[STN_HIST_BUCKETS];
} stn_hist;
void stn_hist_add(stn_hist *h, int64_t ns);
uint64_t stn_hist_quantile(const stn_hist *h, double part); /* upper edge of the bucket; 0 when empty */

stn_report *stn_report_new(void);
void stn_report_free(stn_report *r);
void stn_report_clear(stn_report *r);
/* The worst health said counts; its line is kept (the first of equally bad ones). */
void stn_report_health(stn_report *r, Stenness__HealthState health, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void stn_report_text(stn_report *r, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void stn_report_gauge(stn_report *r, const char *name, double value);
void stn_report_counter(stn_report *r, const char *name, uint64_t value);
void stn_report_hist(stn_report *r, const char *name, const stn_hist *h);
/* Fills health, line and items of *out; borrowed from the report until it is changed or freed. */
void stn_report_fill(stn_report *r, Stenness__Status *out);

#endif
