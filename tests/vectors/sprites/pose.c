/* pose.json, poser.json, bones.json, manim.json */
#include "sprites.h"

#include "base/bytes.h"
#include "num/small_float.h"
#include "renderer/sprite/boneoff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* sin, cos and acos of another platform may round otherwise; what did not go through them must be exact. */
static bool near_floats(const char *want, const float *got, size_t n)
{
    float w[64];
    if (n > 64 || !vs_parse_floats(want, w, n))
        return false;
    for (size_t i = 0; i < n; i++) {
        double a = (double)w[i], b = (double)got[i], scale = fabs(a) > 1 ? fabs(a) : 1;
        if (stn_bits_of_f32(w[i]) == stn_bits_of_f32(got[i]) || (isnan(a) && isnan(b)))
            continue;
        if (!(fabs(a - b) <= 4e-6 * scale))
            return false;
    }
    return true;
}

static bool check(vec_sprites *v, const char *what, const char *bone, const char *key, const json_t *record,
                  const float *got, size_t n)
{
    char text[200];
    const char *want = json_string_value(json_object_get(record, key));

    if (!want || near_floats(want, got, n))
        return true;
    vec_fail(v->report, "%s: %s.%s\n  want %s\n  got  %s", what, bone, key, want,
             vs_floats(got, n, text, sizeof text));
    return false;
}

bool vs_check_pose(vec_sprites *v, const json_t *want, const stn_pose *pose, const stn_pose *bind,
                   const char *what)
{
    const char *name;
    json_t *record;

    json_object_foreach((json_t *)(uintptr_t)want, name, record)
    {
        int32_t bone = stn_res_skel_find(pose->skel, name);
        uint32_t b = (uint32_t)bone;
        stn_mat4 m;
        if (bone < 0) {
            vec_fail(v->report, "%s: no bone %s", what, name);
            return false;
        }
        if (!check(v, what, name, "lpos", record, &pose->local_pos[b].x, 3) ||
            !check(v, what, name, "lrot", record, &pose->local_rot[b].w, 4) ||
            !check(v, what, name, "gpos", record, &pose->global_pos[b].x, 3) ||
            !check(v, what, name, "grot", record, &pose->global_rot[b].w, 4))
            return false;
        m = stn_pose_bone_matrix(pose, bind, b);
        if (!check(v, what, name, "off", record, m.m, 16))
            return false;
        m = stn_pose_equip(pose, b);
        if (!check(v, what, name, "eq", record, m.m, 16))
            return false;
        m = stn_pose_rigid(pose, bind, b);
        if (!check(v, what, name, "rigid", record, m.m, 16))
            return false;
    }
    return true;
}

static const stn_res_skan *skan_at(const stn_sprite_res *res, size_t index)
{
    for (const stn_res_layer *l = NULL; (l = stn_res_next(res->res, STN_LAYER_SKAN, l)) != NULL;)
        if (index-- == 0)
            return l->as.skan;
    return NULL;
}

static void pose_of(stn_pose *pose, const stn_track *a, const stn_track *b)
{
    stn_pose_reset(pose);
    if (a)
        stn_pose_apply(pose, stn_track_delta(a));
    if (b)
        stn_pose_apply(pose, stn_track_delta(b));
    stn_pose_globalise(pose);
}

static const char *const mode_names[] = {"ONCE", "LOOP", "PONG", "PONGLOOP"};

