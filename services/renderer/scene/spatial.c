#include "renderer/scene/spatial_impl.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local uint64_t transforms_done, bounds_done;

static stn_spatial *make(const char *name, bool mesh)
{
    stn_spatial *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    snprintf(s->name, sizeof s->name, "%s", name ? name : "");
    s->is_mesh = mesh;
    s->local = s->world = stn_xform_identity();
    s->model = stn_bound_infinite();
    s->seen = STN_SEEN_INTERSECTS;
    s->pickable = true;
    s->dirty = STN_SG_T | STN_SG_R | STN_SG_B;
    s->stirred = true;
    return s;
}

stn_spatial *stn_node_new(const char *name)
{
    return make(name, false);
}

stn_spatial *stn_mesh_new(const char *name)
{
    return make(name, true);
}

void stn_spatial_free(stn_spatial *s)
{
    if (!s)
        return;
    stn_spatial_detach(s, false);
    while (s->count > 0)
        stn_spatial_free(s->child[s->count - 1]);
    free(s->child);
    free(s);
}

/* Listeners hear of a mark from the spatial upward, until one takes it. */
static void tell(stn_spatial *s, unsigned marks)
{
    for (stn_spatial *p = s; p; p = p->parent)
        if (p->listen && p->listen(p->listen_arg, s, marks))
            return;
}

/* So that an update finds its way here: it leaves out what is not stirred. */
static void stir(stn_spatial *s)
{
    for (; s && !s->stirred; s = s->parent)
        s->stirred = true;
}

static void mark_down(stn_spatial *s, unsigned marks)
{
    s->dirty |= marks;
    s->stirred = true;
    for (size_t i = 0; i < s->count; i++)
        mark_down(s->child[i], marks);
}

static void mark_up(stn_spatial *s)
{
    stir(s);
    for (; s; s = s->parent)
        s->dirty |= STN_SG_B;
}

static void changed_transform(stn_spatial *s)
{
    mark_down(s, STN_SG_T | STN_SG_B);
    mark_up(s->parent);
    tell(s, STN_SG_T);
}

static bool contains(const stn_spatial *below, const stn_spatial *s)
{
    for (const stn_spatial *p = s; p; p = p->parent)
        if (p == below)
            return true;
    return false;
}

static unsigned height_of(const stn_spatial *s)
{
    unsigned most = 0;

    for (size_t i = 0; i < s->count; i++) {
        unsigned h = height_of(s->child[i]);

        most = h > most ? h : most;
    }
    return most + 1;
}

static unsigned depth_of(const stn_spatial *s)
{
    unsigned d = 0;

    for (; s; s = s->parent)
        d++;
    return d;
}

stn_status stn_spatial_attach(stn_spatial *parent, stn_spatial *child, stn_err *err)
{
    if (parent->is_mesh)
        return stn_fail(err, STN_USAGE, "mesh \"%s\" cannot have children", parent->name);
    if (contains(child, parent))
        return stn_fail(err, STN_USAGE, "\"%s\" would be below itself", child->name);
    if (child->parent == parent)
        return STN_OK;
    if (depth_of(parent) + height_of(child) > STN_SG_DEPTH)
        return stn_fail(err, STN_USAGE, "\"%s\" would be deeper than %d", child->name, STN_SG_DEPTH);
    if (parent->count == parent->cap) {
        size_t cap = parent->cap ? parent->cap * 2 : 4;
        void *p = realloc(parent->child, cap * sizeof(stn_spatial *));

        if (!p)
            return stn_fail(err, STN_NO_MEMORY, "children of \"%s\"", parent->name);
        parent->child = p;
        parent->cap = cap;
    }
    stn_spatial_detach(child, true);
    parent->child[parent->count++] = child;
    child->parent = parent;
    mark_down(child, STN_SG_T | STN_SG_R | STN_SG_B);
    mark_up(parent);
    tell(child, STN_SG_T | STN_SG_R | STN_SG_B);
    return STN_OK;
}

void stn_spatial_detach(stn_spatial *s, bool compat)
{
    stn_spatial *p = s->parent;

    if (!p)
        return;
    /* From the end: whoever takes a node apart begins there. */
    for (size_t i = p->count; i-- > 0;)
        if (p->child[i] == s) {
            memmove(p->child + i, p->child + i + 1, (p->count - i - 1) * sizeof *p->child);
            p->count--;
            break;
        }
    s->parent = NULL;
    mark_up(compat ? p->parent : p);
    tell(p, STN_SG_B);
}

const char *stn_spatial_name(const stn_spatial *s)
{
    return s->name;
}
bool stn_spatial_is_mesh(const stn_spatial *s)
{
    return s->is_mesh;
}
stn_spatial *stn_spatial_parent(const stn_spatial *s)
{
    return s->parent;
}
size_t stn_spatial_children(const stn_spatial *s)
{
    return s->count;
}
stn_spatial *stn_spatial_child(const stn_spatial *s, size_t i)
{
    return i < s->count ? s->child[i] : NULL;
}
unsigned stn_spatial_dirty(const stn_spatial *s)
{
    return s->dirty;
}
void *stn_spatial_user(const stn_spatial *s)
{
    return s->user;
}
void stn_spatial_set_user(stn_spatial *s, void *user)
{
    s->user = user;
}
const stn_xform *stn_spatial_local(const stn_spatial *s)
{
    return &s->local;
}
const stn_xform *stn_spatial_world(const stn_spatial *s)
{
    return &s->world;
}
const stn_bound *stn_spatial_bound(const stn_spatial *s)
{
    return &s->bound;
}
stn_sg_seen stn_spatial_seen(const stn_spatial *s)
{
    return s->seen;
}

