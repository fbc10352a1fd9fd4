/* stage_draw.c - what of the stage is in the picture, and the light on it. */
#include "renderer/gl/stage_impl.h"

#include "renderer/scene/cull.h"
#include "renderer/scene/memory.h"

#include <math.h>
#include <string.h>

#define MAX_POINT_LIGHTS (STN_FRAME_LIGHTS - 1)

/* How near it is, by the corners of its box; without one it is as near as can be. */
static float nearest(const stage_gob *g, const stn_m4 *clip)
{
    const stn_gob_look *look = &g->look->u.look;
    stn_cull_box box = {look->min, look->max};
    stn_v3 corner[STN_CULL_CORNERS];

    if (!(look->max.x >= look->min.x))
        return 0.0f;
    stn_cull_corners(&g->matrix, &box, corner);
    return stn_cull_nearest(clip, corner);
}

/* By its size on the screen: docs/spec/rendering.md 20. The player is always worth it. */
static bool worth_drawing(const stage_scene *sc, stage_gob *g, const stage_sizing *z)
{
    const stn_gob_look *look = &g->look->u.look;
    double size = stn_lod_size(z->clip, z->nearest, (double)stn_v3_dist(look->min, look->max));

    if (!(look->max.x >= look->min.x) || (sc->facts.has_player && g->id == sc->facts.player))
        return true;
    g->small = !stn_lod_seen(size * (z->bias > 0.0f ? (double)z->bias : 1.0), !g->small);
    return !g->small;
}

/* The scene graph's camera from the matrices that draw. */
static bool camera_of(const stn_m4 *view, const stn_m4 *proj, stn_sg_camera *c)
{
    stn_m4 inv;
    double near, far, px = (double)proj->m[0], py = (double)proj->m[5];

    if (!stn_m4_invert(view, &inv) || px == 0.0 || py == 0.0)
        return false;
    memset(c, 0, sizeof *c);
    c->parallel = proj->m[15] != 0.0f;
    c->location = (stn_sg_v3){(double)inv.m[12], (double)inv.m[13], (double)inv.m[14]};
    c->axis_left = (stn_sg_v3){-(double)inv.m[0], -(double)inv.m[1], -(double)inv.m[2]};
    c->axis_up = (stn_sg_v3){(double)inv.m[4], (double)inv.m[5], (double)inv.m[6]};
    c->axis_dir = (stn_sg_v3){-(double)inv.m[8], -(double)inv.m[9], -(double)inv.m[10]};
    if (c->parallel) {
        near = ((double)proj->m[14] + 1.0) / (double)proj->m[10];
        far = ((double)proj->m[14] - 1.0) / (double)proj->m[10];
        c->right = 1.0 / px;
        c->top = 1.0 / py;
    } else {
        near = (double)proj->m[14] / ((double)proj->m[10] - 1.0);
        far = (double)proj->m[14] / ((double)proj->m[10] + 1.0);
        c->right = near / px;
        c->top = near / py;
    }
    c->near = fmin(fabs(near), fabs(far));
    c->far = fmax(fabs(near), fabs(far));
    c->left = -c->right;
    c->bottom = -c->top;
    stn_sg_camera_planes(c);
    if (c->parallel) {
        /* Of a parallel camera the sides stand apart from the axes: outward planes through the edges. */
        double at_left = stn_sg_dot(c->axis_left, c->location), at_up = stn_sg_dot(c->axis_up, c->location);

        c->planes[0] =
            (stn_sg_plane){{-c->axis_left.x, -c->axis_left.y, -c->axis_left.z}, -at_left - c->right};
        c->planes[1] = (stn_sg_plane){c->axis_left, at_left - c->right};
        c->planes[2] = (stn_sg_plane){c->axis_up, at_up - c->top};
        c->planes[3] = (stn_sg_plane){{-c->axis_up.x, -c->axis_up.y, -c->axis_up.z}, -at_up - c->top};
    }
    return true;
}

static bool remembered(const void *ctx, int32_t cut_x, int32_t cut_y)
{
    return stage_remembered(ctx, cut_x, cut_y);
}

