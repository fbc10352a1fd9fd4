/* The running session: what comes in, and steps (a) to (d) of a pass. */
#include "session_priv.h"

#include <math.h>
#include <stdlib.h>

/* The reliable stream's messages live in its own buffers; what is given out must last until the next step. */
static stn_status deliver_message(void *user, uint8_t type, const uint8_t *data, size_t len, stn_err *err)
{
    stn_session *s = user;
    uint8_t *copy = stn_arena_dup(s->arena, len ? data : (const uint8_t *)"", len ? len : 1);
    stn_delivery *d = copy ? stn_session_put_delivery(s, STN_DELIVER_RMSG) : NULL;

    if (!d)
        return stn_fail(err, STN_NO_MEMORY, "message of %zu bytes", len);
    d->type = type;
    d->data = copy;
    d->len = len;
    return STN_OK;
}

typedef enum pass { PASS_ON, PASS_DROP, PASS_OVER } pass;

static void take_rel(stn_session *s, double now, const uint8_t *payload, size_t len)
{
    uint16_t seq;
    stn_bytes messages;
    bool advanced, repeated;
    stn_err err = {0};

    if (stn_rel_open(payload, len, &seq, &messages, NULL) != STN_OK) {
        s->stats.dropped++;
        return;
    }
    if (stn_rel_in_take(s->rel, seq, messages, deliver_message, s, &advanced, &repeated, &err) != STN_OK) {
        stn_session_fatal(s, err.text);
        return;
    }
    if (advanced || (repeated && s->reack_dup && stn_rel_in_began(s->rel))) {
        if (!s->ack_due)
            s->ack_since = now;
        s->ack_due = true;
    }
}

static void rtt_sample(stn_session *s, double seconds)
{
    s->rtt[s->n_rtt++ % RTT_SAMPLES] = seconds;
}

static void take_ack(stn_session *s, double now, const uint8_t *payload, size_t len)
{
    stn_bytes in = stn_bytes_of(payload, len);
    uint16_t seq = stn_bytes_u16(&in);
    pending *p;

    if (!stn_bytes_ok(&in)) {
        s->stats.dropped++;
        return;
    }
    while ((p = s->head) != NULL && stn_seq_diff(p->seq, seq) <= 0) {
        if (p->sends)
            rtt_sample(s, now - p->first);
        s->head = p->next;
        if (!s->head)
            s->tail = &s->head;
        s->n_pending--;
        free(p);
    }
}

/* Notes a delta for OBJACK; false when there are too many objects waiting. */
static bool note_object(stn_session *s, double now, const stn_objdelta *d)
{
    size_t at = (size_t)(uintptr_t)stn_table_get(s->wait_of, d->id);
    obj_wait *w;

    if (at) {
        w = &s->waits[at - 1];
        if (d->frame > w->frame) {
            w->frame = d->frame;
            w->last = now;
        }
        return true;
    }
    if (s->n_waits >= STN_SESSION_ACKS_MAX ||
        !stn_session_grow((void **)&s->waits, &s->cap_waits, s->n_waits, sizeof *s->waits) ||
        !stn_table_put(s->wait_of, d->id, (void *)(uintptr_t)(s->n_waits + 1), NULL))
        return false;
    s->waits[s->n_waits++] = (obj_wait){d->id, d->frame, now, now};
    return true;
}

static void take_objdata(stn_session *s, double now, const uint8_t *payload, size_t len)
{
    stn_bytes in;
    stn_objdelta d;
    uint8_t *copy;

    if (stn_objdata_check(payload, len, NULL, NULL) != STN_OK) {
        s->stats.dropped++;
        return;
    }
    if (!len)
        return;
    copy = stn_arena_dup(s->arena, payload, len);
    if (!copy) {
        s->no_memory = true;
        return;
    }
    in = stn_bytes_of(copy, len);
    while (stn_objdata_next(&in, &d)) {
        stn_delivery *out;

        if (!note_object(s, now, &d)) {
            s->stats.dropped++; /* not acknowledged, so it comes again */
            continue;
        }
        out = stn_session_put_delivery(s, STN_DELIVER_OBJD);
        if (out)
            out->obj = d;
    }
}

