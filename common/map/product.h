/* map/product.h - placeholder */
#ifndef STN_MAP_PRODUCT_H
#define STN_MAP_PRODUCT_H
#include <stdint.h>
typedef enum stn_mesh_kind {
    STN_MESH_GROUND = 1, /* a layer of terrain */
    STN_MESH_SKIRT = 2, /* a layer of terrain laid over others, cut out by a mask image */
    STN_MESH_FLAT = 3, /* flat ground coloured by an image */
    STN_MESH_WALL = 4, /* cliff */
    STN_MESH_CAVE = 5, /* cave wall */
    STN_MESH_WATER = 6, /* water surface */
    STN_MESH_FOAM = 7, /* foam on it */
} stn_mesh_kind;
#endif
