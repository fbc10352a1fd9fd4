/* job.h - what the build thread hands to the GL thread: finished things, in the order in which they must be
 * taken.
 *
 * Textures and meshes get numbers ("assets") from the build thread; what uses them comes behind them in the
 * same queue. A job that was taken goes back through a second queue and is freed by the build thread: the GL
 * thread neither allocates nor frees. Frames of reference: everything that has a place carries the number of
 * its frame; a job of another frame than the one shown or the one being filled is ignored.
 */
#ifndef STN_RENDERER_BUILD_JOB_H
#define STN_RENDERER_BUILD_JOB_H

#include "renderer/gl/surroundings.h"
#include "renderer/gl/texture.h"
#include "renderer/scene/light.h"
#include "renderer/scene/m4.h"
#include "renderer/scene/material.h"
#include "renderer/scene/mesh.h"
#include "renderer/scene/motion.h"
#include "renderer/sprite/smoke.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_GHOST_ID INT64_MIN /* the object of the scene that is being placed */
#define STN_MAX_ASSETS 65536
#define STN_JOB_TEXT 256
#define STN_NAME_CHARACTERS 30
#define STN_NAME_BYTES (4 * STN_NAME_CHARACTERS + 4) /* with a mark where it was cut, and a NUL */
#define STN_NAME_GROUPS 8
#define STN_GOB_LEAVES 512
#define STN_GOB_LIGHTS 4

typedef enum stn_job_kind {
    STN_JOB_TEXTURE,
    STN_JOB_MESH,
    STN_JOB_LEVELS, /* coarser triangles of a mesh, when the stage asked for them */
    STN_JOB_ASSET_DROP,
    STN_JOB_FRAME, /* a new frame of reference begins: what follows fills it; u.id = its session number */
    STN_JOB_CUT,
    STN_JOB_CUT_DROP,
    STN_JOB_SHEETS, /* what is marked on the ground of u.cut's product, in place of what was; none = nothing
                     */
    STN_JOB_CUT_SWAP, /* all cuts up to u.cut.swap are here: they are shown at once */
    STN_JOB_GRID,
    STN_JOB_GRID_DROP,
    STN_JOB_GOB, /* looks: replaces those that are shown */
    STN_JOB_GOB_PLACE, /* place and motion */
    STN_JOB_GOB_TEXT, /* speech */
    STN_JOB_GOB_NAME, /* a person's; kept as long as it is shown */
    STN_JOB_GOB_DROP,
    STN_JOB_POSES, /* matrices of what moves, newest wins */
    STN_JOB_GLOBAL, /* light, time */
    STN_JOB_SURROUND, /* the server's own picture of the sky or of water */
    STN_JOB_FACTS, /* health and progress, for the HUD */
    STN_JOB_CHAT,
    STN_JOB_MENU,
    STN_JOB_GHOST /* something is to be placed: u.id = world's number of it, 0 = nothing is any more */
} stn_job_kind;

typedef struct stn_job_texture {
    uint32_t asset;
    stn_texture_level levels[16];
    uint32_t level_count;
    stn_sampling sampling;
    /* Where it is solid, for picking (scene/pick.h); NULL: everywhere. From malloc(), freed with the job
     * unless it was taken out. */
    uint8_t *solid;
} stn_job_texture;

typedef struct stn_job_mesh {
    uint32_t asset;
    stn_mesh_desc desc;
    stn_mesh_morph morph; /* texels NULL: it has no animation */
    float diameter; /* of its bounds, 0: it has no levels of detail */
} stn_job_mesh;

typedef struct stn_job_levels {
    uint32_t asset; /* of the mesh */
    stn_mesh_levels levels;
} stn_job_levels;

/* A part of a cut; material.texture holds assets. */
typedef struct stn_cut_part {
    stn_mesh_part mesh;
    stn_matstate material;
    bool casts;
    bool on_demand; /* of a sheet: drawn only when overlays are asked for */
    uint32_t mesh_id, material_id; /* the GL thread's own; 0 as built */
} stn_cut_part;

typedef struct stn_job_cut {
    int32_t x, y; /* cut coordinate: 4 * grid + place in the grid */
    uint64_t product;
    uint64_t swap; /* held until its STN_JOB_CUT_SWAP; 0 = shown at once */
    const void *vertices, *indices;
    size_t vertex_bytes, index_bytes;
    stn_cut_part *parts;
    uint32_t part_count;
    stn_v3 min, max; /* in the cut, render space */
} stn_job_cut;

typedef struct stn_job_grid {
    int64_t id;
    int32_t x, y;
    const float *heights; /* 100 x 100, index x + 100 y */
    const uint8_t *colours; /* 100 x 100 RGBA, for the minimap */
    const uint8_t *water; /* 100 x 100: 1 = the tile is under water */
    bool remembered; /* of the recorded map: nobody sees it now */
} stn_job_grid;

/* A drawn leaf of an object. */
typedef struct stn_leaf_look {
    uint32_t mesh; /* asset */
    stn_matstate material; /* textures are assets */
    stn_m4 local; /* in the object */
    uint32_t bones; /* matrices of it in a poses job, 0 = none */
    bool casts;
    bool unturned; /* `local` is from the object's place, without its turn */
    bool sways;
    bool moment; /* the poses have a stn_leaf_moment of it */
    bool points; /* no mesh, but the points of its moment: squares that face the eye */
    uint32_t morph[2]; /* first animated vertex (65536 more: it moves normals too) and how many; 0 = none */
    float sway_slow[4], sway_fast[4]; /* as of the instance: gl/view.h */
    float mix[4];
    int32_t overlay, part; /* what a click on it says: the overlay's id or 0, the mesh's or -1 */
    uint32_t material_id, wet_id; /* the GL thread's own, dry and in water; 0 as built */
    uint8_t level; /* likewise: of detail, in the last picture */
} stn_leaf_look;

