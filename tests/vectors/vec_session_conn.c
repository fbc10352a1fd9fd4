/* Traces of the connection loop in virtual time. A case is a scenario: every send, delivery and wait in it
 * must come out as recorded. With encryption the plaintexts are compared, since the order of object
 * acknowledgements is free and decides the packet numbers. */
#include "vec_session.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "session/crypt.h"
#include "world/session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
    vec_report *report;
    const char *file, *name;
    bool failed;
    bool hostile; /* what the reference dies of is the required outcome's business */
    stn_session *session;
    stn_crypt *peer_open, *peer_seal; /* the server's end, to read what we send and to write the probe */
    const stn_session_out *out;
    size_t sent, delivered; /* how much of `out` was compared */
    double now;
    uint8_t *in[4096]; /* datagrams of this pass */
    stn_datagram in_d[4096];
    size_t n_in;
    bool stepped; /* the step of this wake was made */
    stn_buf our_acks, ref_acks; /* OBJACK pairs of one pass */
    size_t our_ack_datagrams, ref_ack_datagrams;
} run;

static void fail(run *r, const char *what)
{
    if (!r->failed)
        vec_fail(r->report, "%s: %s at %.6f: %s", r->file, r->name, r->now, what);
    r->failed = true;
}

/* The extra arguments of the scenario "connect-args", as the README lists them. */
static const uint8_t connect_args[] = {2,    'a',  'l',  'p', 'h', 'a', 0, 4, 7,   9, 0xff, 1, 0x70,
                                       0x11, 1,    0,    14,  2,   1,   2, 3, 3,   0, 0,    0, 0xfc,
                                       0xff, 0xff, 0xff, 12,  8,   4,   1, 2, 'x', 0, 0};

static void end_run(run *r)
{
    stn_session_free(r->session);
    stn_crypt_free(r->peer_open);
    stn_crypt_free(r->peer_seal);
    for (size_t i = 0; i < r->n_in; i++)
        free(r->in[i]);
    stn_buf_fini(&r->our_acks);
    stn_buf_fini(&r->ref_acks);
    r->session = NULL;
    r->peer_open = r->peer_seal = NULL;
    r->n_in = 0;
}

static void begin_run(run *r, const json_t *o)
{
    stn_session_settings set = stn_session_defaults();
    size_t cookie_len, salt_len;
    uint8_t *cookie = vec_field_hex(o, "cookie", &cookie_len);
    uint8_t *salt = vec_field_hex(o, "salt", &salt_len);
    stn_err err = {0};

    set.user = vec_text(o, "user", "");
    set.cookie = cookie;
    set.cookie_len = cookie_len;
    set.protocol = "Hafen/unknown";
    set.version = 30;
    set.encrypt = json_is_true(json_object_get(o, "encrypt"));
    set.idle_timeout = 0.0;
    set.reack_dup = false;
    set.exact_timers = false;
    set.drop_ends_pass = true;
    set.rel_window = 32767;
    if (json_integer_value(json_object_get(o, "args"))) {
        set.args = connect_args;
        set.args_len = sizeof connect_args;
    }
    if (salt && salt_len == sizeof set.salt)
        memcpy(set.salt, salt, salt_len);
    if (stn_session_new(&set, &r->session, &err) ||
        (set.encrypt &&
         (stn_crypt_new(cookie, cookie_len, set.salt, sizeof set.salt, false, &r->peer_open, &err) ||
          stn_crypt_new(cookie, cookie_len, set.salt, sizeof set.salt, false, &r->peer_seal, &err))))
        fail(r, err.text);
    r->now = json_real_value(json_object_get(o, "start"));
    free(salt);
    free(cookie);
}

/* Opens what our client sent; `plain` is cleared first. */
static bool open_sent(run *r, stn_crypt *c, const uint8_t *data, size_t len, stn_buf *plain)
{
    stn_buf_clear(plain);
    if (c && len && data[0] == STN_PACKET_CRYPT)
        return stn_crypt_open(c, data + 1, len - 1, plain, NULL) == STN_OK;
    (void)r;
    stn_buf_put(plain, data, len);
    return true;
}

