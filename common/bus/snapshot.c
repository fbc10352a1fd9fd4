#include "bus/snapshot.h"

void stn_follow_peer(stn_follow *f, uint64_t epoch, int64_t now_ns)
{
    f->state = STN_FOLLOW_WAIT;
    f->epoch = epoch;
    f->sequence = 0;
    f->asked_ns = now_ns;
}

void stn_follow_lost(stn_follow *f)
{
    f->state = STN_FOLLOW_NONE;
}

stn_follow_verdict stn_follow_snapshot(stn_follow *f, uint64_t epoch, uint64_t sequence)
{
    /* A snapshot asked for twice comes twice; one that is older than what has been applied since would turn
     * time back. */
    if (f->state == STN_FOLLOW_NONE || epoch != f->epoch ||
        (f->state == STN_FOLLOW_LIVE && sequence < f->sequence)) {
        f->dropped++;
        return STN_FOLLOW_DROP;
    }
    f->state = STN_FOLLOW_LIVE;
    f->sequence = sequence;
    return STN_FOLLOW_APPLY;
}

stn_follow_verdict stn_follow_change(stn_follow *f, uint64_t epoch, uint64_t sequence, int64_t now_ns)
{
    if (f->state != STN_FOLLOW_LIVE || epoch != f->epoch || sequence <= f->sequence) {
        f->dropped++;
        return STN_FOLLOW_DROP;
    }
    if (sequence != f->sequence + 1) {
        f->gaps++;
        f->state = STN_FOLLOW_WAIT;
        f->asked_ns = now_ns;
        return STN_FOLLOW_ASK;
    }
    f->sequence = sequence;
    return STN_FOLLOW_APPLY;
}

bool stn_follow_overdue(stn_follow *f, int64_t now_ns, int64_t timeout_ns)
{
    if (f->state != STN_FOLLOW_WAIT || now_ns - f->asked_ns < timeout_ns)
        return false;
    f->asked_ns = now_ns;
    return true;
}
