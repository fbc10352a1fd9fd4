/* vec_mapfile.h - the recorded map's checked values, part of vec-mapcache. */
#ifndef STN_TESTS_VEC_MAPFILE_H
#define STN_TESTS_VEC_MAPFILE_H

#include "support/support.h"

void vec_mapfile(const char *dir, vec_report *r);

#endif
