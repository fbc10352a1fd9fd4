#include "renderer/pacing.h"

#include "base/clock.h"

int stn_pacing_hz(const stn_pacing_facts *f)
{
    if (f->wanted_hz >= 0)
        return f->wanted_hz;
    return f->background && !f->awaited ? STN_BACKGROUND_HZ : f->cap_hz;
}

int64_t stn_pacing_next(int64_t *due_ns, int hz, int64_t now_ns)
{
    if (hz <= 0 || *due_ns + STN_S / hz <= now_ns) {
        *due_ns = now_ns;
        return 0;
    }
    *due_ns += STN_S / hz;
    return *due_ns - now_ns;
}