/* Opens a recorded datagram of the reference with the number that it carries; the reference's own numbers are
 * in order, so a fresh window per scenario is enough. */
static void do_step(run *r)
{
    if (r->stepped || r->failed)
        return;
    r->out = stn_session_step(r->session, r->now, r->in_d, r->n_in);
    if (r->out->taken != r->n_in)
        fail(r, "not all datagrams of the pass were taken");
    for (size_t i = 0; i < r->n_in; i++)
        free(r->in[i]);
    r->n_in = 0;
    r->sent = r->delivered = 0;
    r->stepped = true;
}

static int compare_pairs(const void *a, const void *b)
{
    return memcmp(a, b, 8);
}

/* The end of a pass: everything was compared, and the object acknowledgements are the same set. */
static void finish_pass(run *r, bool deliveries_too)
{
    stn_buf plain = {0};

    if (r->failed || !r->out)
        return;
    while (r->sent < r->out->n_send) {
        const stn_datagram *d = &r->out->send[r->sent++];

        open_sent(r, r->peer_open, d->data, d->len, &plain);
        if (plain.len && plain.data[0] == STN_PACKET_OBJACK) {
            stn_buf_put(&r->our_acks, plain.data + 1, plain.len - 1);
            r->our_ack_datagrams++;
            continue;
        }
        fail(r, "a datagram was sent that the reference did not send");
    }
    if (deliveries_too && r->delivered < r->out->n_deliver)
        fail(r, "a delivery was made that the reference did not make");
    if (r->our_acks.len)
        qsort(r->our_acks.data, r->our_acks.len / 8, 8, compare_pairs);
    if (r->ref_acks.len)
        qsort(r->ref_acks.data, r->ref_acks.len / 8, 8, compare_pairs);
    if (r->our_acks.len != r->ref_acks.len || r->our_ack_datagrams != r->ref_ack_datagrams ||
        (r->our_acks.len && memcmp(r->our_acks.data, r->ref_acks.data, r->our_acks.len)))
        fail(r, "object acknowledgements of the pass differ");
    stn_buf_clear(&r->our_acks);
    stn_buf_clear(&r->ref_acks);
    r->our_ack_datagrams = r->ref_ack_datagrams = 0;
    stn_buf_fini(&plain);
}

static void on_send(run *r, const json_t *o, stn_crypt *ref_open)
{
    size_t len;
    uint8_t *data = vec_field_hex(o, "data", &len);
    stn_buf ref = {0}, ours = {0};

    do_step(r);
    if (!open_sent(r, ref_open, data, len, &ref))
        fail(r, "a recorded datagram cannot be opened");
    if (!r->failed && ref.len && ref.data[0] == STN_PACKET_OBJACK) {
        stn_buf_put(&r->ref_acks, ref.data + 1, ref.len - 1);
        r->ref_ack_datagrams++;
    } else if (!r->failed) {
        /* Ours may have put its OBJACKs here as well; they are compared as a set at the end of the pass. */
        for (;;) {
            const stn_datagram *d = r->sent < r->out->n_send ? &r->out->send[r->sent++] : NULL;

            if (!d) {
                fail(r, "a datagram of the reference was not sent");
                break;
            }
            open_sent(r, r->peer_open, d->data, d->len, &ours);
            if (ours.len && ours.data[0] == STN_PACKET_OBJACK) {
                stn_buf_put(&r->our_acks, ours.data + 1, ours.len - 1);
                r->our_ack_datagrams++;
                continue;
            }
            if (ours.len != ref.len || memcmp(ours.data, ref.data, ref.len))
                fail(r, "a datagram differs from the reference's");
            break;
        }
    }
    stn_buf_fini(&ours);
    stn_buf_fini(&ref);
    free(data);
}

