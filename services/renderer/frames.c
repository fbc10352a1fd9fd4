#include "renderer/frames.h"

#include <stddef.h>
#include <stdlib.h>

static const char *const phase_names[STN_PHASES] = {"input", "upload", "tick", "cull",
                                                    "draw",  "hud",    "swap", "behind"};
static const char *const count_names[STN_COUNTS] = {"jobs",     "bytes",  "frees", "scenes",
                                                    "programs", "faults", "waits", "taken"};

void stn_frames_reset(stn_frames *f, int64_t now_ns)
{
    f->count = 0;
    f->started_ns = now_ns;
}

void stn_frames_add(stn_frames *f, const stn_frame_cost *cost)
{
    f->kept[f->count++ % STN_FRAMES_KEPT] = *cost;
}

static size_t kept(const stn_frames *f)
{
    return f->count < STN_FRAMES_KEPT ? (size_t)f->count : STN_FRAMES_KEPT;
}

double stn_frames_mean(const stn_frames *f, size_t last)
{
    size_t n = kept(f);
    double sum = 0.0;

    n = last < n ? last : n;
    for (size_t i = 0; i < n; i++)
        sum += (double)f->kept[(f->count - 1 - i) % STN_FRAMES_KEPT].work_ms;
    return n ? sum / (double)n : 0.0;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return x < y ? -1 : x > y ? 1 : 0;
}

/* The figure at `offset` of each frame: a float, or a count. */
static void put_series(const stn_frames *f, const char *name, size_t offset, bool count, float *values,
                       stn_buf *out)
{
    static const double q[5] = {0.5, 0.9, 0.99, 0.999, 1.0};
    size_t n = kept(f);
    double v[5] = {0}, sum = 0.0;

    for (size_t i = 0; i < n; i++) {
        const char *at = (const char *)&f->kept[i] + offset;

        values[i] = count ? (float)*(const uint32_t *)(const void *)at : *(const float *)(const void *)at;
        sum += (double)values[i];
    }
    qsort(values, n, sizeof *values, by_value);
    for (int i = 0; n > 0 && i < 5; i++) {
        size_t at = (size_t)(q[i] * (double)n);

        v[i] = (double)values[at < n ? at : n - 1];
    }
    stn_buf_printf(
        out, "\"%s\":{\"mean\":%.4f,\"p50\":%.4f,\"p90\":%.4f,\"p99\":%.4f,\"p999\":%.4f,\"worst\":%.4f}",
        name, n ? sum / (double)n : 0.0, v[0], v[1], v[2], v[3], v[4]);
}

static void put_frame(const stn_frame_cost *c, stn_buf *out)
{
    stn_buf_printf(out, "{\"at_s\":%.3f,\"cpu_ms\":%.4f,\"work_ms\":%.4f,\"off_ms\":%.4f,\"swap_ms\":%.4f",
                   (double)c->at_s, (double)c->cpu_ms, (double)c->work_ms, (double)c->off_ms,
                   (double)c->swap_ms);
    for (int i = 0; i < STN_PHASES; i++)
        stn_buf_printf(out, ",\"%s\":%.4f", phase_names[i], (double)c->phase_ms[i]);
    for (int i = 0; i < STN_COUNTS; i++)
        stn_buf_printf(out, ",\"%s\":%u", count_names[i], c->counts[i]);
    stn_buf_printf(out, "}");
}

/* The longest by processor time, longest first. */
static void put_worst(const stn_frames *f, stn_buf *out)
{
    const stn_frame_cost *worst[STN_FRAMES_WORST];
    size_t count = 0;

    for (size_t i = 0; i < kept(f); i++) {
        size_t at;

        if (count == STN_FRAMES_WORST && f->kept[i].cpu_ms <= worst[count - 1]->cpu_ms)
            continue;
        at = count < STN_FRAMES_WORST ? count++ : count - 1;
        while (at > 0 && worst[at - 1]->cpu_ms < f->kept[i].cpu_ms) {
            worst[at] = worst[at - 1];
            at--;
        }
        worst[at] = &f->kept[i];
    }
    for (size_t i = 0; i < count; i++) {
        stn_buf_printf(out, "%s", i ? "," : "");
        put_frame(worst[i], out);
    }
}

void stn_frames_json(const stn_frames *f, int64_t now_ns, stn_buf *out)
{
    static const struct {
        const char *name;
        size_t offset;
    } totals[] = {{"work_ms", offsetof(stn_frame_cost, work_ms)},
                  {"cpu_ms", offsetof(stn_frame_cost, cpu_ms)},
                  {"off_ms", offsetof(stn_frame_cost, off_ms)},
                  {"swap_ms", offsetof(stn_frame_cost, swap_ms)}};
    float *values = malloc((kept(f) + 1) * sizeof *values);

    if (!values) {
        stn_buf_printf(out, "{\"frames\":%llu}", (unsigned long long)f->count);
        return;
    }
    stn_buf_printf(out, "{\"frames\":%llu,\"seconds\":%.3f", (unsigned long long)f->count,
                   (double)(now_ns - f->started_ns) / 1e9);
    for (size_t i = 0; i < sizeof totals / sizeof totals[0]; i++) {
        stn_buf_printf(out, ",");
        put_series(f, totals[i].name, totals[i].offset, false, values, out);
    }
    stn_buf_printf(out, ",\"phases_ms\":{");
    for (size_t i = 0; i < STN_PHASES; i++) {
        stn_buf_printf(out, "%s", i ? "," : "");
        put_series(f, phase_names[i], offsetof(stn_frame_cost, phase_ms) + i * sizeof(float), false, values,
                   out);
    }
    stn_buf_printf(out, "},\"counts\":{");
    for (size_t i = 0; i < STN_COUNTS; i++) {
        stn_buf_printf(out, "%s", i ? "," : "");
        put_series(f, count_names[i], offsetof(stn_frame_cost, counts) + i * sizeof(uint32_t), true, values,
                   out);
    }
    stn_buf_printf(out, "},\"worst\":[");
    put_worst(f, out);
    stn_buf_printf(out, "]}");
    free(values);
}
