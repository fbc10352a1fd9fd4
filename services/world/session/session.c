#include "world/session/session.h"

#include "base/arena.h"
#include "base/table.h"
#include "session/crypt.h"
#include "session/reliable.h"

#include <math.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The protocol's figures, in seconds (docs/spec/session-protocol.md 4, 5, 6). */
#define SESS_AGAIN 2.0
#define SESS_TRIES 5
#define ACK_HOLD 0.030
#define OBJACK_HOLD 0.08
#define OBJACK_HOLD_MAX 0.5
#define OBJACK_FULL 992 /* a payload above this starts another datagram */
#define BEAT_AFTER 5.0
#define CLOSE_AGAIN 0.5
#define CLOSE_TRIES 5
#define RTT_SAMPLES 32

typedef struct pending {
    struct pending *next;
    double first, last;
    unsigned sends;
    uint16_t seq;
    uint8_t type;
    size_t len;
    uint8_t data[];
} pending;

typedef struct obj_wait {
    uint32_t id;
    int32_t frame;
    double first, last;
} obj_wait;

typedef struct mapreq {
    int32_t x, y;
} mapreq;

struct stn_session {
    stn_session_phase phase;
    bool started;
    bool close_wanted;

    bool encrypt, reack_dup, exact_timers, drop_ends_pass;
    double idle_timeout;
    stn_buf hello; /* the SESS datagram, the same in every repeat */
    stn_crypt *crypt;

    double last_sess; /* last SESS or CLOSE sent */
    unsigned tries;
    bool close_seen;

    double last_tx, last_rx;
    bool first_pass; /* accepted, and no pass made yet */
    double accepted;

    stn_rel_in *rel;
    bool ack_due;
    double ack_since;

    pending *head, **tail;
    size_t n_pending;
    uint16_t next_seq;

    obj_wait *waits;
    size_t n_waits, cap_waits;
    stn_table *wait_of; /* object id -> place in waits, plus one */

    mapreq reqs[64];
    size_t n_reqs;

    stn_arena *arena; /* everything that a step gives out */
    stn_buf scratch; /* plaintext of a sealed datagram */
    stn_datagram *send;
    size_t cap_send;
    stn_delivery *deliver;
    size_t cap_deliver;
    bool no_memory;
    stn_session_out out;

    stn_session_result result;
    char text[STN_ERR_TEXT];
    stn_session_stats stats;
    double rtt[RTT_SAMPLES];
    size_t n_rtt;
};

stn_session_settings stn_session_defaults(void)
{
    return (stn_session_settings){
        .version = STN_SESSION_VERSION,
        .idle_timeout = 60.0,
        .reack_dup = true,
        .exact_timers = true,
    };
}

static stn_status write_hello(stn_session *s, const stn_session_settings *set, stn_err *err)
{
    const char *protocol = set->protocol ? set->protocol : "Hafen/unknown";
    uint16_t version = set->version ? set->version : STN_SESSION_VERSION;
    stn_sess_hello h = {.user = set->user};
    stn_buf inner = {0}, blob = {0};
    stn_status st = STN_OK;

    if (set->encrypt) {
        h.encrypted = true;
        h.salt = set->salt;
        h.salt_len = sizeof set->salt;
        stn_sess_inner_write(&inner, protocol, version, set->args, set->args_len);
        st = stn_crypt_seal(s->crypt, inner.data, inner.len, &blob, err);
        h.rest = blob.data;
        h.rest_len = blob.len;
    } else {
        h.protocol = protocol;
        h.version = version;
        h.cookie = set->cookie;
        h.cookie_len = set->cookie_len;
        h.rest = set->args;
        h.rest_len = set->args_len;
    }
    if (st == STN_OK)
        stn_sess_write(&s->hello, &h);
    if (st == STN_OK && (s->hello.failed || inner.failed))
        st = stn_fail(err, STN_NO_MEMORY, "session request");
    if (st == STN_OK && s->hello.len > STN_DATAGRAM_MAX)
        st = stn_fail(err, STN_TOO_BIG, "session request of %zu bytes; a datagram holds %d", s->hello.len,
                      STN_DATAGRAM_MAX);
    stn_buf_fini(&blob);
    stn_buf_fini(&inner);
    return st;
}

