/* poses.h - cycles of movement by code: a pose for each phase, sampled into key frames.
 *
 * Bind rotations are identity, so a turn is in the model's own axes: x forward, y left, z up; about +y what
 * points down swings backward. Feet are placed by two-bone reach, so that a foot on the ground moves back
 * exactly as fast as the body goes forward: no sliding.
 */
#ifndef STN_HOMESTEAD_PACK_POSES_H
#define STN_HOMESTEAD_PACK_POSES_H

#include "homestead/pack/model.h"

typedef struct stn_quat {
    float w, x, y, z;
} stn_quat;

stn_quat stn_quat_id(void);
stn_quat stn_quat_turn(float rx, float ry, float rz); /* about x, then the turned y, then the turned z */
stn_quat stn_quat_mul(stn_quat a, stn_quat b); /* b first */
stn_v3 stn_quat_rotate(stn_quat q, stn_v3 v);

typedef struct stn_pose {
    stn_quat turn[STN_MODEL_JOINTS];
    stn_v3 move[STN_MODEL_JOINTS];
} stn_pose;

/* Adds a joint; the parent must be there already ("" = root). */
void stn_model_joint(stn_model *m, const char *name, const char *parent, float x, float y, float z);
/* Index of a joint; the names are the builder's own, so an unknown one is a programming error. */
int stn_model_bone(const stn_model *m, const char *name);
void stn_pose_turn(const stn_model *m, stn_pose *p, const char *bone, float rx, float ry, float rz);

typedef void stn_pose_fn(const stn_model *m, float phase, stn_pose *out);
/* Samples fn at 16 phases of one cycle. Only bones that move get a track. */
void stn_model_cycle(stn_model *m, int16_t id, float seconds, float speed, stn_pose_fn *fn);

/* Where a foot is at a phase: on the ground for `stance` of the cycle, moving back over 2 * reach; then swung
 * forward with the lift. x from its middle, z over its rest, pitch of the sole (heel up positive). */
typedef struct stn_step {
    float x, z, pitch;
    bool down;
} stn_step;
stn_step stn_step_at(float phase, float stance, float reach, float lift);

/* Turns about +y of an upper and a lower bone, and of the foot, so that the ankle comes to (dx, dz) from the
 * joint's rest ankle. `upper`, `lower`, `foot`: names; hip_turn is the pitch that the parents add already;
 * knee +1 bends the lower bone backward (knee), -1 forward (a hind leg's hock or an elbow). */
void stn_pose_leg(const stn_model *m, stn_pose *p, const char *upper, const char *lower, const char *foot,
                  float dx, float dz, float pitch, float hip_turn, float knee);

#endif
