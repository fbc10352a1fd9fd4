#include "homestead/conn.h"

#include "session/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AGAIN_FIRST 0.25
#define AGAIN_MOST 2.0
#define BEAT_AFTER 5.0
#define FRAGMENT 1000 /* bytes of a piece of a long message */

typedef struct message {
    struct message *next;
    double last; /* when it was sent last */
    unsigned sends;
    uint16_t seq;
    uint8_t type;
    size_t len;
    uint8_t data[];
} message;

struct stn_conn {
    stn_conn_send send;
    void *user;
    stn_crypt *crypt;
    stn_rel_in *rel;
    stn_buf plain, sealed, bundle;
    message *head, **tail;
    size_t n, bytes;
    uint16_t next_seq;
    bool ack_due, overrun;
    double last_rx, last_tx;
    uint64_t dropped;
};

stn_conn *stn_conn_new(double now, stn_crypt *crypt, stn_conn_send send, void *user)
{
    stn_conn *p = calloc(1, sizeof *p);

    if (!p || !(p->rel = stn_rel_in_new(0))) {
        stn_crypt_free(crypt);
        free(p);
        return NULL;
    }
    p->send = send;
    p->user = user;
    p->crypt = crypt;
    p->tail = &p->head;
    p->last_rx = p->last_tx = now;
    return p;
}

