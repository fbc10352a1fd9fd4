/* sprites.h - what the parts of vec-sprites share: resources of the folder by name, texts of values as the
 * files have them. Formats: the README of the vector folder. */
#ifndef STN_TESTS_VEC_SPRITES_H
#define STN_TESTS_VEC_SPRITES_H

#include "renderer/sprite/sprite.h"
#include "support/support.h"

typedef struct vec_sprites vec_sprites;

/* Whole of the run: folder, report, loaded resources. */
struct vec_sprites {
    const char *dir;
    vec_report *report;
    stn_sprite_source source;
    stn_obj_random global;
    stn_rnd rnd;
};

/* NULL: not in the folder (a real file that is not at hand). */
const stn_sprite_res *vs_res(vec_sprites *v, const char *name);
/* Whether a case may run: false, and a skip is noted, when the resource is a real one that is not at hand. */
bool vs_have(vec_sprites *v, const char *name);
void vs_free_resources(void);
stn_sprite_ctx *vs_ctx(vec_sprites *v);

/* Space-separated float bits. */
const char *vs_floats(const float *f, size_t n, char *out, size_t cap);
bool vs_parse_floats(const char *text, float *out, size_t n);
float vs_float(const char *bits);
double vs_double(const char *bits);
uint64_t vs_u64(const char *bits);
uint8_t *vs_sdt(const char *hex, size_t *len);
/* "mesh:RES#ID@INDEX" */
const char *vs_mesh(const stn_sprite_res *res, const stn_res_layer *layer, char *out, size_t cap);
/* The final state as the files' map; decref. */
json_t *vs_state(const stn_leaf *leaf, bool without_maframe);
json_t *vs_state_of(const stn_state *state, const stn_dyn *morph, bool without_maframe);
/* Compares two JSON values; on a difference says where, in at most a line. */
bool vs_same(vec_sprites *v, const json_t *want, const json_t *got, const char *what);
/* The fault in the files' words; the reference's own exceptions all stand for "malformed" here. */
bool vs_same_fault(const char *want, stn_sprite_fault got);
json_t *vs_get(const json_t *object, const char *key);
const char *vs_text(const json_t *object, const char *key); /* "" when absent */

void vs_flags(vec_sprites *v);
void vs_factory(vec_sprites *v);
void vs_parts(vec_sprites *v);
void vs_rebuild(vec_sprites *v);
void vs_compose(vec_sprites *v);
void vs_pose(vec_sprites *v);
void vs_poser(vec_sprites *v);
void vs_bones(vec_sprites *v);
void vs_manim(vec_sprites *v);
void vs_place(vec_sprites *v);
void vs_random(vec_sprites *v);
void vs_composite(vec_sprites *v);
void vs_light(vec_sprites *v);

/* vec_sprites_pose.c */
bool vs_check_pose(vec_sprites *v, const json_t *want, const stn_pose *pose, const stn_pose *bind,
                   const char *what);

#endif
