#include "mesher/kernels.h"

#include "mesher/kernels_forms.h"

#include <string.h>

const stn_kernels *stn_kernels_best(void)
{
    return &stn_kernels_plain;
}

const stn_kernels *stn_kernels_named(const char *name)
{
    return strcmp(name, "plain") == 0 ? &stn_kernels_plain : NULL;
}