stn_status stn_session_new(const stn_session_settings *set, stn_session **out, stn_err *err)
{
    stn_session *s;
    stn_status st = STN_OK;

    *out = NULL;
    if (!set->user || !*set->user)
        return stn_fail(err, STN_USAGE, "a session needs a user name");
    if (set->cookie_len > STN_COOKIE_MAX)
        return stn_fail(err, STN_USAGE, "session cookie of %zu bytes, the most is %d", set->cookie_len,
                        STN_COOKIE_MAX);
    s = calloc(1, sizeof *s);
    if (!s)
        return stn_fail(err, STN_NO_MEMORY, "session");
    s->tail = &s->head;
    s->encrypt = set->encrypt;
    s->reack_dup = set->reack_dup;
    s->exact_timers = set->exact_timers;
    s->drop_ends_pass = set->drop_ends_pass;
    s->idle_timeout = set->idle_timeout;
    s->last_sess = -INFINITY;
    s->rel = stn_rel_in_new(set->rel_window);
    s->wait_of = stn_table_new();
    s->arena = stn_arena_new(16384, 0);
    if (!s->rel || !s->wait_of || !s->arena)
        st = stn_fail(err, STN_NO_MEMORY, "session");
    if (st == STN_OK && set->encrypt)
        st = stn_crypt_new(set->cookie, set->cookie_len, set->salt, sizeof set->salt, true, &s->crypt, err);
    if (st == STN_OK)
        st = write_hello(s, set, err);
    if (st) {
        stn_session_free(s);
        return st;
    }
    *out = s;
    return STN_OK;
}