/* From the focus, in the ground's plane. */
static float far_from(const stage_scene *sc, const stn_m4 *place)
{
    return sc->has_focus ? hypotf(place->m[12] - sc->focus.x, place->m[13] - sc->focus.y) : 0.0f;
}

static void add_parts(stn_stage *s, const stage_scene *sc, stn_job_cut *cut, const stn_instance *in,
                      unsigned flags)
{
    for (uint32_t i = 0; i < cut->part_count; i++) {
        stn_cut_part *p = &cut->parts[i];
        unsigned f = flags;

        if (!p->casts)
            f &= ~(unsigned)STN_DRAW_CASTS;
        if (p->material.features & STN_MAT_FOAM)
            f &= ~(unsigned)STN_DRAW_LAND;
        if (p->on_demand && !s->overlays)
            f = 0;
        if (!p->material_id && !(p->material_id = stage_material(s, &p->material)))
            stage_want_material(s, &p->material, far_from(sc, &in->model));
        if (p->material_id && p->mesh_id && f)
            stn_view_add(s->parts.view, p->mesh_id, p->material_id, in, f);
    }
}

static void add_cut(stn_stage *s, const stage_scene *sc, stage_cut *c, unsigned flags, uint32_t click_id)
{
    stn_instance in = {.model = stn_m4_xlate((stn_v3){(float)c->x * 275.0f, (float)c->y * -275.0f, 0.0f}),
                       .click_id = click_id};

    if (c->memory_of != s->grid_version) {
        c->memory_of = s->grid_version;
        stn_memory_corners(remembered, sc, c->x, c->y, c->memory);
    }
    memcpy(in.special, c->memory, sizeof in.special);

    add_parts(s, sc, &c->job->u.cut, &in, flags);
    if (c->sheets && (flags & STN_DRAW_VISIBLE))
        add_parts(s, sc, &c->sheets->u.cut, &in, STN_DRAW_VISIBLE);
}

static const stn_m4 *pose_of(const stage_scene *sc, const stage_gob *g, const stn_gob_pose **pose)
{
    if (!g->pose || !sc->poses || g->pose > sc->poses->u.poses.gob_count)
        return NULL;
    *pose = &sc->poses->u.poses.gobs[g->pose - 1];
    if ((*pose)->id != g->id || (*pose)->version != g->look->u.look.version ||
        (*pose)->leaf_count != g->look->u.look.leaf_count)
        return NULL;
    return sc->poses->u.poses.matrices + (*pose)->first;
}

/* Squares that face the eye, one a point. Their places are the leaf's, their size is the world's. */
static void add_points(stn_stage *s, const stage_scene *sc, const stn_leaf_moment *m, const stn_m4 *place,
                       const stn_m4 *view, uint32_t mesh, uint32_t material)
{
    const stn_job_poses *poses = &sc->poses->u.poses;

    if (m->first_point > poses->point_count || m->point_count > poses->point_count - m->first_point)
        return;
    for (uint32_t i = 0; i < m->point_count; i++) {
        const stn_smoke_point *p = &poses->points[m->first_point + i];
        stn_v3 at = stn_m4_pt(place, (stn_v3){p->at.x, p->at.y, p->at.z});
        stn_instance in = {.model = stn_m4_xlate(at)};

        for (int axis = 0; axis < 3; axis++)
            for (int k = 0; k < 3; k++)
                in.model.m[4 * axis + k] = view->m[4 * k + axis] * p->size;
        memcpy(in.special, p->color, sizeof in.special);
        stn_view_add(s->parts.view, mesh, material, &in, STN_DRAW_VISIBLE);
    }
}

/* Growth is mixed with grey where the ground it stands in is paler. */
static const float remembered_growth[4] = {0.45f, 0.47f, 0.5f, 0.6f};

/* Of a leaf as it is drawn here: what stands over water darkens below its surface. */
static uint32_t leaf_material(stn_stage *s, stn_leaf_look *l, bool wet)
{
    stn_matstate m = l->material;

    if (!wet) {
        if (!l->material_id)
            l->material_id = stage_material(s, &l->material);
        return l->material_id;
    }
    m.features |= STN_MAT_OBFOG;
    if (!l->wet_id)
        l->wet_id = stage_material(s, &m);
    return l->wet_id;
}

