/* mesher/resolve.h - from placed parts to vertices and indices, once all parts are placed. */
#ifndef STN_MESHER_RESOLVE_H
#define STN_MESHER_RESOLVE_H

#include "mesher/build.h"

/* Every placed model of the build. STN_TOO_BIG "too many vertices". */
stn_status stn_build_resolve(stn_build *b);

#endif
