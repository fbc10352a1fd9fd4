#include "world/offers.h"

#include "base/buf.h"
#include "base/text.h"

#include <string.h>

stn_status stn_menu_read(const stn_values *cargs, stn_menu *out, stn_err *err)
{
    const char *text;
    stn_status st;

    if (cargs->count > STN_MENU_OPTIONS)
        return stn_fail(err, STN_TOO_BIG, "a menu of %u options, at most %d", cargs->count, STN_MENU_OPTIONS);
    for (uint32_t i = 0; i < cargs->count; i++) {
        if ((st = stn_value_as_text(&cargs->items[i], &text, err)) != STN_OK)
            return stn_fail_in(err, st, "option %u of a menu", i);
        stn_text_show(text, strlen(text), out->options[i], sizeof out->options[i]);
    }
    out->n = cargs->count;
    return STN_OK;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static stn_status read_cookie(const stn_value *v, stn_hand_over *out, stn_err *err)
{
    const char *text;
    stn_status st;

    if (v->kind == STN_VALUE_BYTES) {
        if (v->len > sizeof out->cookie)
            return stn_fail(err, STN_TOO_BIG, "hand-over: a cookie of %u bytes, at most %zu", v->len,
                            sizeof out->cookie);
        out->cookie_len = v->len;
        memcpy(out->cookie, v->u.bytes, v->len);
        return STN_OK;
    }
    if ((st = stn_value_as_text(v, &text, err)) != STN_OK)
        return stn_fail_in(err, st, "hand-over: the cookie");
    if (strlen(text) > 2 * sizeof out->cookie)
        return stn_fail(err, STN_TOO_BIG, "hand-over: a cookie of more than %zu bytes", sizeof out->cookie);
    for (out->cookie_len = 0; *text; text += 2) {
        int high = hex_digit(text[0]), low = high < 0 ? -1 : hex_digit(text[1]);

        if (low < 0)
            return stn_fail(err, STN_BAD_DATA, "hand-over: the cookie is not pairs of hex digits");
        out->cookie[out->cookie_len++] = (uint8_t)(high << 4 | low);
    }
    return STN_OK;
}

stn_status stn_hand_over_read(const stn_values *cargs, stn_hand_over *out, stn_err *err)
{
    stn_buf args = {.max = sizeof out->args};
    const char *host;
    int32_t port;
    stn_status st;

    if (cargs->count < 3)
        return stn_fail(err, STN_BAD_DATA, "hand-over: host, port and cookie wanted, %u values came",
                        cargs->count);
    if ((st = stn_value_as_text(&cargs->items[0], &host, err)) != STN_OK ||
        (st = stn_value_as_int(&cargs->items[1], &port, err)) != STN_OK)
        return stn_fail_in(err, st, "hand-over");
    if (!host[0] || strlen(host) >= sizeof out->host || !stn_text_is_utf8(host, strlen(host)))
        return stn_fail(err, STN_BAD_DATA, "hand-over: the host is not a name of 1 to %zu bytes",
                        sizeof out->host - 1);
    if (port < 1 || port > 65535)
        return stn_fail(err, STN_BAD_DATA, "hand-over: port %d", port);
    if ((st = read_cookie(&cargs->items[2], out, err)) != STN_OK)
        return st;
    memcpy(out->host, host, strlen(host) + 1);
    out->port = (uint16_t)port;
    st = stn_values_write(&args, &(stn_values){cargs->count - 3, cargs->items + 3}, false, err);
    if (st == STN_OK && args.failed)
        st = stn_fail(err, STN_TOO_BIG, "hand-over: more than %zu bytes of arguments", sizeof out->args);
    if (st == STN_OK) {
        out->args_len = args.len;
        if (args.len > 0)
            memcpy(out->args, args.data, args.len);
    }
    stn_buf_fini(&args);
    return st;
}
