/* queue.c - what a camera sees of a tree, in buckets; and what a ray meets. Declared in spatial.h. */
#include "renderer/scene/spatial_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static stn_sg_v3 mix(stn_sg_v3 a, stn_sg_real ka, stn_sg_v3 b, stn_sg_real kb)
{
    return (stn_sg_v3){a.x * ka + b.x * kb, a.y * ka + b.y * kb, a.z * ka + b.z * kb};
}

static stn_sg_v3 neg(stn_sg_v3 a)
{
    return (stn_sg_v3){-a.x, -a.y, -a.z};
}

void stn_sg_camera_planes(stn_sg_camera *c)
{
    stn_sg_plane *p = c->planes;
    stn_sg_real n = c->near;
    stn_sg_real depth = stn_sg_dot(c->axis_dir, c->location);

    if (c->parallel) {
        p[0].n = neg(c->axis_left);
        p[0].k = stn_sg_dot(c->location, p[0].n) + c->left;
        p[1].n = c->axis_left;
        p[1].k = stn_sg_dot(c->location, p[1].n) - c->right;
        p[2].n = neg(c->axis_up);
        p[2].k = stn_sg_dot(c->location, p[2].n) + c->bottom;
        p[3].n = c->axis_up;
        p[3].k = stn_sg_dot(c->location, p[3].n) - c->top;
    } else {
        stn_sg_real il = 1.0 / sqrt(n * n + c->left * c->left), ir = 1.0 / sqrt(n * n + c->right * c->right);
        stn_sg_real ib = 1.0 / sqrt(n * n + c->bottom * c->bottom), it = 1.0 / sqrt(n * n + c->top * c->top);

        p[0].n = mix(c->axis_left, n * il, c->axis_dir, -c->left * il);
        p[1].n = mix(c->axis_left, -n * ir, c->axis_dir, c->right * ir);
        p[2].n = mix(c->axis_up, n * ib, c->axis_dir, -c->bottom * ib);
        p[3].n = mix(c->axis_up, -n * it, c->axis_dir, c->top * it);
        for (int i = 0; i < 4; i++)
            p[i].k = stn_sg_dot(c->location, p[i].n);
    }
    p[4].n = neg(c->axis_dir);
    p[4].k = -(depth + c->far);
    p[5].n = c->axis_dir;
    p[5].k = depth + n;
}

/* Planes that a parent lies wholly in front of are set in the mask and skipped for its children. */
static stn_sg_seen against(stn_bound *b, const stn_sg_camera *c, unsigned *mask)
{
    stn_sg_seen seen = STN_SEEN_INSIDE;
    int order[7] = {b->plane, 5, 4, 3, 2, 1, 0};

    if (b->kind == STN_BOUND_NULL)
        return STN_SEEN_INSIDE;
    for (int i = 0; i < 7; i++) {
        int k = order[i], side;

        if ((i > 0 && k == b->plane) || (*mask & 1u << k))
            continue;
        side = stn_bound_side(b, &c->planes[k]);
        if (side < 0) {
            b->plane = k;
            return STN_SEEN_OUTSIDE;
        }
        if (side > 0)
            *mask |= 1u << k;
        else
            seen = STN_SEEN_INTERSECTS;
    }
    return seen;
}

void stn_sg_queue_fini(stn_sg_queue *q)
{
    free(q->items);
    free(q->scratch);
    memset(q, 0, sizeof *q);
}

void stn_sg_queue_clear(stn_sg_queue *q)
{
    q->count = 0;
    q->failed = false;
}

static void put(stn_sg_queue *q, stn_spatial *mesh, const stn_sg_camera *c)
{
    stn_sg_bucket bucket = stn_spatial_bucket(mesh);
    stn_sg_queued *it;

    if (bucket == STN_BUCKET_SKIP)
        return;
    if (q->count == q->cap) {
        size_t cap = q->cap ? q->cap * 2 : 256;
        void *a = realloc(q->items, cap * sizeof *q->items), *b;

        if (a)
            q->items = a;
        b = realloc(q->scratch, cap * sizeof *q->scratch);
        if (b)
            q->scratch = b;
        if (!a || !b) {
            q->failed = true;
            return;
        }
        q->cap = cap;
    }
    it = &q->items[q->count++];
    *it = (stn_sg_queued){.mesh = mesh, .bucket = bucket};
    if (bucket != STN_BUCKET_TRANSPARENT)
        return;
    if (stn_bound_is_finite(&mesh->bound)) {
        it->distance = stn_bound_distance(&mesh->bound, c->location);
    } else {
        stn_sg_v3 d =
            stn_sg_sub((stn_sg_v3){mesh->world.t[0], mesh->world.t[1], mesh->world.t[2]}, c->location);

        it->distance = sqrt(stn_sg_dot(d, d));
    }
    if (!isfinite(it->distance))
        it->distance = INFINITY;
}

