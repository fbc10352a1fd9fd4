/* script.h - what a process was told, out of a capture, ready to be told again. Pure: no sockets, no clock.
 *
 * Stream conversations (world): every message that came in, in order, with its time since the first. A
 * conversation of requests (loader): the answers, by the name that was asked for. Limits  STN_SCRIPT_BYTES of
 * frames altogether.
 */
#ifndef STN_TAPE_SCRIPT_H
#define STN_TAPE_SCRIPT_H

#include "base/err.h"
#include "tape/tape.h"

#define STN_SCRIPT_BYTES (UINT64_C(4) << 30)

typedef struct stn_script stn_script;

typedef struct stn_line {
    int64_t at_ns; /* since the first line of the conversation */
    uint32_t kind, stream;
    uint64_t correlation;
    stn_frame *body;
    stn_frame **bulk;
    size_t n_bulk;
} stn_line;

/* process: "renderer.0"; NULL = the first of kind `kind` in the capture. STN_NOT_FOUND: there is none. A
 * capture with gaps in that process's records is used, and told by stn_script_lost(). */
stn_status stn_script_new(stn_tape_reader *tape, const char *kind, const char *process, stn_script **out,
                          stn_err *err);
void stn_script_free(stn_script *s);

const char *stn_script_process(const stn_script *s);
uint64_t stn_script_lost(const stn_script *s);
/* The i-th line of the world since it last came up for this process; NULL behind the last. Borrowed. */
const stn_line *stn_script_world(const stn_script *s, size_t i);
size_t stn_script_world_count(const stn_script *s);
/* The answer recorded for a Get: one that has all of `want` if there is one, else any of that name and
 * version (-1 = any); NULL when none was recorded. */
const stn_line *stn_script_answer(const stn_script *s, const char *name, int32_t version, uint32_t want);
size_t stn_script_answer_count(const stn_script *s);

#endif
