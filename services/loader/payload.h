/* payload.h - what the loader keeps of a loaded object: the packed body and its frames, ready to be sent.
 */
#ifndef STN_LOADER_PAYLOAD_H
#define STN_LOADER_PAYLOAD_H

#include "loader/decoder.h"

typedef struct stn_payload {
    uint8_t *body; /* packed Ready without object, name and source */
    size_t body_len;
    stn_frame *frames[STN_WIRE_FRAMES];
} stn_payload;

/* Takes body and frames. NULL: out of memory (nothing taken). */
stn_payload *stn_payload_take(stn_decoded *from);
void stn_payload_free(stn_payload *p); /* NULL is fine */
size_t stn_payload_bytes(const stn_payload *p);

#endif
