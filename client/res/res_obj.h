/* res_obj.h - a mesh as a Wavefront OBJ text, to look at in other tools. */
#ifndef STN_CLIENT_RES_OBJ_H
#define STN_CLIENT_RES_OBJ_H

#include "base/buf.h"
#include "res/res.h"

/* `mesh`: a linked layer of kind STN_LAYER_MESH. Positions, texture coordinates (top row first becomes OBJ's
 * bottom row first) and normals as far as the vertex buffer has them. */
stn_status stn_ro_write(const stn_res_layer *mesh, stn_buf *out, stn_err *err);

#endif
