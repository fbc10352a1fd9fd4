/* logical.h - the logical layer of input: triggers, each a condition on two snapshots and what to do.
 *
 * Each frame every snapshot is compared with the one before it; a frame without snapshots compares the last
 * with itself. Conditions are small trees of predicates. Triggers fire in the order in which they were added;
 * the same one added twice counts once. Limits: STN_TRIGGERS triggers, STN_PREDICATES predicates,
 * STN_LOGICAL_SOURCES physical layers. Source: docs/spec/rendering.md 23.5.
 */
#ifndef STN_RENDERER_INPUT_LOGICAL_H
#define STN_RENDERER_INPUT_LOGICAL_H

#include "base/err.h"
#include "renderer/input/physical.h"

#define STN_TRIGGERS 256
#define STN_PREDICATES 512
#define STN_LOGICAL_SOURCES 4

typedef enum stn_pred_kind {
    STN_PRED_ALWAYS,
    STN_PRED_KEY_PRESSED, /* down now, not before */
    STN_PRED_KEY_RELEASED,
    STN_PRED_KEY_HELD,
    STN_PRED_MOUSE_MOVED,
    STN_PRED_WHEEL,
    STN_PRED_BUTTON_PRESSED,
    STN_PRED_BUTTON_RELEASED,
    STN_PRED_BUTTON_DOWN,
    STN_PRED_CLICKED, /* a button was released, with this many clicks: at most 500 ms and 15 pixels apart */
    STN_PRED_TEXT,
    STN_PRED_KEYS, /* some key went up or down */
    STN_PRED_AND,
    STN_PRED_OR,
    STN_PRED_NOT,
    STN_PRED_EVERY /* a, but at most once in `seconds` */
} stn_pred_kind;

typedef struct stn_two {
    const stn_input_state *prev, *cur;
} stn_two;

typedef void (*stn_trigger_fn)(void *arg, const stn_two *states, double tpf);

typedef struct stn_logical stn_logical;

stn_logical *stn_logical_new(void); /* NULL: out of memory */
void stn_logical_free(stn_logical *l);
/* STN_BUSY: it belongs to another logical layer, or there is no room. Again with the same one: no effect. */
stn_status stn_logical_listen(stn_logical *l, stn_physical *p, stn_err *err);

/* Predicates; each gives a number, negative when there is no room. */
int stn_pred_key(stn_logical *l, stn_pred_kind kind, unsigned key);
int stn_pred_button(stn_logical *l, stn_pred_kind kind, unsigned button, unsigned clicks);
int stn_pred_plain(stn_logical *l, stn_pred_kind kind); /* always, moved, wheel, text */
int stn_pred_both(stn_logical *l, int a, int b);
int stn_pred_either(stn_logical *l, int a, int b);
int stn_pred_not(stn_logical *l, int a);
int stn_pred_every(stn_logical *l, int a, double seconds);

/* STN_TOO_BIG: no room; STN_USAGE: no such predicate. Equal (condition, fn, arg) counts once. */
stn_status stn_logical_trigger(stn_logical *l, const char *id, int condition, stn_trigger_fn fn, void *arg,
                               stn_err *err);
void stn_logical_clear(stn_logical *l); /* forgets triggers and predicates: before rebinding */
void stn_logical_check(stn_logical *l, double tpf);
/* The last snapshot seen of the first source. */
const stn_input_state *stn_logical_last(const stn_logical *l);

#endif
