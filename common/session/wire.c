#include "session/wire.h"

#include "base/text.h"

#include <string.h>

#define FAMILY 2
#define CRYPT_NAME "HCrypt"
#define CRYPT_VERSION 1

const char *stn_packet_name(unsigned kind)
{
    static const char *const names[STN_PACKET_COUNT] = {"SESS",    "REL",     "ACK",    "BEAT",  "MAPREQ",
                                                        "MAPDATA", "OBJDATA", "OBJACK", "CLOSE", "CRYPT"};
    return kind < STN_PACKET_COUNT ? names[kind] : "?";
}

const char *stn_rmsg_name(unsigned type)
{
    switch (type) {
    case STN_RMSG_NEWWDG:
        return "NEWWDG";
    case STN_RMSG_WDGMSG:
        return "WDGMSG";
    case STN_RMSG_DSTWDG:
        return "DSTWDG";
    case STN_RMSG_MAPIV:
        return "MAPIV";
    case STN_RMSG_GLOBLOB:
        return "GLOBLOB";
    case STN_RMSG_RESID:
        return "RESID";
    case STN_RMSG_SESSKEY:
        return "SESSKEY";
    case STN_RMSG_FRAGMENT:
        return "FRAGMENT";
    case STN_RMSG_ADDWDG:
        return "ADDWDG";
    case STN_RMSG_WDGBAR:
        return "WDGBAR";
    case STN_RMSG_USERAGENT:
        return "USERAGENT";
    default:
        return "?";
    }
}

const char *stn_sess_code_text(unsigned code)
{
    switch (code) {
    case STN_SESS_OK:
        return "accepted";
    case STN_SESS_BAD_COOKIE:
        return "the server does not accept the session cookie; log in again";
    case STN_SESS_BUSY:
        return "this account is already in session";
    case STN_SESS_NO_CONNECTION:
        return "the server does not answer";
    case STN_SESS_TOO_OLD:
        return "the server wants a newer protocol version; see the setting session.pver";
    case STN_SESS_EXPIRED:
        return "the session cookie has expired; log in again";
    case STN_SESS_TEXT:
        return "the server refused";
    default:
        return "the server refused with an unknown code";
    }
}

void stn_sess_write(stn_buf *out, const stn_sess_hello *hello)
{
    stn_buf_u8(out, STN_PACKET_SESS);
    stn_buf_u16(out, FAMILY);
    if (hello->encrypted) {
        stn_buf_cstr(out, CRYPT_NAME);
        stn_buf_u16(out, CRYPT_VERSION);
        stn_buf_cstr(out, hello->user);
        stn_buf_u8(out, (uint8_t)hello->salt_len);
        stn_buf_put(out, hello->salt, hello->salt_len);
    } else {
        stn_buf_cstr(out, hello->protocol);
        stn_buf_u16(out, hello->version);
        stn_buf_cstr(out, hello->user);
        stn_buf_u16(out, (uint16_t)hello->cookie_len);
        stn_buf_put(out, hello->cookie, hello->cookie_len);
    }
    stn_buf_put(out, hello->rest, hello->rest_len);
}