static bool same_attrs(const stn_objdelta *d, const json_t *attrs)
{
    size_t pos = 0, i = 0;
    stn_objattr a;

    while (stn_objdelta_attr(d, &pos, &a)) {
        const json_t *pair = json_array_get(attrs, i++);
        size_t len;
        uint8_t *data = pair ? vec_unhex(json_string_value(json_array_get(pair, 1)), &len) : NULL;
        bool same = data && json_integer_value(json_array_get(pair, 0)) == a.type && len == a.len &&
                    !memcmp(data, a.data, len);

        free(data);
        if (!same)
            return false;
    }
    return i == json_array_size(attrs);
}

static void on_delivery(run *r, const char *k, const json_t *o)
{
    const stn_delivery *d;
    size_t times = json_object_get(o, "n") ? (size_t)json_integer_value(json_object_get(o, "n")) : 1;

    do_step(r);
    for (; times && !r->failed; times--) {
        size_t len;
        uint8_t *data;

        d = r->delivered < r->out->n_deliver ? &r->out->deliver[r->delivered++] : NULL;
        if (!d) {
            fail(r, "a delivery of the reference was not made");
            return;
        }
        if (!strcmp(k, "objd")) {
            if (d->kind != STN_DELIVER_OBJD || d->obj.flags != json_integer_value(json_object_get(o, "fl")) ||
                d->obj.id != json_integer_value(json_object_get(o, "id")) ||
                d->obj.frame != json_integer_value(json_object_get(o, "frame")) ||
                d->obj.initframe != json_integer_value(json_object_get(o, "initframe")) ||
                d->obj.removal != json_is_true(json_object_get(o, "rem")) ||
                !same_attrs(&d->obj, json_object_get(o, "attrs")))
                fail(r, "an object delta differs");
            continue;
        }
        data = vec_field_hex(o, "data", &len);
        if (d->kind != (!strcmp(k, "map") ? STN_DELIVER_MAP : STN_DELIVER_RMSG) || d->len != len ||
            (len && memcmp(d->data, data, len)) ||
            (!strcmp(k, "rmsg") && d->type != json_integer_value(json_object_get(o, "type"))))
            fail(r, "a delivered message differs");
        free(data);
    }
}

static void on_wait(run *r, const json_t *o)
{
    static const char *const phases[] = {"Connect", "Main", "Close", "end"};

    do_step(r);
    finish_pass(r, true);
    if (r->failed)
        return;
    if (strcmp(vec_text(o, "phase", ""), phases[r->out->phase]))
        fail(r, "the phase differs");
    else if (stn_bits_of_f64(r->out->wait) != strtoull(vec_text(o, "sb", "0"), NULL, 16)) {
        char text[96];

        snprintf(text, sizeof text, "wait %.17g, the reference %.17g", r->out->wait, vec_field_bits(o, "sb"));
        fail(r, text);
    }
    r->out = NULL;
}

static void on_end(run *r, const json_t *o)
{
    stn_session_result res = stn_session_get_result(r->session);
    const char *message = vec_text(o, "message", NULL);

    if (!strcmp(vec_text(o, "reason", ""), "returned")) {
        if (stn_session_phase_now(r->session) != STN_SESSION_DONE)
            fail(r, "the session should be over");
        else if (res.code != json_integer_value(json_object_get(o, "result")))
            fail(r, "the result code differs");
        else if (message && strcmp(message, res.text))
            fail(r, "the refusal's text differs");
    } else if (stn_session_phase_now(r->session) == STN_SESSION_DONE) {
        fail(r, "the session is over too early");
    }
}

static void on_queue(run *r, const json_t *o)
{
    size_t len;
    uint8_t *data = vec_field_hex(o, "data", &len);
    stn_err err = {0};

    if (stn_session_queue(r->session, (uint8_t)json_integer_value(json_object_get(o, "type")), data, len,
                          &err))
        fail(r, err.text);
    free(data);
}

