/* scribe.h - the thread that writes: pictures to PNG and figures to text, so that the GL thread does neither.
 *
 * A task is the giver's memory, lent from stn_scribe_give() until stn_scribe_take() gives it back, done; what
 * it points to is lent with it. Neither call waits or allocates. Who asked through the control door is
 * answered from here; a file is written whole or not at all.
 */
#ifndef STN_RENDERER_SCRIBE_H
#define STN_RENDERER_SCRIBE_H

#include "base/err.h"
#include "renderer/frames.h"
#include "renderer/net/net.h"

#define STN_SCRIBE_TASKS 16

typedef enum stn_scribe_kind { STN_SCRIBE_PICTURE, STN_SCRIBE_FRAMES } stn_scribe_kind;

typedef struct stn_scribe_task {
    stn_scribe_kind kind;
    bool asked; /* `question` is to be answered */
    stn_net_question question;
    /* a picture */
    const uint8_t *rows; /* RGBA, lowest row first; NULL: there is none, `text` says why */
    int width, height;
    uint32_t cuts, entities;
    bool partial;
    char path[512]; /* the file; "" = none */
    char text[STN_ERR_TEXT]; /* in: what is missing; out: why there is no file, "" = it is written */
    /* figures */
    const stn_frames *frames;
    int64_t now_ns;
} stn_scribe_task;

typedef struct stn_scribe stn_scribe;

stn_status stn_scribe_new(stn_net *net, stn_scribe **out, stn_err *err);
/* Finishes what was given. Tasks that were not taken back are the giver's again. */
void stn_scribe_free(stn_scribe *s); /* NULL is fine */
/* False: STN_SCRIBE_TASKS are there already. */
bool stn_scribe_give(stn_scribe *s, stn_scribe_task *task);
stn_scribe_task *stn_scribe_take(stn_scribe *s); /* NULL: nothing is done yet */

#endif