/* The list that those who point are given; NULL: a draw for the eye alone. */
struct pointing {
    stn_stage_target *out;
    size_t n, max;
};

/* The number of a leaf in the list, which has one for each part of an object; 0: no room. */
static uint32_t number_of(struct pointing *p, const stage_gob *g, const stn_leaf_look *l)
{
    stn_stage_target *last = p->n ? &p->out[p->n - 1] : NULL;

    if (last && !last->land && last->object == g->id && last->overlay == l->overlay && last->part == l->part)
        return (uint32_t)p->n;
    if (p->n == p->max)
        return 0;
    p->out[p->n++] = (stn_stage_target){.object = g->id, .overlay = l->overlay, .part = l->part};
    return (uint32_t)p->n;
}

/* A leaf for the picture, for the shadow map, or once for both when it is the same mesh in both. */
static void add_leaf(stn_stage *s, stn_leaf_look *l, uint32_t mesh, uint32_t material, const stn_instance *in,
                     const stage_sizing *sizing, unsigned flags)
{
    const unsigned both = STN_DRAW_VISIBLE | STN_DRAW_CASTS;
    uint32_t caster =
        (flags & both) == both ? stage_leaf_mesh(s, l, &in->model, sizing, STN_DRAW_CASTS) : mesh;

    if (caster != mesh) {
        stn_view_add(s->parts.view, caster, material, in, STN_DRAW_CASTS);
        flags &= ~(unsigned)STN_DRAW_CASTS;
    }
    stn_view_add(s->parts.view, mesh, material, in, flags);
}

/* Without sizing everything is drawn in full. */
static void add_gob(stn_stage *s, const stage_scene *sc, stage_gob *g, const stn_m4 *view, unsigned flags,
                    const stage_sizing *sizing, struct pointing *pointing)
{
    stn_gob_look *look = &g->look->u.look;
    const stn_gob_pose *pose = NULL;
    const stn_m4 *matrices = pose_of(sc, g, &pose);
    uint32_t bone = 0, moment = 0;

    for (uint32_t i = 0; i < look->leaf_count; i++) {
        stn_leaf_look *l = &look->leaves[i];
        stn_m4 place = l->unturned ? stn_m4_onlyxl(g->matrix) : g->matrix;
        stn_instance in = {.model = stn_m4_mul(place, matrices ? matrices[i] : l->local)};
        unsigned f = l->casts ? flags : flags & ~(unsigned)STN_DRAW_CASTS;
        uint32_t mesh = stage_leaf_mesh(s, l, &in.model, sizing, f);
        const stn_leaf_moment *m = NULL;
        uint32_t material;

        if (l->moment && pose && moment < pose->moment_count)
            m = &sc->poses->u.poses.moments[pose->first_moment + moment++];
        if (l->bones) {
            /* A mesh on bones without a pose would collapse: it waits for the first one. */
            if (!matrices || bone + l->bones > pose->bone_count)
                continue;
            in.bones = stn_view_bones(s->parts.view, matrices + pose->leaf_count + bone, l->bones);
            bone += l->bones;
            if (!in.bones)
                continue;
        }
        material = leaf_material(s, l, g->wet && !l->points);
        if (!material)
            stage_want_material(s, &l->material, far_from(sc, &g->matrix));
        if (!mesh && l->mesh)
            stage_want_mesh(s, l->mesh, far_from(sc, &g->matrix));
        if (!material || !mesh || !f)
            continue;
        if (l->points) {
            if (m && (f & STN_DRAW_VISIBLE))
                add_points(s, sc, m, &in.model, view, mesh, material);
            continue;
        }
        if (pointing && !(in.click_id = number_of(pointing, g, l)))
            continue;
        in.water_z = g->water_z;
        if (l->morph[1]) {
            /* Without a moment it is drawn in its first frame. */
            in.special[0] = (float)l->morph[0];
            in.special[1] = (float)l->morph[1];
            in.special[2] = m ? m->from : 0.0f;
            in.special[3] = m ? m->to : 0.0f;
            in.morph = m ? m->a : 0.0f;
        }
        memcpy(in.mix, l->mix, sizeof in.mix);
        if (g->remembered)
            memcpy(in.mix, remembered_growth, sizeof in.mix);
        if (l->sways) {
            memcpy(in.sway_slow, l->sway_slow, sizeof in.sway_slow);
            memcpy(in.sway_fast, l->sway_fast, sizeof in.sway_fast);
        }
        add_leaf(s, l, mesh, material, &in, sizing, f);
    }
}