static void add_input(run *r, const json_t *o)
{
    size_t len;

    if (r->n_in == sizeof r->in / sizeof *r->in) {
        fail(r, "too many datagrams in one pass");
        return;
    }
    r->in[r->n_in] = vec_field_hex(o, "data", &len);
    r->in_d[r->n_in] = (stn_datagram){r->in[r->n_in], len};
    r->n_in++;
}

static uint8_t hostile_probe[] = {STN_PACKET_REL, 0, 0, STN_RMSG_GLOBLOB, 0x77};

/* What the specification requires where the reference dies: the last datagram was just taken. */
static void required_outcome(run *r, const char *want)
{
    stn_session_result res;
    stn_datagram probe = {hostile_probe, sizeof hostile_probe};
    stn_buf sealed = {0};
    bool good = false;

    do_step(r);
    if (r->failed)
        return;
    res = stn_session_get_result(r->session);
    if (!strcmp(want, "FATAL")) {
        /* Closed with CLOSE, and the reason is a protocol error. */
        good =
            res.end == STN_SESSION_END_PROTOCOL && r->out->phase == STN_SESSION_CLOSE && r->out->n_send == 1;
    } else if (!strcmp(want, "DROP")) {
        size_t before = r->out->n_deliver;
        bool connecting = r->out->phase == STN_SESSION_CONNECT;

        if (connecting) {
            static const uint8_t yes[] = {STN_PACKET_SESS, 0};
            stn_datagram ok = {yes, sizeof yes};

            r->out = stn_session_step(r->session, r->now + 0.01, &ok, 1);
            good = before == 0 && r->out->phase == STN_SESSION_MAIN;
        } else {
            if (r->peer_seal) {
                stn_buf_u8(&sealed, STN_PACKET_CRYPT);
                /* The server's own numbers have been used up to here by the recording. */
                for (int skip = 0; skip < 64; skip++) {
                    sealed.len = 1;
                    stn_crypt_seal(r->peer_seal, hostile_probe, sizeof hostile_probe, &sealed, NULL);
                }
                probe = (stn_datagram){sealed.data, sealed.len};
            }
            r->out = stn_session_step(r->session, r->now + 0.01, &probe, 1);
            good = before == 0 && r->out->phase == STN_SESSION_MAIN && r->out->n_deliver == 1 &&
                   r->out->deliver[0].kind == STN_DELIVER_RMSG && r->out->deliver[0].len == 1;
        }
    } else if (!strcmp(want, "ACCEPT") || !strcmp(want, "IGNORE-MESSAGE") || !strcmp(want, "IGNORE")) {
        good = r->out->phase == STN_SESSION_MAIN;
    } else if (!strcmp(want, "CLOSE")) {
        good = res.end == STN_SESSION_END_PEER && r->out->phase == STN_SESSION_CLOSE;
    } else if (!strcmp(want, "REFUSED")) {
        good = res.end == STN_SESSION_END_REFUSED && res.code == STN_SESS_TEXT &&
               (!strcmp(r->name, "sess-mesg-unterminated") ? !strcmp(res.text, "AB")
                : !strcmp(r->name, "sess-mesg-badutf8")
                    ? !strcmp(res.text, "\xef\xbf\xbd\xef\xbf\xbd(") /* as the note of required.json says */
                    : res.text[0] != 0);
    }
    if (!good) {
        char text[96];

        snprintf(text, sizeof text, "the required outcome %s did not come", want);
        fail(r, text);
    }
    stn_buf_fini(&sealed);
}