stn_status stn_sess_read(const uint8_t *datagram, size_t len, stn_sess_hello *hello, stn_err *err)
{
    stn_bytes in = stn_bytes_of(datagram, len);
    unsigned family;

    *hello = (stn_sess_hello){0};
    stn_bytes_u8(&in);
    family = stn_bytes_u16(&in);
    hello->protocol = stn_bytes_cstr(&in, NULL);
    hello->version = stn_bytes_u16(&in);
    hello->user = stn_bytes_cstr(&in, NULL);
    if (!stn_bytes_ok(&in))
        return stn_fail(err, STN_TRUNCATED, "session request of %zu bytes ends before the user name does",
                        len);
    if (family != FAMILY)
        return stn_fail(err, STN_BAD_DATA, "session request of protocol family %u, wanted %d", family,
                        FAMILY);
    if (!strcmp(hello->protocol, CRYPT_NAME)) {
        hello->encrypted = true;
        hello->protocol = NULL;
        hello->version = 0;
        hello->salt_len = stn_bytes_u8(&in);
        hello->salt = stn_bytes_take(&in, hello->salt_len);
    } else {
        hello->cookie_len = stn_bytes_u16(&in);
        hello->cookie = stn_bytes_take(&in, hello->cookie_len);
    }
    if (!stn_bytes_ok(&in))
        return stn_fail(err, STN_TRUNCATED, "session request of %zu bytes ends inside its %s", len,
                        hello->encrypted ? "salt" : "cookie");
    hello->rest_len = stn_bytes_left(&in);
    hello->rest = stn_bytes_take(&in, hello->rest_len);
    return STN_OK;
}

void stn_sess_inner_write(stn_buf *out, const char *protocol, uint16_t version, const uint8_t *args,
                          size_t args_len)
{
    stn_buf_cstr(out, protocol);
    stn_buf_u16(out, version);
    stn_buf_put(out, args, args_len);
}

stn_status stn_sess_inner_read(const uint8_t *data, size_t len, stn_sess_hello *hello, stn_err *err)
{
    stn_bytes in = stn_bytes_of(data, len);

    hello->protocol = stn_bytes_cstr(&in, NULL);
    hello->version = stn_bytes_u16(&in);
    if (!stn_bytes_ok(&in))
        return stn_fail(err, STN_TRUNCATED, "sealed session request of %zu bytes ends before the version",
                        len);
    hello->rest_len = stn_bytes_left(&in);
    hello->rest = stn_bytes_take(&in, hello->rest_len);
    return STN_OK;
}

stn_status stn_rel_open(const uint8_t *payload, size_t len, uint16_t *seq, stn_bytes *messages, stn_err *err)
{
    stn_bytes in = stn_bytes_of(payload, len);
    stn_rel_message m;

    *seq = stn_bytes_u16(&in);
    if (!stn_bytes_ok(&in))
        return stn_fail(err, STN_TRUNCATED, "REL datagram with %zu payload bytes: no sequence number", len);
    *messages = in;
    while (stn_rel_next(&in, &m))
        ;
    if (!stn_bytes_ok(&in))
        return stn_fail(err, STN_TRUNCATED,
                        "REL datagram %u: a bundled message at byte %zu is longer than the rest (%zu)", *seq,
                        in.pos, stn_bytes_left(&in));
    return STN_OK;
}

bool stn_rel_next(stn_bytes *messages, stn_rel_message *out)
{
    uint8_t t;

    if (!stn_bytes_ok(messages) || !stn_bytes_left(messages))
        return false;
    t = stn_bytes_u8(messages);
    out->type = t & 0x7f;
    out->len = t & 0x80 ? stn_bytes_u16(messages) : stn_bytes_left(messages);
    out->data = stn_bytes_take(messages, out->len);
    return stn_bytes_ok(messages);
}

void stn_rel_begin(stn_buf *out, uint16_t seq)
{
    stn_buf_u8(out, STN_PACKET_REL);
    stn_buf_u16(out, seq);
}

void stn_rel_add(stn_buf *out, uint8_t type, const void *data, size_t len, bool last)
{
    if (last) {
        stn_buf_u8(out, type & 0x7f);
    } else {
        stn_buf_u8(out, type | 0x80);
        stn_buf_u16(out, (uint16_t)len);
    }
    stn_buf_put(out, data, len);
}

void stn_wire_text(stn_buf *out, const uint8_t *text, size_t len)
{
    while (len > 0) {
        bool good;
        size_t n = stn_text_utf8_part(text, len, &good);

        if (good)
            stn_buf_put(out, text, n);
        else
            stn_buf_put(out, "\xef\xbf\xbd", 3);
        text += n;
        len -= n;
    }
}
