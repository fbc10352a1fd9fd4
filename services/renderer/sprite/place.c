#include "renderer/sprite/place.h"

#include <math.h>
#include <string.h>

#define TILE 11.0
#define PLANE_SLACK 0.01

/* ---- which placer ---- */

static stn_place_surface surface_of(const stn_values *args, uint32_t i, stn_place_surface fallback)
{
    const char *name;
    if (i >= args->count || stn_value_as_text(&args->items[i], &name, NULL) != STN_OK)
        return fallback;
    return strcmp(name, "trn") == 0 ? STN_SURFACE_TERRAIN : STN_SURFACE_MAP;
}

static stn_sprite_fault find_obstacle(const stn_res *res, const stn_values *args, uint32_t i, stn_placer *out,
                                      stn_err *err)
{
    const char *id = "";
    const stn_res_layer *layer;

    if (i < args->count && stn_value_as_text(&args->items[i], &id, NULL) != STN_OK)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "placement: obstacle id is no text");
    layer = stn_res_find_text(res, STN_LAYER_OBST, id);
    if (!layer)
        return stn_sprite_fail(err, STN_SPRITE_NO_LAYER, "placement: no obstacle layer \"%.40s\"", id);
    out->obst = layer->as.obst;
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_placer_of(const stn_res *res, stn_placer *out, stn_err *err)
{
    static const char *const names[] = {"surface", "incline", "base", "line", "plane"};
    const stn_res_layer *props = res ? stn_res_first(res, STN_LAYER_PROPS) : NULL;
    const stn_value *place = props ? stn_entries_get(&props->as.props->props, "place") : NULL;
    const stn_values *args;
    const char *type;
    bool optional;

    *out = (stn_placer){.kind = STN_PLACER_SURFACE, .surface = res ? STN_SURFACE_TERRAIN : STN_SURFACE_MAP};
    if (!place)
        return STN_SPRITE_OK;
    if (place->kind != STN_VALUE_LIST || place->u.list.count == 0 ||
        stn_value_as_text(&place->u.list.items[0], &type, NULL) != STN_OK)
        return stn_sprite_fail(err, STN_SPRITE_MALFORMED,
                               "placement: expected a list that begins with its type");
    args = &place->u.list;
    optional = strncmp(type, "o:", 2) == 0;
    if (optional)
        type += 2;
    for (int i = 0; i < 5; i++) {
        stn_sprite_fault fault = STN_SPRITE_OK;
        if (strcmp(type, names[i]) != 0)
            continue;
        out->kind = (stn_placer_kind)i;
        out->surface = surface_of(args, 1, STN_SURFACE_MAP);
        if (i >= STN_PLACER_BASE)
            fault = find_obstacle(res, args, 2, out, err);
        if (!fault && i == STN_PLACER_LINE && args->count > 3 &&
            stn_value_as_double(&args->items[3], &out->extra_angle, NULL) != STN_OK)
            fault = stn_sprite_fail(err, STN_SPRITE_MALFORMED, "placement: extra angle is no number");
        return fault;
    }
    if (optional)
        return STN_SPRITE_OK;
    return stn_sprite_fail(err, STN_SPRITE_MALFORMED, "placement: unknown type \"%.40s\"", type);
}

/* ---- geometry; all of it in double until it is rounded ---- */

typedef struct point {
    double x, y;
} point;

typedef struct placing {
    const stn_placer *placer;
    const stn_ground *ground;
    point at;
    double angle;
    stn_err *err;
} placing;

static stn_sprite_fault height(const placing *p, point at, double *z)
{
    return p->ground->z(p->ground->user, p->placer->surface, at.x, at.y, z, p->err);
}

static point turned(point v, double angle)
{
    double c = cos(angle), s = sin(angle);
    return (point){v.x * c - v.y * s, v.y * c + v.x * s};
}

static point ring_vertex(const placing *p, const stn_obst_ring *ring, uint32_t i)
{
    point v = turned((point){ring->points[i][0], ring->points[i][1]}, p->angle);
    return (point){v.x + p->at.x, v.y + p->at.y};
}

static stn_mat4 default_turn(double angle)
{
    float a = -(float)angle;
    return stn_mat4_rotate((stn_sprite_vec){0, 0, 1}, a);
}

static stn_mat4 tilted(stn_sprite_vec n, double angle)
{
    stn_mat4 turn = default_turn(angle), tilt;
    stn_sprite_vec r = {-n.y, n.x, 0};
    float s = (float)sqrt((double)((r.x * r.x) + (r.y * r.y) + (r.z * r.z))), k;

    if (!(s > 0))
        return turn;
    k = 1 / s;
    tilt = stn_mat4_rotate_sc((stn_sprite_vec){r.x * k, r.y * k, r.z * k}, s,
                              (float)sqrt((double)(1 - (s * s))));
    return stn_mat4_mul(&tilt, &turn);
}

/* ---- base: the lowest ground along the outline ---- */

typedef struct stepper { /* of one axis: the next grid line that the edge meets, and how far along it is */
    double n, step, t, s, d;
} stepper;

