/* vec_hxm.h - cuts of ridges, caves, water and flat ground, as the folders ridges and water hold them
 * (container HXM1: README of ridges). */
#ifndef STN_TESTS_VEC_HXM_H
#define STN_TESTS_VEC_HXM_H

#include "base/err.h"
#include "map/tileset.h"

#define HXM_IMAGES 512

/* Tile images of DIR/sets/NAME.res, slashes of the name as underscores. */
stn_status hxm_read_images(const char *dir, const char *name, stn_tile_image *images, size_t *n, uint16_t *w,
                           uint16_t *h, stn_err *err);

/* Runs every *.bin of the folder; the exit status of the program. */
int hxm_main(int argc, char **argv);

#endif