void stn_session_free(stn_session *s)
{
    if (!s)
        return;
    for (pending *p = s->head, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    if (s->hello.data)
        OPENSSL_cleanse(s->hello.data, s->hello.len); /* holds the cookie */
    stn_buf_fini(&s->hello);
    stn_crypt_free(s->crypt);
    stn_rel_in_free(s->rel);
    stn_table_free(s->wait_of);
    stn_arena_free(s->arena);
    stn_buf_fini(&s->scratch);
    free(s->waits);
    free(s->send);
    free(s->deliver);
    free(s);
}

/* --- what a step gives out -------------------------------------------------------------------------------
 */

static bool grow(void **array, size_t *cap, size_t count, size_t size)
{
    size_t want = *cap ? *cap * 2 : 32;
    void *p;

    if (count < *cap)
        return true;
    p = realloc(*array, want * size);
    if (!p)
        return false;
    *array = p;
    *cap = want;
    return true;
}

static void put_datagram(stn_session *s, const uint8_t *data, size_t len)
{
    if (!grow((void **)&s->send, &s->cap_send, s->out.n_send, sizeof *s->send)) {
        s->no_memory = true;
        return;
    }
    s->send[s->out.n_send++] = (stn_datagram){data, len};
    s->stats.datagrams_out++;
    s->stats.bytes_out += len;
}

/* Sends one datagram, sealed when the session is. */
static void emit(stn_session *s, const uint8_t *plain, size_t len)
{
    uint8_t *copy;

    if (s->encrypt) {
        stn_buf sealed = {0};

        stn_buf_u8(&sealed, STN_PACKET_CRYPT);
        if (stn_crypt_seal(s->crypt, plain, len, &sealed, NULL) == STN_OK && !sealed.failed &&
            (copy = stn_arena_dup(s->arena, sealed.data, sealed.len)) != NULL)
            put_datagram(s, copy, sealed.len);
        else
            s->no_memory = true;
        stn_buf_fini(&sealed);
        return;
    }
    copy = stn_arena_dup(s->arena, plain, len);
    if (copy)
        put_datagram(s, copy, len);
    else
        s->no_memory = true;
}

static stn_delivery *put_delivery(stn_session *s, stn_delivery_kind kind)
{
    stn_delivery *d;

    if (!grow((void **)&s->deliver, &s->cap_deliver, s->out.n_deliver, sizeof *s->deliver)) {
        s->no_memory = true;
        return NULL;
    }
    d = &s->deliver[s->out.n_deliver++];
    *d = (stn_delivery){.kind = kind};
    return d;
}

/* The reliable stream's messages live in its own buffers; what is given out must last until the next step. */
static stn_status deliver_message(void *user, uint8_t type, const uint8_t *data, size_t len, stn_err *err)
{
    stn_session *s = user;
    uint8_t *copy = stn_arena_dup(s->arena, len ? data : (const uint8_t *)"", len ? len : 1);
    stn_delivery *d = copy ? put_delivery(s, STN_DELIVER_RMSG) : NULL;

    if (!d)
        return stn_fail(err, STN_NO_MEMORY, "message of %zu bytes", len);
    d->type = type;
    d->data = copy;
    d->len = len;
    return STN_OK;
}

/* --- ending ------------------------------------------------------------------------------------------------
 */

static void set_result(stn_session *s, stn_session_end end, unsigned code, const char *text)
{
    if (s->result.end != STN_SESSION_END_NONE)
        return;
    s->result.end = end;
    s->result.code = code;
    snprintf(s->text, sizeof s->text, "%s", text);
}

static void begin_closing(stn_session *s, bool seen)
{
    s->phase = STN_SESSION_CLOSE;
    s->close_seen = seen;
    s->last_sess = -INFINITY;
    s->tries = 0;
}

static void fatal(stn_session *s, const char *why)
{
    set_result(s, STN_SESSION_END_PROTOCOL, 0, why);
    begin_closing(s, false);
}

static void refuse(stn_session *s, stn_bytes *in)
{
    unsigned code = stn_bytes_u8(in);
    char text[STN_ERR_TEXT];

    if (code == STN_SESS_TEXT) {
        stn_buf repaired = {.max = 65536 * 3};
        const uint8_t *bytes = in->data + in->pos;
        size_t len = strnlen((const char *)bytes, stn_bytes_left(in));

        stn_wire_text(&repaired, bytes, len);
        stn_buf_u8(&repaired, 0);
        snprintf(text, sizeof text, "%s", repaired.failed ? "" : (const char *)repaired.data);
        stn_buf_fini(&repaired);
    } else if (code > STN_SESS_TEXT) {
        snprintf(text, sizeof text, "the server refused with code %u, which this version does not know",
                 code);
    } else {
        snprintf(text, sizeof text, "%s", stn_sess_code_text(code));
    }
    set_result(s, STN_SESSION_END_REFUSED, code, text);
    s->phase = STN_SESSION_DONE;
}

/* --- connecting --------------------------------------------------------------------------------------------
 */

static void on_sess_reply(stn_session *s, double now, stn_bytes in, bool sealed)
{
    if (!stn_bytes_left(&in)) {
        s->stats.dropped++;
        return;
    }
    if (in.data[in.pos] != STN_SESS_OK) {
        refuse(s, &in);
    } else if (s->encrypt && !sealed) {
        s->stats.ignored++; /* anyone could have sent it */
    } else {
        s->phase = STN_SESSION_MAIN;
        s->first_pass = true;
        s->accepted = s->last_tx = s->last_rx = now;
    }
}

/* Opens a sealed datagram into the scratch buffer. */
static stn_status unseal(stn_session *s, const stn_datagram *d)
{
    stn_buf_clear(&s->scratch);
    return stn_crypt_open(s->crypt, d->data + 1, d->len - 1, &s->scratch, NULL);
}

static void connect_take(stn_session *s, double now, const stn_datagram *d)
{
    stn_bytes in = stn_bytes_of(d->data, d->len);
    uint8_t kind = stn_bytes_u8(&in);
    bool sealed = false;

    if (!d->len) {
        s->stats.ignored++;
        return;
    }
    if (s->encrypt && kind == STN_PACKET_CRYPT) {
        if (unseal(s, d) != STN_OK) {
            s->stats.dropped++;
            return;
        }
        in = stn_bytes_of(s->scratch.data, s->scratch.len);
        kind = stn_bytes_u8(&in);
        sealed = true;
    }
    if (kind == STN_PACKET_SESS)
        on_sess_reply(s, now, in, sealed);
    else
        s->stats.ignored++;
}

static double connect_head(stn_session *s, double now)
{
    double wait;

    if (now - s->last_sess > SESS_AGAIN) {
        if (++s->tries > SESS_TRIES) {
            set_result(s, STN_SESSION_END_REFUSED, STN_SESS_NO_CONNECTION,
                       stn_sess_code_text(STN_SESS_NO_CONNECTION));
            s->phase = STN_SESSION_DONE;
            return 0.0;
        }
        put_datagram(s, s->hello.data, s->hello.len);
        s->last_sess = now;
    }
    wait = s->last_sess + SESS_AGAIN - now;
    return wait > 0.0 ? wait : 0.0;
}

/* --- running -----------------------------------------------------------------------------------------------
 */

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
        fatal(s, err.text);
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
        !grow((void **)&s->waits, &s->cap_waits, s->n_waits, sizeof *s->waits) ||
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
        out = put_delivery(s, STN_DELIVER_OBJD);
        if (out)
            out->obj = d;
    }
}

