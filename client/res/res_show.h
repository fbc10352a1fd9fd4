/* res_show.h - resources told to a person. */
#ifndef STN_CLIENT_RES_SHOW_H
#define STN_CLIENT_RES_SHOW_H

#include "res/res.h"

#include <stdbool.h>
#include <stdio.h>

/* What a layer is, in a few words: "512x512 JPEG, dav". Always terminated. */
void stn_rs_summary(const stn_res_layer *layer, char *out, size_t cap);

/* One line a layer. */
void stn_rs_list(FILE *to, const stn_res *res);

/* Everything of the chosen layers. `picks`: layer numbers or type names, none = all. False: a pick chose
 * nothing, told on standard error. */
bool stn_rs_show(FILE *to, const stn_res *res, const char *name, char *const *picks, int count, bool json);

#endif