static void take_mapdata(stn_session *s, const uint8_t *payload, size_t len)
{
    uint8_t *copy;
    stn_delivery *d;

    copy = stn_arena_dup(s->arena, len ? payload : (const uint8_t *)"", len ? len : 1);
    d = copy ? stn_session_put_delivery(s, STN_DELIVER_MAP) : NULL;
    if (!d) {
        s->no_memory = true;
        return;
    }
    d->data = copy;
    d->len = len;
}

static pass main_take(stn_session *s, double now, const stn_datagram *d)
{
    const uint8_t *data = d->data;
    size_t len = d->len;

    if (!len) {
        s->stats.ignored++;
        return PASS_DROP;
    }
    if (s->encrypt) {
        if (data[0] != STN_PACKET_CRYPT || stn_session_unseal(s, d) != STN_OK) {
            s->stats.dropped++;
            return PASS_DROP;
        }
        data = s->scratch.data;
        len = s->scratch.len;
    }
    s->last_rx = now;
    switch (data[0]) {
    case STN_PACKET_REL:
        take_rel(s, now, data + 1, len - 1);
        break;
    case STN_PACKET_ACK:
        take_ack(s, now, data + 1, len - 1);
        break;
    case STN_PACKET_MAPDATA:
        take_mapdata(s, data + 1, len - 1);
        break;
    case STN_PACKET_OBJDATA:
        take_objdata(s, now, data + 1, len - 1);
        break;
    case STN_PACKET_CLOSE:
        stn_session_set_result(s, STN_SESSION_END_PEER, 0, "the server closed the session");
        stn_session_begin_closing(s, true);
        break;
    case STN_PACKET_BEAT:
    case STN_PACKET_SESS: /* a repeated acceptance */
        break;
    default:
        s->stats.ignored++;
        break;
    }
    return s->phase == STN_SESSION_MAIN ? PASS_ON : PASS_OVER;
}

static double resend_delay(unsigned sends)
{
    if (sends == 0)
        return 0.0;
    if (sends == 1)
        return 0.08;
    if (sends < 4)
        return 0.20;
    if (sends < 10)
        return 0.62;
    return 2.00;
}

/* Step (a): reliable messages that are due. Gives the earliest time at which another will be, or infinity. */
static double send_pending(stn_session *s, double now)
{
    double next = INFINITY;

    for (pending *p = s->head; p; p = p->next) {
        double due = p->last + resend_delay(p->sends);

        if (now >= due) {
            stn_buf b = {0};

            stn_rel_begin(&b, p->seq);
            stn_rel_add(&b, p->type, p->data, p->len, true);
            if (b.failed)
                s->no_memory = true;
            else
                stn_session_emit(s, b.data, b.len);
            stn_buf_fini(&b);
            if (p->sends)
                s->stats.resent++;
            else
                p->first = now;
            p->sends++;
            p->last = now;
            s->last_tx = now;
            /* The reference forgets this one until something else wakes it. */
            due = s->exact_timers ? now + resend_delay(p->sends) : INFINITY;
        }
        if (due < next)
            next = due;
    }
    return next;
}

