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

void stn_strain_frame(stn_strain *s, double busy_ms, double apart_ms, double target_ms)
{
    s->busy_ms = s->frames++ == 0 ? busy_ms : s->busy_ms + (busy_ms - s->busy_ms) / 4.0;
    if (s->busy_ms > 0.95 * target_ms || apart_ms > 1.5 * target_ms) {
        s->easy = 0;
        if (++s->late >= STN_STRAIN_LATE && s->level < STN_STRAIN_DETAIL) {
            s->level++;
            s->late = 0;
        }
        return;
    }
    s->late = 0;
    s->easy = s->busy_ms < 0.75 * target_ms ? s->easy + 1 : 0;
    if (s->easy >= STN_STRAIN_EASY && s->level > STN_STRAIN_NONE) {
        s->level--;
        s->easy = 0;
    }
}

bool stn_strain_keeps_shadows(const stn_strain *s)
{
    return s->level >= STN_STRAIN_MORE_SHADOWS ? s->frames % 4 != 0
           : s->level >= STN_STRAIN_SHADOWS    ? s->frames % 2 != 0
                                               : false;
}
