/* physical.h - the physical layer of input: events become immutable snapshots, so that no press is lost when
 * press and release arrive within one frame.
 *
 * A source gives events one by one; stn_physical_read() turns them into a list of snapshots, each holding at
 * most one new key event and one new mouse state. Every event makes a new part, also one that repeats the old
 * value. When the focus went, a marker is appended and everything counts as released. Limits: STN_INPUT_KEYS
 * keys, STN_INPUT_QUEUE snapshots a frame (events beyond wait for the next frame). Source:
 * docs/spec/rendering.md 23.5.
 */
#ifndef STN_RENDERER_INPUT_PHYSICAL_H
#define STN_RENDERER_INPUT_PHYSICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_INPUT_KEYS 512 /* the numbering of the source: SDL's scancodes */
#define STN_INPUT_QUEUE 256
#define STN_INPUT_TEXT 32

enum { STN_BUTTON_LEFT, STN_BUTTON_MIDDLE, STN_BUTTON_RIGHT, STN_BUTTON_COUNT };

typedef struct stn_mouse {
    uint64_t part; /* identity: rises with every mouse event */
    int x, y, dx, dy;
    float wheel; /* steps, may be fractional */
    bool down[STN_BUTTON_COUNT];
    uint8_t clicks[STN_BUTTON_COUNT]; /* of the button released last: 1 click, 2 double click … */
} stn_mouse;

typedef struct stn_input_state {
    uint64_t seq; /* of the snapshot */
    uint64_t key_part; /* identity of the keyboard: rises with every key event */
    uint32_t keys[STN_INPUT_KEYS / 32];
    stn_mouse mouse;
    char text[STN_INPUT_TEXT]; /* typed since the last snapshot, UTF-8 */
    bool lost_focus; /* the marker */
} stn_input_state;

static inline bool stn_input_key(const stn_input_state *in, unsigned key)
{
    return key < STN_INPUT_KEYS && (in->keys[key / 32] >> (key % 32) & 1u);
}

typedef struct stn_input_source {
    void *ctx;
    bool (*next_key)(void *ctx, unsigned *key, bool *down);
    bool (*next_mouse)(void *ctx, stn_mouse *state); /* `part` is set by the layer */
    bool (*next_text)(void *ctx, char *utf8, size_t cap); /* may be NULL */
    bool (*lost_focus)(void *ctx); /* since the last call */
} stn_input_source;

typedef struct stn_physical {
    stn_input_source source;
    stn_input_state current;
    stn_input_state queue[STN_INPUT_QUEUE];
    size_t count;
    uint64_t parts, seq;
    const void *owner; /* the logical layer it is registered with */
} stn_physical;

void stn_physical_init(stn_physical *p, const stn_input_source *source);
/* Takes what the source has; the snapshots are in queue[0, count) until the next call. */
void stn_physical_read(stn_physical *p);

#endif
