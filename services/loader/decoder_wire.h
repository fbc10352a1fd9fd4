/* decoder_wire.h - what a decoder child and the loader say to each other. Both are the same program, so
 * plain structs on a local socket do; the loader believes none of it.
 */
#ifndef STN_LOADER_DECODER_WIRE_H
#define STN_LOADER_DECODER_WIRE_H

#include "loader/decode.h"

#include <stdint.h>

#define STN_CHILD_SOCKET 3
#define STN_CHILD_IN 4 /* window with the file, then the code records; read only for the child */
#define STN_CHILD_OUT 5 /* window with the three frames at multiples of 64, then the body */

#define STN_CHILD_IN_MAX ((size_t)132 << 20) /* a body of 64 MiB and as much of code records */
#define STN_RES_BODY_MAX ((size_t)64 << 20) /* of a resource file, from any source */
#define STN_CHILD_OUT_MAX ((size_t)200 << 20)
#define STN_CHILD_HELLO UINT32_C(0x6c6f6164)

typedef struct stn_child_request {
    uint64_t len, code_len;
    int32_t want;
    uint8_t keep_code, judge_only;
} stn_child_request;

typedef struct stn_child_result {
    uint64_t bytes[STN_WIRE_FRAMES];
    uint64_t body_len;
    int32_t version;
    uint32_t miss;
    uint32_t problems;
    char text[STN_MISS_TEXT];
    char problem[STN_MISS_TEXT];
} stn_child_result;

static inline size_t stn_child_align(size_t n)
{
    return (n + 63) & ~(size_t)63;
}

/* The life of a child, after exec with --decoder. Returns the exit status. */
int stn_decoder_child(void);

#endif
