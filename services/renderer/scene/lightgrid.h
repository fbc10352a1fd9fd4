/* lightgrid.h - which lights reach which part of the space before the camera.
 *
 * The space is a grid of w x h x d cells (powers of two). Directional lights are in every list; a point light
 * is in the lists of the cells its reach touches, and is dropped altogether when one of those is full. Lists
 * are flattened into one buffer, each the shared directional lights, its own, and an end mark. Limits:
 * offsets up to 65534, 32767 lists; over them the newest light is dropped. Source:
 * docs/spec/rendering.md 10.5.
 */
#ifndef STN_RENDERER_SCENE_LIGHTGRID_H
#define STN_RENDERER_SCENE_LIGHTGRID_H

#include "base/err.h"
#include "renderer/scene/light.h"

#include <stddef.h>
#include <stdint.h>

#define STN_LIGHTGRID_END 0xffffu

typedef struct stn_lightgrid {
    int w, h, d, limit;
    stn_v3 min, max; /* the box of the camera's space */
    stn_v3 cell, inv; /* size of a cell and its inverse */
    uint16_t *cells; /* w*h*d offsets into lists */
    uint16_t *lists;
    size_t list_count;
    size_t dropped; /* lights that found no room */
    struct lightgrid_work *work;
} stn_lightgrid;

/* w, h, d: 1..256, limit 1..64. */
stn_status stn_lightgrid_init(stn_lightgrid *g, int w, int h, int d, int limit, stn_err *err);
void stn_lightgrid_fini(stn_lightgrid *g);
/* Lights are in eye space. STN_BAD_DATA: the projection has no inverse; the grid is then as it was. */
stn_status stn_lightgrid_compile(stn_lightgrid *g, const stn_m4 *proj, const stn_lit *lights, size_t count,
                                 stn_err *err);

#endif
