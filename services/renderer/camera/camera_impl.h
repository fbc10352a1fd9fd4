/* camera_impl.h - what the kinds of camera share: for the files of camera/ alone. */
#ifndef STN_RENDERER_CAMERA_IMPL_H
#define STN_RENDERER_CAMERA_IMPL_H

#include "renderer/camera/camera.h"

struct camera_class {
    const char *name;
    void (*init)(stn_camera *c, const char *args);
    void (*resized)(stn_camera *c);
    void (*tick)(stn_camera *c, double dt, const stn_camera_world *w);
    void (*click)(stn_camera *c, bool ctrl);
    void (*drag)(stn_camera *c, int x, int y);
    void (*release)(stn_camera *c);
    void (*wheel)(stn_camera *c, double n);
    void (*press)(stn_camera *c, stn_camera_key key);
};

struct stn_camera {
    const struct camera_class *cls;
    int w, h, picture_w, picture_h;
    stn_m4 view, proj;
    float dist, tdist, elev, telev, angl, tangl;
    float elevorig, anglorig; /* at the press */
    int press_x, press_y;
    bool has_cc; /* the smoothed target (cur of the follow camera) */
    stn_v3 cc;
    /* ortho */
    float field, tfield, dfield;
    double tf;
    bool exact, isometric, has_jc;
    stn_v3 jc;
    /* follow */
    float cd;
    /* rts */
    bool has_centre, rotating, pressed;
    double centre_x, centre_y, press_cx, press_cy;
    float centre_z;
    stn_v3 target; /* of the last tick */
};

extern const struct camera_class camera_ortho, camera_orthobase, camera_bad, camera_worse, camera_rts,
    camera_follow;

static inline float camera_aspect(const stn_camera *c)
{
    return (float)c->h / (float)c->w;
}
/* How far a smoothed value goes in this tick; k in f64. */
float camera_step(double k);
/* Moves cc toward the target, jumping over 250 units. Returns true when it jumped. */
bool camera_near(stn_camera *c, stn_v3 target);
/* angl toward tangl, and both into a turn; true when it has arrived. */
bool camera_turn(stn_camera *c, float k, double threshold);
/* *v toward t; true when it has arrived. */
bool camera_approach(float *v, float t, float k, double threshold);
void camera_base_projection(stn_camera *c);
/* f64, by repeated turns, to [-pi, pi]. */
double camera_wrap(double a);

#endif
