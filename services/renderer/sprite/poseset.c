#include "renderer/sprite/poseset.h"

#include "renderer/sprite/flags.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ENTRIES 64

typedef struct entry {
    uint32_t first, count; /* of the tracks; 0 = the null animation: static, never done */
} entry;

struct stn_poseset {
    const stn_res_skel *skel;
    stn_pose *old;
    stn_track **tracks;
    uint32_t n_tracks;
    entry entries[MAX_ENTRIES];
    uint32_t n_entries;
    stn_obj_random random;
    bool is_static, ended;
    float ip, seconds, limit, j;
};

stn_poseset *stn_poseset_new(const stn_res_skel *skel, int64_t seed)
{
    stn_poseset *set = calloc(1, sizeof *set);

    if (!set)
        return NULL;
    set->skel = skel;
    set->old = stn_pose_new(skel);
    if (!set->old) {
        free(set);
        return NULL;
    }
    set->random = stn_obj_random_seeded(seed);
    set->is_static = true;
    set->limit = -1;
    set->j = stn_j48_float(&set->random.j48) * 0.1f + 0.95f;
    return set;
}

void stn_poseset_free(stn_poseset *set)
{
    if (!set)
        return;
    for (uint32_t i = 0; i < set->n_tracks; i++)
        stn_track_free(set->tracks[i]);
    free(set->tracks);
    stn_pose_free(set->old);
    free(set);
}

static stn_sprite_fault add_track(stn_poseset *set, const stn_res_skan *skan, bool once, stn_err *err)
{
    stn_track **tracks = realloc(set->tracks, (set->n_tracks + 1) * sizeof(*tracks));
    stn_err inner = {0};

    if (!tracks)
        return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "poses");
    set->tracks = tracks;
    if (stn_track_new(skan, set->skel, &tracks[set->n_tracks], &inner) != STN_OK)
        return stn_sprite_fail(err, inner.code == STN_NO_MEMORY ? STN_SPRITE_NO_MEMORY : STN_SPRITE_MALFORMED,
                               "%s", inner.text);
    if (once)
        stn_track_set_mode(tracks[set->n_tracks], STN_SKAN_ONCE);
    set->n_tracks++;
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_poseset_add(stn_poseset *set, const stn_res *res, uint32_t mask, bool all, bool once,
                                 stn_err *err)
{
    entry *e = &set->entries[set->n_entries];

    if (set->n_entries == MAX_ENTRIES)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "more than %d poses at once", MAX_ENTRIES);
    e->first = set->n_tracks;
    for (const stn_res_layer *l = NULL; (l = stn_res_next(res, STN_LAYER_SKAN, l)) != NULL;) {
        stn_sprite_fault fault;
        if (!all && !stn_sprite_enabled(mask, l->as.skan->id))
            continue;
        if ((fault = add_track(set, l->as.skan, once, err)))
            return fault;
        set->is_static &= stn_track_static(set->tracks[set->n_tracks - 1]);
    }
    e->count = set->n_tracks - e->first;
    set->n_entries++;
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_poseset_age(stn_poseset *set, stn_rnd *rnd, stn_err *err)
{
    for (uint32_t i = 0; i < set->n_tracks; i++) {
        stn_err inner = {0};
        if (stn_track_age(set->tracks[i], rnd, &inner) != STN_OK)
            return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%s", inner.text);
    }
    return STN_SPRITE_OK;
}

void stn_poseset_limit(stn_poseset *set, float seconds)
{
    set->limit = seconds;
}

void stn_poseset_reseed(stn_poseset *set, int64_t seed, float j)
{
    set->random = stn_obj_random_seeded(seed);
    set->j = j;
}

static void recompute(const stn_poseset *set, stn_pose *pose)
{
    stn_pose_reset(pose);
    for (uint32_t i = 0; i < set->n_tracks; i++)
        stn_pose_apply(pose, stn_track_delta(set->tracks[i]));
    if (set->ip > 0)
        stn_pose_blend(pose, set->old, set->ip); /* linear, unlike a mod sprite's */
    stn_pose_globalise(pose);
}

void stn_poseset_install(stn_poseset *set, stn_pose *pose, float seconds)
{
    if (seconds > 0) {
        stn_pose_copy(set->old, pose);
        set->ip = 1;
        set->seconds = seconds;
    }
    recompute(set, pose);
}

static float clamp_rate(float j)
{
    return j < 0.90f ? 0.90f : j > 1.10f ? 1.10f : j;
}

stn_sprite_fault stn_poseset_tick(stn_poseset *set, stn_pose *pose, float dt, double speed, bool *done,
                                  stn_err *err)
{
    bool all_done = true, blending;

    *done = false;
    set->j = clamp_rate(set->j + stn_j48_float(&set->random.j48) * 0.005f - 0.0025f);
    dt *= set->j;
    if (set->limit >= 0) {
        set->limit -= dt;
        if (set->limit < 0)
            set->ended = true;
    }
    for (uint32_t i = 0; i < set->n_entries; i++) {
        bool any_done = false;
        for (uint32_t t = 0; t < set->entries[i].count; t++) {
            stn_track *track = set->tracks[set->entries[i].first + t];
            stn_err inner = {0};
            bool moved;
            if (stn_track_tick(track, dt, speed, NULL, NULL, &moved, &inner) != STN_OK)
                return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "%s", inner.text);
            any_done |= stn_track_done(track);
        }
        all_done &= any_done;
    }
    blending = set->ip > 0;
    if (blending) {
        set->ip -= dt / set->seconds;
        if (set->ip < 0)
            set->ip = 0;
    }
    if (!set->is_static || blending)
        recompute(set, pose);
    *done = set->ended && all_done;
    return STN_SPRITE_OK;
}

float stn_poseset_blend(const stn_poseset *set)
{
    return set->ip;
}

float stn_poseset_left(const stn_poseset *set)
{
    return set->limit;
}

float stn_poseset_rate(const stn_poseset *set)
{
    return set->j;
}

uint32_t stn_poseset_tracks(const stn_poseset *set)
{
    return set->n_tracks;
}

const stn_track *stn_poseset_track(const stn_poseset *set, uint32_t i)
{
    return i < set->n_tracks ? set->tracks[i] : NULL;
}
