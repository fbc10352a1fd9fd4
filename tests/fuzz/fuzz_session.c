/* Datagrams from a server into the client's session. Input: records of u16 length and that many bytes; a
 * length with bit 15 set lets time pass instead (its low bits in ms). Bit 0 of the first byte: sealed
 * session, where each record is sealed as the server would before it goes in, so that the fuzzer gets past
 * the tag; other bits: settings. */
#include "base/bytes.h"
#include "session/crypt.h"
#include "session/messages.h"
#include "world/session/session.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint8_t sum; /* so that every byte is read */

static void use(const stn_session_out *out, stn_session *s, stn_arena *arena)
{
    for (size_t i = 0; i < out->n_deliver; i++) {
        const stn_delivery *d = &out->deliver[i];
        size_t pos = 0;
        stn_objattr a;
        stn_message m;

        if (d->kind == STN_DELIVER_OBJD) {
            while (stn_objdelta_attr(&d->obj, &pos, &a))
                for (unsigned k = 0; k < a.len; k++)
                    sum = (uint8_t)(sum + a.data[k]);
        } else if (d->kind == STN_DELIVER_RMSG) {
            stn_arena_reset(arena);
            if (stn_message_read(d->type, d->data, d->len, false, arena, &m, NULL) != STN_OK)
                stn_session_malformed(s);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_bytes in = stn_bytes_of(data, size);
    uint8_t flags = stn_bytes_u8(&in);
    stn_session_settings set = stn_session_defaults();
    stn_session *s = NULL;
    stn_crypt *server = NULL;
    stn_arena *arena = stn_arena_new(4096, 4u << 20);
    static const uint8_t yes[2] = {STN_PACKET_SESS, 0};
    stn_buf sealed = {0};
    double now = 1.0;
    bool first = true;

    set.user = "fuzz";
    set.cookie = (const uint8_t *)"cookie";
    set.cookie_len = 6;
    set.encrypt = flags & 1;
    set.exact_timers = !(flags & 2);
    set.reack_dup = !(flags & 4);
    set.drop_ends_pass = flags & 8;
    if (!arena || stn_session_new(&set, &s, NULL) != STN_OK ||
        (set.encrypt &&
         stn_crypt_new(set.cookie, set.cookie_len, set.salt, 16, false, &server, NULL) != STN_OK))
        goto out;
    use(stn_session_step(s, now, NULL, 0), s, arena);
    stn_session_queue(s, STN_RMSG_USERAGENT, "a\0b", 4, NULL);
    while (stn_bytes_left(&in) >= 2 && stn_session_phase_now(s) != STN_SESSION_DONE) {
        uint16_t n = stn_bytes_u16(&in);
        stn_datagram d = {yes, sizeof yes};
        bool accept = first && !(flags & 16);

        if (n & 0x8000) {
            now += (n & 0x7fff) * 0.001;
            use(stn_session_step(s, now, NULL, 0), s, arena);
            continue;
        }
        if (!accept) {
            d.len = n < stn_bytes_left(&in) ? n : stn_bytes_left(&in);
            d.data = stn_bytes_take(&in, d.len);
        }
        first = false;
        if (set.encrypt && !(flags & 32)) {
            stn_buf_clear(&sealed);
            stn_buf_u8(&sealed, STN_PACKET_CRYPT);
            if (stn_crypt_seal(server, d.data, d.len, &sealed, NULL) != STN_OK)
                break;
            d = (stn_datagram){sealed.data, sealed.len};
        }
        now += 0.01;
        use(stn_session_step(s, now, &d, 1), s, arena);
    }
out:
    stn_buf_fini(&sealed);
    stn_crypt_free(server);
    stn_session_free(s);
    stn_arena_free(arena);
    return 0;
}
