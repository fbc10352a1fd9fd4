#include "renderer/frames.h"

#include <stdlib.h>
#include <string.h>

static const char *const phase_names[STN_PHASES] = {"input", "upload", "tick", "cull", "draw", "hud", "swap"};

void stn_frames_reset(stn_frames *f, int64_t now_ns)
{
    f->count = 0;
    f->started_ns = now_ns;
}

void stn_frames_add(stn_frames *f, double work_ms, double cpu_ms, unsigned waits,
                    const double phases[STN_PHASES])
{
    size_t at = f->count++ % STN_FRAMES_KEPT;

    f->work_ms[at] = (float)work_ms;
    f->cpu_ms[at] = (float)cpu_ms;
    f->waits[at] = (float)waits;
    for (int i = 0; i < STN_PHASES; i++)
        f->phase_ms[i][at] = (float)phases[i];
}

static size_t kept(const stn_frames *f)
{
    return f->count < STN_FRAMES_KEPT ? (size_t)f->count : STN_FRAMES_KEPT;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return x < y ? -1 : x > y ? 1 : 0;
}

static void quantiles(const float *values, size_t n, const double *q, size_t count, double *out)
{
    float *copy = n ? malloc(n * sizeof *copy) : NULL;

    for (size_t i = 0; i < count; i++)
        out[i] = 0.0;
    if (!copy)
        return;
    memcpy(copy, values, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, by_value);
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)(q[i] * (double)n);

        out[i] = (double)copy[at < n ? at : n - 1];
    }
    free(copy);
}

double stn_frames_quantile(const stn_frames *f, double q)
{
    double v;

    quantiles(f->work_ms, kept(f), &q, 1, &v);
    return v;
}

double stn_frames_mean(const stn_frames *f, size_t last)
{
    size_t n = kept(f);
    double sum = 0.0;

    n = last < n ? last : n;
    for (size_t i = 0; i < n; i++)
        sum += (double)f->work_ms[(f->count - 1 - i) % STN_FRAMES_KEPT];
    return n ? sum / (double)n : 0.0;
}

static void put_series(stn_buf *out, const char *name, const float *values, size_t n)
{
    static const double q[5] = {0.5, 0.9, 0.99, 0.999, 1.0};
    double v[5], sum = 0.0;

    quantiles(values, n, q, 5, v);
    for (size_t i = 0; i < n; i++)
        sum += (double)values[i];
    stn_buf_printf(
        out, "\"%s\":{\"mean\":%.4f,\"p50\":%.4f,\"p90\":%.4f,\"p99\":%.4f,\"p999\":%.4f,\"worst\":%.4f}",
        name, n ? sum / (double)n : 0.0, v[0], v[1], v[2], v[3], v[4]);
}

void stn_frames_json(const stn_frames *f, int64_t now_ns, stn_buf *out)
{
    size_t n = kept(f);

    stn_buf_printf(out, "{\"frames\":%llu,\"seconds\":%.3f,", (unsigned long long)f->count,
                   (double)(now_ns - f->started_ns) / 1e9);
    put_series(out, "work_ms", f->work_ms, n);
    stn_buf_printf(out, ",");
    put_series(out, "cpu_ms", f->cpu_ms, n);
    stn_buf_printf(out, ",");
    put_series(out, "waits", f->waits, n);
    stn_buf_printf(out, ",\"phases_ms\":{");
    for (int i = 0; i < STN_PHASES; i++) {
        if (i)
            stn_buf_printf(out, ",");
        put_series(out, phase_names[i], f->phase_ms[i], n);
    }
    stn_buf_printf(out, "}}");
}