static void walk(stn_sg_queue *q, stn_spatial *s, const stn_sg_camera *c, unsigned mask,
                 stn_sg_cull inherited)
{
    stn_sg_cull hint = s->cull == STN_CULL_INHERIT ? inherited : s->cull;

    if (hint == STN_CULL_ALWAYS) {
        s->seen = STN_SEEN_OUTSIDE;
        return;
    }
    if (hint == STN_CULL_NEVER) {
        s->seen = STN_SEEN_INTERSECTS;
    } else {
        s->seen =
            s->parent && s->parent->bound.kind != STN_BOUND_NULL ? s->parent->seen : STN_SEEN_INTERSECTS;
        if (s->seen == STN_SEEN_INTERSECTS)
            s->seen = against(&s->bound, c, &mask);
        if (s->seen == STN_SEEN_OUTSIDE)
            return;
    }
    if (s->is_mesh)
        put(q, s, c);
    for (size_t i = s->count; i-- > 0;)
        walk(q, s->child[i], c, mask, hint);
}

static stn_sg_cull inherited_cull(const stn_spatial *s)
{
    for (; s; s = s->parent)
        if (s->cull != STN_CULL_INHERIT)
            return s->cull;
    return STN_CULL_DYNAMIC;
}

void stn_sg_queue_visible(stn_sg_queue *q, stn_spatial *root, const stn_sg_camera *camera)
{
    walk(q, root, camera, 0, inherited_cull(root->parent));
}

static int compare(const stn_sg_queued *a, const stn_sg_queued *b)
{
    if (a->bucket != b->bucket)
        return a->bucket < b->bucket ? -1 : 1;
    switch (a->bucket) {
    case STN_BUCKET_TRANSPARENT: /* the farthest first */
        return a->distance > b->distance ? -1 : a->distance < b->distance ? 1 : 0;
    case STN_BUCKET_ORTHO:
        return a->mesh->ortho_order > b->mesh->ortho_order   ? -1
               : a->mesh->ortho_order < b->mesh->ortho_order ? 1
                                                             : 0;
    default:
        return a->key < b->key ? -1 : a->key > b->key ? 1 : 0;
    }
}

void stn_sg_queue_sort(stn_sg_queue *q)
{
    stn_sg_queued *from = q->items, *to = q->scratch;

    for (size_t width = 1; width < q->count; width *= 2) {
        stn_sg_queued *t;

        for (size_t at = 0; at < q->count; at += 2 * width) {
            size_t mid = at + width < q->count ? at + width : q->count;
            size_t end = at + 2 * width < q->count ? at + 2 * width : q->count;
            size_t a = at, b = mid;

            for (size_t out = at; out < end; out++)
                to[out] = a < mid && (b >= end || compare(&from[a], &from[b]) <= 0) ? from[a++] : from[b++];
        }
        t = from;
        from = to;
        to = t;
    }
    if (q->count)
        memmove(q->items, from, from == q->items ? 0 : q->count * sizeof *from);
}

static size_t pick(stn_spatial *s, const stn_sg_ray *ray, stn_sg_pick *out, size_t n, size_t cap)
{
    stn_sg_real in, leave;

    if (!s->pickable || s->bound.kind == STN_BOUND_NULL || !stn_bound_ray(&s->bound, ray, &in, &leave))
        return n;
    if (s->is_mesh) {
        size_t at = n;

        /* Kept sorted; of equal distances the first found stays first. */
        while (at > 0 && out[at - 1].distance > in)
            at--;
        if (at == cap)
            return n;
        n = n == cap ? n : n + 1;
        memmove(out + at + 1, out + at, (n - at - 1) * sizeof *out);
        out[at] = (stn_sg_pick){s, in};
    }
    for (size_t i = s->count; i-- > 0;)
        n = pick(s->child[i], ray, out, n, cap);
    return n;
}

size_t stn_sg_pick_bounds(stn_spatial *root, const stn_sg_ray *ray, stn_sg_pick *out, size_t cap)
{
    return pick(root, ray, out, 0, cap);
}