/* 24 lines "dt time Du": owner speed 4.5, 0 from line 12, 9.25 from line 14. */
static bool check_ticks(vec_sprites *v, const stn_res_skan *skan, const stn_res_skel *skel, int mode,
                        const json_t *lines, const char *what)
{
    stn_track *track = NULL;
    stn_err err = {0};
    size_t i;
    json_t *line;
    bool good = stn_track_new(skan, skel, &track, &err) == STN_OK;

    if (good)
        stn_track_set_mode(track, (stn_skan_mode)mode);
    json_array_foreach((json_t *)(uintptr_t)lines, i, line)
    {
        const char *text = json_string_value(line);
        double speed = i < 12 ? 4.5 : i < 14 ? 0 : 9.25;
        char got[64];
        bool moved = false;
        if (!good || stn_track_tick(track, vs_float(text), speed, NULL, NULL, &moved, &err) != STN_OK) {
            vec_fail(v->report, "%s %s: %s", what, mode_names[mode], err.text);
            good = false;
            break;
        }
        snprintf(got, sizeof got, "%.8s %08x %c%c", text, stn_bits_of_f32(stn_track_time(track)),
                 stn_track_done(track) ? 'D' : '-', moved ? 'u' : '-');
        if (strcmp(got, text) != 0) {
            vec_fail(v->report, "%s %s line %zu: want %s, got %s", what, mode_names[mode], i, text, got);
            good = false;
            break;
        }
    }
    stn_track_free(track);
    return good;
}

static bool check_anim(vec_sprites *v, const json_t *anim, const stn_res_skel *skel, stn_pose *pose,
                       const stn_pose *bind, const char *what)
{
    const stn_sprite_res *from = vs_res(v, vs_text(anim, "from"));
    const stn_res_skan *skan = from ? skan_at(from, (size_t)json_integer_value(vs_get(anim, "index"))) : NULL;
    stn_track *track = NULL;
    stn_err err = {0};
    json_t *sample;
    size_t i;
    bool good = true;
    char scale[16], where[400];
    float s;

    if (!skan || stn_track_new(skan, skel, &track, &err) != STN_OK) {
        vec_fail(v->report, "%s: animation of %s: %s", what, vs_text(anim, "from"), err.text);
        return false;
    }
    s = stn_track_scale(track);
    if (json_integer_value(vs_get(anim, "id")) != skan->id || vs_float(vs_text(anim, "len")) != skan->len ||
        strcmp(mode_names[skan->mode], vs_text(anim, "mode")) != 0 ||
        vs_double(vs_text(anim, "nspeed")) != skan->speed ||
        strcmp(vs_text(anim, "scale"), vs_floats(&s, 1, scale, sizeof scale)) != 0 ||
        json_is_true(vs_get(anim, "stat")) != stn_track_static(track)) {
        vec_fail(v->report, "%s: animation %s@%lld: id, len, mode, speed, scale (%s) or static differs", what,
                 vs_text(anim, "from"), json_integer_value(vs_get(anim, "index")), scale);
        good = false;
    }
    json_array_foreach(json_object_get(anim, "samples"), i, sample)
    {
        float t = vs_float(vs_text(sample, "t"));
        snprintf(where, sizeof where, "%s anim %s@%lld at %s", what, vs_text(anim, "from"),
                 json_integer_value(vs_get(anim, "index")), vs_text(sample, "t"));
        if (!good)
            break;
        if (json_object_get(sample, "error")) {
            good = stn_track_set(track, t, &err) != STN_OK;
            if (!good)
                vec_fail(v->report, "%s: want an error", where);
            continue;
        }
        if (stn_track_set(track, t, &err) != STN_OK) {
            vec_fail(v->report, "%s: %s", where, err.text);
            good = false;
            break;
        }
        pose_of(pose, track, NULL);
        good = vs_check_pose(v, vs_get(sample, "pose"), pose, bind, where);
    }
    stn_track_free(track);
    for (int mode = 0; good && mode < 4; mode++) {
        char key[32];
        snprintf(key, sizeof key, "ticks-%s", mode_names[mode]);
        if (json_object_get(anim, key))
            good = check_ticks(v, skan, skel, mode, vs_get(anim, key), what);
    }
    return good;
}

static stn_track *track_for(vec_sprites *v, const json_t *anims, size_t i, const stn_res_skel *skel)
{
    const json_t *anim = json_array_get(anims, i);
    const stn_sprite_res *from = anim ? vs_res(v, vs_text(anim, "from")) : NULL;
    const stn_res_skan *skan = from ? skan_at(from, (size_t)json_integer_value(vs_get(anim, "index"))) : NULL;
    stn_track *track = NULL;
    if (skan)
        stn_track_new(skan, skel, &track, NULL);
    return track;
}

