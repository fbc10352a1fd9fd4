#include "session_priv.h"

#include <math.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- what a step gives out */

bool stn_session_grow(void **array, size_t *cap, size_t count, size_t size)
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
    if (!stn_session_grow((void **)&s->send, &s->cap_send, s->out.n_send, sizeof *s->send)) {
        s->no_memory = true;
        return;
    }
    s->send[s->out.n_send++] = (stn_datagram){data, len};
    s->stats.datagrams_out++;
    s->stats.bytes_out += len;
}

/* Sends one datagram, sealed when the session is. */
void stn_session_emit(stn_session *s, const uint8_t *plain, size_t len)
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

stn_delivery *stn_session_put_delivery(stn_session *s, stn_delivery_kind kind)
{
    stn_delivery *d;

    if (!stn_session_grow((void **)&s->deliver, &s->cap_deliver, s->out.n_deliver, sizeof *s->deliver)) {
        s->no_memory = true;
        return NULL;
    }
    d = &s->deliver[s->out.n_deliver++];
    *d = (stn_delivery){.kind = kind};
    return d;
}

/* ---- ending */

void stn_session_set_result(stn_session *s, stn_session_end end, unsigned code, const char *text)
{
    if (s->result.end != STN_SESSION_END_NONE)
        return;
    s->result.end = end;
    s->result.code = code;
    snprintf(s->text, sizeof s->text, "%s", text);
}

void stn_session_begin_closing(stn_session *s, bool seen)
{
    s->phase = STN_SESSION_CLOSE;
    s->close_seen = seen;
    s->last_sess = -INFINITY;
    s->tries = 0;
}

void stn_session_fatal(stn_session *s, const char *why)
{
    stn_session_set_result(s, STN_SESSION_END_PROTOCOL, 0, why);
    stn_session_begin_closing(s, false);
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
    stn_session_set_result(s, STN_SESSION_END_REFUSED, code, text);
    s->phase = STN_SESSION_DONE;
}

/* ---- connecting */

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
stn_status stn_session_unseal(stn_session *s, const stn_datagram *d)
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
        if (stn_session_unseal(s, d) != STN_OK) {
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
            stn_session_set_result(s, STN_SESSION_END_REFUSED, STN_SESS_NO_CONNECTION,
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

/* ---- closing */

static void close_take(stn_session *s, const stn_datagram *d)
{
    const uint8_t *data = d->data;
    size_t len = d->len;

    if (s->encrypt) {
        if (!len || data[0] != STN_PACKET_CRYPT || stn_session_unseal(s, d) != STN_OK)
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

double stn_session_close_head(stn_session *s, double now)
{
    static const uint8_t bye[1] = {STN_PACKET_CLOSE};
    double wait;

    if (now - s->last_sess > CLOSE_AGAIN) {
        if (++s->tries > CLOSE_TRIES) {
            s->phase = STN_SESSION_DONE;
            return 0.0;
        }
        stn_session_emit(s, bye, sizeof bye);
        s->last_sess = now;
    }
    wait = s->last_sess + CLOSE_AGAIN - now;
    return wait > 0.0 ? wait : 0.0;
}

/* ---- the step */

static double step_connect(stn_session *s, double now, const stn_datagram *in, size_t n)
{
    if (s->close_wanted) {
        stn_session_set_result(s, STN_SESSION_END_LOCAL, STN_SESS_NO_CONNECTION, "given up while connecting");
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
        return stn_session_main_wait(s, now, s->accepted);
    return s->phase == STN_SESSION_CONNECT ? connect_head(s, now) : 0.0;
}

static double step_close(stn_session *s, double now, const stn_datagram *in, size_t n)
{
    if (n) {
        s->out.taken = 1;
        close_take(s, &in[0]);
    } else if (s->close_seen && s->tries) {
        s->phase = STN_SESSION_DONE; /* the lingering is over */
    }
    return s->phase == STN_SESSION_CLOSE ? stn_session_close_head(s, now) : 0.0;
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
        s->out.wait = stn_session_step_main(s, now, in, n);
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

/* ---- from the application */

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
        stn_session_fatal(s, "the server sent more than 100 messages that make no sense");
}

void stn_session_close(stn_session *s)
{
    s->close_wanted = true;
}

void stn_session_lost(stn_session *s, const char *why)
{
    if (s->phase == STN_SESSION_DONE)
        return;
    stn_session_set_result(s, STN_SESSION_END_SOCKET, STN_SESS_NO_CONNECTION, why);
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
