/* world/gobattr.h - what the functions that apply attributes share. Private to gobattr*.c. */
#ifndef STN_WORLD_GOBATTR_H
#define STN_WORLD_GOBATTR_H

#include "base/bytes.h"
#include "world/gob.h"

typedef struct stn_attr_ctx {
    stn_gob *g;
    const stn_gob_env *env;
    stn_bytes in; /* the payload */
    bool old;
    uint16_t *parked_on;
    stn_err *err;
} stn_attr_ctx;

stn_status stn_attr_cut_short(stn_attr_ctx *c, const char *name);
stn_status stn_attr_no_memory(stn_attr_ctx *c);
uint64_t stn_attr_instance(const stn_attr_ctx *c);
void stn_attr_touch(stn_attr_ctx *c, unsigned comp);
/* STN_OK with the traits, or STN_AGAIN with *parked_on set. */
stn_status stn_attr_traits(stn_attr_ctx *c, uint16_t resid, stn_res_traits *t);
/* The state bytes that follow a resource word whose top bit is set. Borrowed from the payload. */
stn_sres stn_attr_sres(stn_bytes *in, uint16_t word);
/* From borrowed to owned; false without memory (then nothing is owned). */
bool stn_attr_own(stn_sres *r);
bool stn_attr_same_state(const stn_sres *a, const stn_sres *b);

/* gobattr_draw.c */
stn_status stn_attr_res(stn_attr_ctx *c);
stn_status stn_attr_compose(stn_attr_ctx *c);
stn_status stn_attr_cmppose(stn_attr_ctx *c);
stn_status stn_attr_cmpmod(stn_attr_ctx *c);
stn_status stn_attr_cmpequ(stn_attr_ctx *c);
stn_status stn_attr_overlay(stn_attr_ctx *c);

#endif