static bool check_blend(vec_sprites *v, const json_t *one, const stn_res_skel *skel, const stn_pose *bind,
                        const char *what)
{
    const json_t *list = json_object_get(one, "blend");
    stn_track *a = track_for(v, vs_get(one, "anims"), 0, skel),
              *b = track_for(v, vs_get(one, "anims"), 1, skel);
    stn_pose *p = stn_pose_new(skel), *q = stn_pose_new(skel);
    json_t *entry;
    size_t i;
    bool good = true;
    char where[300];

    if (list && a && b) {
        stn_track_set_mode(a, STN_SKAN_LOOP);
        stn_track_set_mode(b, STN_SKAN_LOOP);
        stn_track_set(a, 0.3f, NULL);
        stn_track_set(b, 0.2f, NULL);
        json_array_foreach((json_t *)(uintptr_t)list, i, entry)
        {
            pose_of(p, a, b);
            pose_of(q, NULL, b);
            stn_pose_blend(q, p, vs_float(vs_text(entry, "d")));
            stn_pose_globalise(q);
            snprintf(where, sizeof where, "%s blend %s", what, vs_text(entry, "d"));
            good = good && vs_check_pose(v, vs_get(entry, "pose"), q, bind, where);
        }
    } else if (list) {
        vec_fail(v->report, "%s: blend without two animations", what);
        good = false;
    }
    stn_track_free(a);
    stn_track_free(b);
    stn_pose_free(p);
    stn_pose_free(q);
    return good;
}

static bool check_boneoff(vec_sprites *v, const json_t *one, const stn_sprite_res *res,
                          const stn_res_skel *skel, const char *what)
{
    stn_track *a = track_for(v, vs_get(one, "anims"), 0, skel);
    stn_pose *pose = stn_pose_new(skel);
    stn_equip_target target = {.pose = pose};
    json_t *entry;
    size_t i;
    bool good = true;

    if (a)
        stn_track_set(a, 0.4f, NULL);
    pose_of(pose, a, NULL);
    json_array_foreach(json_object_get(one, "boneoff"), i, entry)
    {
        const stn_res_layer *layer = stn_res_find_text(res->res, STN_LAYER_BONEOFF, vs_text(entry, "name"));
        stn_mat4 m;
        stn_err err = {0};
        char text[200];
        stn_status st = layer ? stn_boneoff_place(layer->as.boneoff, &target, &m, &err) : STN_NOT_FOUND;
        bool fine = json_object_get(entry, "error")
                        ? st != STN_OK
                        : st == STN_OK && near_floats(vs_text(entry, "loc"), m.m, 16);
        if (!fine)
            vec_fail(v->report, "%s boneoff %s: want %s %s, got %s %s", what, vs_text(entry, "name"),
                     vs_text(entry, "loc"), vs_text(entry, "error"),
                     st == STN_OK ? vs_floats(m.m, 16, text, sizeof text) : "", err.text);
        good &= fine;
    }
    stn_track_free(a);
    stn_pose_free(pose);
    return good;
}

typedef struct event_log {
    json_t *events;
} event_log;

static void on_event(void *user, const stn_skan_event *event, float time)
{
    static const char *const names[] = {"Hole", "SpawnSprite", "Trigger", "MkOverlay", "RmOverlay"};
    event_log *l = user;
    json_array_append_new(
        l->events, json_sprintf("%s@%08x", event ? names[event->kind] : "Tick", stn_bits_of_f32(time)));
}

