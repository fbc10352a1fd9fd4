/* The forms that kernels.c chooses from. */
#ifndef STN_MESHER_KERNELS_FORMS_H
#define STN_MESHER_KERNELS_FORMS_H

#include "mesher/kernels.h"

extern const stn_kernels stn_kernels_plain;
#if defined(__x86_64__)
extern const stn_kernels stn_kernels_sse2, stn_kernels_avx2, stn_kernels_avx512;
#endif

#endif
