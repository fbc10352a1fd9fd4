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

/* One resource with its state, from value *i on. */
static stn_status read_part(const stn_values *args, uint32_t *i, stn_ghost_part *out, stn_err *err)
{
    const stn_value *v = &args->items[*i];
    int32_t number;

    *out = (stn_ghost_part){0};
    if (v->kind == STN_VALUE_RES) {
        size_t len = strlen(v->u.res.name);

        if (len == 0 || len >= sizeof out->name || !stn_text_is_utf8(v->u.res.name, len))
            return stn_fail(err, STN_TOO_BIG, "value %u: a resource name of %zu bytes, 1 to %zu expected", *i,
                            len, sizeof out->name - 1);
        memcpy(out->name, v->u.res.name, len);
        out->version = (uint16_t)v->u.res.version;
    } else {
        if (stn_value_as_int(v, &number, NULL) != STN_OK || number < 0 || number >= 65535)
            return stn_fail(err, STN_BAD_DATA, "value %u is no resource", *i);
        out->resid = (uint16_t)number;
    }
    if (++*i == args->count || args->items[*i].kind != STN_VALUE_BYTES)
        return STN_OK;
    v = &args->items[(*i)++];
    if (v->len > sizeof out->sdt)
        return stn_fail(err, STN_TOO_BIG, "%u state bytes, at most %zu", v->len, sizeof out->sdt);
    out->sdt_len = (uint8_t)v->len;
    if (v->len > 0)
        memcpy(out->sdt, v->u.bytes, v->len);
    return STN_OK;
}

stn_status stn_ghost_read(const stn_values *args, stn_ghost *out, stn_err *err)
{
    uint32_t i = 0;
    stn_status st;

    if (args->count == 0)
        return stn_fail(err, STN_BAD_DATA, "place: no resource");
    out->n_overlays = 0;
    if ((st = read_part(args, &i, &out->body, err)) != STN_OK)
        return stn_fail_in(err, st, "place");
    while (i < args->count) {
        if (out->n_overlays == STN_GHOST_OVERLAYS)
            return stn_fail(err, STN_TOO_BIG, "place: more than %d overlays", STN_GHOST_OVERLAYS);
        if ((st = read_part(args, &i, &out->overlays[out->n_overlays], err)) != STN_OK)
            return stn_fail_in(err, st, "place");
        out->n_overlays++;
    }
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
