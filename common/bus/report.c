#include "bus/report.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Buckets: below 1 us one; then for each power of two of microseconds 8 steps, 27 powers (over two minutes).
 */
#define STEPS 8u

static unsigned bucket_of(uint64_t ns)
{
    uint64_t us = ns / 1000;
    unsigned power, step, bucket;

    if (us == 0)
        return 0;
    power = 63u - (unsigned)__builtin_clzll(us);
    /* The three bits below the highest one, from nanoseconds so that small powers have steps too. */
    step = (unsigned)(((ns - (UINT64_C(1000) << power)) * STEPS) / (UINT64_C(1000) << power));
    bucket = 1 + power * STEPS + step;
    return bucket < STN_HIST_BUCKETS ? bucket : STN_HIST_BUCKETS - 1;
}

static uint64_t bucket_edge(unsigned bucket)
{
    unsigned power, step;

    if (bucket == 0)
        return 1000;
    power = (bucket - 1) / STEPS;
    step = (bucket - 1) % STEPS;
    return (UINT64_C(1000) << power) + ((UINT64_C(1000) << power) * (step + 1)) / STEPS;
}

void stn_hist_add(stn_hist *h, int64_t ns)
{
    uint64_t v = ns > 0 ? (uint64_t)ns : 0;

    h->count++;
    if (v > h->max_ns)
        h->max_ns = v;
    h->buckets[bucket_of(v > UINT64_C(1) << 50 ? UINT64_C(1) << 50 : v)]++;
}

uint64_t stn_hist_quantile(const stn_hist *h, double part)
{
    uint64_t rank, seen = 0;

    if (h->count == 0)
        return 0;
    rank = (uint64_t)((double)h->count * part);
    if (rank >= h->count)
        rank = h->count - 1;
    for (unsigned i = 0; i < STN_HIST_BUCKETS; i++) {
        seen += h->buckets[i];
        if (seen > rank) {
            uint64_t edge = bucket_edge(i);
            return i == STN_HIST_BUCKETS - 1 || edge > h->max_ns ? h->max_ns : edge;
        }
    }
    return h->max_ns;
}

struct stn_report {
    stn_arena *arena;
    Stenness__HealthState health;
    char line[256];
    size_t n;
    uint64_t cut;
    Stenness__StatusItem items[STN_REPORT_ITEMS];
    Stenness__StatusItem *list[STN_REPORT_ITEMS];
};

stn_report *stn_report_new(void)
{
    stn_report *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->arena = stn_arena_new(16384, 1 << 20);
    if (!r->arena) {
        free(r);
        return NULL;
    }
    return r;
}

void stn_report_free(stn_report *r)
{
    if (!r)
        return;
    stn_arena_free(r->arena);
    free(r);
}

void stn_report_clear(stn_report *r)
{
    stn_arena_reset(r->arena);
    r->health = STENNESS__HEALTH_STATE__HEALTH_UNKNOWN;
    r->line[0] = 0;
    r->n = 0;
    r->cut = 0;
}

void stn_report_health(stn_report *r, Stenness__HealthState health, const char *fmt, ...)
{
    va_list ap;

    if (health <= r->health)
        return;
    r->health = health;
    va_start(ap, fmt);
    vsnprintf(r->line, sizeof r->line, fmt, ap);
    va_end(ap);
}

static Stenness__StatusItem *add(stn_report *r, const char *name, Stenness__ItemType type)
{
    Stenness__StatusItem *item;
    char *copy;

    /* The last place is kept for "report.cut". */
    if (r->n >= STN_REPORT_ITEMS - 1 || !(copy = stn_arena_strdup(r->arena, name))) {
        r->cut++;
        return NULL;
    }
    item = &r->items[r->n];
    stenness__status_item__init(item);
    r->list[r->n++] = item;
    item->name = copy;
    item->type = type;
    return item;
}

void stn_report_text(stn_report *r, const char *name, const char *fmt, ...)
{
    Stenness__StatusItem *item = add(r, name, STENNESS__ITEM_TYPE__ITEM_TEXT);
    char text[1024], *copy;
    va_list ap;

    if (!item)
        return;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    copy = stn_arena_strdup(r->arena, text);
    if (copy)
        item->text = copy;
}

void stn_report_gauge(stn_report *r, const char *name, double value)
{
    Stenness__StatusItem *item = add(r, name, STENNESS__ITEM_TYPE__ITEM_GAUGE);
    if (item)
        item->value = value;
}

void stn_report_counter(stn_report *r, const char *name, uint64_t value)
{
    Stenness__StatusItem *item = add(r, name, STENNESS__ITEM_TYPE__ITEM_COUNTER);
    if (item)
        item->value = (double)value;
}

void stn_report_hist(stn_report *r, const char *name, const stn_hist *h)
{
    Stenness__StatusItem *item = add(r, name, STENNESS__ITEM_TYPE__ITEM_HISTOGRAM);
    if (!item)
        return;
    item->count = h->count;
    item->p50_ns = stn_hist_quantile(h, 0.5);
    item->p90_ns = stn_hist_quantile(h, 0.9);
    item->p99_ns = stn_hist_quantile(h, 0.99);
    item->p999_ns = stn_hist_quantile(h, 0.999);
    item->max_ns = h->max_ns;
}

void stn_report_fill(stn_report *r, Stenness__Status *out)
{
    if (r->cut > 0 && r->n < STN_REPORT_ITEMS) {
        Stenness__StatusItem *item = &r->items[r->n];
        stenness__status_item__init(item);
        item->name = "report.cut";
        item->type = STENNESS__ITEM_TYPE__ITEM_COUNTER;
        item->value = (double)r->cut;
        r->list[r->n++] = item;
        r->cut = 0;
    }
    out->health = r->health;
    out->line = r->line;
    out->n_items = r->n;
    out->items = r->list;
}