static stepper stepper_of(double s, double d)
{
    stepper a = {.s = s, .d = d, .step = d > 0 ? 1 : -1, .t = INFINITY};
    a.n = d > 0 ? floor(s / TILE) + 1 : ceil(s / TILE) - 1;
    if (d != 0)
        a.t = fabs((a.n * TILE - s) / d);
    return a;
}

static void step(stepper *a)
{
    a->n += a->step;
    a->t = (a->n * TILE - a->s) / a->d;
}

stn_sprite_fault stn_place_along(double x0, double y0, double x1, double y1, stn_place_point_fn *fn,
                                 void *user)
{
    stepper x = stepper_of(x0, x1 - x0), y = stepper_of(y0, y1 - y0);
    stn_sprite_fault fault = fn(user, x0, y0);

    while (!fault && (x.t < 1 || y.t < 1)) {
        if (x.t == y.t) {
            fault = fn(user, x.n * TILE, y.n * TILE);
            step(&x);
            step(&y);
        } else if (x.t < y.t) {
            fault = fn(user, x.n * TILE, y0 + y.d * x.t);
            step(&x);
        } else {
            fault = fn(user, x0 + x.d * y.t, y.n * TILE);
            step(&y);
        }
    }
    return fault;
}

typedef struct lowest {
    const placing *p;
    float z;
    bool any;
} lowest;

static stn_sprite_fault consider(void *user, double x, double y)
{
    lowest *low = user;
    double z;
    stn_sprite_fault fault = height(low->p, (point){x, y}, &z);
    if (fault)
        return fault;
    if (!low->any || z < (double)low->z)
        low->z = (float)z;
    low->any = true;
    return STN_SPRITE_OK;
}

static stn_sprite_fault place_base(const placing *p, stn_placed *out)
{
    const stn_res_obst *obst = p->placer->obst;
    lowest low = {.p = p, .z = NAN};

    for (uint32_t r = 0; r < obst->count; r++)
        for (uint32_t i = 0; i < obst->rings[r].count; i++) {
            point s = ring_vertex(p, &obst->rings[r], i);
            point e = ring_vertex(p, &obst->rings[r], (i + 1) % obst->rings[r].count);
            stn_sprite_fault fault = stn_place_along(s.x, s.y, e.x, e.y, consider, &low);
            if (fault)
                return fault;
        }
    out->at.z = low.z;
    out->turn = default_turn(p->angle);
    return STN_SPRITE_OK;
}

/* ---- line: laid over two points of the outline ---- */

static void cross_edge(point k, point n, point e, double *min, double *max)
{
    point j = {e.x - n.x, e.y - n.y};
    double det = k.x * j.y - k.y * j.x, t, u;

    if (det == 0)
        return;
    t = (1 / det) * (j.x * (-n.y) - j.y * (-n.x));
    u = (1 / det) * (k.x * (-n.y) - k.y * (-n.x));
    if (!(u >= 0 && u <= 1))
        return;
    if (t > *max)
        *max = t;
    if (t < *min)
        *min = t;
}

static stn_sprite_fault place_line(const placing *p, stn_placed *out)
{
    const stn_res_obst *obst = p->placer->obst;
    point k = turned((point){1, 0}, p->placer->extra_angle), rk = turned(k, p->angle);
    double min = 0, max = 0, zmin, zmax;
    float dz, dx, h;
    stn_mat4 tilt, turn = default_turn(p->angle);
    stn_sprite_fault fault;

    for (uint32_t r = 0; r < obst->count; r++)
        for (uint32_t i = 0; i < obst->rings[r].count; i++) {
            const double *s = obst->rings[r].points[i],
                         *e = obst->rings[r].points[(i + 1) % obst->rings[r].count];
            cross_edge(k, (point){s[0], s[1]}, (point){e[0], e[1]}, &min, &max);
        }
    if (min == 0 || max == 0)
        return stn_sprite_fail(p->err, STN_SPRITE_MALFORMED,
                               "placement: the line does not leave the outline on both sides");
    if ((fault = height(p, (point){p->at.x + rk.x * max, p->at.y + rk.y * max}, &zmax)) ||
        (fault = height(p, (point){p->at.x + rk.x * min, p->at.y + rk.y * min}, &zmin)))
        return fault;
    dz = (float)(zmax - zmin);
    dx = (float)(max - min);
    h = (float)sqrt((double)((dx * dx) + (dz * dz)));
    out->at.z = (float)zmin + dz * (float)(-min / (max - min));
    tilt = stn_mat4_rotate_sc((stn_sprite_vec){(float)-rk.y, (float)-rk.x, 0}, dz / h, dx / h);
    out->turn = stn_mat4_mul(&tilt, &turn);
    return STN_SPRITE_OK;
}

/* ---- plane: on three points of the outline, the steepest plane that no other point pierces ---- */

#define PLANE_POINTS 256

static bool plane_of(const stn_sprite_vec *points, uint32_t o, uint32_t i, uint32_t u, stn_sprite_vec *n)
{
    stn_sprite_vec a = {points[o].x - points[i].x, points[o].y - points[i].y, points[o].z - points[i].z};
    stn_sprite_vec b = {points[u].x - points[i].x, points[u].y - points[i].y, points[u].z - points[i].z};

    *n = stn_sprite_vec_norm(stn_sprite_vec_cross(a, b));
    if (n->z == 0)
        return false;
    if (n->z < 0)
        *n = (stn_sprite_vec){-n->x, -n->y, -n->z};
    return true;
}

