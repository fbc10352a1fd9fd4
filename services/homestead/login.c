/* One conversation with the login service, as a pure function of what was said before. */
#include "homestead/login.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "res/values.h"

#include <stdio.h>
#include <string.h>

#define DEPTH 16
#define WRONG_MOST 5

/* A request taken apart: the same fields for both dialects. */
typedef struct request {
    bool keyed;
    char command[32];
    const char *user;
    const uint8_t *bytes; /* phash or token */
    size_t bytes_len;
} request;

static bool read_keyed(stn_bytes *in, stn_arena *arena, request *r)
{
    while (stn_bytes_left(in)) {
        const char *key = stn_bytes_cstr(in, NULL);
        stn_value v;

        if (!key || stn_value_read(in, arena, DEPTH, &v, NULL, NULL) != STN_OK)
            return false;
        if (!strcmp(key, "user") && stn_value_as_text(&v, &r->user, NULL) != STN_OK)
            return false;
        if (!strcmp(key, "phash") || !strcmp(key, "token")) {
            if (v.kind != STN_VALUE_BYTES)
                return false;
            r->bytes = v.u.bytes;
            r->bytes_len = v.len;
        }
    }
    return true;
}

static bool read_request(const uint8_t *data, size_t len, stn_arena *arena, request *r)
{
    stn_bytes in = stn_bytes_of(data, len);
    size_t n;
    const char *command = stn_bytes_cstr(&in, &n);

    *r = (request){.user = ""};
    if (!command || !n || n >= sizeof r->command)
        return false;
    r->keyed = command[n - 1] == '*';
    memcpy(r->command, command, r->keyed ? n - 1 : n);
    if (r->keyed)
        return read_keyed(&in, arena, r);
    if (!strcmp(r->command, "pwdata") || !strcmp(r->command, "pw") || !strcmp(r->command, "token")) {
        r->user = stn_bytes_cstr(&in, NULL);
        if (!r->user)
            return false;
    }
    r->bytes_len = stn_bytes_left(&in);
    r->bytes = stn_bytes_take(&in, r->bytes_len);
    return true;
}

static void say_no(stn_buf *reply, const char *why)
{
    stn_buf_cstr(reply, "no");
    stn_buf_cstr(reply, why);
}

static void enter(stn_login_talk *talk, const char *user, stn_buf *reply)
{
    snprintf(talk->user, sizeof talk->user, "%s", user);
    stn_buf_cstr(reply, "ok");
    stn_buf_cstr(reply, user);
}

static void give_hosts(unsigned port, stn_buf *reply)
{
    stn_buf_cstr(reply, "ok");
    stn_buf_u8(reply, STN_TAG_MAP);
    stn_buf_u8(reply, STN_TAG_TEXT);
    stn_buf_cstr(reply, "port");
    stn_buf_u8(reply, STN_TAG_UINT16);
    stn_buf_u16(reply, (uint16_t)port);
    stn_buf_u8(reply, STN_TAG_END);
}

/* Commands that need no login. */
static bool answer_stranger(stn_login_talk *talk, stn_accounts *accounts, const request *r, stn_buf *reply)
{
    if (!strcmp(r->command, "pwdata")) {
        stn_buf_cstr(reply, "ok");
        stn_accounts_describe(accounts, r->user, reply);
    } else if (!strcmp(r->command, "pw")) {
        if (talk->wrong < WRONG_MOST && stn_accounts_check(accounts, r->user, r->bytes, r->bytes_len)) {
            enter(talk, r->user, reply);
        } else {
            talk->wrong++;
            say_no(reply, "Username or password incorrect");
        }
    } else if (!strcmp(r->command, "token")) {
        if (stn_accounts_check_token(accounts, r->user, r->bytes, r->bytes_len))
            enter(talk, r->user, reply);
        else
            say_no(reply, "This login is not known any more");
    } else {
        return false;
    }
    return true;
}

stn_status stn_login_answer(stn_login_talk *talk, stn_accounts *accounts, unsigned game_port,
                            const uint8_t *data, size_t len, stn_buf *reply, stn_err *err)
{
    stn_arena *arena = stn_arena_new(1024, 1u << 18);
    uint8_t bytes[STN_GIVEN_BYTES];
    stn_status st = STN_OK;
    request r;

    if (!arena)
        return stn_fail(err, STN_NO_MEMORY, "login request");
    if (!read_request(data, len, arena, &r)) {
        st = stn_fail(err, STN_BAD_DATA, "login request of %zu bytes makes no sense", len);
    } else if (answer_stranger(talk, accounts, &r, reply)) {
        /* answered */
    } else if (!talk->user[0]) {
        say_no(reply, "Log in first");
    } else if (!strcmp(r.command, "cookie") || !strcmp(r.command, "mktoken")) {
        if (r.command[0] == 'c')
            stn_accounts_give_cookie(accounts, talk->user, bytes);
        else
            stn_accounts_give_token(accounts, talk->user, bytes);
        stn_buf_cstr(reply, "ok");
        stn_buf_put(reply, bytes, sizeof bytes);
    } else if (!strcmp(r.command, "logalias")) {
        stn_buf_cstr(reply, "ok");
        stn_buf_cstr(reply, talk->user);
    } else if (!strcmp(r.command, "hosts")) {
        give_hosts(game_port, reply);
    } else {
        say_no(reply, "Unknown command");
    }
    stn_arena_free(arena);
    return st;
}