/* Where shadows fall: near enough to the map's middle, and so that they can be seen. */
struct shade {
    stn_v3 focus;
    const stn_sg_plane *planes; /* of the picture */
    stn_sg_v3 way; /* from a thing to where its shadow falls, for a unit of height */
    double lowest; /* of the ground */
};

/* How far beyond the picture things still throw shadows: crowns in the wind, limbs, a camera that moves while
 * the map is kept. */
#define SHADE_MARGIN 60.0

/* Whether a shadow of what is in the bound can be in the picture: the bound, drawn out along the light down
 * to the lowest ground, is not wholly behind a plane. */
static bool casts_into(const stn_spatial *sp, const struct shade *h)
{
    const stn_bound *b = stn_spatial_bound(sp);
    double dx, dy, r, fall;

    if (!stn_bound_is_finite(b) || b->kind != STN_BOUND_BOX)
        return true;
    dx = b->c.x - (double)h->focus.x;
    dy = b->c.y - (double)h->focus.y;
    r = b->e.x + b->e.y + (double)STN_SHADOW_SIZE;
    if (dx * dx + dy * dy >= r * r)
        return false;
    fall = fmax(b->c.z + b->e.z - h->lowest, 0.0);
    for (int i = 0; i < 6; i++) {
        const stn_sg_plane *p = &h->planes[i];
        double near = b->e.x * fabs(p->n.x) + b->e.y * fabs(p->n.y) + b->e.z * fabs(p->n.z) + SHADE_MARGIN;
        double at = stn_sg_dot(p->n, b->c) - p->k, end = at + fall * stn_sg_dot(p->n, h->way);

        if (at < -near && end < -near)
            return false;
    }
    return true;
}

static void put_day(stn_stage *s, stn_frame *f)
{
    stn_m4 one = stn_m4_identity();
    stn_v4 d = stn_daylight_dir(s->day.now.elev, s->day.now.angle);
    stn_lit *l = &f->lights[0];

    memset(l, 0, sizeof *l);
    l->pos = stn_light_dir(&f->view, &one, (stn_v3){d.x, d.y, d.z});
    l->amb = stn_colour_f(s->day.now.amb);
    l->dif = stn_colour_f(s->day.now.dif);
    l->spc = stn_colour_f(s->day.now.spc);
    f->light_count = 1;
    f->day_light = 0;
}

/* The nearest lights of objects, flickering. */
static void put_points(const stage_scene *sc, stn_v3 focus, stn_frame *f)
{
    float far[MAX_POINT_LIGHTS];
    int n = 0;
    stn_m4 one = stn_m4_identity();

    for (uint32_t k = 0; k < sc->live_count; k++) {
        const stage_gob *g = sc->live[k];

        for (uint32_t i = 0; g->look && g->placed && i < g->look->u.look.light_count; i++) {
            const stn_gob_light *gl = &g->look->u.look.lights[i];
            stn_v3 at = stn_m4_pt(&g->matrix, gl->at);
            float d = stn_v3_dist(at, focus), b = gl->flickers ? g->flicker : 1.0f;
            stn_lit l = {.pos = stn_light_pos(&f->view, &one, at),
                         .amb = {gl->amb[0] * b, gl->amb[1] * b, gl->amb[2] * b, gl->amb[3] * b},
                         .dif = {gl->dif[0] * b, gl->dif[1] * b, gl->dif[2] * b, gl->dif[3] * b},
                         .spc = {gl->spc[0] * b, gl->spc[1] * b, gl->spc[2] * b, gl->spc[3] * b},
                         .ac = gl->att[0],
                         .al = gl->att[1],
                         .aq = gl->att[2],
                         .at = gl->att[3]};
            int slot = n;

            if (n == MAX_POINT_LIGHTS)
                for (int q = slot = 0; q < n; q++)
                    slot = far[q] > far[slot] ? q : slot;
            else
                n++;
            if (slot < n && (n < MAX_POINT_LIGHTS || f->lights[1 + slot].pos.w == 0.0f || far[slot] > d)) {
                far[slot] = d;
                f->lights[1 + slot] = l;
            }
        }
    }
    f->light_count = 1 + n;
}

