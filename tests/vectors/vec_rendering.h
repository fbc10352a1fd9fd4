/* vec_rendering.h - the parts of vec-rendering and the tab-separated records they read. */
#ifndef STN_TESTS_VEC_RENDERING_H
#define STN_TESTS_VEC_RENDERING_H

#include "renderer/scene/m4.h"
#include "support/support.h"

#include <stdbool.h>

/* One file of records: a line, its fields, comments and empty lines left out. Exits when the file cannot be
 * read. */
typedef struct rec_file {
    const char *name;
    char *text, *next;
    char **field; /* of the current record; field[0] = type */
    int fields, cap, line;
    int at; /* the next field to be taken by the get functions */
} rec_file;

bool rec_open(rec_file *f, const char *dir, const char *name); /* false: the file is not there */
bool rec_next(rec_file *f);
bool rec_is(const rec_file *f, const char *type);
void rec_close(rec_file *f);
const char *rec_text(rec_file *f); /* "" at the end */
float rec_f32(rec_file *f); /* 8 hex digits */
double rec_f64(rec_file *f); /* 16 hex digits */
long rec_int(rec_file *f);
stn_v3 rec_v3(rec_file *f);
stn_v4 rec_v4(rec_file *f);
stn_m4 rec_m4(rec_file *f);

/* Bits equal, or both NaN; where `ulps` > 0 that many units in the last place may be between. */
bool same_f32(float a, float b, int ulps);
bool same_f32s(const float *a, const float *b, int n, int ulps);
bool same_f64(double a, double b);

void vec_matrix(vec_report *r, const char *dir);
void vec_project(vec_report *r, const char *dir);
void vec_place(vec_report *r, const char *dir);
void vec_shadow(vec_report *r, const char *dir);
void vec_lights(vec_report *r, const char *dir);
void vec_cameras(vec_report *r, const char *dir);
void vec_graph(vec_report *r, const char *dir);
void vec_order(vec_report *r, const char *dir);
void vec_state(vec_report *r, const char *dir);
void vec_batch(vec_report *r, const char *dir);
void vec_frustum(vec_report *r, const char *dir);
void vec_lightgrid(vec_report *r, const char *dir);
void vec_meshdata(vec_report *r, const char *dir);
void vec_input(vec_report *r, const char *dir);
void vec_mipmap(vec_report *r, const char *dir);
void vec_shade(vec_report *r, const char *dir);
void vec_images(vec_report *r, const char *dir);

#endif
