/* The registry of tilers. */
#include "mesher/ridges.h"
#include "mesher/water.h"

#include <string.h>

static const stn_tiler_kind *const kinds[] = {&stn_tiler_flat, &stn_tiler_terrain, &stn_tiler_ridges,
                                              &stn_tiler_cave, &stn_tiler_water};

const stn_tiler_kind *stn_tiler_kind_named(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}