static void check_events(vec_sprites *v, const json_t *one)
{
    const stn_sprite_res *body = vs_res(v, "test/body"), *res = vs_res(v, vs_text(one, "res"));
    const stn_res_skan *skan = res ? skan_at(res, 0) : NULL;
    const stn_res_layer *skel = body ? stn_res_first(body->res, STN_LAYER_SKEL) : NULL;
    stn_track *track = NULL;
    stn_err err = {0};
    json_t *step;
    size_t i;
    bool good = true;
    char what[200];

    if (!skan || !skel || stn_track_new(skan, skel->as.skel, &track, &err) != STN_OK) {
        vec_fail(v->report, "events of %s: %s", vs_text(one, "res"), err.text);
        return;
    }
    for (int m = 0; m < 4; m++)
        if (strcmp(mode_names[m], vs_text(one, "mode")) == 0)
            stn_track_set_mode(track, (stn_skan_mode)m);
    json_array_foreach(json_object_get(one, "events"), i, step)
    {
        event_log l = {json_array()};
        bool moved;
        float t;
        snprintf(what, sizeof what, "events %s %s step %zu", vs_text(one, "res"), vs_text(one, "mode"), i);
        if (stn_track_tick(track, vs_float(vs_text(step, "dt")), 0, on_event, &l, &moved, &err) != STN_OK) {
            vec_fail(v->report, "%s: %s", what, err.text);
            good = false;
        }
        t = stn_track_time(track);
        if (good && t != vs_float(vs_text(step, "time"))) {
            vec_fail(v->report, "%s: time %08x, want %s", what, stn_bits_of_f32(t), vs_text(step, "time"));
            good = false;
        }
        good = good && vs_same(v, vs_get(step, "events"), l.events, what);
        json_decref(l.events);
        if (!good)
            break;
    }
    if (good)
        vec_pass(v->report);
    stn_track_free(track);
}

static void check_skeleton(vec_sprites *v, const json_t *one)
{
    const stn_sprite_res *res = vs_res(v, vs_text(one, "res"));
    const stn_res_layer *layer = stn_res_first(res->res, STN_LAYER_SKEL);
    const stn_res_skel *skel = layer ? layer->as.skel : NULL;
    stn_pose *pose = skel ? stn_pose_new(skel) : NULL, *bind = skel ? stn_pose_new(skel) : NULL;
    json_t *parents = json_object(), *anim;
    size_t i;
    bool good;

    for (uint32_t b = 0; skel && b < skel->count; b++)
        json_object_set_new(parents, skel->bones[b].name, json_string(skel->bones[b].parent_name));
    good = skel && vs_same(v, vs_get(one, "parents"), parents, vs_text(one, "res")) &&
           vs_check_pose(v, vs_get(one, "bind"), bind, bind, vs_text(one, "res"));
    json_array_foreach(json_object_get(one, "anims"), i, anim)
    {
        if (good && vs_have(v, vs_text(anim, "from")))
            good = check_anim(v, anim, skel, pose, bind, vs_text(one, "res"));
    }
    good = good && check_blend(v, one, skel, bind, vs_text(one, "res"));
    good = good && check_boneoff(v, one, res, skel, vs_text(one, "res"));
    if (good)
        vec_pass(v->report);
    json_decref(parents);
    stn_pose_free(pose);
    stn_pose_free(bind);
}

void vs_pose(vec_sprites *v)
{
    json_t *file = vec_json(v->dir, "pose.json"), *one;
    size_t i;

    json_array_foreach(file, i, one)
    {
        if (!vs_have(v, vs_text(one, "res")))
            continue;
        if (json_object_get(one, "events"))
            check_events(v, one);
        else
            check_skeleton(v, one);
    }
    json_decref(file);
}

/* ---- poser.json: scripts on a mod sprite that is not aged ---- */

