/* slots.h - render state and its inheritance: a tree of slots, each with a creation op and an own op.
 *
 *     state(slot) = own(creation(state(parent)))
 *
 * An op is a list: put a value, put nothing (which is a value: it hides what the parent has), or compute from
 * what is there, seeing the parent's values and what earlier ops of the same slot put. States are derived
 * when asked for and kept until an ancestor or the slot itself changes; an op equal to the old one changes
 * nothing.
 *
 * A locked slot refuses other ops, and may not compute from a kind whose value comes from an unlocked slot
 * above. Values are pointers that the owner interned: equal content, equal pointer. Source:
 * docs/spec/rendering.md 8.
 */
#ifndef STN_RENDERER_SCENE_SLOTS_H
#define STN_RENDERER_SCENE_SLOTS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_RSLOT_KINDS 64
#define STN_RSLOT_OPS 16 /* in one list */

/* What is there while an op runs. */
typedef struct stn_rslot_state {
    const void *value[STN_RSLOT_KINDS]; /* NULL = nothing */
    uint64_t locked; /* bit set: the value comes from a locked slot, or is nothing from above */
} stn_rslot_state;

typedef enum stn_rslot_what { STN_RSLOT_PUT, STN_RSLOT_NOTHING, STN_RSLOT_COMPUTE } stn_rslot_what;

typedef struct stn_rslot_op {
    stn_rslot_what what;
    uint8_t kind; /* what it writes */
    uint8_t reads; /* COMPUTE: the kind it reads */
    const void *value; /* PUT: the value; COMPUTE: the argument */
    /* COMPUTE: the new value from the one it reads. */
    const void *(*compute)(const void *arg, const void *read);
} stn_rslot_op;

typedef struct stn_rslot stn_rslot;

/* parent NULL = a root. The ops are copied. NULL: out of memory, too many ops or an unknown kind. */
stn_rslot *stn_rslot_new(stn_rslot *parent, const stn_rslot_op *creation, size_t n);
/* With everything below, the last child first. */
void stn_rslot_free(stn_rslot *s);
/* STN_DENIED: locked. STN_USAGE: too many ops or an unknown kind. */
stn_status stn_rslot_set_own(stn_rslot *s, const stn_rslot_op *ops, size_t n, stn_err *err);
stn_status stn_rslot_set_creation(stn_rslot *s, const stn_rslot_op *ops, size_t n, stn_err *err);
/* STN_BUSY: its state was used already. */
stn_status stn_rslot_lock(stn_rslot *s, stn_err *err);
/* Borrowed until the next change of the tree. NULL and an error: a locked slot depends on an unlocked one. */
const stn_rslot_state *stn_rslot_get(stn_rslot *s, stn_err *err);
uint64_t stn_rslot_derived(void); /* derivations since the start, for tests and figures */

#endif
