/* model.h - one thing of the pack before it becomes a .res file: textures, materials, meshes, bones, poses.
 *
 * Builders (trees.c, things.c …) fill a model; emit.c writes it. All is plain data, owned by the model;
 * stn_model_free() ends it. Adding fails quietly when memory runs out: `failed` is tested once at the end.
 */
#ifndef STN_HOMESTEAD_PACK_MODEL_H
#define STN_HOMESTEAD_PACK_MODEL_H

#include "homestead/pack/paint.h"
#include "homestead/pack/shape.h"

typedef enum stn_texture_kind {
    STN_TEXTURE_COLOUR, /* opaque: stored as JPEG */
    STN_TEXTURE_CUTOUT, /* with alpha: stored as PNG */
    STN_TEXTURE_BUMP, /* normals, made from the canvas's heights: PNG */
} stn_texture_kind;

typedef struct stn_texture {
    int16_t id;
    stn_texture_kind kind;
    float steep; /* BUMP */
    stn_canvas *canvas; /* owned; sides are powers of two */
} stn_texture;

typedef struct stn_material {
    uint16_t id;
    const char *link; /* another resource's material of id link_id, or NULL; then the rest is not used */
    int16_t link_id;
    const char *tex_res; /* texture of another resource, NULL = own */
    int16_t tex; /* -1 = none */
    int16_t bump; /* -1 = none */
    bool cutout; /* alpha test; else none */
    bool two_sided;
    bool no_shadow;
    bool glow; /* drawn at full brightness: embers */
    bool unlined; /* drawn behind the pass that draws outlines, and gets none: fine growth */
    stn_rgb tint; /* diffuse and ambient */
    float shine, gloss; /* specular power and strength; 0 = none */
} stn_material;

typedef struct stn_part {
    stn_shape shape;
    int16_t id; /* of the mesh: -1 always shown */
    int mat; /* material id; -1 = none (composite models take theirs from elsewhere) */
    int vm; /* variable material slot, -1 = none */
    int cz; /* composite layer order; 0 */
    bool boned;
} stn_part;

typedef struct stn_joint {
    const char *name, *parent; /* parent "" = root */
    stn_v3 head; /* in the model's space; bind rotations are identity */
} stn_joint;

#define STN_MODEL_JOINTS 24
#define STN_MODEL_KEYS 17

typedef struct stn_key {
    float time;
    stn_v3 move; /* added to the bone's place */
    stn_v3 axis; /* turn about this axis … */
    float angle; /* … by this, radians */
} stn_key;

typedef struct stn_track {
    const char *bone;
    size_t n;
    stn_key keys[STN_MODEL_KEYS];
} stn_track;

typedef struct stn_cycle {
    int16_t id;
    float length; /* seconds */
    float speed; /* map units a second that the feet are made for; 0 = does not walk */
    size_t n;
    stn_track tracks[STN_MODEL_JOINTS];
} stn_cycle;

typedef struct stn_equip_point {
    const char *name, *bone; /* bone NULL = none */
    stn_v3 offset;
} stn_equip_point;

typedef struct stn_model {
    stn_texture textures[12];
    size_t n_textures;
    stn_material materials[12];
    size_t n_materials;
    stn_part parts[20];
    size_t n_parts;
    stn_joint joints[STN_MODEL_JOINTS];
    size_t n_joints;
    stn_cycle cycles[4];
    size_t n_cycles;
    stn_equip_point points[8];
    size_t n_points;
    float obst[4]; /* half sides of the collision box, tiles x and y … */
    bool has_obst;
    /* How it is set on the ground (docs/spec/sprites.md 19.2): "surface", "incline" …, and the surface "trn"
     * or "map"; NULL = the default. */
    const char *place, *surface;
    /* The class that draws it (docs/spec/sprites.md 21) and the library that carries it; NULL = plain. */
    const char *spr_class, *spr_lib;
    uint16_t spr_version;
    bool fire; /* flames and a flicker light */
    bool lamp; /* a light that hardly flickers … */
    stn_v3 lamp_at; /* … there */
    /* Where a vertex of part 0 is moved to in each of `flutter_frames` frames that follow each other at
     * random, over `flutter_len` seconds in all; NULL = it stands still. */
    stn_v3 (*flutter)(unsigned frame, stn_v3 at);
    unsigned flutter_frames;
    float flutter_len;
    bool failed;
} stn_model;

stn_model *stn_model_new(void);
void stn_model_free(stn_model *m);
/* Takes the canvas (NULL marks the model as failed). */
void stn_model_texture(stn_model *m, int16_t id, stn_texture_kind kind, float steep, stn_canvas *canvas);
/* A plain lit material of one texture; change it through the result. Never NULL. */
stn_material *stn_model_material(stn_model *m, uint16_t id, int16_t tex);
stn_material *stn_model_link(stn_model *m, uint16_t id, const char *res, int16_t link_id);
/* An empty part to fill. Never NULL. */
stn_part *stn_model_part(stn_model *m, int mat);

#endif
