/* What the unmodified reference client once sent, sent again to homestead: it must be served as it expects.
 */
#include "base/buf.h"
#include "homestead/server.h"
#include "session/crypt.h"
#include "session/messages.h"
#include "session/objdata.h"
#include "session/reliable.h"
#include "support/support.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/vectors/data/session"

typedef struct replay {
    stn_land *land;
    stn_sim *sim;
    stn_server *server;
    stn_crypt *crypt; /* the client's end, to read what the server seals; NULL = plain */
    stn_rel_in *rel;
    stn_arena *arena;
    uint8_t cookie[64];
    size_t cookie_len;
    bool accepted, closed, acked[65536];
    uint32_t player;
    bool has_gameui, has_mapview, has_time, walked;
    unsigned deltas_of_player;
} replay;

static stn_status on_message(void *user, uint8_t type, const uint8_t *data, size_t len, stn_err *err)
{
    replay *r = user;
    stn_message m;

    stn_arena_reset(r->arena);
    assert_int_equal(stn_message_read(type, data, len, false, r->arena, &m, err), STN_OK);
    if (type == STN_RMSG_GLOBLOB)
        r->has_time = true;
    if (type == STN_RMSG_NEWWDG && !strcmp(m.u.new_widget.kind, "gameui")) {
        r->has_gameui = true;
        assert_int_equal(m.u.new_widget.parent, 0);
    }
    if (type == STN_RMSG_NEWWDG && !strcmp(m.u.new_widget.kind, "mapview")) {
        const char *place;
        int32_t id;

        /* The stock client looks for exactly this. */
        r->has_mapview = true;
        assert_int_equal(m.u.new_widget.id, 2);
        assert_int_equal(m.u.new_widget.pargs.count, 1);
        assert_int_equal(stn_value_as_text(&m.u.new_widget.pargs.items[0], &place, NULL), STN_OK);
        assert_string_equal(place, "mapview");
        assert_int_equal(m.u.new_widget.cargs.count, 3);
        assert_int_equal(stn_value_as_int(&m.u.new_widget.cargs.items[2], &id, NULL), STN_OK);
        r->player = (uint32_t)id;
    }
    return STN_OK;
}

static void on_datagram(replay *r, const uint8_t *data, size_t len)
{
    stn_buf plain = {0};
    stn_bytes in;
    uint16_t seq;
    stn_objdelta d;

    if (r->crypt) {
        assert_int_equal(data[0], STN_PACKET_CRYPT);
        assert_int_equal(stn_crypt_open(r->crypt, data + 1, len - 1, &plain, NULL), STN_OK);
        data = plain.data;
        len = plain.len;
    }
    switch (data[0]) {
    case STN_PACKET_SESS:
        assert_int_equal(len, 2);
        assert_int_equal(data[1], STN_SESS_OK);
        r->accepted = true;
        break;
    case STN_PACKET_REL:
        assert_int_equal(stn_rel_open(data + 1, len - 1, &seq, &in, NULL), STN_OK);
        assert_int_equal(stn_rel_in_take(r->rel, seq, in, on_message, r, NULL, NULL, NULL), STN_OK);
        assert_true(len - 1 <= STN_REL_BUNDLE_MAX);
        break;
    case STN_PACKET_ACK:
        for (uint16_t i = 0; i <= stn_ld16(data + 1); i++)
            r->acked[i] = true;
        break;
    case STN_PACKET_OBJDATA:
        assert_int_equal(stn_objdata_check(data + 1, len - 1, NULL, NULL), STN_OK);
        in = stn_bytes_of(data + 1, len - 1);
        while (stn_objdata_next(&in, &d)) {
            size_t pos = 0;
            stn_objattr a;

            if (d.id != r->player)
                continue;
            r->deltas_of_player++;
            while (stn_objdelta_attr(&d, &pos, &a))
                if (a.type == STN_OD_LINBEG)
                    r->walked = true;
        }
        break;
    case STN_PACKET_CLOSE:
        r->closed = true;
        break;
    default:
        assert_true(data[0] == STN_PACKET_BEAT || data[0] == STN_PACKET_MAPDATA);
        break;
    }
    stn_buf_fini(&plain);
}

