/* The login conversation from both sides: byte 0 bit 0: replies into the client (bits 1-3 which operation,
 * bit 4 the dialect); otherwise requests into our login service. Records of u16 length and bytes. */
#include "base/bytes.h"
#include "homestead/login.h"
#include "world/session/auth.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void client(uint8_t flags, const uint8_t *data, size_t size)
{
    static const uint8_t secret[32], password[] = "pw";
    stn_auth *a = stn_auth_new(flags & 16 ? STN_AUTH_POSITIONAL : STN_AUTH_KEYWORDED);
    stn_status st = STN_AGAIN;

    if (!a)
        return;
    switch (flags >> 1 & 7) {
    case 0:
        stn_auth_password(a, "u", password, 2, secret, NULL);
        break;
    case 1:
        stn_auth_cookie(a, NULL);
        break;
    case 2:
        stn_auth_hosts(a, NULL);
        break;
    case 3:
        stn_auth_alias(a, NULL);
        break;
    default:
        stn_auth_mktoken(a, secret, 3, "d", NULL);
        break;
    }
    /* A hash with the costs that a server may ask for takes seconds; the fuzzer is after the parsing. */
    if (size > 2 && (flags >> 1 & 7) == 0)
        for (size_t i = 0; i + 3 < size; i++)
            if (data[i] == 'p' || data[i] == 'a')
                size = i;
    for (size_t at = 0; at < size && st == STN_AGAIN; at += 7) {
        if (stn_auth_input(a, data + at, size - at < 7 ? size - at : 7, NULL) != STN_OK)
            break;
        st = stn_auth_poll(a, NULL);
    }
    stn_auth_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_bytes in = stn_bytes_of(data, size);
    static stn_accounts *accounts;
    stn_login_talk talk = {0};
    uint8_t flags = stn_bytes_u8(&in);

    if (!accounts && stn_accounts_open(NULL, &accounts, NULL) != STN_OK)
        return 0;
    if (flags & 1) {
        client(flags, data + 1, size - 1);
        return 0;
    }
    while (stn_bytes_left(&in) >= 2) {
        size_t n = stn_bytes_u16(&in);
        stn_buf reply = {0};
        stn_status st;

        if (n > stn_bytes_left(&in))
            n = stn_bytes_left(&in);
        st = stn_login_answer(&talk, accounts, 1870, stn_bytes_take(&in, n), n, &reply, NULL);
        stn_buf_fini(&reply);
        if (st)
            break;
    }
    return 0;
}
