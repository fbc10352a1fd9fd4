/* layers.h - what each known layer holds once decoded: plain read-only data.
 *
 * Everything a layer points to lives with its resource (stn_res_free() ends it): arrays in the resource's
 * arena, text, pictures and sound inside the kept input bytes. Text is raw bytes, NUL-terminated, perhaps not
 * UTF-8 (stn_res_text() makes it so). Floats are the reference's bits. A pointer to a stn_res_layer is a link
 * inside the same resource, set after all layers were decoded.
 * Source: docs/spec/resource-format.md 8 to 25.
 */
#ifndef STN_RES_LAYERS_H
#define STN_RES_LAYERS_H

#include "res/picture.h"
#include "res/values.h"

typedef struct stn_res_layer stn_res_layer;

typedef enum stn_layer_kind {
    STN_LAYER_UNKNOWN = 0, /* kept raw */
    STN_LAYER_VBUF,
    STN_LAYER_MESH,
    STN_LAYER_MANIM,
    STN_LAYER_SKEL,
    STN_LAYER_SKAN,
    STN_LAYER_BONEOFF,
    STN_LAYER_MAT,
    STN_LAYER_TEX,
    STN_LAYER_LIGHT,
    STN_LAYER_RLINK,
    STN_LAYER_SLINK,
    STN_LAYER_TILE,
    STN_LAYER_TILESET,
    STN_LAYER_FLAVOBJ,
    STN_LAYER_OVERLAY,
    STN_LAYER_OBST,
    STN_LAYER_NEG,
    STN_LAYER_PROPS,
    STN_LAYER_IMAGE,
    STN_LAYER_ANIM,
    STN_LAYER_AUDIO,
    STN_LAYER_CLAMB,
    STN_LAYER_MIDI,
    STN_LAYER_CODE,
    STN_LAYER_CODEENTRY,
    STN_LAYER_TOOLTIP,
    STN_LAYER_PAGINA,
    STN_LAYER_ACTION,
    STN_LAYER_FONT,
    STN_LAYER_FOODEV,
    STN_LAYER_KINDS
} stn_layer_kind;

/* ---- vbuf2 (section 8) ---- */

typedef enum stn_attr {
    STN_ATTR_POS,
    STN_ATTR_NRM,
    STN_ATTR_COL,
    STN_ATTR_TEX,
    STN_ATTR_OTEX,
    STN_ATTR_TAN,
    STN_ATTR_BIT,
    STN_ATTR_BONEIDX, /* 4 int32 a vertex, -1 = none, index into the buffer's bone names */
    STN_ATTR_BONEWGT, /* 4 floats a vertex */
    STN_ATTR_COUNT
} stn_attr;

typedef struct stn_attrib {
    stn_attr attr;
    uint8_t components; /* per vertex */
    const char *source; /* name in the file: "pos", "pos2", "bones2" … */
    const char *format; /* packed format ("sn2" …), "" for plain floats */
    const float *f; /* num * components; NULL for BONEIDX */
    const int32_t *i; /* BONEIDX only */
} stn_attrib;

typedef struct stn_res_vbuf {
    int32_t id;
    uint32_t num; /* vertices, 0..65535 */
    uint32_t count; /* attributes, in file order; of equal kinds the first counts */
    const stn_attrib *attribs;
    uint32_t bone_count;
    const char *const
        *bones; /* names that BONEIDX points to; by name to a skeleton when a pose is attached */
} stn_res_vbuf;

/* The first attribute of that kind, or NULL. */
const stn_attrib *stn_res_vbuf_attr(const stn_res_vbuf *vbuf, stn_attr attr);
const char *stn_attr_name(stn_attr attr); /* "pos", "boneidx" … */

/* ---- mesh (12) ---- */

