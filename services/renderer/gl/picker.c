#include "renderer/gl/picker.h"

#include "renderer/scene/pick.h"

#include <glad/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE (2 * STN_PICKER_RADIUS + 1)
#define CUT_UNITS 275.0

struct request {
    bool by_ray; /* `ray` is the answer */
    stn_picked ray;
    int64_t asked_ns;
    uint32_t buffer;
    GLsync fence;
    stn_stage_target *targets;
    size_t count;
};

struct stn_picker {
    stn_picker_parts parts;
    stn_idbuf ids;
    struct request asked[STN_PICKER_ASKED];
    unsigned first, count;
    bool spare;
};

stn_status stn_picker_new(const stn_picker_parts *parts, stn_picker **out, stn_err *err)
{
    stn_picker *p = calloc(1, sizeof *p);
    stn_status st = STN_OK;

    *out = NULL;
    if (!p)
        return stn_fail(err, STN_NO_MEMORY, "picker");
    p->parts = *parts;
    for (size_t i = 0; i < STN_PICKER_ASKED; i++) {
        p->asked[i].targets = malloc(STN_PICKER_TARGETS * sizeof *p->asked[i].targets);
        if (!p->asked[i].targets)
            st = stn_fail(err, STN_NO_MEMORY, "picker");
    }
    if (st == STN_OK && parts->numbers) {
        st = stn_idbuf_init(&p->ids, parts->rec, SIDE, SIDE, err);
        for (size_t i = 0; st == STN_OK && i < STN_PICKER_ASKED; i++) {
            glGenBuffers(1, &p->asked[i].buffer);
            glBindBuffer(GL_PIXEL_PACK_BUFFER, p->asked[i].buffer);
            glBufferData(GL_PIXEL_PACK_BUFFER, (GLsizeiptr)stn_idbuf_bytes(&p->ids), NULL, GL_STREAM_READ);
        }
        glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    }
    if (st != STN_OK) {
        stn_picker_free(p);
        return st;
    }
    *out = p;
    return STN_OK;
}

static void drop_fence(struct request *q)
{
    if (q->fence)
        glDeleteSync(q->fence);
    q->fence = NULL;
}

void stn_picker_free(stn_picker *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < STN_PICKER_ASKED; i++) {
        drop_fence(&p->asked[i]);
        if (p->asked[i].buffer)
            glDeleteBuffers(1, &p->asked[i].buffer);
        free(p->asked[i].targets);
    }
    stn_idbuf_fini(&p->ids, p->parts.rec);
    free(p);
}

/* --- the ray --- */

static stn_pick_eye eye_of(const stn_frame *f)
{
    return (stn_pick_eye){
        .view = f->view, .proj = f->proj, .time = (float)fmod(f->time, 3000.0), .wind = f->wind[0]};
}

static void take_object(stn_picked *out, const stn_stage_target *t)
{
    out->object = t->object;
    out->overlay = t->overlay;
    out->part = t->part;
}

stn_picked stn_picker_ray(stn_view *v, const stn_frame *frame, const stn_stage_target *targets, size_t count,
                          double px, double py, int w, int h)
{
    stn_pick_eye eye = eye_of(frame);
    double land = INFINITY, solid = INFINITY, thing = INFINITY;
    stn_picked out = {0};
    const stn_stage_target *met = NULL;

    for (uint32_t i = 0; i < stn_view_draws(v); i++) {
        stn_pick_thing t;
        stn_pick_mask mask;
        stn_pick_hit hit;
        uint32_t id;
        const stn_stage_target *to;

        if (!stn_view_thing(v, i, STN_DRAW_LAND | STN_DRAW_THING, &t, &mask, &id) || id < 1 || id > count ||
            !stn_pick_nearest(&eye, px, py, w, h, &t, &hit))
            continue;
        to = &targets[id - 1];
        if (to->land) {
            if (hit.depth < land) {
                land = hit.depth;
                out.land = true;
                out.x = to->cut_x * CUT_UNITS + hit.x;
                out.y = to->cut_y * CUT_UNITS - hit.y;
            }
            if (!(t.features & STN_MAT_WATER) && hit.depth < solid)
                solid = hit.depth;
        } else if (hit.depth < thing) {
            thing = hit.depth;
            met = to;
        }
    }
    if (met && thing <= solid)
        take_object(&out, met);
    return out;
}

/* --- the numbers --- */

/* The thing under the pixel; else the one nearest to it within the radius, and of equally near ones the one
 * with the most pixels, then the lowest number. */
