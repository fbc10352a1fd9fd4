/* cutline.h - the waiting line of cuts: ground whose materials are on their way, decorations that belong to a
 * change of the ground, and the ends of changes.
 *
 * A change is shown at once (proto/world.proto, at Cut): its end waits until all
 * its ground is handed over, and its decorations wait for its end. Nothing waits longer than
 * STN_CUTLINE_PATIENCE_NS for the rest of its change. A newer cut of a place makes an older one that still
 * waits pointless. Pure: time is given. Order is that of arrival.
 */
#ifndef STN_RENDERER_BUILD_CUTLINE_H
#define STN_RENDERER_BUILD_CUTLINE_H

#include "base/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_CUTLINE_PATIENCE_NS (STN_S / 2)

typedef enum stn_cut_kind { STN_CUT_GROUND, STN_CUT_DECORATION, STN_CUT_END_OF_CHANGE } stn_cut_kind;

typedef struct stn_waiting_cut {
    stn_cut_kind kind;
    uint64_t frame; /* of reference */
    int32_t x, y; /* cut coordinate; not of an end */
    uint64_t product;
    uint64_t swap; /* number of the change, 0 = none */
    int64_t came_ns;
    const uint8_t *data; /* the product */
    size_t len;
    void (*release)(void *arg); /* lets go what `data` lies in; may be NULL */
    void *arg;
    void *unpacked; /* freed with it; NULL: `data` came as it is */
    struct stn_waiting_cut *next;
} stn_waiting_cut;

stn_waiting_cut *stn_waiting_cut_new(stn_cut_kind kind, int64_t now_ns); /* NULL: out of memory */
void stn_waiting_cut_free(void *cut); /* NULL is fine */

typedef struct stn_cutline stn_cutline;

stn_cutline *stn_cutline_new(void); /* NULL: out of memory */
void stn_cutline_free(stn_cutline *l);
/* All go, and no change has been shown: another frame of reference. */
void stn_cutline_clear(stn_cutline *l);
size_t stn_cutline_count(const stn_cutline *l);
/* Takes the cut. */
void stn_cutline_add(stn_cutline *l, stn_waiting_cut *cut);
/* What waits of this place is no longer wanted. */
void stn_cutline_forget(stn_cutline *l, int32_t x, int32_t y, stn_cut_kind kind);

/* Whether a cut that is due could be taken: STN_CUTLINE_TAKEN moves it to the visitor, STN_CUTLINE_KEPT
 * leaves it in its place for the next time, STN_CUTLINE_STOP also and ends the walk. */
typedef enum stn_cutline_answer { STN_CUTLINE_TAKEN, STN_CUTLINE_KEPT, STN_CUTLINE_STOP } stn_cutline_answer;
typedef stn_cutline_answer stn_cutline_fn(void *ctx, stn_waiting_cut *cut);

/* Shows all that is due to the visitor, in order. An end that is taken counts as shown. */
void stn_cutline_visit(stn_cutline *l, int64_t now_ns, stn_cutline_fn *fn, void *ctx);

#endif
