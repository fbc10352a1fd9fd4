/* batch.h - which drawable things become one instanced draw.
 *
 * Things with the same key (mesh, state group of everything that is not per instance, and which per-instance
 * kinds are there) are drawn together. One is drawn alone; the second makes a batch; a batch that shrinks to
 * one stays a batch, and at zero it goes. Members are dense: removing one moves the last into its place.
 * Source: docs/spec/rendering.md 19.
 */
#ifndef STN_RENDERER_SCENE_BATCH_H
#define STN_RENDERER_SCENE_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_batch_key {
    uint64_t mesh, group; /* group: the state that all members share */
    uint32_t variant; /* which per-instance kinds are present */
    bool bypass; /* has a per-instance kind without a form for batches, or is no mesh */
} stn_batch_key;

typedef struct stn_batches stn_batches;

typedef struct stn_batch_counts {
    size_t entries; /* what the draw list holds: lone things, batches and bypassed ones */
    size_t lone, batches, members; /* members: of batches */
    size_t invalid, bypassed;
} stn_batch_counts;

stn_batches *stn_batches_new(void); /* NULL: out of memory */
void stn_batches_free(stn_batches *b);
/* id must be new. False: out of memory, or known already. */
bool stn_batches_add(stn_batches *b, uint64_t id, const stn_batch_key *key);
void stn_batches_remove(stn_batches *b, uint64_t id); /* unknown ids are fine */
stn_batch_counts stn_batches_counts(const stn_batches *b);
/* Members of the batch that id is in, dense; NULL when it is drawn alone. Borrowed until the next change. */
const uint64_t *stn_batches_members(const stn_batches *b, uint64_t id, size_t *count);

#endif
