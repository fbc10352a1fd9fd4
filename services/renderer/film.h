/* film.h - a sequence of pictures, one for each step of a clock of its own.
 *
 * The scene's clock goes on by the same step in each frame, whatever the machine takes for it, and each frame
 * is written: frame-00001.png and so on. Nothing is left out: a frame waits until all that has come is built
 * and drawn, and until there is a place for its picture (STN_FILM_PLACES are on their way to the scribe at
 * once). Without a window alone, where nobody waits for the next frame.
 *
 * Played out of a capture (net/reel.h) the film depends on the capture, the options and the driver alone: on
 * the same driver it is the same to the byte each time. Of a running world, what world moves goes by the real
 * clock and is only as smooth as the machine is fast.
 *
 * The film begins with the first frame in which everything wanted is there, or with what there is after
 * STN_FILM_PATIENCE_S or at the end of the capture. It ends after `frames` of them, at the end of the
 * capture, or when the process is told to stop.
 */
#ifndef STN_RENDERER_FILM_H
#define STN_RENDERER_FILM_H

#include "renderer/net/reel.h"
#include "renderer/pictures.h"

#define STN_FILM_PLACES 3
#define STN_FILM_PATIENCE_S 60 /* for the scene to be whole, and in all for answers of the loader */
#define STN_FILM_MOST 99999

typedef struct stn_film_place {
    enum { STN_FILM_FREE, STN_FILM_READING, STN_FILM_READ, STN_FILM_WRITING } state;
    stn_readback readback;
    stn_scribe_task task;
} stn_film_place;

typedef struct stn_film {
    bool on, begun;
    stn_reel *reel; /* NULL: of the running world */
    int64_t step_ns, now_ns; /* of the scene's clock, from 0 */
    int64_t began_waiting_ns, waited_ns; /* by the real clock: for the scene; for answers */
    unsigned drawn, written;
    stn_film_place places[STN_FILM_PLACES];
    stn_err err; /* why it cannot go on */
} stn_film;

#endif
