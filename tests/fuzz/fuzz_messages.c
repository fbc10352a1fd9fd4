/* Reliable messages of every type and direction: byte 0 the type, bit 7 from a client. What a client may send
 * is written again and must read the same. Byte 0 of 127: the input is the text of a recording. */
#include "session/messages.h"
#include "session/recording.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void recording(const char *text, size_t len)
{
    stn_recording *r = stn_recording_new(text, len);
    stn_recorded rec;
    stn_buf again = {0};

    while (r && stn_recording_next(r, &rec, NULL) == STN_OK)
        stn_recording_write(&again, &rec);
    stn_buf_fini(&again);
    stn_recording_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_arena *arena;
    stn_message m, n;
    stn_buf again = {0};

    if (!size)
        return 0;
    if (data[0] == 127) {
        recording((const char *)data + 1, size - 1);
        return 0;
    }
    arena = stn_arena_new(4096, 16u << 20);
    if (arena &&
        stn_message_read(data[0] & 0x7f, data + 1, size - 1, data[0] & 0x80, arena, &m, NULL) == STN_OK &&
        m.type == STN_RMSG_WDGMSG &&
        stn_message_write_widget(&again, m.u.widget.id, m.u.widget.name, &m.u.widget.args, NULL) == STN_OK) {
        if (stn_message_read(STN_RMSG_WDGMSG, again.data, again.len, true, arena, &n, NULL) != STN_OK)
            abort();
        if (n.u.widget.id != m.u.widget.id || strcmp(n.u.widget.name, m.u.widget.name) ||
            n.u.widget.args.count != m.u.widget.args.count)
            abort();
    }
    stn_buf_fini(&again);
    stn_arena_free(arena);
    return 0;
}
