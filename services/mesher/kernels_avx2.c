#define LANES 4
#define FORM stn_kernels_avx2
#define FORM_NAME "avx2"
#include "mesher/kernels_simd.inc"