static float plane_height(stn_sprite_vec n, stn_sprite_vec on, float x, float y)
{
    return on.z - ((n.x * (x - on.x) + n.y * (y - on.y)) / n.z);
}

static bool pierced(const stn_sprite_vec *points, uint32_t count, stn_sprite_vec n, uint32_t on)
{
    for (uint32_t i = 0; i < count; i++)
        if ((double)(points[i].z - plane_height(n, points[on], points[i].x, points[i].y)) > PLANE_SLACK)
            return true;
    return false;
}

static stn_sprite_fault plane_points(const placing *p, stn_sprite_vec *points, uint32_t *count)
{
    const stn_res_obst *obst = p->placer->obst;

    *count = 0;
    for (uint32_t r = 0; r < obst->count; r++)
        for (uint32_t i = 0; i < obst->rings[r].count; i++) {
            point v = ring_vertex(p, &obst->rings[r], i);
            double z;
            stn_sprite_fault fault;
            if (*count == PLANE_POINTS)
                return stn_sprite_fail(p->err, STN_SPRITE_MALFORMED, "placement: over %d points",
                                       PLANE_POINTS);
            if ((fault = height(p, v, &z)))
                return fault;
            points[(*count)++] = (stn_sprite_vec){(float)v.x, (float)v.y, (float)z};
        }
    return STN_SPRITE_OK;
}

static stn_sprite_fault place_plane(const placing *p, stn_placed *out)
{
    stn_sprite_vec points[PLANE_POINTS], best = {0, 0, 1};
    uint32_t count, on = 0;
    float steepest = 0;
    stn_sprite_fault fault = plane_points(p, points, &count);

    if (fault)
        return fault;
    if (count < 3)
        return stn_sprite_fail(p->err, STN_SPRITE_MALFORMED, "placement: plane on %u points", count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t o = i + 1; o < count; o++)
            for (uint32_t u = o + 1; u < count; u++) {
                stn_sprite_vec n, flat;
                float tilt;
                if (!plane_of(points, o, i, u, &n) || pierced(points, count, n, i))
                    continue;
                flat = stn_sprite_vec_cross(n, (stn_sprite_vec){0, 0, 1});
                tilt = (float)sqrt((double)((flat.x * flat.x) + (flat.y * flat.y) + (flat.z * flat.z)));
                if (tilt > steepest) {
                    steepest = tilt;
                    best = n;
                    on = i;
                }
            }
    out->at.z = plane_height(best, points[on], (float)p->at.x, (float)p->at.y);
    out->turn = tilted((stn_sprite_vec){best.x, -best.y, best.z}, p->angle);
    return STN_SPRITE_OK;
}

/* ---- the rest ---- */

static stn_sprite_fault place_surface(const placing *p, stn_placed *out)
{
    double z;
    stn_sprite_fault fault = height(p, p->at, &z);

    if (fault)
        return fault;
    out->at.z = (float)z;
    out->turn = default_turn(p->angle);
    return STN_SPRITE_OK;
}

static stn_sprite_fault place_incline(const placing *p, stn_placed *out)
{
    stn_sprite_vec n;
    stn_sprite_fault fault = place_surface(p, out);

    if (fault ||
        (fault = p->ground->normal(p->ground->user, p->placer->surface, p->at.x, p->at.y, &n, p->err)))
        return fault;
    out->turn = tilted((stn_sprite_vec){n.x, -n.y, n.z}, p->angle);
    return STN_SPRITE_OK;
}

stn_sprite_fault stn_place(const stn_placer *placer, const stn_ground *ground, double x, double y,
                           double angle, float z_offset, stn_placed *out, stn_err *err)
{
    static stn_sprite_fault (*const by_kind[])(const placing *p, stn_placed *out) = {
        place_surface, place_incline, place_base, place_line, place_plane};
    placing p = {.placer = placer, .ground = ground, .at = {x, y}, .angle = angle, .err = err};
    stn_placed again;
    stn_sprite_fault fault = by_kind[placer->kind](&p, out);

    if (fault)
        return fault;
    out->at.x = (float)x;
    out->at.y = (float)y;
    /* The rotation is asked with the rounded position; a plane remembers the one of its height. */
    if (placer->kind == STN_PLACER_INCLINE || placer->kind == STN_PLACER_LINE) {
        p.at = (point){(double)out->at.x, (double)out->at.y};
        if ((fault = by_kind[placer->kind](&p, &again)))
            return fault;
        out->turn = again.turn;
    }
    out->at.z = out->at.z + z_offset;
    return STN_SPRITE_OK;
}

stn_mat4 stn_placed_matrix(const stn_placed *placed)
{
    stn_mat4 move = stn_mat4_translate((stn_sprite_vec){placed->at.x, -placed->at.y, placed->at.z});
    return stn_mat4_mul(&move, &placed->turn);
}
