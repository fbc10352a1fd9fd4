/* The client's session where it departs from the reference on purpose, and its limits. */
#include "session/wire.h"
#include "world/session/session.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <string.h>

static stn_session *connected(stn_session_settings set, double now)
{
    static const uint8_t yes[2] = {STN_PACKET_SESS, STN_SESS_OK};
    stn_datagram d = {yes, sizeof yes};
    stn_session *s;
    const stn_session_out *out;

    set.user = "demo";
    assert_int_equal(stn_session_new(&set, &s, NULL), STN_OK);
    out = stn_session_step(s, now, NULL, 0);
    assert_int_equal(out->n_send, 1);
    out = stn_session_step(s, now, &d, 1);
    assert_int_equal(out->phase, STN_SESSION_MAIN);
    assert_true(out->wait == 0.0);
    return s;
}

static const stn_session_out *give(stn_session *s, double now, const char *bytes, size_t len)
{
    stn_datagram d = {(const uint8_t *)bytes, len};

    return stn_session_step(s, now, &d, 1);
}

static void a_quiet_line_repeats_when_due(void **state)
{
    static const double delays[] = {0.08, 0.20, 0.20, 0.62, 0.62};
    stn_session *s = connected(stn_session_defaults(), 10.0);
    double now = 10.0;
    const stn_session_out *out;

    (void)state;
    assert_int_equal(stn_session_queue(s, STN_RMSG_USERAGENT, "a\0b", 4, NULL), STN_OK);
    out = stn_session_step(s, now, NULL, 0);
    assert_int_equal(out->n_send, 1);
    for (size_t i = 0; i < sizeof delays / sizeof *delays; i++) {
        assert_true(out->wait > delays[i] - 1e-9 && out->wait < delays[i] + 1e-9);
        now += out->wait + 1e-6;
        out = stn_session_step(s, now, NULL, 0);
        assert_int_equal(out->n_send, 1);
        assert_int_equal(out->send[0].data[0], STN_PACKET_REL);
    }
    stn_session_free(s);
}

static void a_duplicate_is_acknowledged_again(void **state)
{
    static const char rel[] = {STN_PACKET_REL, 0, 0, STN_RMSG_GLOBLOB, 0};
    stn_session *s = connected(stn_session_defaults(), 10.0);
    const stn_session_out *out;

    (void)state;
    for (int i = 0; i < 3; i++) {
        out = give(s, 11.0 + i, rel, sizeof rel);
        assert_int_equal(out->n_deliver, i == 0);
        out = stn_session_step(s, 11.05 + i, NULL, 0);
        assert_int_equal(out->n_send, 1);
        assert_int_equal(out->send[0].data[0], STN_PACKET_ACK);
    }
    stn_session_free(s);
}

static void silence_ends_the_session(void **state)
{
    stn_session_settings set = stn_session_defaults();
    stn_session *s;
    double now = 10.0;
    const stn_session_out *out;

    (void)state;
    set.idle_timeout = 12.0;
    s = connected(set, now);
    for (int i = 0; i < 20; i++) {
        out = stn_session_step(s, now, NULL, 0);
        if (out->phase == STN_SESSION_DONE)
            break;
        assert_true(out->wait <= 5.0);
        now += out->wait + 1e-6;
    }
    assert_true(now > 21.9 && now < 22.1);
    assert_int_equal(stn_session_get_result(s).end, STN_SESSION_END_LOST);
    stn_session_free(s);
}

static void too_much_nonsense_ends_the_session(void **state)
{
    stn_session *s = connected(stn_session_defaults(), 10.0);
    const stn_session_out *out;

    (void)state;
    for (int i = 0; i < STN_SESSION_MALFORMED_MAX; i++)
        stn_session_malformed(s);
    assert_int_equal(stn_session_phase_now(s), STN_SESSION_MAIN);
    stn_session_malformed(s);
    out = stn_session_step(s, 10.1, NULL, 0);
    assert_int_equal(out->phase, STN_SESSION_CLOSE);
    assert_int_equal(stn_session_get_result(s).end, STN_SESSION_END_PROTOCOL);
    stn_session_free(s);
}

