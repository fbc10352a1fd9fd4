/* The reliable stream alone: records of u16 sequence, u16 length and a REL payload's messages. */
#include "base/bytes.h"
#include "session/reliable.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static stn_status on_message(void *user, uint8_t type, const uint8_t *data, size_t len, stn_err *err)
{
    uint64_t *sum = user;

    (void)err;
    *sum += type;
    for (size_t i = 0; i < len; i++)
        *sum += data[i];
    return STN_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_bytes in = stn_bytes_of(data, size), messages;
    stn_rel_in *rel = stn_rel_in_new(0);
    uint64_t sum = 0;

    while (rel && stn_bytes_left(&in) >= 2) {
        size_t n = stn_bytes_u16(&in);
        const uint8_t *payload;
        uint16_t seq;

        if (n > stn_bytes_left(&in))
            n = stn_bytes_left(&in);
        payload = stn_bytes_take(&in, n);
        if (payload && stn_rel_open(payload, n, &seq, &messages, NULL) == STN_OK &&
            stn_rel_in_take(rel, seq, messages, on_message, &sum, NULL, NULL, NULL) != STN_OK)
            break;
    }
    stn_rel_in_free(rel);
    return 0;
}
