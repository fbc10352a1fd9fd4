/* stage.h - the scene as the GL thread has it: what the build thread finished, placed, moved and drawn at
 * frame rate.
 *
 * Two scenes, one shown and one being filled: when world starts a new frame of reference the old scene stays,
 * frozen, until the new one is complete or STN_STAGE_SWAP_SECONDS have passed; then they are swapped once.
 * Jobs that hold data (cuts, grids, looks) are kept as long as they are shown and then given back; nothing is
 * copied. Everything here belongs to the GL thread and never waits. Source: docs/design.md 5.2, 6;
 * docs/spec/rendering.md 6, 14.1, 23.
 */
#ifndef STN_RENDERER_GL_STAGE_H
#define STN_RENDERER_GL_STAGE_H

#include "renderer/build/job.h"
#include "renderer/gl/view.h"
#include "renderer/scene/spatial.h"

#define STN_STAGE_SWAP_SECONDS 5.0
#define STN_STAGE_HOLD_SECONDS 1.0 /* cuts of one change wait no longer for each other */

typedef struct stn_stage stn_stage;

typedef struct stn_stage_parts {
    stn_view *view;
    stn_meshes *meshes;
    stn_textures *textures;
    stn_surroundings *around; /* what comes for it is given to it; NULL: dropped */
    /* Takes back a job that is no longer needed. */
    void (*spent)(void *arg, stn_job *job);
    /* Asks for the levels of detail of a mesh, which come as a job. False: later. NULL: there are none. */
    bool (*levels)(void *arg, uint32_t asset);
    void *arg;
    bool defer; /* what goes to the driver waits for stn_stage_upload(); else it goes when it is taken */
} stn_stage_parts;

stn_stage *stn_stage_new(const stn_stage_parts *parts); /* NULL: out of memory */
void stn_stage_free(stn_stage *s);

/* Applies; takes the job. What goes to the driver is put aside when the parts say so. */
void stn_stage_take(stn_stage *s, stn_job *job);
/* Whether there is room for more to be put aside: without, jobs stay where they are. */
bool stn_stage_room(const stn_stage *s);
bool stn_stage_waits(const stn_stage *s); /* whether anything is put aside */
/* Uploads of what was put aside, what is in the picture and near first (uploads.h): one piece at least, then
 * more while neither the time nor the bytes are used up. What has waited for STN_UPLOAD_PATIENCE_NS goes
 * beyond both, for at most STN_STAGE_OVERDUE_NS. Returns the bytes. */
#define STN_STAGE_OVERDUE_NS (4 * STN_MS)
size_t stn_stage_upload(stn_stage *s, int64_t until_ns, size_t bytes);
/* Clocks: motion, light. Also decides about the swap of scenes. */
void stn_stage_tick(stn_stage *s, double dt);

typedef struct stn_stage_look {
    bool shadows, outlines, fog, sway, grid, overlays, clouds; /* clouds: when the server has them */
    float fog_distance; /* map units from the focus to full fog */
    /* By which sizes in the picture count: 1 = as the reference; less: what is small gets coarser, and is
     * left out, sooner. 0: nothing gets coarser. */
    float detail;
    bool keep_shadows; /* the shadow map of the last picture will do, if there is one */
    double time;
} stn_stage_look;

/* Adds everything visible to the view and fills light, sky and shadow of the frame; view and proj are set. */
void stn_stage_fill(stn_stage *s, const stn_stage_look *look, stn_v3 focus, stn_frame *frame);

/* The followed object's place in render space; false when it is not known (the last good one is then given).
 */
bool stn_stage_focus(const stn_stage *s, stn_v3 *out);
bool stn_stage_height(const stn_stage *s, double x, double y, float *z);
/* Where an object stands, map space; false: it is not there. */
bool stn_stage_place(const stn_stage *s, int64_t object, double *x, double *y);
/* Puts what is being placed (STN_GHOST_ID) there, in the scene that is shown. */
void stn_stage_put_ghost(stn_stage *s, double x, double y, double angle);
/* What a hand can point at: the ground of a cut, or an object. */
typedef struct stn_stage_target {
    bool land;
    int32_t cut_x, cut_y;
    int64_t object;
    int32_t overlay, part; /* of the object: its overlay or 0, its mesh or -1 */
} stn_stage_target;

/* A part of the picture, pixels from its upper left corner. */
typedef struct stn_stage_window {
    double x, y, width, height; /* the part */
    double picture_width, picture_height;
} stn_stage_window;

/* Begins the view's draws anew and adds to them, as STN_DRAW_LAND and STN_DRAW_THING, all that can be pointed
 * at and may be seen in the window (NULL: in the whole picture) of the frame; their click ids are places in
 * `out`, counted from 1. What has no more room there is left out. Not among them: foam, what the ground
 * scatters, what is being placed, and the player's own body; things, unless asked for. */
size_t stn_stage_targets(stn_stage *s, const stn_frame *frame, const stn_stage_window *window, bool things,
                         stn_stage_target *out, size_t max);

typedef struct stn_stage_facts {
    stn_job_facts world;
    uint64_t frame; /* of reference shown, 0 = none yet */
    uint64_t session; /* its session number */
    bool frozen; /* another frame of reference is being filled */
    size_t cuts, gobs, gobs_seen, cuts_seen, grids;
    double day_progress;
    bool night;
    bool lit; /* the server has said what light there is */
    unsigned failed_uploads;
    size_t uploads; /* that wait */
    uint64_t frees; /* since the start: jobs given back, things of the scene and of the driver let go */
    uint64_t scenes; /* since the start: begun or swapped */
} stn_stage_facts;

void stn_stage_get(const stn_stage *s, stn_stage_facts *out);
/* What can be drawn of what is shown; that and what it hangs below. Looks at every cut. */
void stn_stage_tree(const stn_stage *s, size_t *leaves, size_t *slots);
/* Everything that is wanted is there. */
bool stn_stage_complete(const stn_stage *s);
/* Moves whenever a grid came or went: the minimap looks again then. */
uint64_t stn_stage_map_version(const stn_stage *s);
const stn_job_grid *stn_stage_grid(const stn_stage *s, int32_t gx, int32_t gy); /* NULL: not there */

/* What stands over a head. */
typedef struct stn_stage_words {
    stn_v3 at; /* above the head, render space */
    const char *speech; /* NULL: silent */
    const stn_job_name *name; /* NULL: none, or it is the player's own */
} stn_stage_words;

void stn_stage_each_words(const stn_stage *s, void (*fn)(void *arg, const stn_stage_words *w), void *arg);

/* For the minimap, map space. */
typedef struct stn_stage_mark {
    double x, y;
    int kind; /* 0 other, 1 person, 2 the player */
    const stn_job_name *name; /* NULL: none */
} stn_stage_mark;

void stn_stage_each_mark(const stn_stage *s, void (*fn)(void *arg, const stn_stage_mark *m), void *arg);

#endif