void vs_poser(vec_sprites *v)
{
    json_t *file = vec_json(v->dir, "poser.json"), *one, *step;
    size_t i, k;

    json_array_foreach(file, i, one)
    {
        stn_sprite_ctx *ctx;
        stn_sprite *sprite = NULL;
        stn_sprite_object object = {.id = 5};
        bool good = true;
        if (!vs_have(v, vs_text(one, "res")))
            continue;
        ctx = vs_ctx(v);
        json_array_foreach(vs_get(one, "steps"), k, step)
        {
            const char *act = vs_text(step, "do");
            char what[200];
            stn_err err = {0};
            stn_sprite_fault fault = STN_SPRITE_OK;
            bool done;
            const stn_poser *poser;
            json_t *times = json_array();
            float ip;
            snprintf(what, sizeof what, "poser %s step %zu (%s)", vs_text(one, "res"), k, act);
            if (strncmp(act, "tick ", 5) == 0) {
                fault = stn_sprite_tick(sprite, strtod(act + 5, NULL), &done, &err);
            } else {
                size_t len;
                uint8_t *sdt = vs_sdt(strchr(act, ' ') ? strchr(act, ' ') + 1 : "", &len);
                if (strncmp(act, "mk", 2) == 0)
                    fault =
                        stn_sprite_new(ctx, &object, vs_res(v, vs_text(one, "res")), sdt, len, &sprite, &err);
                else
                    fault = stn_sprite_update(sprite, sdt, len, &err);
                free(sdt);
            }
            poser = sprite ? stn_sprite_poser(sprite) : NULL;
            if (fault || !poser) {
                vec_fail(v->report, "%s: %s", what, err.text);
                json_decref(times);
                good = false;
                break;
            }
            for (uint32_t t = 0; t < stn_poser_running(poser); t++)
                json_array_append_new(
                    times, json_sprintf("%08x", stn_bits_of_f32(stn_track_time(stn_poser_track(poser, t)))));
            ip = stn_poser_blend(poser);
            if (json_is_true(vs_get(step, "stat")) != stn_poser_static(poser) ||
                vs_float(vs_text(step, "ipold")) != ip) {
                vec_fail(v->report, "%s: static %d, blend %08x", what, stn_poser_static(poser),
                         stn_bits_of_f32(ip));
                good = false;
            }
            good = good && vs_same(v, vs_get(step, "times"), times, what) &&
                   vs_check_pose(v, vs_get(step, "pose"), stn_poser_pose(poser), stn_poser_bind(poser), what);
            json_decref(times);
            if (!good)
                break;
        }
        if (good)
            vec_pass(v->report);
        stn_sprite_free(sprite);
        stn_sprite_ctx_free(ctx);
    }
    json_decref(file);
}

/* ---- bones.json ---- */

static const stn_res_layer *mesh_named(const stn_sprite_res *res, const char *name)
{
    char text[200];
    for (const stn_res_layer *l = NULL; (l = stn_res_next(res->res, STN_LAYER_MESH, l)) != NULL;)
        if (strcmp(vs_mesh(res, l, text, sizeof text), name) == 0)
            return l;
    return NULL;
}

static const stn_res_layer *vbuf_at(const stn_sprite_res *res, size_t index)
{
    for (const stn_res_layer *l = NULL; (l = stn_res_next(res->res, STN_LAYER_VBUF, l)) != NULL;)
        if (index-- == 0)
            return l;
    return NULL;
}

