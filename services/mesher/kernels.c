#include "mesher/kernels.h"

#include "base/log.h"
#include "mesher/kernels_forms.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static bool any(void)
{
    return true;
}
#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
#endif

/* Best first. */
static const struct {
    const stn_kernels *form;
    bool (*runs)(void);
} forms[] = {
#if defined(__x86_64__)
    {&stn_kernels_avx512, has_avx512},
    {&stn_kernels_avx2, has_avx2},
    {&stn_kernels_sse2, any},
#endif
    {&stn_kernels_plain, any},
};

const stn_kernels *stn_kernels_named(const char *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(forms[i].form->name, name) == 0)
            return forms[i].runs() ? forms[i].form : NULL;
    return NULL;
}

static const stn_kernels *best;

static void choose(void)
{
    const char *wish = getenv("STN_SIMD");

    if (wish && !(best = stn_kernels_named(wish)))
        stn_log_warn("STN_SIMD=%s is not plain, sse2, avx2 or avx512, or this processor cannot run it", wish);
    for (size_t i = 0; !best; i++)
        if (forms[i].runs())
            best = forms[i].form;
}

const stn_kernels *stn_kernels_best(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose);
    return best;
}
