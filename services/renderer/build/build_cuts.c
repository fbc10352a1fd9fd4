/* build_cuts.c - products of world's meshers, from the message to what the GL thread draws. */
#include "renderer/build/build_impl.h"

#include "bus/array.h"
#include "map/coords.h"
#include "renderer/build/cutmesh.h"

#include "proto/world.pb-c.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define CUT_BYTES_MAX (64u << 20)

static void unref_msg(void *arg)
{
    stn_msg_unref(arg);
}

static bool unpack_cut(stn_waiting_cut *c, const stn_array *data, const Stenness__Cut *m, stn_err *err)
{
    size_t n;

    c->data = data->data;
    c->len = data->count;
    if (m->compression == 0)
        return true;
    if (m->compression != 1 || m->unpacked_bytes > CUT_BYTES_MAX || m->unpacked_bytes < 1) {
        stn_fail(err, STN_BAD_DATA, "compression %u to %llu bytes", m->compression,
                 (unsigned long long)m->unpacked_bytes);
        return false;
    }
    c->unpacked = malloc(m->unpacked_bytes);
    n = c->unpacked ? ZSTD_decompress(c->unpacked, m->unpacked_bytes, data->data, data->count) : 0;
    if (!c->unpacked || ZSTD_isError(n) || n != m->unpacked_bytes) {
        stn_fail(err, STN_BAD_DATA, "the packed bytes are broken");
        return false;
    }
    c->data = c->unpacked;
    c->len = n;
    return true;
}

static bool fill(stn_waiting_cut *c, const stn_net_event *e, const Stenness__Cut *m, stn_err *err)
{
    static const stn_array_rule rule = {"data", STENNESS__ELEMENT_FORMAT__ELEMENT_NONE, 1, CUT_BYTES_MAX,
                                        false};
    stn_array data;

    c->x = m->grid_x * STN_GRID_CUTS + (int32_t)m->cut_x;
    c->y = m->grid_y * STN_GRID_CUTS + (int32_t)m->cut_y;
    c->product = m->product;
    c->release = unref_msg;
    c->arg = stn_msg_ref(e->msg);
    return stn_array_view(m->data, stn_msg_bulk_frames(e->msg), stn_msg_bulk_count(e->msg), &rule, &data,
                          err) == STN_OK &&
           unpack_cut(c, &data, m, err);
}

static uint64_t half_key(int32_t x, int32_t y, bool decoration)
{
    return stn_coord_key((stn_coord){x, y}) * 2 + decoration;
}

void build_on_cut(stn_build *b, const stn_net_event *e)
{
    const Stenness__Cut *m = build_unpack(b, &stenness__cut__descriptor, e->msg);
    stn_waiting_cut *c;
    stn_err err = {0};

    b->feed.took(b->feed.ctx, stn_msg_bytes(e->msg));
    if (!m || m->frame_session != b->session)
        return; /* cuts come on a stream of their own: this one was overtaken by its frame's end */
    if (m->cut_x >= STN_GRID_CUTS || m->cut_y >= STN_GRID_CUTS)
        return;
    if (!m->swap_last)
        stn_table_put(b->came,
                      half_key(m->grid_x * STN_GRID_CUTS + (int32_t)m->cut_x,
                               m->grid_y * STN_GRID_CUTS + (int32_t)m->cut_y,
                               m->half == STENNESS__CUT_HALF__CUT_DECORATION),
                      b, NULL);
    if (m->failed && m->failed[0])
        return; /* world has said it; the ground there stays as it was */
    c = stn_waiting_cut_new(m->swap_last                                    ? STN_CUT_END_OF_CHANGE
                            : m->half == STENNESS__CUT_HALF__CUT_DECORATION ? STN_CUT_DECORATION
                                                                            : STN_CUT_GROUND,
                            b->now_ns);
    if (!c)
        return;
    c->frame = b->frame;
    c->swap = m->swap;
    if (c->kind != STN_CUT_END_OF_CHANGE && !fill(c, e, m, &err)) {
        stn_log_warn("cut %d,%d: %s", c->x, c->y, err.text);
        stn_waiting_cut_free(c);
        return;
    }
    stn_cutline_add(b->cuts, c);
}