static uint32_t thing_near(const uint8_t *data, int width, int height, int x, int y)
{
    uint32_t ids[SIDE * SIDE], best = stn_idbuf_at(data, width, height, x, y).thing;
    int distance[SIDE * SIDE], n = 0, least = INT32_MAX, most = 0;

    if (best)
        return best;
    for (int dy = -STN_PICKER_RADIUS; dy <= STN_PICKER_RADIUS; dy++)
        for (int dx = -STN_PICKER_RADIUS; dx <= STN_PICKER_RADIUS; dx++) {
            uint32_t id = 0;
            int r = (int)lround(10.0 * hypot(dx, dy));

            if (x + dx >= 0 && x + dx < width && y + dy >= 0 && y + dy < height)
                id = stn_idbuf_at(data, width, height, x + dx, y + dy).thing;
            if (!id || r > 10 * STN_PICKER_RADIUS || r > least)
                continue;
            least = r;
            ids[n] = id;
            distance[n++] = r;
        }
    for (int i = 0; i < n; i++) {
        int pixels = 0;

        for (int k = 0; distance[i] == least && k < n; k++)
            pixels += distance[k] == least && ids[k] == ids[i];
        if (pixels > most || (pixels == most && pixels > 0 && ids[i] < best)) {
            most = pixels;
            best = ids[i];
        }
    }
    return best;
}

stn_picked stn_picker_pixel(const uint8_t *data, int width, int height, int x, int y,
                            const stn_stage_target *targets, size_t count)
{
    stn_idpixel at = stn_idbuf_at(data, width, height, x, y);
    uint32_t thing = thing_near(data, width, height, x, y);
    stn_picked out = {0};

    if (at.land >= 1 && at.land <= count && targets[at.land - 1].land) {
        out.land = true;
        out.x = (targets[at.land - 1].cut_x + at.x) * CUT_UNITS;
        out.y = (targets[at.land - 1].cut_y + at.y) * CUT_UNITS;
    }
    if (thing >= 1 && thing <= count)
        take_object(&out, &targets[thing - 1]);
    return out;
}

/* --- requests --- */

void stn_picker_spare(stn_picker *p, bool on)
{
    p->spare = on;
}

static bool ask(stn_picker *p, const stn_frame *frame, int x, int y, int w, int h, bool things,
                int64_t now_ns)
{
    struct request *q = &p->asked[(p->first + p->count) % STN_PICKER_ASKED];
    stn_stage_window window = {x - STN_PICKER_RADIUS, y - STN_PICKER_RADIUS, SIDE, SIDE, w, h};

    if (p->count == STN_PICKER_ASKED || x < 0 || y < 0 || x >= w || y >= h)
        return false;
    p->count++;
    q->asked_ns = now_ns;
    q->count = stn_stage_targets(p->parts.stage, frame, &window, things, q->targets, STN_PICKER_TARGETS);
    q->ray = stn_picker_ray(p->parts.view, frame, q->targets, q->count, x + 0.5, y + 0.5, w, h);
    q->by_ray = !p->parts.numbers || p->spare ||
                !stn_idbuf_draw(&p->ids, p->parts.rec, p->parts.view, frame, x - STN_PICKER_RADIUS,
                                y - STN_PICKER_RADIUS, w, h);
    if (q->by_ray)
        return true;
    glBindBuffer(GL_PIXEL_PACK_BUFFER, q->buffer);
    stn_idbuf_read(&p->ids, p->parts.rec, NULL);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    q->fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    return true;
}

bool stn_picker_ask(stn_picker *p, const stn_frame *frame, int x, int y, int w, int h, int64_t now_ns)
{
    return ask(p, frame, x, y, w, h, true, now_ns);
}

bool stn_picker_ask_land(stn_picker *p, const stn_frame *frame, int x, int y, int w, int h, int64_t now_ns)
{
    return ask(p, frame, x, y, w, h, false, now_ns);
}

unsigned stn_picker_room(const stn_picker *p)
{
    return STN_PICKER_ASKED - p->count;
}

static void read_numbers(stn_picker *p, struct request *q, stn_picked *out)
{
    const uint8_t *data;

    glBindBuffer(GL_PIXEL_PACK_BUFFER, q->buffer);
    data = glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, (GLsizeiptr)stn_idbuf_bytes(&p->ids), GL_MAP_READ_BIT);
    if (data)
        *out = stn_picker_pixel(data, SIDE, SIDE, STN_PICKER_RADIUS, STN_PICKER_RADIUS, q->targets, q->count);
    glUnmapBuffer(GL_PIXEL_PACK_BUFFER);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

bool stn_picker_answer(stn_picker *p, int64_t now_ns, stn_picked *out)
{
    struct request *q = &p->asked[p->first];
    GLenum state;

    if (p->count == 0)
        return false;
    *out = q->ray;
    if (!q->by_ray) {
        /* A look, not a wait: the time allowed is none. The flush starts the work if nothing has yet. */
        state = glClientWaitSync(q->fence, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
        if (state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED)
            read_numbers(p, q, out);
        else if (now_ns - q->asked_ns < STN_PICKER_PATIENCE_NS)
            return false;
        drop_fence(q);
    }
    p->first = (p->first + 1) % STN_PICKER_ASKED;
    p->count--;
    return true;
}
