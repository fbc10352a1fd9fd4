/* rig.h - the drawing side of the renderer in one process: a surface and all that draws on it, and the stage.
 *
 * Fields are for tests to use; a zeroed rig is closed.
 */
#ifndef STN_TESTS_RIG_H
#define STN_TESTS_RIG_H

#include "renderer/gl/stage.h"
#include "renderer/gl/surface.h"

typedef struct rig {
    stn_surface *surface;
    stn_glrec rec;
    stn_programs *programs;
    stn_meshes *meshes;
    stn_textures *textures;
    stn_view *view; /* of the surface's size, with outlines */
    stn_surroundings *around;
    stn_stage *stage; /* NULL before rig_stage() */
} rig;

/* Debug messages of the driver are counted. shadow: side of the shadow map. What was opened before an error
 * is left to rig_close(). */
stn_status rig_open(rig *r, stn_surface_kind kind, int width, int height, int shadow, stn_err *err);
/* spent: takes jobs back; NULL: they are freed. defer: what goes to the driver waits for stn_stage_upload().
 */
stn_status rig_stage(rig *r, void (*spent)(void *arg, stn_job *job), void *arg, bool defer, stn_err *err);
void rig_close(rig *r);

#endif