void build_on_cut_drop(stn_build *b, const stn_net_event *e)
{
    const Stenness__CutDrop *d = build_unpack(b, &stenness__cut_drop__descriptor, e->msg);

    if (!d || d->frame_session != b->session)
        return;
    for (size_t i = 0; i < d->n_grid_x && i < d->n_grid_y && i < d->n_cut; i++) {
        int32_t x = d->grid_x[i] * STN_GRID_CUTS + (int32_t)(d->cut[i] % STN_GRID_CUTS);
        int32_t y = d->grid_y[i] * STN_GRID_CUTS + (int32_t)(d->cut[i] / STN_GRID_CUTS % STN_GRID_CUTS);
        bool decoration = i < d->n_half && d->half[i] == 1;
        stn_job *job;

        stn_table_remove(b->came, half_key(x, y, decoration));
        stn_cutline_forget(b->cuts, x, y, decoration ? STN_CUT_DECORATION : STN_CUT_GROUND);
        if (decoration) {
            stn_decor_drop(b->decor, x, y);
            continue;
        }
        stn_sheets_cut_drop(b->sheets, x, y);
        job = stn_job_new(STN_JOB_CUT_DROP, b->frame);
        if (!job)
            return;
        job->u.cut.x = x;
        job->u.cut.y = y;
        build_give(b, job);
    }
}

struct handing {
    stn_build *b;
    int64_t until_ns;
};

static stn_cutline_answer ground(stn_build *b, stn_waiting_cut *c)
{
    stn_job *job = NULL;
    stn_err err = {0};

    if (stn_cutmesh_job(b->store, c->data, c->len, &job, &err) == STN_SPRITE_LOADING)
        return STN_CUTLINE_KEPT;
    if (!job) {
        stn_log_warn("cut %d,%d: %s", c->x, c->y, err.text);
        stn_waiting_cut_free(c);
        return STN_CUTLINE_TAKEN;
    }
    for (uint32_t i = 0; i < job->u.cut.part_count; i++)
        if (job->u.cut.parts[i].material.features & (STN_MAT_WATER | STN_MAT_FOAM))
            stn_store_surround(b->store);
    if (stn_sheets_cut(b->sheets, c->x, c->y, c->product, c->data, c->len, &err) != STN_OK)
        stn_log_warn("overlays of cut %d,%d: %s", c->x, c->y, err.text);
    job->frame = c->frame;
    job->u.cut.x = c->x;
    job->u.cut.y = c->y;
    job->u.cut.product = c->product;
    job->u.cut.swap = c->swap;
    job->release = stn_waiting_cut_free;
    job->arg = c;
    build_give(b, job);
    return STN_CUTLINE_TAKEN;
}

static stn_cutline_answer hand_over(void *ctx, stn_waiting_cut *c)
{
    struct handing *h = ctx;
    stn_build *b = h->b;
    stn_job *job;
    stn_err err = {0};

    if (!build_room(b) || stn_clock_ns() >= h->until_ns)
        return STN_CUTLINE_STOP;
    switch (c->kind) {
    case STN_CUT_GROUND:
        return ground(b, c);
    case STN_CUT_DECORATION:
        if (stn_decor_put(b->decor, c->x, c->y, c->product, c->data, c->len, &err) != STN_OK)
            stn_log_warn("decoration of cut %d,%d: %s", c->x, c->y, err.text);
        break;
    case STN_CUT_END_OF_CHANGE:
        job = stn_job_new(STN_JOB_CUT_SWAP, c->frame);
        if (job)
            job->u.cut.swap = c->swap;
        build_give(b, job);
        break;
    }
    stn_waiting_cut_free(c);
    return STN_CUTLINE_TAKEN;
}

void build_cuts(stn_build *b, int64_t budget_ns)
{
    int64_t until = budget_ns == INT64_MAX ? INT64_MAX : stn_clock_ns() + budget_ns;

    stn_cutline_visit(b->cuts, b->now_ns, hand_over, &(struct handing){b, until});
}
