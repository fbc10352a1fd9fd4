/* vec_resources_prim.h - the number formats and typed values of primitives.json. */
#ifndef STN_VEC_RESOURCES_PRIM_H
#define STN_VEC_RESOURCES_PRIM_H

#include "support/support.h"

void vec_primitives(vec_report *r, const char *dir);

#endif
