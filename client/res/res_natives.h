/* res_natives.h - the native twins of served code, and whether the server's own have moved on. */
#ifndef STN_CLIENT_RES_NATIVES_H
#define STN_CLIENT_RES_NATIVES_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define STN_RN_CARRIERS 32
#define STN_RN_VERSIONS 16

/* Versions of the carriers of all twins that resources have or ask for. */
typedef struct stn_rn_seen {
    struct {
        const char *carrier;
        uint16_t versions[STN_RN_VERSIONS]; /* ascending; of too many the newest stay */
        uint32_t count;
        uint32_t uses; /* resources that name it */
    } carriers[STN_RN_CARRIERS];
    uint32_t count;
    uint32_t resources, unreadable;
} stn_rn_seen;

void stn_rn_seen_init(stn_rn_seen *seen);
/* One resource: its own version when it is a carrier, and those that its code entries and links name. */
void stn_rn_look(stn_rn_seen *seen, const char *name, const uint8_t *data, size_t len);
/* A line a twin. `seen` NULL: without what was seen. True when a carrier was seen in a version that its twin
 * is not for. */
bool stn_rn_print(FILE *out, const stn_rn_seen *seen);

#endif
