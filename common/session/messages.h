/* messages.h - reliable messages taken apart, and the ones that a client sends.
 *
 * Lists live in the caller's arena; text and bytes are borrowed from the payload. Text is as it came: bytes
 * that may not be UTF-8 (wire.h, stn_wire_text()).
 *
 * Errors  STN_TRUNCATED, STN_BAD_DATA, STN_TOO_BIG; STN_UNSUPPORTED for a type that is not in the list. The
 *         message is then ignored and counted (docs/spec/session-protocol.md 14).
 *
 * Source  docs/spec/session-protocol.md 8, 9.
 */
#ifndef STN_SESSION_MESSAGES_H
#define STN_SESSION_MESSAGES_H

#include "res/values.h"
#include "session/wire.h"

#define STN_MESSAGE_DEPTH 64 /* of typed lists */
#define STN_NO_PARENT (-1)

typedef struct stn_message {
    uint8_t type; /* stn_rmsg_type */
    union {
        struct { /* NEWWDG */
            int32_t id, parent;
            const char *kind;
            stn_values pargs, cargs;
        } new_widget;
        struct { /* ADDWDG */
            int32_t id, parent;
            stn_values pargs;
        } add_widget;
        struct { /* WDGMSG */
            int32_t id;
            const char *name;
            stn_values args;
        } widget;
        int32_t dead_widget; /* DSTWDG */
        struct { /* WDGBAR; without a second list bars are the dependencies */
            const int32_t *deps, *bars;
            uint32_t n_deps, n_bars;
        } barrier;
        struct { /* RESID */
            uint16_t id, version;
            const char *name;
        } resid;
        struct { /* MAPIV: kind 0: grid in ul; 1: ul and lr; 2: everything; others mean nothing */
            uint8_t kind;
            int32_t ul[2], lr[2];
        } mapiv;
        struct { /* USERAGENT */
            const char *key, *value;
        } agent;
        struct { /* GLOBLOB, and SESSKEY from the server */
            const uint8_t *data;
            size_t len;
        } bytes;
        stn_value session_key; /* SESSKEY from the client: a map */
    } u;
} stn_message;

stn_status stn_message_read(uint8_t type, const uint8_t *data, size_t len, bool from_client, stn_arena *arena,
                            stn_message *out, stn_err *err);

/* Appends a typed list as clients write it: like stn_values_write(), with the shortest form for 64-bit
 * integers too and one bit pattern for NaN in 32- and 64-bit floats, points and float colours. No end tag.
 * STN_TOO_BIG for lists nested deeper than STN_MESSAGE_DEPTH. */
stn_status stn_args_write(stn_buf *out, const stn_values *args, stn_err *err);

/* Payloads of what a client sends. */
stn_status stn_message_write_widget(stn_buf *out, int32_t id, const char *name, const stn_values *args,
                                    stn_err *err);
stn_status stn_message_write_agent(stn_buf *out, const char *key, const char *value, stn_err *err);

#endif
