/* stand_in.h - the program around play.h: own loop, control door ctl/tape.N, until a signal, Quit or the end.
 */
#ifndef STN_TAPE_STAND_IN_H
#define STN_TAPE_STAND_IN_H

#include "base/err.h"

#include <stdbool.h>

typedef struct stn_stand_in_spec {
    const char *file;
    const char *instance; /* where the renderer is started too; not one in which a world runs */
    const char *process; /* whose part is played to: "renderer.0"; NULL = the first renderer of the capture */
    double speed; /* 1 = as recorded, 0 = as fast as possible */
    bool exit_at_end; /* when a viewer has been told everything */
} stn_stand_in_spec;

stn_status stn_stand_in_run(const stn_stand_in_spec *spec, stn_err *err);

#endif
