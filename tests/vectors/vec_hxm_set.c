/* The tile images of a set's resource file. Apart from vec_hxm.c: the mesher and the resources name
 * attributes alike. */
#include "vec_hxm.h"

#include "res/res.h"
#include "support/support.h"

#include <stdlib.h>
#include <string.h>

stn_status hxm_read_images(const char *dir, const char *name, stn_tile_image *images, size_t *n, uint16_t *w,
                           uint16_t *h, stn_err *err)
{
    char path[300] = "sets/";
    size_t len, at = strlen(path);
    uint8_t *data;
    stn_res *res = NULL;
    stn_status st;

    for (const char *p = name; *p && at + 5 < sizeof path; p++)
        path[at++] = *p == '/' ? '_' : *p;
    memcpy(path + at, ".res", 5);
    data = vec_read(dir, path, &len);
    if (!data)
        return stn_fail(err, STN_NOT_FOUND, "%s: no such file", path);
    st = stn_res_new(data, len, NULL, &res, NULL, err);
    *n = 0;
    for (const stn_res_layer *l = NULL; st == STN_OK && (l = stn_res_next(res, STN_LAYER_TILE, l)) != NULL;
         ++*n) {
        if (*n == HXM_IMAGES) {
            st = stn_fail(err, STN_TOO_BIG, "%s: more than %d images", path, HXM_IMAGES);
            break;
        }
        images[*n] = (stn_tile_image){(char)l->as.tile->kind, l->as.tile->id, l->as.tile->weight};
        *w = (uint16_t)l->as.tile->w;
        *h = (uint16_t)l->as.tile->h;
    }
    stn_res_free(res);
    free(data);
    return st;
}
