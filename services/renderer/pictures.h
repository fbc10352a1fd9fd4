/* pictures.h - pictures on demand: for the control door and for the key; and the figures of frames.
 *
 * A picture is drawn beside the one on the screen: in full detail unless low detail was asked for, or, with
 * what is written over it, as the screen has it, so that it shows what the panels say. With a window the
 * programs it needs are made behind the frames first, a few at a time; without one nobody looks, and they are
 * made at once. It is then read and written without the GL thread waiting (gl/readback.h, scribe.h). The GL
 * thread's.
 */
#ifndef STN_RENDERER_PICTURES_H
#define STN_RENDERER_PICTURES_H

#include "renderer/gl/readback.h"
#include "renderer/scribe.h"

#include <stdbool.h>

#define STN_PICTURES 4 /* under way at once; more wait */
#define STN_PICTURE_WARM_SECONDS 5 /* programs are waited for no longer than this */

typedef enum stn_picture_state {
    STN_PICTURE_FREE,
    STN_PICTURE_ASKED,
    STN_PICTURE_WARMING, /* drawn once, so that what it needs is asked for */
    STN_PICTURE_READING,
    STN_PICTURE_READ, /* or it cannot be had: to be given to the scribe */
    STN_PICTURE_WRITING
} stn_picture_state;

typedef struct stn_picture {
    stn_picture_state state;
    bool full, shadows, outlines, smooth; /* full: nothing is coarser for want of time */
    bool said; /* a note says what came of it */
    int64_t since_ns;
    stn_readback readback;
    stn_scribe_task task;
} stn_picture;

typedef struct stn_pictures {
    stn_scribe *scribe;
    stn_picture at[STN_PICTURES];
    stn_net_question questions[16]; /* that wait for the scene, for a place or for the scribe */
    unsigned question_count;
    unsigned shots; /* files written by the key */
    stn_frames *spare; /* changes places with the one in use; NULL: the scribe has it */
    stn_frames *lent;
    stn_scribe_task figures;
} stn_pictures;

#endif