static void check_bone_data(vec_sprites *v, const json_t *one)
{
    const stn_sprite_res *res = vs_res(v, vs_text(one, "res"));
    const stn_res_layer *layer = vbuf_at(res, (size_t)json_integer_value(vs_get(one, "vbuf")));
    const stn_attrib *idx = layer ? stn_res_vbuf_attr(layer->as.vbuf, STN_ATTR_BONEIDX) : NULL;
    const stn_attrib *wgt = layer ? stn_res_vbuf_attr(layer->as.vbuf, STN_ATTR_BONEWGT) : NULL;
    json_t *names = json_array(), *mesh;
    char *bones, *weights, what[200], *end;
    size_t n = layer ? layer->as.vbuf->num * 4u : 0, i;
    bool good = idx && wgt;

    snprintf(what, sizeof what, "bones %s vbuf %lld", vs_text(one, "res"),
             json_integer_value(vs_get(one, "vbuf")));
    bones = calloc(n + 1, 12);
    weights = calloc(n + 1, 9);
    if (good && bones && weights) {
        end = bones;
        for (i = 0; i < n; i++)
            end += sprintf(end, "%s%d", i ? " " : "", idx->i[i]);
        vs_floats(wgt->f, n, weights, (n + 1) * 9);
        for (uint32_t b = 0; b < layer->as.vbuf->bone_count; b++)
            json_array_append_new(names, json_string(layer->as.vbuf->bones[b]));
        good = vs_same(v, vs_get(one, "names"), names, what);
        if (good &&
            (strcmp(bones, vs_text(one, "bones")) != 0 || strcmp(weights, vs_text(one, "weights")) != 0)) {
            vec_fail(v->report, "%s: influences differ", what);
            good = false;
        }
    } else {
        vec_fail(v->report, "%s: no influences", what);
    }
    json_array_foreach(json_object_get(one, "meshes"), i, mesh)
    {
        const stn_res_layer *m = mesh_named(res, vs_text(mesh, "mesh"));
        stn_skin skin = m ? stn_skin_of(m->as.mesh) : (stn_skin){0};
        const char *single = m && skin.boned && skin.single >= 0 ? layer->as.vbuf->bones[skin.single] : "";
        if (good && (!m || skin.boned != json_is_true(vs_get(mesh, "boned")) ||
                     strcmp(single, vs_text(mesh, "single")) != 0)) {
            vec_fail(v->report, "%s: %s: boned %d, single \"%s\"", what, vs_text(mesh, "mesh"), skin.boned,
                     single);
            good = false;
        }
    }
    if (good)
        vec_pass(v->report);
    json_decref(names);
    free(bones);
    free(weights);
}

static void check_skin(vec_sprites *v, const json_t *one)
{
    const stn_sprite_res *res = vs_res(v, vs_text(one, "res"));
    const stn_res_layer *mesh = mesh_named(res, vs_text(one, "mesh"));
    const stn_res_layer *skel = stn_res_first(res->res, STN_LAYER_SKEL);
    const stn_res_vbuf *vbuf = mesh ? mesh->as.mesh->vbuf->as.vbuf : NULL;
    stn_pose *pose = skel ? stn_pose_new(skel->as.skel) : NULL,
             *bind = skel ? stn_pose_new(skel->as.skel) : NULL;
    stn_track *track = NULL;
    stn_mat4 *matrices = vbuf ? calloc(vbuf->bone_count + 1, sizeof *matrices) : NULL;
    json_t *vert;
    size_t i;
    bool good = pose && bind && matrices && skan_at(res, 0) &&
                stn_track_new(skan_at(res, 0), skel->as.skel, &track, NULL) == STN_OK;

    if (good) {
        stn_track_set(track, vs_float(vs_text(one, "t")), NULL);
        pose_of(pose, track, NULL);
        for (uint32_t b = 0; b < vbuf->bone_count; b++)
            matrices[b] =
                stn_pose_bone_matrix(pose, bind, (uint32_t)stn_res_skel_find(skel->as.skel, vbuf->bones[b]));
    } else {
        vec_fail(v->report, "skin %s: cannot be set up", vs_text(one, "mesh"));
    }
    json_array_foreach(json_object_get(one, "verts"), i, vert)
    {
        float got[7];
        const stn_attrib *pos, *nrm, *idx, *wgt;
        if (!good || i >= vbuf->num)
            break;
        pos = stn_res_vbuf_attr(vbuf, STN_ATTR_POS);
        nrm = stn_res_vbuf_attr(vbuf, STN_ATTR_NRM);
        idx = stn_res_vbuf_attr(vbuf, STN_ATTR_BONEIDX);
        wgt = stn_res_vbuf_attr(vbuf, STN_ATTR_BONEWGT);
        stn_skin_vertex(&idx->i[4 * i], &wgt->f[4 * i], matrices, &pos->f[3 * i], &nrm->f[3 * i], got,
                        got + 4);
        if (!near_floats(json_string_value(vert), got, 7)) {
            char text[80];
            vec_fail(v->report, "skin %s at %s vertex %zu: want %s, got %s", vs_text(one, "mesh"),
                     vs_text(one, "t"), i, json_string_value(vert), vs_floats(got, 7, text, sizeof text));
            good = false;
        }
    }
    if (good)
        vec_pass(v->report);
    stn_track_free(track);
    stn_pose_free(pose);
    stn_pose_free(bind);
    free(matrices);
}

