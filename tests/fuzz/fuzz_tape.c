/* A capture from somebody else. */
#include "tape/tape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_tape_reader *r;
    stn_tape_item item;
    volatile uint8_t sink = 0;

    if (stn_tape_open_memory(data, size, &r, NULL) != STN_OK)
        return 0;
    while (stn_tape_next(r, &item, NULL) == STN_OK) {
        sink ^= (uint8_t)item.process[0];
        if (stn_frame_len(item.body) > 0)
            sink ^= stn_frame_data(item.body)[stn_frame_len(item.body) - 1];
        for (size_t i = 0; i < item.n_bulk; i++)
            if (stn_frame_len(item.bulk[i]) > 0)
                sink ^= stn_frame_data(item.bulk[i])[stn_frame_len(item.bulk[i]) - 1];
    }
    for (size_t i = 0; stn_tape_channel(r, i); i++)
        sink ^= (uint8_t)stn_tape_channel(r, i)->topic.len;
    (void)sink;
    stn_tape_reader_free(r);
    return 0;
}