typedef struct stn_res_mesh {
    int32_t id; /* -1 = always shown */
    int32_t vbuf_id;
    int32_t ref; /* -1 = none */
    stn_entries info; /* form 0: mat, ref, then the tags as integers or text */
    stn_entries rdat; /* the same as text values (kind TEXT) */
    bool strips; /* stored as strips */
    uint8_t form; /* 0 or 1 */
    int16_t head_mat; /* form 0: the header's material, < 0 = none */
    uint32_t tris;
    const uint16_t *indices; /* 3 * tris, each below vbuf->num */
    /* linked */
    const stn_res_layer *vbuf; /* never NULL after linking */
    const stn_res_layer *mat; /* NULL = no material: seen only through a link */
    bool has_bounds; /* false without triangles or positions */
    float bounds[2][3]; /* min, max over the indexed positions */
} stn_res_mesh;

/* ---- manim (13) ---- */

typedef struct stn_manim_frame {
    float time;
    uint8_t type; /* 1..4, as stored */
    uint32_t count;
    const int32_t *idx; /* vertex numbers, perhaps beyond the buffer */
    const float *pos; /* 3 * count offsets */
    const float *nrm; /* 3 * count, or NULL when all are zero */
    float scale[6]; /* type 4: xm xk ym yk zm zk */
} stn_manim_frame;

typedef struct stn_res_manim {
    int32_t id;
    bool random;
    float len; /* seconds */
    int32_t min_vertex, max_vertex;
    bool has_normals; /* the first frame has */
    uint32_t count;
    const stn_manim_frame *frames;
} stn_res_manim;

/* ---- skel (14), skan (15), boneoff (16) ---- */

typedef struct stn_bone {
    const char *name;
    const char *parent_name; /* "" = root */
    int32_t parent; /* index of an earlier bone, -1 = root */
    float pos[3]; /* initial, relative to the parent */
    float axis[3];
    float angle; /* radians */
    /* bind pose; quaternions are w, x, y, z */
    float local_rot[4];
    float global_pos[3];
    float global_rot[4];
} stn_bone;

typedef struct stn_res_skel { /* parents stand before their children */
    uint32_t count;
    const stn_bone *bones;
} stn_res_skel;

/* Index of the bone of that name, -1 when absent. */
int32_t stn_res_skel_find(const stn_res_skel *skel, const char *name);

typedef enum stn_skan_mode { STN_SKAN_ONCE, STN_SKAN_LOOP, STN_SKAN_PONG, STN_SKAN_PONGLOOP } stn_skan_mode;

typedef struct stn_skan_track {
    const char *bone;
    uint32_t count;
    const float *time; /* count */
    const float *trans; /* 3 * count */
    const float *rot; /* 4 * count, w x y z */
    const float *angle_axis; /* 4 * count: the angle and axis that rot was made from, for writers */
} stn_skan_track;

typedef enum stn_skan_event_kind {
    STN_SKAN_HOLE, /* unknown, does nothing */
    STN_SKAN_SPAWN,
    STN_SKAN_TRIGGER,
    STN_SKAN_MAKE_OVERLAY,
    STN_SKAN_REMOVE_OVERLAY
} stn_skan_event_kind;

typedef struct stn_skan_event {
    stn_skan_event_kind kind;
    float time;
    const char *id; /* trigger, overlays; "" else */
    stn_resref res; /* spawn, make overlay */
    const uint8_t *state; /* sprite state */
    uint8_t state_len;
    bool placed; /* spawn: has an attach point */
    bool place_in_spawned; /* looked up in the spawned resource's boneoff first */
    const char *place; /* attach point name; "" else */
} stn_skan_event;

typedef struct stn_skan_effects {
    uint32_t count;
    const stn_skan_event *events;
} stn_skan_effects;

typedef struct stn_res_skan {
    int32_t id;
    float len;
    double speed; /* -1 = none */
    stn_skan_mode mode;
    uint32_t track_count;
    const stn_skan_track *tracks; /* file order; of one bone the last wins */
    uint32_t effects_count;
    const stn_skan_effects *effects; /* one per event track */
    /* linked */
    const stn_res_layer *skel; /* reference skeleton; NULL without one or when a track's bone is not in it */
    const char *missing_bone; /* the first bone that was not, or NULL */
} stn_res_skan;