void stn_conn_free(stn_conn *p)
{
    if (!p)
        return;
    for (message *m = p->head, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    stn_rel_in_free(p->rel);
    stn_crypt_free(p->crypt);
    stn_buf_fini(&p->plain);
    stn_buf_fini(&p->sealed);
    stn_buf_fini(&p->bundle);
    free(p);
}

void stn_conn_datagram(stn_conn *p, const uint8_t *plain, size_t len)
{
    if (!p->crypt) {
        p->send(p->user, plain, len);
        return;
    }
    stn_buf_clear(&p->sealed);
    stn_buf_u8(&p->sealed, STN_PACKET_CRYPT);
    /* Failing to seal is like losing the datagram: whatever mattered is repeated. */
    if (stn_crypt_seal(p->crypt, plain, len, &p->sealed, NULL) == STN_OK)
        p->send(p->user, p->sealed.data, p->sealed.len);
}

static void queue_one(stn_conn *p, uint8_t type, const uint8_t *head, size_t head_len, const uint8_t *data,
                      size_t len)
{
    message *m;

    if (p->n >= STN_CONN_QUEUE_MAX || p->bytes + len > STN_CONN_QUEUE_BYTES ||
        !(m = malloc(sizeof *m + head_len + len))) {
        p->overrun = true;
        return;
    }
    *m = (message){.seq = p->next_seq++, .type = type, .len = head_len + len};
    if (head_len)
        memcpy(m->data, head, head_len);
    if (len)
        memcpy(m->data + head_len, data, len);
    *p->tail = m;
    p->tail = &m->next;
    p->n++;
    p->bytes += m->len;
}

void stn_conn_queue(stn_conn *p, uint8_t type, const void *data, size_t len)
{
    const uint8_t *bytes = data;

    if (len <= STN_REL_BUNDLE_MAX - 8) {
        queue_one(p, type, NULL, 0, bytes, len);
        return;
    }
    for (size_t at = 0; at < len; at += FRAGMENT) {
        size_t n = len - at < FRAGMENT ? len - at : FRAGMENT;
        uint8_t head = at == 0 ? type : at + n == len ? 0x81 : 0x80;

        queue_one(p, STN_RMSG_FRAGMENT, &head, 1, bytes + at, n);
    }
}

void stn_conn_say(stn_conn *p, int32_t widget, const char *name, const stn_value *args, uint32_t n)
{
    stn_buf b = {0};

    if (stn_message_write_widget(&b, widget, name, &(stn_values){n, args}, NULL) == STN_OK && !b.failed)
        stn_conn_queue(p, STN_RMSG_WDGMSG, b.data, b.len);
    stn_buf_fini(&b);
}

static void take_ack(stn_conn *p, const uint8_t *payload, size_t len)
{
    stn_bytes in = stn_bytes_of(payload, len);
    uint16_t seq = stn_bytes_u16(&in);
    message *m;

    if (!stn_bytes_ok(&in)) {
        p->dropped++;
        return;
    }
    /* Only what was sent can be acknowledged, whatever the number says. */
    while ((m = p->head) != NULL && m->sends && stn_seq_diff(m->seq, seq) <= 0) {
        p->head = m->next;
        if (!p->head)
            p->tail = &p->head;
        p->n--;
        p->bytes -= m->len;
        free(m);
    }
}

stn_status stn_conn_take(stn_conn *p, double now, const uint8_t *data, size_t len, stn_rel_deliver deliver,
                         void *user, stn_conn_in *in, stn_err *err)
{
    *in = (stn_conn_in){0};
    if (p->crypt) {
        stn_buf_clear(&p->plain);
        if (!len || data[0] != STN_PACKET_CRYPT ||
            stn_crypt_open(p->crypt, data + 1, len - 1, &p->plain, NULL) != STN_OK) {
            p->dropped++;
            return STN_OK;
        }
        data = p->plain.data;
        len = p->plain.len;
    }
    if (!len)
        return STN_OK;
    p->last_rx = now;
    switch (data[0]) {
    case STN_PACKET_REL: {
        uint16_t seq;
        stn_bytes messages;
        bool advanced, repeated;
        stn_status st;

        if (stn_rel_open(data + 1, len - 1, &seq, &messages, NULL) != STN_OK) {
            p->dropped++;
            return STN_OK;
        }
        st = stn_rel_in_take(p->rel, seq, messages, deliver, user, &advanced, &repeated, err);
        if (advanced || (repeated && stn_rel_in_began(p->rel)))
            p->ack_due = true;
        return st;
    }
    case STN_PACKET_ACK:
        take_ack(p, data + 1, len - 1);
        return STN_OK;
    case STN_PACKET_MAPREQ:
    case STN_PACKET_OBJACK:
    case STN_PACKET_CLOSE:
        *in = (stn_conn_in){data[0], data + 1, len - 1};
        return STN_OK;
    default:
        return STN_OK; /* BEAT, a repeated SESS, unknown kinds */
    }
}

static double again_after(unsigned sends)
{
    double d = AGAIN_FIRST;

    for (unsigned i = 1; i < sends && d < AGAIN_MOST; i++)
        d *= 2.0;
    return d < AGAIN_MOST ? d : AGAIN_MOST;
}

static void send_bundle(stn_conn *p, double now)
{
    if (!p->bundle.len)
        return;
    if (!p->bundle.failed)
        stn_conn_datagram(p, p->bundle.data, p->bundle.len);
    stn_buf_clear(&p->bundle);
    p->last_tx = now;
}

/* Sends the messages that are due, neighbours in one datagram. */
static double send_messages(stn_conn *p, double now)
{
    double next = INFINITY;
    unsigned window = STN_CONN_WINDOW;
    uint16_t follows = 0;

    for (message *m = p->head; m && window; m = m->next, window--) {
        double due = m->sends ? m->last + again_after(m->sends) : now;

        if (due > now) {
            if (due < next)
                next = due;
            continue;
        }
        if (p->bundle.len && (m->seq != follows || p->bundle.len + 3 + m->len > STN_REL_BUNDLE_MAX))
            send_bundle(p, now);
        if (!p->bundle.len)
            stn_rel_begin(&p->bundle, m->seq);
        stn_rel_add(&p->bundle, m->type, m->data, m->len, false);
        follows = (uint16_t)(m->seq + 1);
        m->sends++;
        m->last = now;
        if (now + again_after(m->sends) < next)
            next = now + again_after(m->sends);
    }
    send_bundle(p, now);
    return next;
}

double stn_conn_run(stn_conn *p, double now)
{
    double next;

    if (p->ack_due) {
        uint8_t d[3] = {STN_PACKET_ACK};

        stn_st16(d + 1, (uint16_t)(stn_rel_in_next(p->rel) - 1));
        stn_conn_datagram(p, d, sizeof d);
        p->ack_due = false;
        p->last_tx = now;
    }
    next = send_messages(p, now);
    if (now - p->last_tx >= BEAT_AFTER) {
        static const uint8_t beat[1] = {STN_PACKET_BEAT};

        stn_conn_datagram(p, beat, sizeof beat);
        p->last_tx = now;
    }
    return fmin(next, p->last_tx + BEAT_AFTER);
}

bool stn_conn_silent(const stn_conn *p, double now)
{
    return now - p->last_rx > STN_CONN_SILENCE;
}

bool stn_conn_overrun(const stn_conn *p)
{
    return p->overrun;
}

size_t stn_conn_waiting(const stn_conn *p)
{
    return p->n;
}

uint64_t stn_conn_dropped(const stn_conn *p)
{
    return p->dropped;
}