static float lum(stn_v4 c)
{
    return 0.3f * c.x + 0.59f * c.y + 0.11f * c.z;
}

/* The sky takes its brightness from the day light, so that evening and night follow by themselves. */
static void put_sky(stn_stage *s, const stn_stage_look *look, stn_v3 focus, stn_frame *f)
{
    stn_v4 amb = stn_colour_f(s->day.now.amb), dif = stn_colour_f(s->day.now.dif);
    float day = s->day.known ? fminf(1.0f, 0.35f * lum(amb) + 0.75f * lum(dif)) : 0.0f;
    const float low[3] = {0.72f, 0.79f, 0.84f}, high[3] = {0.36f, 0.52f, 0.72f};
    float warm = dif.x > 0.01f ? fminf(1.3f, dif.x / fmaxf(dif.z, 0.05f)) : 1.0f;

    for (int i = 0; i < 3; i++) {
        float tint = i == 0 ? 0.85f + 0.15f * warm : i == 2 ? 1.1f - 0.1f * warm : 1.0f;

        f->sky_low[i] = low[i] * day * tint + 0.015f;
        f->sky_high[i] = high[i] * day + 0.02f;
        f->clear[i] = f->sky_low[i];
        f->fog[i] = f->sky_low[i];
    }
    f->clear[3] = 1.0f;
    f->sky_low[3] = 0.5f;
    f->sky_high[3] = fminf(1.0f, 1.15f * day) + 0.03f; /* of a picture of the sky, which is one of noon */
    f->fog[3] = look->fog ? 1.0f : 0.0f;
    f->fog_range[0] = focus.x;
    f->fog_range[1] = focus.y;
    f->fog_range[2] = look->fog_distance * 0.55f;
    f->fog_range[3] = look->fog_distance;
}

static void put_shadow(stn_stage *s, const stn_stage_look *look, stn_v3 focus, stn_frame *f)
{
    stn_v4 d = stn_daylight_dir(s->day.now.elev, s->day.now.angle);
    bool was_drawn = s->shadow_drawn;

    s->shadow_drawn = look->shadows && s->day.known && d.z > 0.02f;
    if (!s->shadow_drawn)
        return;
    s->shadow_left_out += s->dt;
    /* A map that is kept is read from where it was drawn. */
    f->shadows_kept = look->keep_shadows && was_drawn;
    if (!f->shadows_kept) {
        stn_shadow_follow_tick(&s->shadow, s->shadow_left_out, d, focus, STN_SHADOW_SIZE);
        s->shadow_left_out = 0.0;
    }
    f->shadows = STN_SHADOWS_PCF;
    f->shadow_view = s->shadow.place.view;
    f->shadow_proj = s->shadow.place.proj;
    f->shadow_matrix = stn_shadow_matrix(&s->shadow.place, &f->view);
}

static struct shade shade_of(const stn_stage *s, const stage_scene *sc, stn_v3 focus)
{
    const stn_bound *ground = stn_spatial_bound(sc->cut_root);
    double z = fmax((double)s->shadow.day.z, 0.02);

    return (struct shade){.focus = focus,
                          .planes = s->camera.planes,
                          .way = {-(double)s->shadow.day.x / z, -(double)s->shadow.day.y / z, -1.0},
                          .lowest = ground->kind == STN_BOUND_BOX && stn_bound_is_finite(ground)
                                        ? ground->c.z - ground->e.z
                                        : -1e4};
}

