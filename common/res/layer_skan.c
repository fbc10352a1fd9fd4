/* layer_skan.c - "skan": pose animation. Source: docs/spec/resource-format.md 15. */
#include "res/internal.h"

#define CONTROL "{ctl}" /* the bone name that an event track bears */

typedef struct numbers { /* of one layer */
    int format;
    float len;
} numbers;

static float read_time(stn_rd *c, stn_bytes *in, const numbers *n)
{
    return n->format == 0 ? (float)stn_rd_cfloat(c, in) : stn_res_unorm16(stn_bytes_u16(in)) * n->len;
}

static void read_track(stn_rd *c, stn_bytes *in, const numbers *nums, const char *bone, stn_vec *tracks)
{
    uint32_t n = stn_bytes_u16(in);
    if (!stn_rd_fits(c, in, n, nums->format == 0 ? 40 : 14, "key frames"))
        return;
    float *time = stn_rd_alloc(c, n, sizeof *time), *trans = stn_rd_alloc(c, 3 * (size_t)n, sizeof *trans);
    float *rot = stn_rd_alloc(c, 4 * (size_t)n, sizeof *rot),
          *aa = stn_rd_alloc(c, 4 * (size_t)n, sizeof *aa);
    stn_skan_track *t = stn_vec_push(c, tracks, sizeof *t);
    if (!time || !trans || !rot || !aa || !t)
        return;
    *t = (stn_skan_track){bone, n, time, trans, rot, aa};
    for (size_t i = 0; i < n; i++) {
        float *p = trans + 3 * i, *a = aa + 4 * i;
        time[i] = read_time(c, in, nums);
        if (nums->format == 0) {
            for (int k = 0; k < 3; k++)
                p[k] = (float)stn_rd_cfloat(c, in);
            for (int k = 0; k < 4; k++)
                a[k] = (float)stn_rd_cfloat(c, in);
        } else {
            for (int k = 0; k < 3; k++)
                p[k] = stn_res_f16(stn_bytes_u16(in));
            a[0] = stn_res_angle16(stn_bytes_u16(in));
            float x = stn_res_snorm16(stn_bytes_i16(in)), y = stn_res_snorm16(stn_bytes_i16(in));
            stn_res_oct(x, y, a + 1);
        }
        stn_quat_of(a[0], a + 1, rot + 4 * i);
    }
}

static void read_state(stn_rd *c, stn_bytes *in, stn_skan_event *e)
{
    e->res = stn_rd_resref(c, in);
    e->state_len = stn_bytes_u8(in);
    e->state = stn_bytes_take(in, e->state_len);
    if (!e->state)
        e->state_len = 0;
}

/* False: not a known event. */
static bool read_event(stn_rd *c, stn_bytes *in, uint8_t type, stn_skan_event *e)
{
    switch (type) {
    case 0:
    case 2:
        e->kind = STN_SKAN_SPAWN;
        read_state(c, in, e);
        if (type == 2) {
            uint8_t fl = stn_bytes_u8(in);
            e->placed = fl & 1;
            e->place_in_spawned = (fl & 3) == 3;
            if (e->placed)
                e->place = stn_rd_text(c, in);
        }
        return true;
    case 1:
        e->kind = STN_SKAN_TRIGGER;
        e->id = stn_rd_text(c, in);
        return true;
    case 3:
        e->kind = STN_SKAN_MAKE_OVERLAY;
        stn_bytes_u8(in);
        e->id = stn_rd_text(c, in);
        read_state(c, in, e);
        return true;
    case 4:
        e->kind = STN_SKAN_REMOVE_OVERLAY;
        e->id = stn_rd_text(c, in);
        return true;
    default:
        return false;
    }
}

static void read_effects(stn_rd *c, stn_bytes *in, const numbers *nums, stn_vec *lists)
{
    uint32_t n = stn_bytes_u16(in);
    if (!stn_rd_fits(c, in, n, nums->format == 0 ? 6 : 3, "events"))
        return;
    stn_skan_event *events = stn_rd_zalloc(c, n, sizeof *events);
    stn_skan_effects *list = stn_vec_push(c, lists, sizeof *list);
    if (!events || !list)
        return;
    *list = (stn_skan_effects){n, events};
    for (uint32_t i = 0; i < n && stn_rd_ok(c); i++) {
        stn_skan_event *e = &events[i];
        *e = (stn_skan_event){.id = "", .place = "", .res.name = ""};
        e->time = read_time(c, in, nums);
        uint8_t type = stn_bytes_u8(in);
        if (!(type & 128)) {
            if (!read_event(c, in, type, e))
                stn_rd_fail(c, STN_FAULT_FORMAT, "event %u of type %u, known are 0 to 4", i, type);
            continue;
        }
        stn_bytes sub = stn_bytes_sub(in, stn_bytes_u16(in));
        if (!stn_rd_ok(c))
            return;
        c->in = &sub;
        read_event(c, &sub, type & 127, e);
        stn_rd_end(c);
        c->in = in;
    }
}