typedef enum stn_boneoff_op {
    STN_BONEOFF_MOVE = 0, /* and 16: translation */
    STN_BONEOFF_TURN = 1, /* and 17 */
    STN_BONEOFF_BONE = 2,
    STN_BONEOFF_ALIGN = 3, /* and 19: at bone `origin`, origin to target along ref */
    STN_BONEOFF_NO_TURN = 4, /* keep the position, drop the rotation */
    STN_BONEOFF_SCALE = 5
} stn_boneoff_op;

typedef struct stn_boneoff_step {
    stn_boneoff_op op;
    uint8_t code; /* as stored */
    float matrix[16]; /* MOVE, TURN, SCALE: column-major */
    float args[4]; /* as stored: position; angle and axis; scale */
    const char *bone; /* BONE; ALIGN: origin */
    const char *target; /* ALIGN */
    float ref[3]; /* ALIGN */
} stn_boneoff_step;

typedef struct stn_res_boneoff {
    const char *name;
    uint32_t count; /* 0 = identity */
    const stn_boneoff_step *steps; /* the first outermost */
} stn_res_boneoff;

/* ---- mat2 (17), tex (11), light (18) ---- */

typedef struct stn_mat_spec {
    const char *name;
    stn_values args;
} stn_mat_spec;

typedef struct stn_res_mat { /* applied in order, when first used */
    int32_t id; /* uint16 */
    uint32_t count;
    const stn_mat_spec *specs;
} stn_res_mat;

typedef struct stn_res_tex {
    int32_t id;
    uint16_t off[2]; /* unused by all */
    uint16_t w, h; /* powers of two, or 0 */
    stn_mipmapper mipmap;
    bool has_filter; /* part 3 present */
    bool mag_linear, min_linear;
    int8_t mip_filter; /* -1 none, 0 nearest, 1 linear */
    bool linear_marker; /* part 5, ignored */
    const uint8_t *picture; /* NULL = none */
    uint32_t picture_len;
    const uint8_t *mask;
    uint32_t mask_len;
} stn_res_tex;

typedef struct stn_res_light {
    int32_t id;
    uint8_t ambient[4], diffuse[4], specular[4]; /* r g b a */
    float fambient[4], fdiffuse[4], fspecular[4]; /* as stored, rounded to float */
    bool has_att, has_dir, has_exp;
    float att[3]; /* constant, linear, quadratic; the light has a position */
    float dir[3];
    float exp; /* spot exponent */
} stn_res_light;

/* ---- rlink, slink (19) ---- */

typedef enum stn_rlink_type {
    STN_RLINK_MESHMAT = 0,
    STN_RLINK_AMBIENT = 1,
    STN_RLINK_COLLECT = 2,
    STN_RLINK_PARAMS = 3,
    STN_RLINK_SPRITE = 4
} stn_rlink_type;

typedef struct stn_res_rlink {
    int32_t id;
    stn_rlink_type type;
    stn_entries info;
    stn_resref res; /* MESHMAT: the mesh's; name "" = this resource (MESHMAT only) */
    int32_t mesh_id; /* MESHMAT, COLLECT */
    int32_t mesh_mask; /* COLLECT */
    stn_resref mat; /* MESHMAT */
    int32_t mat_id; /* MESHMAT */
    stn_values args; /* PARAMS */
} stn_res_rlink;

typedef struct stn_slink_branch {
    const char *tag; /* of the tile under the object */
    int32_t id; /* as stored */
    int32_t entry; /* index into entries, -1 = absent */
} stn_slink_branch;

typedef struct stn_slink_entry {
    int32_t id;
    bool is_switch; /* false: the sprite of `res` */
    stn_resref res;
    uint32_t count;
    const stn_slink_branch *branches; /* first match counts */
    int32_t fallback_id;
    int32_t fallback; /* index, -1 = absent */
} stn_slink_entry;

typedef struct stn_res_slink { /* entries point at earlier ones only: no cycles */
    uint32_t count;
    const stn_slink_entry *entries;
    int32_t root_id;
    int32_t root; /* index, -1 = absent */
} stn_res_slink;

/* ---- tile, tileset2, flavobj (20), overlay (21) ---- */