/* One scenario: its records, the first being the scenario itself and the last its end. */
static void run_scenario(run *r, const json_t *records, const char *want)
{
    const json_t *head = json_array_get(records, 0);
    const json_t *end = json_array_get(records, json_array_size(records) - 1);
    bool died = !strcmp(vec_text(end, "reason", ""), "reference-exception");
    stn_crypt *ref_open = NULL;
    size_t last_recv = 0;

    r->name = vec_text(head, "name", "?");
    r->failed = r->stepped = false;
    r->out = NULL;
    begin_run(r, head);
    if (!r->failed && r->peer_open) {
        size_t cookie_len, salt_len;
        uint8_t *cookie = vec_field_hex(head, "cookie", &cookie_len);
        uint8_t *salt = vec_field_hex(head, "salt", &salt_len);

        stn_crypt_new(cookie, cookie_len, salt, salt_len, false, &ref_open, NULL);
        free(salt);
        free(cookie);
    }
    for (size_t i = 1; i < json_array_size(records); i++)
        if (!strcmp(vec_text(json_array_get(records, i), "k", ""), "recv"))
            last_recv = i;
    for (size_t i = 1; i + 1 < json_array_size(records) && !r->failed; i++) {
        const json_t *o = json_array_get(records, i);
        const char *k = vec_text(o, "k", "");

        if (!strcmp(k, "prequeue") || !strcmp(k, "queue")) {
            on_queue(r, o);
        } else if (!strcmp(k, "wake") || !strcmp(k, "interrupt")) {
            r->now = vec_field_bits(o, "tb");
            r->stepped = false;
            if (!strcmp(k, "interrupt"))
                stn_session_close(r->session);
            /* Deliveries stand between the datagrams of a pass; the pass takes them all at once. */
            for (size_t j = i + 1; j + 1 < json_array_size(records); j++) {
                const json_t *in = json_array_get(records, j);

                if (!strcmp(vec_text(in, "k", ""), "wait"))
                    break;
                if (!strcmp(vec_text(in, "k", ""), "recv"))
                    add_input(r, in);
            }
        } else if (!strcmp(k, "send")) {
            on_send(r, o, ref_open);
        } else if (!strcmp(k, "rmsg") || !strcmp(k, "objd") || !strcmp(k, "map")) {
            /* What the reference delivered of the datagram that it died of is not what ours must do. */
            if (!died || i < last_recv)
                on_delivery(r, k, o);
        } else if (!strcmp(k, "wait")) {
            on_wait(r, o);
        } else if (strcmp(k, "recv") && strcmp(k, "closed")) {
            fail(r, "a record of an unknown kind");
        }
    }
    if (!r->failed && died && want) {
        required_outcome(r, want);
    } else if (!r->failed && died) {
        vec_skip(r->report, "%s: %s: no required outcome is given", r->file, r->name);
        r->failed = true;
    } else if (!r->failed) {
        if (!r->stepped && !strcmp(vec_text(end, "reason", ""), "returned"))
            do_step(r);
        finish_pass(r, true);
        if (!r->failed)
            on_end(r, end);
    }
    if (!r->failed)
        vec_pass(r->report);
    end_run(r);
    stn_crypt_free(ref_open);
}

/* One file of scenarios. */
static void run_file(vec_report *report, const char *dir, const char *file, const json_t *required)
{
    size_t len, it = 0;
    uint8_t *text = vec_read(dir, file, &len);
    json_t *o, *records = json_array();
    run *r = calloc(1, sizeof *r);

    while (r && text && (o = vec_jsonl_next((const char *)text, len, &it)) != NULL) {
        bool is_end = !strcmp(vec_text(o, "k", ""), "end");

        json_array_append_new(records, o);
        if (is_end) {
            const char *name = vec_text(json_array_get(records, 0), "name", "?");

            r->report = report;
            r->file = file;
            run_scenario(r, records,
                         required ? vec_text(json_object_get(required, "conn"), name, NULL) : NULL);
            json_array_clear(records);
        }
    }
    json_decref(records);
    free(r);
    free(text);
}

void vec_session_conn(vec_report *r, const char *dir)
{
    char **names = vec_list(dir, ".jsonl");
    json_t *required = vec_json(dir, "required.json");

    for (size_t i = 0; names[i]; i++) {
        if (!strncmp(names[i], "conn_", 5))
            run_file(r, dir, names[i], NULL);
        else if (!strncmp(names[i], "hostile_conn", 12))
            run_file(r, dir, names[i], required);
    }
    json_decref(required);
    vec_list_free(names);
}
