#include "renderer/sprite/track.h"

#include <math.h>
#include <stdlib.h>

/* The reference gives a search up after this many steps and fails; so a track that starts late fails the same
 * way. */
#define SEARCH_STEPS 100

struct stn_track {
    const stn_res_skan *skan;
    const stn_res_skel *skel;
    stn_skan_mode mode;
    float scale, time;
    bool back, done, is_static;
    stn_pose_delta delta;
    int32_t *of_bone; /* per bone: index of the track that drives it, -1 = none */
};

static float length(const float p[3])
{
    return (float)sqrt((double)((p[0] * p[0]) + (p[1] * p[1]) + (p[2] * p[2])));
}

/* An animation made for another skeleton is scaled by how much longer the target's bones are, on average. */
static float scale_for(const stn_res_skan *skan, const stn_res_skel *target)
{
    const stn_res_skel *own = skan->skel ? skan->skel->as.skel : NULL;
    float sum = 0;
    int n = 0;

    if (!own || own == target)
        return 1;
    for (uint32_t i = 0; i < skan->track_count; i++) {
        int32_t a = stn_res_skel_find(own, skan->tracks[i].bone),
                b = stn_res_skel_find(target, skan->tracks[i].bone);
        float from, to;
        if (a < 0 || b < 0)
            continue;
        from = length(own->bones[a].pos);
        to = length(target->bones[b].pos);
        if (from == 0 || to == 0)
            continue;
        sum += to / from;
        n++;
    }
    return n > 0 ? sum / (float)n : 1;
}

static bool search(const stn_skan_track *track, float len, float time, uint32_t *frame)
{
    uint32_t l = 0, r = track->count;
    for (int step = 0; step < SEARCH_STEPS; step++) {
        uint32_t c = l + ((r - l) >> 1);
        float ct, nt;
        if (c >= track->count)
            return false;
        ct = track->time[c];
        nt = c < track->count - 1 ? track->time[c + 1] : len;
        if (ct > time)
            r = c;
        else if (nt < time)
            l = c + 1;
        else {
            *frame = c;
            return true;
        }
    }
    return false;
}

static stn_sprite_vec trans_at(const stn_skan_track *t, uint32_t frame)
{
    return (stn_sprite_vec){t->trans[3 * frame], t->trans[3 * frame + 1], t->trans[3 * frame + 2]};
}

static stn_quat rot_at(const stn_skan_track *t, uint32_t frame)
{
    return (stn_quat){t->rot[4 * frame], t->rot[4 * frame + 1], t->rot[4 * frame + 2], t->rot[4 * frame + 3]};
}

static stn_status sample(stn_track *track, const stn_skan_track *t, float time, uint32_t bone, stn_err *err)
{
    float scale = track->scale, len = track->skan->len, ct, nt, d;
    stn_sprite_vec p, q;
    uint32_t c, n;

    if (t->count == 1) {
        p = trans_at(t, 0);
        track->delta.pos[bone] = (stn_sprite_vec){p.x * scale, p.y * scale, p.z * scale};
        track->delta.rot[bone] = rot_at(t, 0);
        return STN_OK;
    }
    if (!search(t, len, time, &c))
        return stn_fail(err, STN_BAD_DATA, "animation: track of bone \"%.60s\" has no frame at %g s (of %g)",
                        t->bone, (double)time, (double)len);
    ct = t->time[c];
    nt = c < t->count - 1 ? t->time[c + 1] : len;
    d = nt == ct ? 0 : (time - ct) / (nt - ct);
    n = (c + 1) % t->count;
    p = trans_at(t, c);
    q = trans_at(t, n);
    track->delta.rot[bone] = stn_quat_slerp(rot_at(t, c), rot_at(t, n), d);
    track->delta.pos[bone] =
        (stn_sprite_vec){(p.x + ((q.x - p.x) * d)) * scale, (p.y + ((q.y - p.y) * d)) * scale,
                         (p.z + ((q.z - p.z) * d)) * scale};
    return STN_OK;
}

static stn_status evaluate(stn_track *track, float time, stn_err *err)
{
    if (time > track->skan->len)
        time = track->skan->len;
    for (uint32_t bone = 0; bone < track->skel->count; bone++) {
        const stn_skan_track *t =
            track->of_bone[bone] < 0 ? NULL : &track->skan->tracks[track->of_bone[bone]];
        stn_status st;
        track->delta.pos[bone] = (stn_sprite_vec){0, 0, 0};
        track->delta.rot[bone] = stn_quat_identity;
        if (t && t->count > 0 && (st = sample(track, t, time, bone, err)) != STN_OK)
            return st;
    }
    return STN_OK;
}

