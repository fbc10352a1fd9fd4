/* snapshot.h - following a state that another process owns: subscribe, snapshot, then changes in sequence.
 * Pure.
 *
 * What a late or lagging peer must know is never published and hoped for. The follower subscribes and asks
 * for a snapshot; changes that come meanwhile and are not newer than the snapshot's sequence are dropped; a
 * hole in the sequence or another epoch means asking again. Source: docs/design.md 4 "State" (the Clone
 * pattern with the epoch added).
 */
#ifndef STN_BUS_SNAPSHOT_H
#define STN_BUS_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum stn_follow_state {
    STN_FOLLOW_NONE, /* no peer: keep what is held, marked as old */
    STN_FOLLOW_WAIT, /* a snapshot was asked for */
    STN_FOLLOW_LIVE, /* snapshot taken, changes are applied */
} stn_follow_state;

typedef enum stn_follow_verdict {
    STN_FOLLOW_APPLY, /* this message is the next: apply it */
    STN_FOLLOW_DROP, /* old, repeated, or of another epoch: ignore it */
    STN_FOLLOW_ASK, /* a hole: ignore it and ask for a snapshot now */
} stn_follow_verdict;

typedef struct stn_follow {
    stn_follow_state state;
    uint64_t epoch; /* of the owner */
    uint64_t sequence; /* last applied */
    int64_t asked_ns;
    uint64_t gaps, dropped; /* counted for status */
} stn_follow;

/* The owner is up (again): a snapshot must be asked for. */
void stn_follow_peer(stn_follow *f, uint64_t epoch, int64_t now_ns);
void stn_follow_lost(stn_follow *f);
stn_follow_verdict stn_follow_snapshot(stn_follow *f, uint64_t epoch, uint64_t sequence);
/* `sequence` of a change is that of the state after it. In WAIT changes are dropped: the snapshot will have
 * them. */
stn_follow_verdict stn_follow_change(stn_follow *f, uint64_t epoch, uint64_t sequence, int64_t now_ns);
/* In WAIT for longer than `timeout_ns`: ask again (and restart the clock). */
bool stn_follow_overdue(stn_follow *f, int64_t now_ns, int64_t timeout_ns);

#endif
