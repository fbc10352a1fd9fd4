/* decoder.h - where decoding happens: in this process, or in a sandboxed child of its own.
 *
 * One decoder serves one worker thread. A child is this program again with --decoder: it gets two shared
 * windows and a socket, closes everything else, puts itself under seccomp and limits, and then only
 * decodes. What it leaves in the window is copied out first and checked afterwards, so that nothing it
 * does later can matter. When it dies or takes too long, the resource it had is refused and a new child is
 * made; one that somebody else killed (SIGKILL) is no fault of the resource, which then gets a second
 * child and is refused only when that is killed too.
 * Source  docs/design.md 6 (loader).
 */
#ifndef STN_LOADER_DECODER_H
#define STN_LOADER_DECODER_H

#include "bus/frame.h"
#include "loader/decode.h"

typedef struct stn_decoder stn_decoder;

typedef struct stn_decoded {
    stn_verdict verdict;
    uint8_t *body; /* packed Ready, free() */
    size_t body_len;
    /* Each with a reference of the receiver's. That of the file is NULL when it is the input itself. */
    stn_frame *frames[STN_WIRE_FRAMES];
    uint32_t problems;
    char problem[STN_MISS_TEXT];
    bool crashed; /* the child died of it */
} stn_decoded;

/* sandboxed: a child is made now; STN_IO when that fails. program: the path of this executable. */
stn_status stn_decoder_new(bool sandboxed, const char *program, stn_decoder **out, stn_err *err);
void stn_decoder_free(stn_decoder *d); /* ends the child */
/* Blocks. *out is always filled. */
void stn_decoder_run(stn_decoder *d, const stn_decode_in *in, stn_decoded *out);
/* Children made in the place of dead ones. Any thread. */
uint64_t stn_decoder_restarts(const stn_decoder *d);
int stn_decoder_pid(const stn_decoder *d); /* of the child, 0 without one. Any thread */

/* A copy in a frame of its own, for as long as its object. NULL: out of memory. */
stn_frame *stn_decoder_keep(const uint8_t *data, size_t len);
/* Checks what was decoded from the input as whoever receives it will. False: it is not what it says. */
bool stn_decoded_check(const stn_decoded *decoded, const stn_decode_in *in, stn_err *err);
void stn_decoded_fini(stn_decoded *decoded);

#endif