/* What is seen and throws a shadow is one draw for both: the others that throw one are added here. */
static void add_casters(stn_stage *s, const stage_scene *sc, const struct shade *shade, const stn_m4 *view,
                        stage_sizing z)
{
    for (size_t i = 0; i < stn_spatial_children(sc->cut_root); i++) {
        stage_cut *c = stn_spatial_user(stn_spatial_child(sc->cut_root, i));

        if (c->job && c->cast_in != s->picture && casts_into(c->spatial, shade))
            add_cut(s, sc, c, STN_DRAW_CASTS, 0);
    }
    for (size_t i = 0; i < stn_spatial_children(sc->gob_root); i++) {
        const stn_spatial *plot = stn_spatial_child(sc->gob_root, i);

        if (plot == sc->nowhere || !casts_into(plot, shade))
            continue;
        for (size_t k = 0; k < stn_spatial_children(plot); k++) {
            stage_gob *g = stn_spatial_user(stn_spatial_child(plot, k));

            if (!g->look || g->cast_in == s->picture || !casts_into(g->spatial, shade))
                continue;
            z.seen = g->seen_in == s->picture;
            add_gob(s, sc, g, view, STN_DRAW_CASTS, z.bias > 0.0f ? &z : NULL, NULL);
        }
    }
}

/* Shadows of clouds drift with the wind over the ground; a cloud hangs as the reference has it
 * (docs/spec/rendering.md 14.5). */
static void put_clouds(const stn_stage *s, const stn_stage_look *look, stn_frame *f)
{
    static const double repeats = 1.0 / 1900.0, drift[2] = {7.0, 4.0}; /* a map unit; map units a second */
    stn_v4 d = stn_daylight_dir(s->day.now.elev, s->day.now.angle);

    if (!look->clouds || !s->clouds || !s->day.known)
        return;
    f->clouds[0] = (float)repeats;
    for (int i = 0; i < 2; i++)
        f->clouds[1 + i] = (float)fmod(look->time * drift[i] * repeats, 1.0);
    f->clouds[3] = 1.0f;
    f->cloud_way[0] = -d.x / (d.z + 1.1f);
    f->cloud_way[1] = -d.y / (d.z + 1.1f);
}

void stn_stage_fill(stn_stage *s, const stn_stage_look *look, stn_v3 focus, stn_frame *f)
{
    stage_scene *sc = stage_shown(s);
    stn_m4 clip = stn_m4_mul(f->proj, f->view);
    stage_sizing z = {.clip = &clip, .bias = look->detail, .seen = true};
    stn_sg_camera *cam = &s->camera;
    struct shade shade;
    bool casts;

    f->time = look->time;
    f->day_light = -1;
    f->outlines = look->outlines;
    f->wind[0] = look->sway ? 1.0f : 0.0f;
    f->outline_strength = 1.0f;
    f->wind[1] = 0.8f;
    f->wind[2] = 0.6f;
    if (s->day.known) {
        put_day(s, f);
        put_points(sc, focus, f);
    }
    put_sky(s, look, focus, f);
    put_clouds(s, look, f);
    s->overlays = look->overlays;
    f->grid = look->grid ? 48.0f / 255.0f : 0.0f;
    put_shadow(s, look, focus, f);
    casts = f->shadows != STN_SHADOWS_NONE && !f->shadows_kept;
    s->picture++;
    s->gobs_seen = s->cuts_seen = 0;
    s->has_camera = camera_of(&f->view, &f->proj, cam);
    if (!s->has_camera)
        return;
    shade = shade_of(s, sc, focus);
    stn_sg_queue_clear(&s->queue);
    stn_sg_queue_visible(&s->queue, sc->cut_root, cam);
    for (size_t i = 0; i < s->queue.count; i++) {
        stage_cut *c = stn_spatial_user(s->queue.items[i].mesh);

        if (c->job) {
            bool cast = casts && casts_into(c->spatial, &shade);

            s->cuts_seen++;
            c->cast_in = cast ? s->picture : 0;
            add_cut(s, sc, c, cast ? STN_DRAW_VISIBLE | STN_DRAW_CASTS : STN_DRAW_VISIBLE, 0);
        }
    }
    stn_sg_queue_clear(&s->queue);
    stn_sg_queue_visible(&s->queue, sc->gob_root, cam);
    for (size_t i = 0; i < s->queue.count; i++) {
        stage_gob *g = stn_spatial_user(s->queue.items[i].mesh);
        bool cast;

        if (!g->look || !g->placed)
            continue;
        z.nearest = nearest(g, &clip);
        if (!worth_drawing(sc, g, &z))
            continue;
        cast = casts && casts_into(g->spatial, &shade);
        s->gobs_seen++;
        g->seen_in = s->picture;
        g->cast_in = cast ? s->picture : 0;
        add_gob(s, sc, g, &f->view, cast ? STN_DRAW_VISIBLE | STN_DRAW_CASTS : STN_DRAW_VISIBLE,
                z.bias > 0.0f ? &z : NULL, NULL);
    }
    if (casts)
        add_casters(s, sc, &shade, &f->view, z);
}