void vs_bones(vec_sprites *v)
{
    json_t *file = vec_json(v->dir, "bones.json"), *one;
    size_t i;

    if (!file)
        return;
    json_array_foreach(vs_get(file, "data"), i, one)
    {
        if (vs_have(v, vs_text(one, "res")))
            check_bone_data(v, one);
    }
    json_array_foreach(vs_get(file, "skin"), i, one)
    {
        if (vs_have(v, vs_text(one, "res")))
            check_skin(v, one);
    }
    json_decref(file);
}

/* ---- manim.json ---- */

/* The lists of a frame, where the file gives them. */
static bool frame_lists_are(const json_t *want, const stn_manim_frame *f)
{
    const struct {
        const char *key;
        const float *have;
    } lists[] = {{"pos", f->pos}, {"nrmv", f->nrm}};
    json_t *number;
    size_t i;
    bool same = !json_object_get(want, "idx") || json_array_size(json_object_get(want, "idx")) == f->count;

    json_array_foreach(json_object_get(want, "idx"), i, number) same =
        same && json_integer_value(number) == f->idx[i];
    for (size_t k = 0; same && k < 2; k++) {
        const char *text = vs_text(want, lists[k].key);
        size_t room = 9 * 3 * (size_t)f->count + 1;
        char *have;

        if (!*text)
            continue;
        have = lists[k].have ? malloc(room) : NULL;
        same = have && !strcmp(text, vs_floats(lists[k].have, 3 * (size_t)f->count, have, room));
        free(have);
    }
    return same;
}

static bool check_frames(vec_sprites *v, const json_t *one, const stn_res_manim *layer, const char *what)
{
    json_t *want;
    size_t i;

    if (json_array_size(vs_get(one, "frames")) != layer->count) {
        vec_fail(v->report, "%s: %u frames", what, layer->count);
        return false;
    }
    json_array_foreach(vs_get(one, "frames"), i, want)
    {
        const stn_manim_frame *f = &layer->frames[i];
        int32_t low = -1, high = -1;
        uint32_t crc = vec_crc32(f->pos, f->count * 3 * sizeof(float));
        for (uint32_t k = 0; k < f->count; k++) {
            low = low < 0 || f->idx[k] < low ? f->idx[k] : low;
            high = f->idx[k] > high ? f->idx[k] : high;
        }
        if (f->time != vs_float(vs_text(want, "time")) || f->count != json_integer_value(vs_get(want, "n")) ||
            low != json_integer_value(vs_get(want, "minv")) ||
            high != json_integer_value(vs_get(want, "maxv")) ||
            (f->count && crc != vs_u64(vs_text(want, "poscrc"))) ||
            json_is_true(vs_get(want, "nrm")) != (f->nrm != NULL) || !frame_lists_are(want, f)) {
            vec_fail(v->report, "%s frame %zu: time %g, %u vertices %d..%d, crc %08x, normals %d", what, i,
                     (double)f->time, f->count, low, high, crc, f->nrm != NULL);
            return false;
        }
    }
    return true;
}

static bool check_texture(vec_sprites *v, const json_t *one, const stn_res_manim *layer, const char *what)
{
    stn_manim_texture size = stn_manim_texture_size(layer);
    uint16_t *texels = calloc((size_t)size.width * size.height * 3, sizeof *texels);
    uint32_t crc;

    stn_manim_texture_fill(layer, false, texels);
    crc = vec_crc32(texels, (size_t)size.width * size.height * 6);
    free(texels);
    if (size.width == json_integer_value(vs_get(one, "texw")) &&
        size.height == json_integer_value(vs_get(one, "texh")) && crc == vs_u64(vs_text(one, "poshalfcrc")))
        return true;
    vec_fail(v->report, "%s: texture %ux%u crc %08x", what, size.width, size.height, crc);
    return false;
}

