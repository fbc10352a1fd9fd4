/* scenery.h - homestead's world drawn in this process, without sockets, threads or the clock: land and things
 * from the seed, cuts by the mesher's core, objects by the renderer's build parts, pictures by its stage and
 * view on a headless surface. The same calls give the same picture on the same driver.
 */
#ifndef STN_TESTS_SCENERY_H
#define STN_TESTS_SCENERY_H

#include "renderer/gl/picker.h"
#include "renderer/gl/surface.h"
#include "support/scenery_ground.h"

typedef struct scenery {
    stn_surface *surface;
    stn_glrec rec;
    stn_programs *programs;
    stn_meshes *meshes;
    stn_textures *textures;
    stn_view *view;
    stn_surroundings *around;
    stn_stage *stage;
    stn_frame frame;
    stn_stage_look look;
    stn_v3 focus; /* render space */
    int width, height;
    double clock;
    scenery_ground *ground;
    struct scenery_parts *parts;
} scenery;

/* STN_UNSUPPORTED: this machine has no driver that can draw. */
stn_status scenery_open(scenery *s, uint64_t seed, const char *pack, int width, int height, stn_err *err);
/* On another surface: of the null driver there is no picture, but everything else. */
stn_status scenery_open_on(scenery *s, stn_surface_kind kind, uint64_t seed, const char *pack, int width,
                           int height, stn_err *err);
void scenery_close(scenery *s);
/* Ground, growth and things within so many cuts of the place, in map units. */
stn_status scenery_land(scenery *s, double x, double y, int cuts, stn_err *err);
/* A thing of its own. */
stn_status scenery_thing(scenery *s, const stn_land_object *o, stn_err *err);
/* A person in the pose of a resource ("homestead/people/run"); `dye` of the shirt likewise. */
stn_status scenery_person(scenery *s, int64_t id, double x, double y, double angle, const char *pose,
                          const char *dye, stn_err *err);
/* Its name, a published attribute in component `slot`, counted from 0; NULL: the component is removed. */
stn_status scenery_name(scenery *s, int64_t id, unsigned slot, const char *name, uint8_t group, stn_err *err);
/* What is being placed; NULL: nothing. */
void scenery_ghost(scenery *s, const char *resource);
/* Day light as the server sends it: where from in radians. */
void scenery_light(scenery *s, stn_colour ambient, stn_colour diffuse, double angle, double elevation);
/* Time passes, in steps of a 20th of a second: animations run, everything that waits is made. */
void scenery_run(scenery *s, double seconds);
/* Eyes: at (x, y), `up` above the ground, from so far, turned and raised in radians; field: half the height
 * of a parallel view in map units, 0 = perspective. */
void scenery_eye(scenery *s, double x, double y, double up, double distance, double elevation, double angle,
                 double field);
/* Into rgba, width * height * 4 bytes. */
void scenery_draw(scenery *s, uint8_t *rgba);
double scenery_ground_z(const scenery *s, double x, double y);

#endif
