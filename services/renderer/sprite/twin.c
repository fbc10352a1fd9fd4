/* twin.c - the sprites of served classes that have a native twin, by their number in the registry. */
#include "renderer/sprite/internal.h"

const stn_twin *stn_twin_of(stn_native_id id)
{
    static const stn_twin *const twins[] = {NULL};

    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (twins[i] && twins[i]->id == id)
            return twins[i];
    return NULL;
}