static bool check_animates(vec_sprites *v, const json_t *one, const stn_sprite_res *res,
                           const stn_res_manim *layer, const char *what)
{
    json_t *list = json_array();
    char text[200];
    bool same;

    for (const stn_res_layer *l = NULL; (l = stn_res_next(res->res, STN_LAYER_MESH, l)) != NULL;)
        if (stn_manim_animates(layer, l->as.mesh))
            json_array_append_new(list, json_string(vs_mesh(res, l, text, sizeof text)));
    same = vs_same(v, vs_get(one, "animates"), list, what);
    json_decref(list);
    return same;
}

static bool check_sequence(vec_sprites *v, const json_t *lines, const stn_res_manim *layer, const char *what)
{
    stn_manim m;
    stn_err err = {0};
    json_t *line;
    size_t i;

    if (stn_manim_init(&m, layer, 1234, &err)) {
        vec_fail(v->report, "%s: %s", what, err.text);
        return false;
    }
    json_array_foreach((json_t *)(uintptr_t)lines, i, line)
    {
        const char *text = json_string_value(line);
        char got[80], first[16] = "init";
        bool wrapped = false;
        sscanf(text, "%15s", first);
        if (strcmp(first, "age") == 0)
            stn_manim_age(&m, &v->rnd);
        else if (strcmp(first, "init") != 0)
            stn_manim_tick(&m, vs_float(first), &wrapped);
        snprintf(got, sizeof got, "%s %u %u %08x%s", first, m.from, m.to, stn_bits_of_f32(m.a),
                 wrapped ? " wrap" : "");
        if (strcmp(got, text) != 0) {
            vec_fail(v->report, "%s line %zu: want %s, got %s", what, i, text, got);
            return false;
        }
    }
    return true;
}

void vs_manim(vec_sprites *v)
{
    json_t *file = vec_json(v->dir, "manim.json"), *one;
    size_t i;

    json_array_foreach(file, i, one)
    {
        const stn_sprite_res *res;
        const stn_res_layer *layer = NULL;
        int64_t index = json_integer_value(json_object_get(one, "index"));
        char what[200];
        if (!vs_have(v, vs_text(one, "res")))
            continue;
        res = vs_res(v, vs_text(one, "res"));
        do
            layer = stn_res_next(res->res, STN_LAYER_MANIM, layer);
        while (layer && index-- > 0);
        snprintf(what, sizeof what, "manim %s@%lld", vs_text(one, "res"),
                 json_integer_value(vs_get(one, "index")));
        if (!layer || layer->as.manim->id != json_integer_value(vs_get(one, "id")) ||
            layer->as.manim->random != json_is_true(vs_get(one, "rnd")) ||
            layer->as.manim->len != vs_float(vs_text(one, "len")) ||
            layer->as.manim->min_vertex != json_integer_value(vs_get(one, "minv")) ||
            layer->as.manim->max_vertex != json_integer_value(vs_get(one, "maxv")) ||
            layer->as.manim->has_normals != json_is_true(vs_get(one, "hasnrm"))) {
            vec_fail(v->report, "%s: head differs", what);
            continue;
        }
        if (check_frames(v, one, layer->as.manim, what) && check_texture(v, one, layer->as.manim, what) &&
            check_animates(v, one, res, layer->as.manim, what) &&
            (!json_object_get(one, "seq") || check_sequence(v, vs_get(one, "seq"), layer->as.manim, what)) &&
            (!json_object_get(one, "rndseq-seed1234") ||
             check_sequence(v, vs_get(one, "rndseq-seed1234"), layer->as.manim, what)))
            vec_pass(v->report);
    }
    json_decref(file);
}