stn_status stn_track_new(const stn_res_skan *skan, const stn_res_skel *target, stn_track **out, stn_err *err)
{
    size_t n = target->count;
    stn_track *track =
        calloc(1, sizeof *track + n * (sizeof(stn_quat) + sizeof(stn_sprite_vec) + sizeof(int32_t)));
    stn_status st;

    *out = NULL;
    if (!track)
        return stn_fail(err, STN_NO_MEMORY, "animation of %zu bones", n);
    track->skan = skan;
    track->skel = target;
    track->mode = skan->mode;
    track->delta.rot = (stn_quat *)(track + 1);
    track->delta.pos = (stn_sprite_vec *)(track->delta.rot + n);
    track->of_bone = (int32_t *)(track->delta.pos + n);
    for (size_t i = 0; i < n; i++)
        track->of_bone[i] = -1;
    track->is_static = skan->effects_count == 0;
    for (uint32_t i = 0; i < skan->track_count; i++) {
        int32_t bone = stn_res_skel_find(target, skan->tracks[i].bone);
        if (bone < 0) {
            free(track);
            return stn_fail(err, STN_BAD_DATA, "animation: bone \"%.60s\" is not in the skeleton",
                            skan->tracks[i].bone);
        }
        track->of_bone[bone] = (int32_t)i; /* of several for one bone the last wins */
        track->is_static &= skan->tracks[i].count <= 1;
    }
    track->done = track->is_static;
    /* First evaluated unscaled, as the reference does: a static animation keeps that until it is aged. */
    track->scale = 1;
    if ((st = evaluate(track, 0, err)) != STN_OK) {
        free(track);
        return st;
    }
    track->scale = scale_for(skan, target);
    *out = track;
    return STN_OK;
}

void stn_track_free(stn_track *track)
{
    free(track);
}

const stn_res_skan *stn_track_layer(const stn_track *track)
{
    return track->skan;
}

const stn_pose_delta *stn_track_delta(const stn_track *track)
{
    return &track->delta;
}

void stn_track_set_mode(stn_track *track, stn_skan_mode mode)
{
    track->mode = mode;
}

stn_status stn_track_set(stn_track *track, float time, stn_err *err)
{
    track->time = time;
    return evaluate(track, time, err);
}

/* Events in [a, b), then the listener's tick. */
static void play(const stn_track *track, float a, float b, stn_track_event_fn *fn, void *user)
{
    for (uint32_t i = 0; i < track->skan->effects_count; i++) {
        const stn_skan_effects *fx = &track->skan->effects[i];
        for (uint32_t j = 0; j < fx->count; j++)
            if (a <= fx->events[j].time && fx->events[j].time < b && fx->events[j].kind != STN_SKAN_HOLE)
                fn(user, &fx->events[j], fx->events[j].time);
    }
    fn(user, NULL, b);
}

static void events(const stn_track *track, float a, float b, stn_track_event_fn *fn, void *user)
{
    float len = track->skan->len;
    if (!fn)
        return;
    if (a > b) {
        play(track, a < len ? a : len, len, fn, user);
        play(track, 0, b > 0 ? b : 0, fn, user);
    } else {
        play(track, a, b, fn, user);
    }
}

stn_status stn_track_tick(stn_track *track, float dt, double speed, stn_track_event_fn *fn, void *user,
                          bool *moved, stn_err *err)
{
    const stn_res_skan *skan = track->skan;
    float nt, ot, len = skan->len;
    stn_status st;

    *moved = false;
    if (skan->speed > 0) /* all of it in double, then one rounding */
        dt = (float)((double)dt * (speed / (skan->speed * (double)track->scale)));
    nt = track->time + (track->back ? -dt : dt);
    switch (track->mode) {
    case STN_SKAN_LOOP:
        nt = len == 0 ? 0 : fmodf(nt, len);
        break;
    case STN_SKAN_ONCE:
        if (nt > len) {
            nt = len;
            track->done = true;
        }
        break;
    case STN_SKAN_PONG:
        if (!track->back && nt > len) {
            nt = len;
            track->back = true;
        } else if (track->back && nt < 0) {
            nt = 0;
            track->done = true;
        }
        break;
    case STN_SKAN_PONGLOOP:
        if (!track->back && nt > len) {
            nt = len;
            track->back = true;
        } else if (track->back && nt < 0) {
            nt = 0;
            track->back = false;
        }
        break;
    }
    ot = track->time;
    track->time = nt;
    if (track->is_static)
        return STN_OK;
    if ((st = evaluate(track, nt, err)) != STN_OK)
        return st;
    /* `back` as it is after the turn: the tick that turns round plays [0, ot) and not [ot, len), as the
     * reference does. */
    if (!track->back)
        events(track, ot, nt, fn, user);
    else
        events(track, nt, ot, fn, user);
    *moved = true;
    return STN_OK;
}

stn_status stn_track_age(stn_track *track, stn_rnd *rnd, stn_err *err)
{
    float len = track->skan->len;
    switch (track->mode) {
    case STN_SKAN_LOOP:
        track->time = rnd->next(rnd->user) * len;
        break;
    case STN_SKAN_PONGLOOP:
        track->back = rnd->next(rnd->user) >= 0.5f;
        track->time = rnd->next(rnd->user) * len;
        break;
    case STN_SKAN_PONG:
        track->back = true;
        track->time = 0;
        break;
    case STN_SKAN_ONCE:
        track->time = len;
        break;
    }
    return evaluate(track, track->time, err);
}

float stn_track_time(const stn_track *track)
{
    return track->time;
}

float stn_track_scale(const stn_track *track)
{
    return track->scale;
}

bool stn_track_done(const stn_track *track)
{
    return track->done;
}

bool stn_track_static(const stn_track *track)
{
    return track->is_static;
}
