/* capture.h - recording the taps of all processes of an instance into one file. A shell: own loop, blocking,
 * for tools.
 *
 * Processes that come while it runs are tapped too; one that goes ends nothing. Records that a process could
 * not keep are gaps in the file, counted.
 */
#ifndef STN_TAPE_CAPTURE_H
#define STN_TAPE_CAPTURE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct stn_capture_spec {
    const char *instance;
    const char *out; /* the file; written as OUT.part and renamed at the end */
    int64_t duration_ns; /* 0: until SIGINT or SIGTERM */
    int64_t wait_ns; /* how long to wait for the first process */
    const char *whole; /* kind of process that shall ask its peers for everything again when its tap goes on,
                        * so that the capture can be played into one of that kind; NULL = none */
} stn_capture_spec;

typedef struct stn_capture_sum {
    unsigned processes;
    uint64_t records, lost, bytes;
} stn_capture_sum;

stn_status stn_capture_run(const stn_capture_spec *spec, stn_capture_sum *sum, stn_err *err);

#endif
