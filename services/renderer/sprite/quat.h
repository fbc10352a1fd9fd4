/* quat.h - vectors, quaternions and matrices of skeletal animation, in the reference's exact order of
 * operations.
 *
 * Every formula is evaluated in float, in the order written in the spec, unless it says double; sin, cos,
 * acos and sqrt are the double functions. Quaternions are (w, x, y, z). Matrices are 16 floats, column-major:
 * m[row + 4 * column]. Outputs may alias inputs. Source: docs/spec/sprites.md 13.1, 13.5.
 */
#ifndef STN_SPRITE_QUAT_H
#define STN_SPRITE_QUAT_H

typedef struct stn_sprite_vec {
    float x, y, z;
} stn_sprite_vec;

typedef struct stn_quat {
    float w, x, y, z;
} stn_quat;

typedef struct stn_mat4 {
    float m[16];
} stn_mat4;

/* The float nearest to pi. */
#define STN_PI_F 3.14159274101257324f

extern const stn_mat4 stn_mat4_identity;
extern const stn_quat stn_quat_identity;

stn_sprite_vec stn_sprite_vec_norm(stn_sprite_vec v); /* (0,0,0) stays */
stn_sprite_vec stn_sprite_vec_cross(stn_sprite_vec a, stn_sprite_vec b);
float stn_sprite_vec_dot(stn_sprite_vec a, stn_sprite_vec b);
stn_sprite_vec stn_sprite_vec_add(stn_sprite_vec a, stn_sprite_vec b);

stn_quat stn_quat_of_axis(stn_sprite_vec axis, float angle);
stn_quat stn_quat_mul(stn_quat a, stn_quat b);
stn_quat stn_quat_inverse(stn_quat q); /* of a unit quaternion: the conjugate */
stn_sprite_vec stn_quat_rotate(stn_quat q, stn_sprite_vec v);
stn_quat stn_quat_slerp(stn_quat a, stn_quat b, float t); /* not renormalised */

stn_mat4 stn_mat4_mul(const stn_mat4 *a, const stn_mat4 *b);
stn_mat4 stn_mat4_translate(stn_sprite_vec t);
stn_mat4 stn_mat4_rotate(stn_sprite_vec axis, float angle); /* axis of length 1 */
/* The same from a sine and cosine that are already there. */
stn_mat4 stn_mat4_rotate_sc(stn_sprite_vec axis, float sin, float cos);
/* translate(x) * rotation of r, the rotation left out when r.w is 0.999999 or more. */
stn_mat4 stn_mat4_rigid(stn_sprite_vec x, stn_quat r);
/* The skinning form of the same placement: rotation straight from the quaternion. */
stn_mat4 stn_mat4_bone(stn_sprite_vec x, stn_quat r);

#endif
