/* objdata.h - the container of object deltas: OBJDATA and OBJACK datagrams.
 *
 * OBJDATA payload: objects until the end, each u8 flags, u32 id, i32 frame, [i32 initial frame], attributes,
 * end marker 0xff. What an attribute means is the object cache's matter (docs/spec/object-cache.md A3); here
 * it is a type and bytes. A delta borrows from the datagram it was read from.
 *
 * Limits  an attribute's payload is at most 65535 bytes, its type 0..126.
 * Source  docs/spec/session-protocol.md 5.3, 12.
 */
#ifndef STN_SESSION_OBJDATA_H
#define STN_SESSION_OBJDATA_H

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"

#define STN_OBJ_INITIAL 1u /* initial frame = frame */
#define STN_OBJ_VIRTUAL 2u
#define STN_OBJ_OLD 4u /* was there before: sprites skip their start-up effects */
#define STN_OBJ_INITFRAME 8u /* an explicit initial frame follows, which overrides STN_OBJ_INITIAL */

/* Attribute types (docs/spec/object-cache.md A3). */
typedef enum stn_objattr_type {
    STN_OD_REM = 0,
    STN_OD_MOVE = 1,
    STN_OD_RES = 2,
    STN_OD_LINBEG = 3,
    STN_OD_LINSTEP = 4,
    STN_OD_SPEECH = 5,
    STN_OD_COMPOSE = 6,
    STN_OD_ZOFF = 7,
    STN_OD_LUMIN = 8,
    STN_OD_AVATAR = 9,
    STN_OD_FOLLOW = 10,
    STN_OD_HOMING = 11,
    STN_OD_OVERLAY = 12,
    STN_OD_HEALTH = 14,
    STN_OD_CMPPOSE = 16,
    STN_OD_CMPMOD = 17,
    STN_OD_CMPEQU = 18,
    STN_OD_ICON = 19,
    STN_OD_RESATTR = 20,
} stn_objattr_type;

typedef struct stn_objattr {
    uint8_t type;
    const uint8_t *data; /* borrowed */
    uint16_t len;
} stn_objattr;

typedef struct stn_objdelta {
    uint8_t flags; /* as received */
    uint32_t id;
    int32_t frame;
    int32_t initframe; /* 0 = none; a value <= 0 on the wire counts as none */
    bool removal; /* an attribute of type 0 came: the whole delta is a removal */
    const uint8_t *attrs; /* borrowed: the checked attribute bytes, without the end marker */
    size_t attrs_len;
} stn_objdelta;

/* Checks an OBJDATA payload to its end; *count receives the number of deltas (NULL is fine). */
stn_status stn_objdata_check(const uint8_t *payload, size_t len, size_t *count, stn_err *err);
/* The next delta of a checked payload; false at the end. Start with stn_bytes_of(payload, len). */
bool stn_objdata_next(stn_bytes *in, stn_objdelta *out);
/* Walks the attributes of a delta, type 0 left out: start with *pos = 0; false at the end. */
bool stn_objdelta_attr(const stn_objdelta *d, size_t *pos, stn_objattr *out);
/* The same with type 0 left in, for whoever writes a delta down as it came. */
bool stn_objdelta_attr_raw(const stn_objdelta *d, size_t *pos, stn_objattr *out);

/* Writing. The shortest length form is used. */
void stn_objdata_begin(stn_buf *out, uint8_t flags, uint32_t id, int32_t frame, int32_t initframe);
void stn_objdata_attr(stn_buf *out, uint8_t type, const void *data, size_t len);
void stn_objdata_end(stn_buf *out);

/* OBJACK: pairs of id and frame. Reading checks the length: a payload that is no multiple of 8 is refused. */
typedef struct stn_objack {
    uint32_t id;
    int32_t frame;
} stn_objack;
stn_status stn_objack_check(const uint8_t *payload, size_t len, size_t *count, stn_err *err);
stn_objack stn_objack_at(const uint8_t *payload, size_t i); /* of a checked payload */

#endif