static void take_mapdata(stn_session *s, const uint8_t *payload, size_t len)
{
    uint8_t *copy;
    stn_delivery *d;

    copy = stn_arena_dup(s->arena, len ? payload : (const uint8_t *)"", len ? len : 1);
    d = copy ? put_delivery(s, STN_DELIVER_MAP) : NULL;
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
        if (data[0] != STN_PACKET_CRYPT || unseal(s, d) != STN_OK) {
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
        set_result(s, STN_SESSION_END_PEER, 0, "the server closed the session");
        begin_closing(s, true);
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
                emit(s, b.data, b.len);
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
            emit(s, b.data, b.len);
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
        emit(s, b.data, b.len);
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
        emit(s, d, sizeof d);
    }
    s->n_reqs = 0;
}

static double main_wait(const stn_session *s, double now, double due)
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
        emit(s, d, sizeof d);
        s->ack_due = false;
        s->last_tx = now;
    }
    if (now - s->last_tx >= BEAT_AFTER) {
        static const uint8_t beat[1] = {STN_PACKET_BEAT};

        emit(s, beat, sizeof beat);
        s->last_tx = now;
    }
    return main_wait(s, now, due);
}

/* --- closing
 * ------------------------------------------------------------------------------------------------ */

static void close_take(stn_session *s, const stn_datagram *d)
{
    const uint8_t *data = d->data;
    size_t len = d->len;

    if (s->encrypt) {
        if (!len || data[0] != STN_PACKET_CRYPT || unseal(s, d) != STN_OK)
            len = 0;
        else
            len = s->scratch.len;
        data = s->scratch.data;
    }
    if (len && data[0] == STN_PACKET_CLOSE)
        s->close_seen = true;
    if (s->close_seen)
        s->phase = STN_SESSION_DONE;
}

static double close_head(stn_session *s, double now)
{
    static const uint8_t bye[1] = {STN_PACKET_CLOSE};
    double wait;

    if (now - s->last_sess > CLOSE_AGAIN) {
        if (++s->tries > CLOSE_TRIES) {
            s->phase = STN_SESSION_DONE;
            return 0.0;
        }
        emit(s, bye, sizeof bye);
        s->last_sess = now;
    }
    wait = s->last_sess + CLOSE_AGAIN - now;
    return wait > 0.0 ? wait : 0.0;
}

/* --- the step ----------------------------------------------------------------------------------------------
 */

static double step_connect(stn_session *s, double now, const stn_datagram *in, size_t n)
{
    if (s->close_wanted) {
        set_result(s, STN_SESSION_END_LOCAL, STN_SESS_NO_CONNECTION, "given up while connecting");
        s->phase = STN_SESSION_DONE;
        return 0.0;
    }
    if (s->started && n) {
        s->out.taken = 1;
        connect_take(s, now, &in[0]);
    }
    s->started = true;
    /* Just accepted: the next pass is due at once, which is what this gives. */
    if (s->phase == STN_SESSION_MAIN)
        return main_wait(s, now, s->accepted);
    return s->phase == STN_SESSION_CONNECT ? connect_head(s, now) : 0.0;
}

static double step_main(stn_session *s, double now, const stn_datagram *in, size_t n)
{
    if (s->close_wanted) {
        set_result(s, STN_SESSION_END_LOCAL, 0, "closed on request");
        begin_closing(s, false);
    }
    while (s->phase == STN_SESSION_MAIN && s->out.taken < n) {
        pass p = main_take(s, now, &in[s->out.taken++]);

        if (p == PASS_DROP && s->drop_ends_pass)
            break;
    }
    if (s->no_memory && s->phase == STN_SESSION_MAIN)
        fatal(s, "out of memory");
    if (s->phase == STN_SESSION_MAIN && s->idle_timeout > 0.0 && now - s->last_rx >= s->idle_timeout) {
        set_result(s, STN_SESSION_END_LOST, 0, "the server has been silent for too long");
        s->phase = STN_SESSION_DONE;
    }
    if (s->phase == STN_SESSION_MAIN)
        return main_sends(s, now);
    return s->phase == STN_SESSION_CLOSE ? close_head(s, now) : 0.0;
}