/* --- what can be pointed at --- */

/* How far beyond its bound something may be drawn: limbs that a pose stretches out, crowns in the wind. */
#define REACH 30.0

/* Side planes through the edges of a part of the picture: a point is inside where the clip coordinates of the
 * edge say so, written as planes of the scene. */
static void narrow(stn_sg_camera *c, const stn_frame *f, const stn_stage_window *w)
{
    double x0 = w->x / w->picture_width * 2.0 - 1.0, x1 = (w->x + w->width) / w->picture_width * 2.0 - 1.0;
    double y0 = 1.0 - (w->y + w->height) / w->picture_height * 2.0, y1 = 1.0 - w->y / w->picture_height * 2.0;
    const double edges[4][3] = {{1.0, 0.0, -x0}, {-1.0, 0.0, x1}, {0.0, 1.0, -y0}, {0.0, -1.0, y1}};
    double clip[4][4];

    for (int row = 0; row < 4; row++)
        for (int col = 0; col < 4; col++) {
            clip[row][col] = 0.0;
            for (int k = 0; k < 4; k++)
                clip[row][col] += (double)f->proj.m[4 * k + row] * (double)f->view.m[4 * col + k];
        }
    for (int i = 0; i < 4; i++) {
        double p[4], length;

        for (int col = 0; col < 4; col++)
            p[col] = edges[i][0] * clip[0][col] + edges[i][1] * clip[1][col] + edges[i][2] * clip[3][col];
        length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        if (length > 0.0)
            c->planes[i] =
                (stn_sg_plane){{p[0] / length, p[1] / length, p[2] / length}, -p[3] / length - REACH};
    }
}

size_t stn_stage_targets(stn_stage *s, const stn_frame *f, const stn_stage_window *window, bool things,
                         stn_stage_target *out, size_t max)
{
    stage_scene *sc = stage_shown(s);
    stn_sg_camera cam;
    struct pointing p = {out, 0, max};

    stn_view_begin(s->parts.view);
    if (!camera_of(&f->view, &f->proj, &cam))
        return 0;
    if (window)
        narrow(&cam, f, window);
    stn_sg_queue_clear(&s->queue);
    stn_sg_queue_visible(&s->queue, sc->cut_root, &cam);
    for (size_t i = 0; i < s->queue.count && p.n < max; i++) {
        stage_cut *c = stn_spatial_user(s->queue.items[i].mesh);

        if (!c->job)
            continue;
        out[p.n++] = (stn_stage_target){.land = true, .cut_x = c->x, .cut_y = c->y};
        add_cut(s, sc, c, STN_DRAW_LAND, (uint32_t)p.n);
    }
    stn_sg_queue_clear(&s->queue);
    if (things)
        stn_sg_queue_visible(&s->queue, sc->gob_root, &cam);
    for (size_t i = 0; i < s->queue.count && p.n < max; i++) {
        stage_gob *g = stn_spatial_user(s->queue.items[i].mesh);

        if (g->id < 0 || !g->look || !g->placed || (sc->facts.has_player && g->id == sc->facts.player))
            continue;
        add_gob(s, sc, g, &f->view, STN_DRAW_THING, NULL, &p);
    }
    return p.n;
}
