/* The forms that kernels.c chooses from. */
#ifndef STN_MESHER_KERNELS_FORMS_H
#define STN_MESHER_KERNELS_FORMS_H

#include "mesher/kernels.h"

extern const stn_kernels stn_kernels_plain;

#endif