static double step_close(stn_session *s, double now, const stn_datagram *in, size_t n)
{
    if (n) {
        s->out.taken = 1;
        close_take(s, &in[0]);
    } else if (s->close_seen && s->tries) {
        s->phase = STN_SESSION_DONE; /* the lingering is over */
    }
    return s->phase == STN_SESSION_CLOSE ? close_head(s, now) : 0.0;
}

const stn_session_out *stn_session_step(stn_session *s, double now, const stn_datagram *in, size_t n)
{
    stn_arena_reset(s->arena);
    s->out = (stn_session_out){0};
    s->no_memory = false;
    switch (s->phase) {
    case STN_SESSION_CONNECT:
        s->out.wait = step_connect(s, now, in, n);
        break;
    case STN_SESSION_MAIN:
        s->out.wait = step_main(s, now, in, n);
        break;
    case STN_SESSION_CLOSE:
        s->out.wait = step_close(s, now, in, n);
        break;
    case STN_SESSION_DONE:
        break;
    }
    for (size_t i = 0; i < s->out.taken; i++) {
        s->stats.datagrams_in++;
        s->stats.bytes_in += in[i].len;
    }
    s->out.send = s->send;
    s->out.deliver = s->deliver;
    s->out.phase = s->phase;
    return &s->out;
}

/* --- from the application ----------------------------------------------------------------------------------
 */

stn_status stn_session_queue(stn_session *s, uint8_t type, const void *data, size_t len, stn_err *err)
{
    pending *p;

    if (s->phase == STN_SESSION_CLOSE || s->phase == STN_SESSION_DONE || s->close_wanted)
        return stn_fail(err, STN_CANCELLED, "message %s: the session is over", stn_rmsg_name(type));
    if (s->n_pending >= STN_SESSION_PENDING_MAX)
        return stn_fail(err, STN_BUSY, "message %s: %zu messages wait for the server already",
                        stn_rmsg_name(type), s->n_pending);
    if (len > STN_DATAGRAM_MAX - 64)
        return stn_fail(err, STN_TOO_BIG, "message %s of %zu bytes does not fit a datagram",
                        stn_rmsg_name(type), len);
    p = malloc(sizeof *p + len);
    if (!p)
        return stn_fail(err, STN_NO_MEMORY, "message %s of %zu bytes", stn_rmsg_name(type), len);
    *p = (pending){.seq = s->next_seq++, .type = type, .len = len};
    if (len)
        memcpy(p->data, data, len);
    *s->tail = p;
    s->tail = &p->next;
    s->n_pending++;
    return STN_OK;
}

void stn_session_mapreq(stn_session *s, int32_t gc_x, int32_t gc_y)
{
    if (s->phase == STN_SESSION_MAIN && s->n_reqs < sizeof s->reqs / sizeof *s->reqs)
        s->reqs[s->n_reqs++] = (mapreq){gc_x, gc_y};
}

void stn_session_malformed(stn_session *s)
{
    if (++s->stats.malformed > STN_SESSION_MALFORMED_MAX && s->phase == STN_SESSION_MAIN)
        fatal(s, "the server sent more than 100 messages that make no sense");
}

void stn_session_close(stn_session *s)
{
    s->close_wanted = true;
}

void stn_session_lost(stn_session *s, const char *why)
{
    if (s->phase == STN_SESSION_DONE)
        return;
    set_result(s, STN_SESSION_END_SOCKET, STN_SESS_NO_CONNECTION, why);
    s->phase = STN_SESSION_DONE;
}

stn_session_phase stn_session_phase_now(const stn_session *s)
{
    return s->phase;
}

stn_session_result stn_session_get_result(const stn_session *s)
{
    stn_session_result r = s->result;

    r.text = s->text;
    return r;
}

void stn_session_get_stats(const stn_session *s, stn_session_stats *out)
{
    size_t n = s->n_rtt < RTT_SAMPLES ? s->n_rtt : RTT_SAMPLES;
    double sum = 0.0, var = 0.0;

    *out = s->stats;
    out->pending = s->n_pending;
    out->acks_waiting = s->n_waits;
    for (size_t i = 0; i < n; i++)
        sum += s->rtt[i];
    out->rtt_mean = n ? sum / (double)n : 0.0;
    for (size_t i = 0; i < n; i++)
        var += (s->rtt[i] - out->rtt_mean) * (s->rtt[i] - out->rtt_mean);
    out->rtt_dev = n ? sqrt(var / (double)n) : 0.0;
}
