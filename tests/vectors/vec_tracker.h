/* vec_tracker.h - the tracker's scripts, part of vec-ocache. */
#ifndef STN_TESTS_VEC_TRACKER_H
#define STN_TESTS_VEC_TRACKER_H

#include "support/support.h"

void vec_tracker(const char *dir, const char *file, vec_report *r);

#endif
