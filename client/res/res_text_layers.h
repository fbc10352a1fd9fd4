/* res_text_layers.h - what the descriptions of layers share; not for others. */
#ifndef STN_CLIENT_RES_TEXT_LAYERS_H
#define STN_CLIENT_RES_TEXT_LAYERS_H

#include "client/res/res_text.h"

#define U8(k) stn_rt_int(t, k, STN_RT_U8)
#define U16(k) stn_rt_int(t, k, STN_RT_U16)
#define I8(k) stn_rt_int(t, k, STN_RT_I8)
#define I16(k) stn_rt_int(t, k, STN_RT_I16)
#define TEXT(k) stn_rt_text(t, k)
#define F32(k) stn_rt_real(t, k, STN_RT_F32)
#define CFLOAT(k) stn_rt_real(t, k, STN_RT_CFLOAT)
#define NUMBERS(k, type, n, line) stn_rt_numbers(t, k, STN_RT_##type, n, line)

/* A name and a version. */
void stn_rt_resref(stn_rt *t, const char *name, const char *version);
/* (key, typed value)* and the empty key. */
void stn_rt_entries(stn_rt *t, const char *list);

/* The layers of res_text_geometry.c. */
void stn_rt_vbuf2(stn_rt *t);
void stn_rt_mesh(stn_rt *t);
void stn_rt_manim(stn_rt *t);
void stn_rt_skel(stn_rt *t);
void stn_rt_skan(stn_rt *t);
void stn_rt_boneoff(stn_rt *t);

#endif