/* Step (b): object acknowledgements that are due. */
static double send_objacks(stn_session *s, double now)
{
    double next = INFINITY;
    stn_buf b = {0};
    size_t kept = 0;
    bool any = false;

    for (size_t i = 0; i < s->n_waits; i++) {
        obj_wait w = s->waits[i];
        double due = fmin(w.last + OBJACK_HOLD, w.first + OBJACK_HOLD_MAX);

        if (due > now) {
            if (due < next)
                next = due;
            if (kept != i) {
                s->waits[kept] = w;
                /* Replaces an existing value, which needs no memory. */
                stn_table_put(s->wait_of, w.id, (void *)(uintptr_t)(kept + 1), NULL);
            }
            kept++;
            continue;
        }
        if (b.len > OBJACK_FULL + 1) {
            stn_session_emit(s, b.data, b.len);
            stn_buf_clear(&b);
        }
        if (!b.len)
            stn_buf_u8(&b, STN_PACKET_OBJACK);
        stn_buf_u32(&b, w.id);
        stn_buf_u32(&b, (uint32_t)w.frame);
        stn_table_remove(s->wait_of, w.id);
        any = true;
    }
    s->n_waits = kept;
    if (b.failed)
        s->no_memory = true;
    else if (b.len)
        stn_session_emit(s, b.data, b.len);
    stn_buf_fini(&b);
    if (any)
        s->last_tx = now;
    return next;
}

static void send_mapreqs(stn_session *s)
{
    for (size_t i = 0; i < s->n_reqs; i++) {
        uint8_t d[9] = {STN_PACKET_MAPREQ};

        stn_st32(d + 1, (uint32_t)s->reqs[i].x);
        stn_st32(d + 5, (uint32_t)s->reqs[i].y);
        stn_session_emit(s, d, sizeof d);
    }
    s->n_reqs = 0;
}

double stn_session_main_wait(const stn_session *s, double now, double due)
{
    double wait = BEAT_AFTER - (now - s->last_tx);

    if (s->ack_due)
        wait = fmin(wait, (s->ack_since + ACK_HOLD) - now);
    if (due < INFINITY)
        wait = fmin(wait, due - now);
    if (s->idle_timeout > 0.0)
        wait = fmin(wait, (s->last_rx + s->idle_timeout) - now);
    return wait > 0.0 ? wait : 0.0;
}

static double main_sends(stn_session *s, double now)
{
    double a, b, due;

    send_mapreqs(s);
    a = send_pending(s, now);
    b = send_objacks(s, now);
    due = s->exact_timers ? fmin(a, b) : b < INFINITY ? fmin(a, b) : INFINITY;
    if (!s->exact_timers && a == INFINITY)
        due = b;
    if (s->ack_due && now - s->ack_since >= ACK_HOLD) {
        uint8_t d[3] = {STN_PACKET_ACK};

        stn_st16(d + 1, (uint16_t)(stn_rel_in_next(s->rel) - 1));
        stn_session_emit(s, d, sizeof d);
        s->ack_due = false;
        s->last_tx = now;
    }
    if (now - s->last_tx >= BEAT_AFTER) {
        static const uint8_t beat[1] = {STN_PACKET_BEAT};

        stn_session_emit(s, beat, sizeof beat);
        s->last_tx = now;
    }
    return stn_session_main_wait(s, now, due);
}

double stn_session_step_main(stn_session *s, double now, const stn_datagram *in, size_t n)
{
    if (s->close_wanted) {
        stn_session_set_result(s, STN_SESSION_END_LOCAL, 0, "closed on request");
        stn_session_begin_closing(s, false);
    }
    while (s->phase == STN_SESSION_MAIN && s->out.taken < n) {
        pass p = main_take(s, now, &in[s->out.taken++]);

        if (p == PASS_DROP && s->drop_ends_pass)
            break;
    }
    if (s->no_memory && s->phase == STN_SESSION_MAIN)
        stn_session_fatal(s, "out of memory");
    if (s->phase == STN_SESSION_MAIN && s->idle_timeout > 0.0 && now - s->last_rx >= s->idle_timeout) {
        stn_session_set_result(s, STN_SESSION_END_LOST, 0, "the server has been silent for too long");
        s->phase = STN_SESSION_DONE;
    }
    if (s->phase == STN_SESSION_MAIN)
        return main_sends(s, now);
    return s->phase == STN_SESSION_CLOSE ? stn_session_close_head(s, now) : 0.0;
}