static bool the_cookie(void *user, const char *name, uint8_t *cookie, size_t *len)
{
    replay *r = user;

    if (strcmp(name, "demo") || *len < r->cookie_len)
        return false;
    memcpy(cookie, r->cookie, r->cookie_len);
    *len = r->cookie_len;
    return true;
}

static void step(replay *r, double now, const stn_server_datagram *in)
{
    const stn_server_datagram *send;
    double wait;
    size_t n = stn_server_step(r->server, now, in, in ? 1 : 0, &send, &wait);

    for (size_t i = 0; i < n; i++)
        on_datagram(r, send[i].data, send[i].len);
}

static void run(const char *file)
{
    static replay r;
    size_t len, it = 0, n;
    uint8_t *text = vec_read(FOLDER, file, &len), *data;
    stn_sim_settings sim = {.seed = 1, .hour = -1};
    stn_server_settings set = {.cookie = the_cookie, .user = &r};
    double now = 0.0;
    json_t *o;
    uint16_t highest = 0;
    bool any_rel = false;

    memset(&r, 0, sizeof r);
    assert_non_null(text);
    r.land = stn_land_new(1);
    sim.land = set.land = r.land;
    assert_int_equal(stn_sim_new(&sim, &r.sim, NULL), STN_OK);
    set.sim = r.sim;
    assert_int_equal(stn_server_new(&set, &r.server, NULL), STN_OK);
    r.rel = stn_rel_in_new(0);
    r.arena = stn_arena_new(65536, 1u << 20);
    while ((o = vec_jsonl_next((const char *)text, len, &it)) != NULL) {
        const char *dir = json_string_value(json_object_get(o, "dir"));
        const char *hex = json_string_value(json_object_get(o, "cookie"));

        if (hex) {
            data = vec_unhex(hex, &n);
            assert_true(n <= sizeof r.cookie);
            memcpy(r.cookie, data, n);
            r.cookie_len = n;
            free(data);
        }
        if (dir && !strcmp(dir, "c2s")) {
            double t = json_real_value(json_object_get(o, "t"));
            stn_server_datagram in = {.addr = {.len = 4, .bytes = {127, 0, 0, 1}}};
            stn_sess_hello hello;

            for (; now + 0.01 < t; now += 0.01)
                step(&r, now, NULL);
            data = vec_unhex(json_string_value(json_object_get(o, "data")), &n);
            in.data = data;
            in.len = n;
            if (data[0] == STN_PACKET_SESS && !r.crypt && stn_sess_read(data, n, &hello, NULL) == STN_OK &&
                hello.encrypted)
                assert_int_equal(
                    stn_crypt_new(r.cookie, r.cookie_len, hello.salt, hello.salt_len, true, &r.crypt, NULL),
                    STN_OK);
            if (data[0] == STN_PACKET_REL) {
                any_rel = true;
                highest = stn_ld16(data + 1);
            }
            step(&r, t, &in);
            free(data);
        }
        json_decref(o);
    }
    assert_true(r.accepted);
    assert_true(r.has_gameui);
    assert_true(r.has_mapview);
    assert_true(r.has_time);
    assert_true(r.deltas_of_player > 0);
    assert_true(r.walked); /* it clicked */
    assert_true(r.closed); /* the client closed, and was answered */
    if (any_rel)
        for (uint16_t i = 0; i <= highest; i++)
            assert_true(r.acked[i]);
    stn_server_free(r.server);
    stn_sim_free(r.sim);
    stn_land_free(r.land);
    stn_rel_in_free(r.rel);
    stn_arena_free(r.arena);
    stn_crypt_free(r.crypt);
    free(text);
}

static void the_reference_clients_plain_session_is_served(void **state)
{
    (void)state;
    run("loopback_plain.jsonl");
}

static void the_reference_clients_sealed_session_is_served(void **state)
{
    (void)state;
    run("loopback_crypt.jsonl");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_clients_plain_session_is_served),
        cmocka_unit_test(the_reference_clients_sealed_session_is_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
