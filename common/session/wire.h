/* wire.h - the words of the game's datagrams, shared by the client session and the server.
 *
 * A datagram is one kind byte and a payload; integers are little-endian; no length, no checksum. Reliable
 * messages travel in REL datagrams, numbered modulo 65536 from 0 per direction. Everything here is a pure
 * function over bytes: a parser checks the whole datagram before the caller delivers any part of it.
 *
 * Source  docs/spec/session-protocol.md 3, 4, 5, 8.
 */
#ifndef STN_SESSION_WIRE_H
#define STN_SESSION_WIRE_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

#define STN_DATAGRAM_MAX 65535 /* what a receive buffer must hold */
#define STN_REL_BUNDLE_MAX 1200 /* payload bytes of a REL datagram that a server bundles into */
#define STN_REL_MESSAGE_MAX 65535 /* a bundled message's length field */
#define STN_GAME_PORT 1870
#define STN_AUTH_PORT 1871
#define STN_COOKIE_MAX 4096 /* ours; real cookies have 32 bytes */

typedef enum stn_packet {
    STN_PACKET_SESS = 0, /* both: opening a session */
    STN_PACKET_REL = 1, /* both: u16 seq, messages */
    STN_PACKET_ACK = 2, /* both: u16 seq, everything up to it has arrived */
    STN_PACKET_BEAT = 3, /* both: keep-alive */
    STN_PACKET_MAPREQ = 4, /* c->s: coord of the grid wanted */
    STN_PACKET_MAPDATA = 5, /* s->c: a fragment of a map message, mapdata.h */
    STN_PACKET_OBJDATA = 6, /* s->c: object deltas, objdata.h */
    STN_PACKET_OBJACK = 7, /* c->s: repeated u32 id, i32 frame */
    STN_PACKET_CLOSE = 8, /* both */
    STN_PACKET_CRYPT = 9, /* both: a sealed datagram, crypt.h */
    STN_PACKET_COUNT
} stn_packet;

typedef enum stn_rmsg_type {
    STN_RMSG_NEWWDG = 0,
    STN_RMSG_WDGMSG = 1, /* both directions */
    STN_RMSG_DSTWDG = 2,
    STN_RMSG_MAPIV = 3,
    STN_RMSG_GLOBLOB = 4,
    STN_RMSG_RESID = 6,
    STN_RMSG_SESSKEY = 13, /* both directions */
    STN_RMSG_FRAGMENT = 14,
    STN_RMSG_ADDWDG = 15,
    STN_RMSG_WDGBAR = 16,
    STN_RMSG_USERAGENT = 17, /* c->s */
} stn_rmsg_type;

typedef enum stn_sess_code {
    STN_SESS_OK = 0,
    STN_SESS_BAD_COOKIE = 1,
    STN_SESS_BUSY = 2, /* the account is already in session */
    STN_SESS_NO_CONNECTION = 3, /* also the client's own time-out */
    STN_SESS_TOO_OLD = 4, /* the client is */
    STN_SESS_EXPIRED = 5, /* the cookie is */
    STN_SESS_TEXT = 6, /* a text says why */
} stn_sess_code;

/* "SESS", …; "?" for a kind that is not in the list. Never NULL. */
const char *stn_packet_name(unsigned kind);
/* "NEWWDG", …; "?" for an unknown type. */
const char *stn_rmsg_name(unsigned type);
/* What a refusal code means, in words for a person. Never NULL. */
const char *stn_sess_code_text(unsigned code);

/* ---- opening */

/* How our own client names its protocol. What is read with code of the server's, which a stock client would
 * have to be given, homestead tells such clients alone. */
#define STN_SESS_TWINS "Hafen/stenness"

/* The client's request. Pointers are borrowed from the parsed bytes, or from the caller when writing. */
typedef struct stn_sess_hello {
    bool encrypted; /* the HCrypt form: protocol, version and args are inside the sealed blob */
    const char *protocol; /* "Hafen/unknown"; NULL in the encrypted form */
    uint16_t version; /* 30 or 31; 0 in the encrypted form */
    const char *user;
    const uint8_t *cookie; /* plain form */
    size_t cookie_len;
    const uint8_t *salt; /* encrypted form: 16 bytes */
    size_t salt_len;
    const uint8_t *rest; /* plain: typed list of arguments; encrypted: the sealed blob */
    size_t rest_len;
} stn_sess_hello;

/* Both take and give whole datagrams, kind byte included. STN_BAD_DATA for another protocol family. */
void stn_sess_write(stn_buf *out, const stn_sess_hello *hello);
stn_status stn_sess_read(const uint8_t *datagram, size_t len, stn_sess_hello *hello, stn_err *err);

/* Inside of an encrypted hello: str protocol, u16 version, typed list of arguments. */
void stn_sess_inner_write(stn_buf *out, const char *protocol, uint16_t version, const uint8_t *args,
                          size_t args_len);
stn_status stn_sess_inner_read(const uint8_t *data, size_t len, stn_sess_hello *hello, stn_err *err);

/* ---- reliable stream */

typedef struct stn_rel_message {
    uint8_t type;
    const uint8_t *data; /* borrowed */
    size_t len;
} stn_rel_message;

/* Checks a REL payload to its end and gives the first sequence number and a cursor over the messages. */
stn_status stn_rel_open(const uint8_t *payload, size_t len, uint16_t *seq, stn_bytes *messages, stn_err *err);
/* The next message of a checked payload; false at the end. */
bool stn_rel_next(stn_bytes *messages, stn_rel_message *out);
/* Appends one message. `last`: the form without a length, which ends the datagram; otherwise len must fit
 * 16 bits. The caller has written kind byte and sequence (stn_rel_begin). */
void stn_rel_begin(stn_buf *out, uint16_t seq);
void stn_rel_add(stn_buf *out, uint8_t type, const void *data, size_t len, bool last);

/* a - b in sequence numbers, -32768..32767. */
static inline int stn_seq_diff(uint16_t a, uint16_t b)
{
    uint16_t d = (uint16_t)(a - b);
    return d < 0x8000 ? (int)d : (int)d - 0x10000;
}

/* ---- text */

/* Appends `len` bytes of text with every maximal malformed part replaced by U+FFFD; no NUL is added. This is
 * how the reference reads any text: malformed UTF-8 is not an error. */
void stn_wire_text(stn_buf *out, const uint8_t *text, size_t len);

#endif
