#include "homestead/view.h"

#include "base/table.h"
#include "session/objdata.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DATAGRAM 1200
#define STAY 1.1 /* times the range */

typedef struct sight {
    uint32_t id;
    bool known; /* the client acknowledged something of this stay */
    bool leaving;
    int32_t init; /* frame at which it came into view */
    int32_t acked, sent;
    double sent_at;
    uint64_t look; /* number of the look that saw it last */
} sight;

struct stn_view {
    double range, next_look;
    bool names;
    uint64_t look;
    stn_table *by_id; /* id -> sight */
    sight **list;
    size_t n, cap;
    size_t cursor; /* where the next run begins, so that a full budget starves nobody */
    bool settled;
    uint8_t announced[STN_SIM_USED_BYTES];
    uint8_t used[STN_SIM_USED_BYTES];
    stn_buf datagram, delta;
};

stn_view *stn_view_new(double range, bool names)
{
    stn_view *v = calloc(1, sizeof *v);

    if (!v || !(v->by_id = stn_table_new())) {
        free(v);
        return NULL;
    }
    v->range = range;
    v->names = names;
    v->next_look = -1.0;
    return v;
}

void stn_view_free(stn_view *v)
{
    if (!v)
        return;
    for (size_t i = 0; i < v->n; i++)
        free(v->list[i]);
    free(v->list);
    stn_table_free(v->by_id);
    stn_buf_fini(&v->datagram);
    stn_buf_fini(&v->delta);
    free(v);
}

typedef struct looking {
    stn_view *view;
    double enter2;
    size_t seen;
} looking;

/* How many of it take about as long as writing a delta. */
#define LOOKED_A_DELTA 8 /* objects that a look finds */
#define KNOWN_A_DELTA 16 /* objects that are gone through */

static void see(void *user, stn_sim_obj *obj, double dist2)
{
    looking *l = user;
    stn_view *v = l->view;
    sight *s = stn_table_get(v->by_id, stn_sim_id(obj));

    l->seen++;
    if (s) {
        s->look = v->look;
        if (s->leaving && dist2 <= l->enter2) {
            /* Back before its removal was acknowledged: a new stay, newer than the removal. */
            s->leaving = s->known = false;
            s->init = stn_sim_bump(obj, s->init);
            s->acked = s->sent = INT32_MIN;
        }
        return;
    }
    if (dist2 > l->enter2 || v->n >= STN_VIEW_MAX)
        return;
    if (v->n == v->cap) {
        size_t cap = v->cap ? v->cap * 2 : 256;
        sight **p = realloc(v->list, cap * sizeof *p);

        if (!p)
            return;
        v->list = p;
        v->cap = cap;
    }
    s = calloc(1, sizeof *s);
    if (!s || !stn_table_put(v->by_id, stn_sim_id(obj), s, NULL)) {
        free(s);
        return;
    }
    s->id = stn_sim_id(obj);
    s->init = stn_sim_bump(obj, 0);
    s->acked = s->sent = INT32_MIN;
    s->look = v->look;
    v->list[v->n++] = s;
}

static size_t look_around(stn_view *v, stn_sim *sim, double x, double y)
{
    looking l = {v, v->range * v->range, 0};
    size_t known = v->n;

    v->look++;
    stn_sim_wake(sim, x, y, v->range * STAY);
    stn_sim_look(sim, x, y, v->range * STAY, see, &l);
    for (size_t i = 0; i < v->n; i++) {
        sight *s = v->list[i];
        stn_sim_obj *obj;

        if (s->look == v->look || s->leaving)
            continue;
        s->leaving = true;
        s->known = false;
        obj = stn_sim_find(sim, s->id);
        s->init = obj ? stn_sim_bump(obj, s->sent) : s->sent + 1;
        s->sent_at = -1.0;
    }
    return l.seen / LOOKED_A_DELTA + (v->n - known);
}

static void forget(stn_view *v, size_t i)
{
    stn_table_remove(v->by_id, v->list[i]->id);
    free(v->list[i]);
    v->list[i] = v->list[--v->n];
}

void stn_view_announce(stn_view *v, const stn_sim *sim, uint16_t res, stn_conn *conn)
{
    const char *name;
    uint16_t version;
    stn_buf b = {0};

    if (v->announced[res / 8] & 1u << res % 8 || !stn_sim_resource(sim, res, &name, &version))
        return;
    v->announced[res / 8] |= (uint8_t)(1u << res % 8);
    stn_buf_u16(&b, res);
    stn_buf_cstr(&b, name);
    stn_buf_u16(&b, version);
    if (!b.failed)
        stn_conn_queue(conn, STN_RMSG_RESID, b.data, b.len);
    stn_buf_fini(&b);
}