void stn_spatial_translate(stn_spatial *s, stn_sg_v3 t)
{
    stn_xform_translate(&s->local, t);
    changed_transform(s);
}

void stn_spatial_rotate(stn_spatial *s, const stn_sg_real m[9])
{
    stn_xform_matrix(&s->local, m);
    changed_transform(s);
}

stn_status stn_spatial_scale(stn_spatial *s, stn_sg_v3 k, stn_err *err)
{
    stn_status st = stn_xform_scale(&s->local, k, err);

    if (st == STN_OK)
        changed_transform(s);
    return st;
}

void stn_spatial_set_local(stn_spatial *s, const stn_xform *x)
{
    s->local = *x;
    changed_transform(s);
}

void stn_mesh_set_bound(stn_spatial *mesh, const stn_bound *model)
{
    mesh->model = *model;
    mark_up(mesh);
    tell(mesh, STN_SG_B);
}

void stn_spatial_set_state(stn_spatial *s, unsigned kind, const void *state)
{
    if (kind >= STN_SG_STATES)
        return;
    s->state[kind] = state;
    mark_down(s, STN_SG_R);
    stir(s->parent);
    tell(s, STN_SG_R);
}

const void *stn_spatial_state(const stn_spatial *mesh, unsigned kind)
{
    return kind < STN_SG_STATES ? mesh->world_state[kind] : NULL;
}

void stn_spatial_set_cull(stn_spatial *s, stn_sg_cull hint)
{
    s->cull = hint;
}
void stn_spatial_set_bucket(stn_spatial *s, stn_sg_bucket bucket)
{
    s->bucket = bucket;
}
stn_sg_bucket stn_spatial_bucket(const stn_spatial *s)
{
    for (; s; s = s->parent)
        if (s->bucket != STN_BUCKET_INHERIT)
            return s->bucket;
    return STN_BUCKET_OPAQUE;
}
void stn_spatial_set_ortho_order(stn_spatial *s, int order)
{
    s->ortho_order = order;
}
int stn_spatial_ortho_order(const stn_spatial *s)
{
    return s->ortho_order;
}
void stn_spatial_set_pickable(stn_spatial *s, bool pickable)
{
    s->pickable = pickable;
}
void stn_spatial_set_controller(stn_spatial *s, stn_sg_control_fn fn, void *arg)
{
    s->control = fn;
    s->control_arg = arg;
    stir(s);
}
void stn_spatial_set_listener(stn_spatial *s, stn_sg_listen_fn fn, void *arg)
{
    s->listen = fn;
    s->listen_arg = arg;
}

/* Per kind the state nearest to the mesh on the way to the root, its own included. */
static void gather_states(stn_spatial *s)
{
    if (!s->is_mesh)
        return;
    for (unsigned k = 0; k < STN_SG_STATES; k++) {
        const stn_spatial *p = s;

        while (p && !p->state[k])
            p = p->parent;
        s->world_state[k] = p ? p->state[k] : NULL;
    }
}

static void compute_bound(stn_spatial *s)
{
    bounds_done++;
    if (s->is_mesh) {
        int plane = s->bound.plane;

        s->bound = stn_bound_transform(&s->model, &s->world);
        s->bound.plane = plane;
        return;
    }
    {
        stn_bound sum = {.kind = STN_BOUND_NULL};

        for (size_t i = s->count; i-- > 0;)
            if (stn_bound_merge(&sum, &s->child[i]->bound, NULL) != STN_OK)
                sum = stn_bound_infinite(); /* a broken child must not hide its siblings */
        sum.plane = s->bound.plane;
        s->bound = sum;
    }
}

static void update(stn_spatial *s, double dt, bool initiator);

static void update_children(stn_spatial *s, double dt)
{
    for (size_t i = s->count; i-- > 0;)
        if (s->child[i]->stirred)
            update(s->child[i], dt, false);
}

/* What a controller marked again meanwhile keeps its way here for the next time. */
static void settle(stn_spatial *s)
{
    s->stirred = s->control != NULL || s->dirty != 0;
    for (size_t i = s->count; i-- > 0 && !s->stirred;)
        s->stirred = s->child[i]->stirred;
}

static void update(stn_spatial *s, double dt, bool initiator)
{
    if (s->control)
        s->control(s->control_arg, s, dt);
    if (!s->dirty) {
        update_children(s, dt);
        settle(s);
        return;
    }
    if (s->dirty & STN_SG_T) {
        s->world = s->parent ? stn_xform_combine(&s->parent->world, &s->local) : s->local;
        s->dirty &= ~(unsigned)STN_SG_T;
        transforms_done++;
    }
    if (s->dirty & STN_SG_R) {
        gather_states(s);
        s->dirty &= ~(unsigned)STN_SG_R;
    }
    update_children(s, dt);
    if (s->dirty & STN_SG_B) {
        compute_bound(s);
        s->dirty &= ~(unsigned)STN_SG_B;
        if (initiator)
            for (stn_spatial *p = s->parent; p; p = p->parent) {
                compute_bound(p);
                p->dirty &= ~(unsigned)STN_SG_B;
            }
    }
    settle(s);
}

void stn_spatial_update(stn_spatial *s, double dt)
{
    update(s, dt, true);
}

void stn_spatial_work(uint64_t *transforms, uint64_t *bounds)
{
    *transforms = transforms_done;
    *bounds = bounds_done;
}