typedef struct stn_res_tile {
    uint8_t kind; /* 'g' ground, 'b' border, 'c' cross; others are packed but unused */
    uint8_t id;
    uint16_t weight;
    const uint8_t *picture;
    uint32_t picture_len;
    uint32_t w, h;
    const uint8_t *rgba; /* w*h*4, when the resource was decoded with pixels; else NULL */
} stn_res_tile;

typedef struct stn_tile_choice {
    const stn_res_layer *tile;
    uint16_t weight;
} stn_tile_choice;

typedef struct stn_tile_list {
    uint32_t count;
    const stn_tile_choice *items;
} stn_tile_list;

typedef struct stn_flavor {
    stn_resref res;
    uint8_t weight; /* as stored */
    double p; /* density */
    const stn_res_layer *flavobj; /* NULL: a part 1 flavor */
} stn_flavor;

typedef struct stn_tile_place {
    const stn_res_layer *tile;
    uint32_t x, y;
} stn_tile_place;

typedef struct stn_res_tileset {
    const char *tiler; /* default "gnd" */
    stn_values tiler_args;
    uint32_t tag_count;
    const char *const *tags; /* sorted */
    int32_t flavprob; /* of the last part 1; 0 without one */
    uint32_t stored_flavor_count;
    const stn_flavor *stored_flavors; /* of part 1, whatever the linked list below says */
    /* linked */
    uint32_t flavor_count;
    const stn_flavor *flavors; /* of part 1, or all flavobj layers when there are any */
    bool has_ground, has_ctrans, has_btrans;
    stn_tile_list ground;
    stn_tile_list ctrans[15], btrans[15]; /* by id - 1 */
    uint32_t pack_w, pack_h; /* 0 without tiles */
    uint32_t place_count;
    const stn_tile_place *places; /* every tile layer, in file order */
} stn_res_tileset;

typedef struct stn_res_flavobj {
    stn_resref res;
    stn_values args;
} stn_res_flavobj;

typedef struct stn_res_overlay {
    uint32_t tag_count;
    const char *const *tags;
    int32_t mat_id; /* default 0 */
    int32_t omat_id; /* outline; -1 = none */
} stn_res_overlay;

/* ---- obst, neg, props, anim (22), image (10) ---- */

typedef struct stn_obst_ring {
    uint32_t count;
    const double (*points)[2]; /* world units */
} stn_obst_ring;

typedef struct stn_res_obst {
    const char *id; /* "" collision, "build" placement; "#" when the version was unknown */
    uint8_t version; /* as stored */
    uint32_t count;
    const stn_obst_ring *rings;
} stn_res_obst;

typedef struct stn_res_neg {
    int32_t cc[2]; /* hot spot */
    int32_t ac[2], bc[2]; /* click box, world units */
    uint8_t unread[4];
    struct {
        uint32_t count;
        const int16_t (*points)[2];
    } ep[8];
} stn_res_neg;

typedef struct stn_res_props {
    stn_entries props;
} stn_res_props;

typedef struct stn_res_image {
    int32_t id, z, subz;
    bool nooff;
    int32_t off[2];
    bool has_tsz; /* tsz was stored; else it is size + off */
    int32_t tsz[2];
    float scale;
    bool keyed; /* stored in the keyed form */
    stn_entries info; /* without the keys above */
    const uint8_t *picture;
    uint32_t picture_len;
    uint32_t w, h;
    const uint8_t *rgba; /* w*h*4, when the resource was decoded with pixels; else NULL */
} stn_res_image;

typedef struct stn_image_geometry {
    int32_t ssz[2]; /* scaled picture */
    int32_t stsz[2]; /* scaled total */
    int32_t so[2]; /* scaled offset */
} stn_image_geometry;

/* Sizes at a UI scale (1.0 for the world; must be > 0). */
stn_image_geometry stn_res_image_geometry(const stn_res_image *image, double ui_scale);

typedef struct stn_anim_frame {
    int32_t id; /* of the image layers */
    uint32_t count; /* perhaps 0 */
    const stn_res_layer *const *images; /* linked, in file order */
} stn_anim_frame;

