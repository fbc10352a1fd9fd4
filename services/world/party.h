/* world/party.h - the people one goes with, as the server's party widget tells them. Pure.
 *
 * Members are kept in the order in which they joined. The leader is a member or nobody. Limits
 * STN_PARTY_MAX members; a longer list is refused as a whole. Source: docs/spec/object-cache.md A7.
 */
#ifndef STN_WORLD_PARTY_H
#define STN_WORLD_PARTY_H

#include "base/err.h"
#include "res/values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_PARTY_MAX 256

typedef struct stn_party_member {
    uint32_t id; /* of its object */
    bool placed; /* where it is was told */
    double x, y; /* map units; of worth while the member's object is not in sight */
    double heading; /* radians, -pi..2 pi: the way it went between the last two places */
    uint8_t colour[4]; /* r g b a */
} stn_party_member;

typedef struct stn_party {
    int32_t id; /* the server's number of the party */
    bool has_own, has_leader;
    uint32_t own; /* the one that displays leave out: oneself */
    uint32_t leader;
    stn_party_member members[STN_PARTY_MAX];
    size_t n;
    uint32_t changes; /* grows with everything that a viewer should hear of */
} stn_party;

/* The widget was made (own: its argument) or went: nobody is in the party. */
void stn_party_clear(stn_party *p, bool has_own, uint32_t own);
/* One message of the widget. STN_UNSUPPORTED: no such message; STN_BAD_DATA, STN_TOO_BIG: without effect. */
stn_status stn_party_message(stn_party *p, const char *name, const stn_values *args, stn_err *err);

#endif
