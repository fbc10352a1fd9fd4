#include "renderer/input/physical.h"

#include <string.h>

void stn_physical_init(stn_physical *p, const stn_input_source *source)
{
    memset(p, 0, sizeof *p);
    p->source = *source;
}

static bool take_key(stn_physical *p)
{
    unsigned key;
    bool down;

    if (!p->source.next_key(p->source.ctx, &key, &down))
        return false;
    if (key < STN_INPUT_KEYS) {
        if (down)
            p->current.keys[key / 32] |= 1u << (key % 32);
        else
            p->current.keys[key / 32] &= ~(1u << (key % 32));
    }
    p->current.key_part = ++p->parts;
    return true;
}

static bool take_mouse(stn_physical *p)
{
    stn_mouse m = p->current.mouse;

    if (!p->source.next_mouse(p->source.ctx, &m))
        return false;
    m.part = ++p->parts;
    p->current.mouse = m;
    return true;
}

static bool take_text(stn_physical *p)
{
    size_t len = 0;

    p->current.text[0] = '\0';
    while (p->source.next_text && len + 8 < STN_INPUT_TEXT) {
        if (!p->source.next_text(p->source.ctx, p->current.text + len, STN_INPUT_TEXT - len))
            break;
        len += strlen(p->current.text + len);
    }
    return len > 0;
}

void stn_physical_read(stn_physical *p)
{
    stn_mouse *m = &p->current.mouse;

    p->count = 0;
    if (m->dx || m->dy || m->wheel != 0.0f) {
        m->dx = m->dy = 0;
        m->wheel = 0.0f;
        m->part = ++p->parts;
    }
    /* One place is kept for the marker. */
    while (p->count + 1 < STN_INPUT_QUEUE) {
        bool key = take_key(p), mouse = take_mouse(p), text = take_text(p);

        if (!key && !mouse && !text)
            break;
        p->current.seq = ++p->seq;
        p->queue[p->count++] = p->current;
    }
    if (p->source.lost_focus(p->source.ctx)) {
        memset(&p->current, 0, sizeof p->current);
        p->current.seq = ++p->seq;
        p->queue[p->count] = p->current;
        p->queue[p->count++].lost_focus = true;
    }
}
