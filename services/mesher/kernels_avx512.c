#define LANES 8
#define FORM stn_kernels_avx512
#define FORM_NAME "avx512"
#include "mesher/kernels_simd.inc"
