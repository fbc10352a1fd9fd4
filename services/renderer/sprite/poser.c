#include "renderer/sprite/poser.h"

#include "renderer/sprite/flags.h"

#include <stdlib.h>

#define BLEND_SECONDS 0.3f

struct stn_poser {
    const stn_res *res;
    stn_pose *pose, *bind, *old;
    uint32_t count; /* skan layers */
    const stn_res_skan **layers;
    stn_track **tracks; /* per layer; NULL = not enabled */
    bool is_static, built;
    float ip;
};

static uint32_t count_layers(const stn_res *res)
{
    uint32_t n = 0;
    for (const stn_res_layer *l = NULL; (l = stn_res_next(res, STN_LAYER_SKAN, l)) != NULL;)
        n++;
    return n;
}

stn_sprite_fault stn_poser_new(const stn_res *res, stn_poser **out, stn_err *err)
{
    const stn_res_layer *skel = stn_res_first(res, STN_LAYER_SKEL);
    uint32_t n = count_layers(res), i = 0;
    stn_poser *p;

    *out = NULL;
    if (!skel || n == 0)
        return STN_SPRITE_OK;
    p = calloc(1, sizeof *p);
    if (p) {
        p->res = res;
        p->count = n;
        p->pose = stn_pose_new(skel->as.skel);
        p->bind = stn_pose_new(skel->as.skel);
        p->old = stn_pose_new(skel->as.skel);
        p->layers = calloc(n, sizeof *p->layers);
        p->tracks = calloc(n, sizeof *p->tracks);
    }
    if (!p || !p->pose || !p->bind || !p->old || !p->layers || !p->tracks) {
        stn_poser_free(p);
        return stn_sprite_fail(err, STN_SPRITE_NO_MEMORY, "pose of %u bones", skel->as.skel->count);
    }
    for (const stn_res_layer *l = NULL; (l = stn_res_next(res, STN_LAYER_SKAN, l)) != NULL;)
        p->layers[i++] = l->as.skan;
    *out = p;
    return STN_SPRITE_OK;
}

void stn_poser_free(stn_poser *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; p->tracks && i < p->count; i++)
        stn_track_free(p->tracks[i]);
    free(p->layers);
    free(p->tracks);
    stn_pose_free(p->pose);
    stn_pose_free(p->bind);
    stn_pose_free(p->old);
    free(p);
}

static void recompute(stn_poser *p)
{
    stn_pose_reset(p->pose);
    for (uint32_t i = 0; i < p->count; i++)
        if (p->tracks[i])
            stn_pose_apply(p->pose, stn_track_delta(p->tracks[i]));
    if (p->ip > 0)
        stn_pose_blend(p->pose, p->old, p->ip * p->ip * (3 - 2 * p->ip));
    stn_pose_globalise(p->pose);
}

static stn_sprite_fault malformed(const stn_err *inner, stn_err *err)
{
    return stn_sprite_fail(err, inner->code == STN_NO_MEMORY ? STN_SPRITE_NO_MEMORY : STN_SPRITE_MALFORMED,
                           "%s", inner->text);
}

stn_sprite_fault stn_poser_build(stn_poser *p, uint32_t flags, stn_err *err)
{
    bool changed = false;

    p->is_static = true;
    for (uint32_t i = 0; i < p->count; i++) {
        bool on = stn_sprite_enabled(flags, p->layers[i]->id);
        stn_err inner = {0};
        changed |= on != (p->tracks[i] != NULL);
        if (on && !p->tracks[i]) {
            if (stn_track_new(p->layers[i], p->pose->skel, &p->tracks[i], &inner) != STN_OK)
                return malformed(&inner, err);
        } else if (!on) {
            stn_track_free(p->tracks[i]);
            p->tracks[i] = NULL;
        }
        if (p->tracks[i])
            p->is_static &= stn_track_static(p->tracks[i]);
    }
    if (p->built && changed) {
        stn_pose_copy(p->old, p->pose);
        p->ip = 1.0f;
    }
    p->built = true;
    recompute(p);
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_poser_tick(stn_poser *p, double seconds, double speed, stn_track_event_fn *fn,
                                void *user, stn_err *err)
{
    float dt = (float)seconds;
    bool done = true, moved;

    if (p->is_static && !(p->ip > 0))
        return STN_SPRITE_OK;
    for (uint32_t i = 0; i < p->count; i++) {
        stn_err inner = {0};
        if (!p->tracks[i])
            continue;
        if (stn_track_tick(p->tracks[i], dt, speed, fn, user, &moved, &inner) != STN_OK)
            return malformed(&inner, err);
        done &= stn_track_done(p->tracks[i]);
    }
    if (done)
        p->is_static = true;
    if (p->ip > 0) {
        p->ip -= dt / BLEND_SECONDS;
        if (p->ip < 0)
            p->ip = 0;
    }
    recompute(p);
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_poser_age(stn_poser *p, stn_rnd *rnd, stn_err *err)
{
    for (uint32_t i = 0; i < p->count; i++) {
        stn_err inner = {0};
        if (p->tracks[i] && stn_track_age(p->tracks[i], rnd, &inner) != STN_OK)
            return malformed(&inner, err);
    }
    p->ip = 0;
    return STN_SPRITE_OK;
}

const stn_pose *stn_poser_pose(const stn_poser *p)
{
    return p->pose;
}

const stn_pose *stn_poser_bind(const stn_poser *p)
{
    return p->bind;
}

bool stn_poser_static(const stn_poser *p)
{
    return p->is_static;
}

float stn_poser_blend(const stn_poser *p)
{
    return p->ip;
}

uint32_t stn_poser_running(const stn_poser *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->count; i++)
        n += p->tracks[i] != NULL;
    return n;
}

const stn_track *stn_poser_track(const stn_poser *p, uint32_t n)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->tracks[i] && n-- == 0)
            return p->tracks[i];
    return NULL;
}