typedef struct stn_gob_light {
    stn_v3 at; /* in the object */
    float amb[4], dif[4], spc[4], att[4];
    bool flickers;
} stn_gob_light;

typedef struct stn_gob_look {
    int64_t id;
    uint64_t version;
    stn_leaf_look *leaves;
    uint32_t leaf_count;
    stn_gob_light lights[STN_GOB_LIGHTS];
    uint32_t light_count;
    stn_v3 min, max; /* around all leaves, in the object */
    int placer; /* 0 upright on the ground, 1 inclined with it */
    bool animated;
    bool still; /* trees and the like: not worth a mark on the minimap */
    char resource[128];
} stn_gob_look;

typedef struct stn_gob_place {
    int64_t id;
    double x, y, angle; /* map space */
    float z; /* offset */
    stn_motion motion;
} stn_gob_place;

/* What moves in a leaf besides its place. */
typedef struct stn_leaf_moment {
    float from, to, a; /* mesh animation: between which two frames, and how far */
    uint32_t first_point, point_count;
} stn_leaf_moment;

/* One object's matrices: `locals` of its leaves, then the bones of the leaves that have some, in leaf order;
 * and the moments of the leaves that have one, in leaf order. */
typedef struct stn_gob_pose {
    int64_t id;
    uint64_t version; /* of the look it belongs to */
    uint32_t first, leaf_count, bone_count; /* in matrices */
    uint32_t first_moment, moment_count;
} stn_gob_pose;

/* What one poses job has room for. */
#define STN_POSE_GOBS 2048
#define STN_POSE_MATRICES 16384
#define STN_POSE_MOMENTS 4096
#define STN_POSE_POINTS 16384

typedef struct stn_job_poses {
    stn_gob_pose *gobs;
    stn_m4 *matrices;
    stn_leaf_moment *moments;
    stn_smoke_point *points;
    uint32_t gob_count, matrix_count, moment_count, point_count;
} stn_job_poses;

typedef struct stn_job_global {
    stn_daylight light;
    bool has_light, increment;
    double day_progress;
    bool night;
    bool clouds; /* their shadows are part of the weather */
} stn_job_global;

typedef struct stn_job_surround {
    stn_pattern pattern; /* given by `asset` … */
    uint32_t asset;
    const uint8_t *sky; /* … or, when this is not NULL, the sheet of the sky */
    uint32_t width, height;
} stn_job_surround;

/* Somebody of the party. */
#define STN_PARTY_MARKS 16
typedef struct stn_party_mark {
    double x, y; /* map space */
    uint32_t colour; /* 0xRRGGBBAA */
    bool leads;
} stn_party_mark;

/* What the HUD says. States: 0 not there, 1 waiting, 2 fine. */
typedef struct stn_job_facts {
    int world, loader, meshers, session;
    uint32_t cuts_wanted, cuts_ready, grids_wanted, grids_ready;
    uint32_t resources_waiting, resources_failed;
    bool driver, has_player;
    int64_t player;
    uint32_t entities;
    stn_party_mark party[STN_PARTY_MARKS];
    uint32_t party_count;
    char text[STN_JOB_TEXT]; /* what a person should know, "" = nothing */
} stn_job_facts;

typedef struct stn_job_text {
    int64_t id;
    char text[STN_JOB_TEXT];
    char from[64];
    float z;
    uint32_t options; /* menu: texts separated by '\n' */
    uint32_t menu; /* its number, 0 = closed */
} stn_job_text;

/* What stands over a person's head. */
typedef struct stn_job_name {
    int64_t id;
    char text[STN_NAME_BYTES]; /* UTF-8; "" = it has no name */
    uint8_t group; /* 0 .. STN_NAME_GROUPS - 1: its colour */
    uint8_t type;
} stn_job_name;

typedef struct stn_job {
    struct stn_job *next; /* the GL thread's own: of what it lets go bit by bit */
    stn_job_kind kind;
    uint64_t frame; /* 0 = holds in any */
    size_t bytes; /* that its upload moves */
    void *memory[6]; /* freed with the job */
    void (*release)(void *arg); /* called with `arg` when it is freed; may be NULL */
    void *arg;
    union {
        stn_job_texture texture;
        stn_job_mesh mesh;
        stn_job_levels levels;
        uint32_t asset;
        stn_job_cut cut;
        stn_job_grid grid;
        stn_gob_look look;
        stn_gob_place place;
        stn_job_poses poses;
        stn_job_global global;
        stn_job_surround surround;
        stn_job_facts facts;
        stn_job_text text;
        stn_job_name name;
        int64_t id;
    } u;
} stn_job;

stn_job *stn_job_new(stn_job_kind kind, uint64_t frame); /* zeroed; NULL: out of memory */
/* Memory that lives as long as the job. NULL: out of memory or more than six of them. */
void *stn_job_memory(stn_job *job, size_t bytes);
/* Takes over memory from malloc(). False: more than six. */
bool stn_job_adopt(stn_job *job, void *memory);
void stn_job_free(stn_job *job); /* NULL is fine */

#endif