static void announce_used(stn_view *v, const stn_sim *sim, stn_conn *conn)
{
    for (size_t i = 0; i < sizeof v->used; i++) {
        uint8_t fresh = (uint8_t)(v->used[i] & ~v->announced[i]);

        for (unsigned bit = 0; fresh && bit < 8; bit++)
            if (fresh & 1u << bit)
                stn_view_announce(v, sim, (uint16_t)(8 * i + bit), conn);
        v->used[i] = 0;
    }
}

static void send_datagram(stn_view *v, stn_conn *conn)
{
    if (v->datagram.len > 1 && !v->datagram.failed)
        stn_conn_datagram(conn, v->datagram.data, v->datagram.len);
    stn_buf_clear(&v->datagram);
}

/* Writes the delta of one object when it is due; false when there is nothing to say. */
static bool write_delta(stn_view *v, double now, stn_sim *sim, sight *s)
{
    stn_sim_obj *obj;
    int32_t latest, frame;
    bool first = !s->known;

    if (s->leaving) {
        if (now - s->sent_at < STN_VIEW_AGAIN_S)
            return false;
        stn_objdata_begin(&v->delta, 0, s->id, s->init, 0);
        stn_objdata_attr(&v->delta, STN_OD_REM, NULL, 0);
        stn_objdata_end(&v->delta);
        s->sent = s->init;
        s->sent_at = now;
        return true;
    }
    obj = stn_sim_find(sim, s->id);
    if (!obj)
        return false; /* the next look finds that it is gone */
    latest = stn_sim_latest(sim, obj);
    frame = stn_sim_frame(obj);
    if (!first && latest <= s->acked)
        return false;
    if (s->sent != INT32_MIN && latest <= s->sent && now - s->sent_at < STN_VIEW_AGAIN_S)
        return false;
    stn_objdata_begin(&v->delta,
                      !first             ? 0
                      : frame == s->init ? STN_OBJ_INITIAL
                                         : STN_OBJ_INITFRAME,
                      s->id, frame, s->init);
    stn_sim_write(sim, obj, first ? INT32_MIN : s->acked, v->names, &v->delta, v->used);
    stn_objdata_end(&v->delta);
    s->sent = frame;
    s->sent_at = now;
    return true;
}

size_t stn_view_run(stn_view *v, double now, stn_sim *sim, uint32_t person, stn_conn *conn)
{
    double x, y;
    size_t spent = 0, work = 0, i, done;

    if (now >= v->next_look && stn_sim_place(sim, person, &x, &y)) {
        v->next_look = now + STN_VIEW_LOOK_S;
        work += look_around(v, sim, x, y);
    }
    v->settled = true;
    for (i = 0; i < v->n; i++) /* what left and was acknowledged */
        while (i < v->n && v->list[i]->leaving && v->list[i]->known)
            forget(v, i);
    for (done = 0; done < v->n && spent < STN_VIEW_BYTES; done++) {
        sight *s = v->list[(v->cursor + done) % v->n];

        stn_buf_clear(&v->delta);
        if (write_delta(v, now, sim, s)) {
            if (v->datagram.len + v->delta.len > DATAGRAM)
                send_datagram(v, conn);
            if (!v->datagram.len)
                stn_buf_u8(&v->datagram, STN_PACKET_OBJDATA);
            stn_buf_put(&v->datagram, v->delta.data, v->delta.len);
            spent += v->delta.len;
            work++;
        }
        if (!s->known || s->acked < s->sent)
            v->settled = false;
    }
    if (v->n)
        v->cursor = (v->cursor + done) % v->n;
    if (done < v->n)
        v->settled = false;
    announce_used(v, sim, conn);
    send_datagram(v, conn);
    return work + done / KNOWN_A_DELTA;
}

void stn_view_ack(stn_view *v, uint32_t id, int32_t frame)
{
    sight *s = stn_table_get(v->by_id, id);

    /* A frame that was never sent acknowledges nothing; one before this stay is about an earlier one. */
    if (!s || frame > s->sent || frame < s->init)
        return;
    s->known = true;
    if (!s->leaving && frame > s->acked)
        s->acked = frame;
}

size_t stn_view_count(const stn_view *v)
{
    return v->n;
}

bool stn_view_settled(const stn_view *v)
{
    return v->settled;
}