typedef struct stn_res_anim {
    int32_t id;
    uint32_t frame_ms;
    uint32_t count;
    const stn_anim_frame *frames;
} stn_res_anim;

/* ---- sound (23) ---- */

typedef struct stn_res_audio {
    const char *id; /* "cl", "rep", "beg", "end", "amb" … */
    uint8_t version;
    double volume;
    stn_entries info;
    const uint8_t *ogg; /* one Ogg Vorbis stream */
    uint32_t ogg_len;
} stn_res_audio;

typedef struct stn_clamb_clip {
    const char *id;
    float mean; /* seconds */
    double rate; /* 1 / mean */
} stn_clamb_clip;

typedef struct stn_res_clamb {
    bool has_parent; /* false: this resource */
    stn_resref parent;
    uint8_t min_clips, max_clips;
    uint16_t max_instances;
    float volume;
    uint32_t count;
    const stn_clamb_clip *clips;
} stn_res_clamb;

typedef struct stn_res_blob { /* midi, font: uninterpreted; tooltip, pagina: UTF-8 text without NUL */
    const uint8_t *data;
    uint32_t len;
} stn_res_blob;

/* ---- code (24), UI (25) ---- */

typedef struct stn_res_code {
    const char *name; /* class */
    const uint8_t *data; /* class file; never run */
    uint32_t len;
} stn_res_code;

typedef struct stn_code_entry {
    const char *entry; /* "spr", "rlink" … */
    const char *cls;
    bool has_args;
    stn_values args;
} stn_code_entry;

typedef struct stn_code_use {
    bool indirect; /* named by a block 4 `use` */
    stn_resref res; /* "" when a use named a resource number */
} stn_code_use;

typedef struct stn_res_codeentry {
    uint32_t count;
    const stn_code_entry
        *entries; /* file order; of equal names the last wins, for class and arguments apart */
    uint32_t use_count;
    const stn_code_use *uses;
} stn_res_codeentry;

/* The class under an entry name, or NULL; its arguments in *args when it has some (else count 0). */
const char *stn_res_codeentry_get(const stn_res_codeentry *code, const char *entry, stn_values *args);

typedef struct stn_res_action {
    bool has_parent;
    stn_resref parent;
    const char *name;
    const char *unused; /* a string nothing reads */
    uint16_t hotkey; /* UTF-16 code unit, 0 = none */
    uint32_t count;
    const char *const *ad;
} stn_res_action;

typedef struct stn_res_foodev {
    uint8_t color[4];
    const char *name;
    int16_t sort;
} stn_res_foodev;

/* ---- a layer ---- */

struct stn_res_layer {
    stn_layer_kind kind;
    uint32_t index; /* record number in the file */
    const char *type; /* raw type name */
    size_t offset; /* of the type name in the file; 0 for a layer not read from a file */
    const uint8_t *raw; /* payload as read */
    uint32_t raw_len;
    union {
        const void *any; /* NULL for STN_LAYER_UNKNOWN */
        const stn_res_vbuf *vbuf;
        const stn_res_mesh *mesh;
        const stn_res_manim *manim;
        const stn_res_skel *skel;
        const stn_res_skan *skan;
        const stn_res_boneoff *boneoff;
        const stn_res_mat *mat;
        const stn_res_tex *tex;
        const stn_res_light *light;
        const stn_res_rlink *rlink;
        const stn_res_slink *slink;
        const stn_res_tile *tile;
        const stn_res_tileset *tileset;
        const stn_res_flavobj *flavobj;
        const stn_res_overlay *overlay;
        const stn_res_obst *obst;
        const stn_res_neg *neg;
        const stn_res_props *props;
        const stn_res_image *image;
        const stn_res_anim *anim;
        const stn_res_audio *audio;
        const stn_res_clamb *clamb;
        const stn_res_blob *blob; /* MIDI, FONT, TOOLTIP, PAGINA */
        const stn_res_code *code;
        const stn_res_codeentry *codeentry;
        const stn_res_action *action;
        const stn_res_foodev *foodev;
    } as;
};

#endif