stn_status stn_decode_skan(stn_rd *c, stn_bytes *in, const void **out)
{
    stn_res_skan *s = stn_rd_zalloc(c, 1, sizeof *s);
    stn_vec tracks = {0}, effects = {0};
    numbers nums = {0};

    if (!s)
        return stn_rd_end(c);
    s->id = stn_bytes_i16(in);
    uint8_t flags = stn_bytes_u8(in), mode = stn_bytes_u8(in);
    nums.format = flags >> 1 & 3;
    if (nums.format > 1)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "number format %d, known are 0 and 1", nums.format);
    if (mode > STN_SKAN_PONGLOOP)
        return stn_rd_fail(c, STN_FAULT_FORMAT, "mode %u, known are 0 to 3", mode);
    s->mode = (stn_skan_mode)mode;
    s->len = nums.len = nums.format == 0 ? (float)stn_rd_cfloat(c, in) : stn_bytes_f32(in);
    s->speed = -1;
    if (flags & 1)
        s->speed = nums.format == 0 ? stn_rd_cfloat(c, in) : (double)stn_bytes_f32(in);
    while (stn_rd_ok(c) && stn_bytes_left(in) > 0) {
        const char *bone = stn_rd_text(c, in);
        if (strcmp(bone, CONTROL) == 0)
            read_effects(c, in, &nums, &effects);
        else
            read_track(c, in, &nums, bone, &tracks);
    }
    s->track_count = tracks.count;
    s->tracks = tracks.items;
    s->effects_count = effects.count;
    s->effects = effects.items;
    *out = s;
    return stn_rd_end(c);
}

stn_status stn_link_skan(stn_rd *c, stn_res_layer *layer)
{
    stn_res_skan *s = (stn_res_skan *)(uintptr_t)layer->as.skan;
    uint32_t skels;
    const stn_res_layer *const *list = stn_rd_list(c, STN_LAYER_SKEL, &skels);

    if (!list || skels == 0)
        return stn_rd_end(c);
    if (!c->bones) {
        const stn_res_skel *skel = list[0]->as.skel;
        if (!(c->bones = stn_names_new()))
            return stn_rd_fail(c, STN_FAULT_MEMORY, "table of bone names");
        for (uint32_t i = 0; i < skel->count; i++)
            if (!stn_names_put(c->bones, skel->bones[i].name, (void *)(uintptr_t)&skel->bones[i], NULL))
                return stn_rd_fail(c, STN_FAULT_MEMORY, "table of bone names");
    }
    for (uint32_t i = 0; i < s->track_count && !s->missing_bone; i++)
        if (!stn_names_get(c->bones, s->tracks[i].bone))
            s->missing_bone = s->tracks[i].bone;
    if (!s->missing_bone)
        s->skel = list[0];
    return STN_OK;
}

/* ---- writing: format 0, whose compact floats hold every float of a pose ---- */

static void put_state(stn_wr *w, const stn_skan_event *e)
{
    stn_wr_resref(w, &e->res, "event resource");
    stn_buf_u8(w->b, e->state_len);
    if (e->state_len)
        stn_buf_put(w->b, e->state, e->state_len);
}

static void put_event(stn_wr *w, const stn_skan_event *e)
{
    stn_wr_cfloat(w, (double)e->time, "event time");
    switch (e->kind) {
    case STN_SKAN_HOLE: /* an unknown type, framed, without content */
        stn_buf_u8(w->b, 0xff);
        stn_buf_u16(w->b, 0);
        break;
    case STN_SKAN_SPAWN:
        stn_buf_u8(w->b, e->placed ? 2 : 0);
        put_state(w, e);
        if (e->placed) {
            stn_buf_u8(w->b, e->place_in_spawned ? 3 : 1);
            stn_wr_text(w, e->place, "attach point");
        }
        break;
    case STN_SKAN_TRIGGER:
        stn_buf_u8(w->b, 1);
        stn_wr_text(w, e->id, "trigger");
        break;
    case STN_SKAN_MAKE_OVERLAY:
        stn_buf_u8(w->b, 3);
        stn_buf_u8(w->b, 0);
        stn_wr_text(w, e->id, "overlay");
        put_state(w, e);
        break;
    case STN_SKAN_REMOVE_OVERLAY:
        stn_buf_u8(w->b, 4);
        stn_wr_text(w, e->id, "overlay");
        break;
    }
}

void stn_encode_skan(stn_wr *w, const stn_res_layer *layer)
{
    const stn_res_skan *s = layer->as.skan;

    stn_wr_i16(w, s->id, "id");
    stn_buf_u8(w->b, s->speed != -1);
    stn_wr_u8(w, s->mode, "mode");
    stn_wr_cfloat(w, (double)s->len, "length");
    if (s->speed != -1)
        stn_wr_cfloat(w, s->speed, "speed");
    for (uint32_t i = 0; i < s->track_count; i++) {
        const stn_skan_track *t = &s->tracks[i];
        if (strcmp(t->bone, CONTROL) == 0)
            stn_wr_fail(w, "a bone cannot be named " CONTROL);
        stn_wr_text(w, t->bone, "bone");
        stn_wr_u16(w, t->count, "key frames");
        for (size_t f = 0; f < t->count; f++) {
            stn_wr_cfloat(w, (double)t->time[f], "key time");
            for (int k = 0; k < 3; k++)
                stn_wr_cfloat(w, (double)t->trans[3 * f + (size_t)k], "translation");
            for (int k = 0; k < 4; k++)
                stn_wr_cfloat(w, (double)t->angle_axis[4 * f + (size_t)k], "rotation");
        }
    }
    for (uint32_t i = 0; i < s->effects_count; i++) {
        stn_wr_text(w, CONTROL, "event track");
        stn_wr_u16(w, s->effects[i].count, "events");
        for (uint32_t k = 0; k < s->effects[i].count; k++)
            put_event(w, &s->effects[i].events[k]);
    }
}