static void an_early_message_beyond_the_window_is_not_kept(void **state)
{
    static const char far_ahead[] = {STN_PACKET_REL, 0x01, 0x10, STN_RMSG_GLOBLOB, 1}; /* 4097 */
    stn_session *s = connected(stn_session_defaults(), 10.0);
    const stn_session_out *out;

    (void)state;
    for (unsigned seq = 0; seq <= 4096; seq++) {
        char rel[] = {STN_PACKET_REL, (char)seq, (char)(seq >> 8), STN_RMSG_GLOBLOB, 0};

        if (seq == 0)
            give(s, 10.5, far_ahead, sizeof far_ahead);
        out = give(s, 11.0, rel, sizeof rel);
        assert_int_equal(out->n_deliver, 1); /* never the one that came too early */
    }
    stn_session_free(s);
}

static void what_waits_for_the_server_is_bounded(void **state)
{
    stn_session *s = connected(stn_session_defaults(), 10.0);
    stn_err err = {0};

    (void)state;
    for (int i = 0; i < STN_SESSION_PENDING_MAX; i++)
        assert_int_equal(stn_session_queue(s, STN_RMSG_USERAGENT, "a\0b", 4, &err), STN_OK);
    assert_int_equal(stn_session_queue(s, STN_RMSG_USERAGENT, "a\0b", 4, &err), STN_BUSY);
    stn_session_close(s);
    stn_session_step(s, 10.1, NULL, 0);
    assert_int_equal(stn_session_queue(s, STN_RMSG_USERAGENT, "a\0b", 4, &err), STN_CANCELLED);
    stn_session_free(s);
}

static void objects_beyond_the_limit_are_neither_shown_nor_acknowledged(void **state)
{
    stn_session *s = connected(stn_session_defaults(), 10.0);
    static uint8_t data[1 + 10 * 6000];
    size_t shown = 0;

    (void)state;
    for (uint32_t id = 0; id < STN_SESSION_ACKS_MAX + 4000;) {
        stn_datagram d = {data, 1};
        const stn_session_out *out;

        data[0] = STN_PACKET_OBJDATA;
        for (; d.len + 10 <= sizeof data && id < STN_SESSION_ACKS_MAX + 4000; id++) {
            uint8_t *o = data + d.len;

            o[0] = 0;
            stn_st32(o + 1, id);
            stn_st32(o + 5, 1);
            o[9] = 0xff;
            d.len += 10;
        }
        out = stn_session_step(s, 10.01, &d, 1);
        shown += out->n_deliver;
    }
    assert_int_equal(shown, STN_SESSION_ACKS_MAX);
    stn_session_free(s);
}

static void both_versions_of_the_protocol_are_spoken(void **state)
{
    (void)state;
    for (unsigned v = 30; v <= 31; v++) {
        stn_session_settings set = stn_session_defaults();
        stn_session *s;
        stn_sess_hello hello;
        const stn_session_out *out;

        set.user = "demo";
        set.version = (uint16_t)v;
        assert_int_equal(stn_session_new(&set, &s, NULL), STN_OK);
        out = stn_session_step(s, 1.0, NULL, 0);
        assert_int_equal(stn_sess_read(out->send[0].data, out->send[0].len, &hello, NULL), STN_OK);
        assert_int_equal(hello.version, v);
        stn_session_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quiet_line_repeats_when_due),
        cmocka_unit_test(a_duplicate_is_acknowledged_again),
        cmocka_unit_test(silence_ends_the_session),
        cmocka_unit_test(too_much_nonsense_ends_the_session),
        cmocka_unit_test(an_early_message_beyond_the_window_is_not_kept),
        cmocka_unit_test(what_waits_for_the_server_is_bounded),
        cmocka_unit_test(objects_beyond_the_limit_are_neither_shown_nor_acknowledged),
        cmocka_unit_test(both_versions_of_the_protocol_are_spoken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
