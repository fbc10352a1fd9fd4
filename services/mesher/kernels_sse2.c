#define LANES 2
#define FORM stn_kernels_sse2
#define FORM_NAME "sse2"
#include "mesher/kernels_simd.inc"
