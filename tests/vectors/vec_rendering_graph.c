/* scenegraph.tsv: the tree, its bounds and states, culling, buckets, picking; section 23. */
#include "vec_rendering.h"

#include "renderer/scene/spatial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 4096

struct graph {
    stn_spatial *by_name[MAX_NAMES];
    stn_sg_camera camera;
    stn_sg_queue queue;
    size_t queued_at; /* next queued record to be compared */
};

static const char *const state_names[] = {"Blend", "Cull", "ZBuffer"};
static const char *const bucket_names[] = {"Inherit",     "PreBucket",  "Shadow",     "Opaque",
                                           "Transparent", "OrthoOrder", "PostBucket", "Skip"};

static stn_sg_v3 sg_v3(rec_file *f)
{
    double x = rec_f64(f), y = rec_f64(f), z = rec_f64(f);

    return (stn_sg_v3){x, y, z};
}

static stn_spatial *named(struct graph *g, const char *name)
{
    unsigned long n = strtoul(name, NULL, 10);

    return n < MAX_NAMES ? g->by_name[n] : NULL;
}

static void forget(struct graph *g, stn_spatial *s)
{
    for (size_t i = 0; i < stn_spatial_children(s); i++)
        forget(g, stn_spatial_child(s, i));
    g->by_name[strtoul(stn_spatial_name(s), NULL, 10)] = NULL;
}

static void reset(struct graph *g)
{
    if (g->by_name[0])
        stn_spatial_free(g->by_name[0]);
    stn_sg_queue_fini(&g->queue);
    memset(g, 0, sizeof *g);
    g->by_name[0] = stn_node_new("0");
}

static bool take_bound(rec_file *f, stn_bound *b)
{
    const char *kind = rec_text(f);

    memset(b, 0, sizeof *b);
    if (strcmp(kind, "box") == 0) {
        stn_sg_v3 c = sg_v3(f);
        *b = stn_bound_box(c, sg_v3(f));
    } else if (strcmp(kind, "sphere") == 0) {
        stn_sg_v3 c = sg_v3(f);
        *b = stn_bound_sphere(c, rec_f64(f));
    } else if (strcmp(kind, "null") != 0)
        return false;
    return true;
}

static bool same_v3(stn_sg_v3 a, stn_sg_v3 b)
{
    return same_f64(a.x, b.x) && same_f64(a.y, b.y) && same_f64(a.z, b.z);
}

static bool same_bound(const stn_bound *a, const stn_bound *b)
{
    return a->kind == b->kind && (a->kind == STN_BOUND_NULL || same_v3(a->c, b->c)) &&
           (a->kind != STN_BOUND_BOX || same_v3(a->e, b->e)) &&
           (a->kind != STN_BOUND_SPHERE || same_f64(a->r, b->r));
}

static int index_of(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0;
}

/* Changes of the tree. False: not such a record. */
static bool change(rec_file *f, struct graph *g)
{
    const char *name;
    stn_spatial *s;

    if (rec_is(f, "scene")) {
        reset(g);
        return true;
    }
    if (rec_is(f, "node") || rec_is(f, "mesh")) {
        bool mesh = rec_is(f, "mesh");

        name = rec_text(f);
        s = mesh ? stn_mesh_new(name) : stn_node_new(name);
        stn_spatial *parent = named(g, rec_text(f));

        if (!parent) {
            stn_spatial_free(s);
            return false;
        }
        g->by_name[strtoul(name, NULL, 10) % MAX_NAMES] = s;
        stn_spatial_attach(parent, s, NULL);
        if (mesh) {
            stn_bound b;

            if (take_bound(f, &b))
                stn_mesh_set_bound(s, &b);
        }
        return true;
    }
    static const char *const kinds[] = {"translate", "rotate", "scale", "scale3", "setstate", "clearstate",
                                        "cullhint",  "bucket", "ortho", "detach", "move",     "update"};
    int kind = -1;

    for (int i = 0; i < 12; i++)
        if (rec_is(f, kinds[i]))
            kind = i;
    if (kind < 0)
        return false;
    s = named(g, rec_text(f));
    if (!s)
        return true;
    switch (kind) {
    case 0:
        stn_spatial_translate(s, sg_v3(f));
        break;
    case 1: {
        double m[9];
        for (int i = 0; i < 9; i++)
            m[i] = rec_f64(f);
        stn_spatial_rotate(s, m);
        break;
    }
    case 2: {
        double k = rec_f64(f);
        stn_spatial_scale(s, (stn_sg_v3){k, k, k}, NULL);
        break;
    }
    case 3:
        stn_spatial_scale(s, sg_v3(f), NULL);
        break;
    case 4:
    case 5: {
        unsigned k = (unsigned)index_of(state_names, 3, rec_text(f));
        stn_spatial_set_state(s, k, kind == 4 ? (const void *)(uintptr_t)(rec_int(f) + 1) : NULL);
        break;
    }
    case 6: {
        static const char *const hints[] = {"Inherit", "Dynamic", "Always", "Never"};
        stn_spatial_set_cull(s, (stn_sg_cull)index_of(hints, 4, rec_text(f)));
        break;
    }
    case 7:
        stn_spatial_set_bucket(s, (stn_sg_bucket)index_of(bucket_names, 8, rec_text(f)));
        break;
    case 8:
        stn_spatial_set_ortho_order(s, (int)rec_int(f));
        break;
    case 9:
        forget(g, s);
        stn_spatial_detach(s, true);
        stn_spatial_free(s);
        break;
    case 10: {
        stn_spatial *to = named(g, rec_text(f));
        if (to)
            stn_spatial_attach(to, s, NULL);
        break;
    }
    default:
        stn_spatial_update(s, 0.0);
    }
    return true;
}

static void draw(rec_file *f, struct graph *g)
{
    stn_sg_camera *c = &g->camera;

    memset(c, 0, sizeof *c);
    c->parallel = strcmp(rec_text(f), "ortho") == 0;
    c->near = rec_f64(f);
    c->far = rec_f64(f);
    c->left = rec_f64(f);
    c->right = rec_f64(f);
    c->top = rec_f64(f);
    c->bottom = rec_f64(f);
    c->location = sg_v3(f);
    c->axis_left = sg_v3(f);
    c->axis_up = sg_v3(f);
    c->axis_dir = sg_v3(f);
    stn_sg_camera_planes(c);
    stn_sg_queue_clear(&g->queue);
    stn_sg_queue_visible(&g->queue, g->by_name[0], c);
    g->queued_at = 0;
}

static bool queued_matches(rec_file *f, struct graph *g)
{
    char got[96];
    const stn_sg_queued *q;

    if (g->queued_at >= g->queue.count)
        return false;
    q = &g->queue.items[g->queued_at++];
    snprintf(got, sizeof got, "q:%s:%s", stn_spatial_name(q->mesh), bucket_names[q->bucket]);
    return strcmp(got, rec_text(f)) == 0;
}

static bool seen_matches(rec_file *f, struct graph *g)
{
    static const char *const words[] = {"Outside", "Intersects", "Inside"};

    /* The frustum line comes after all queued ones. */
    if (g->queued_at != g->queue.count)
        return false;
    for (const char *p = rec_text(f); *p;) {
        char name[32], word[32];
        int n = 0;
        stn_spatial *s;

        if (sscanf(p, "%31[^:]:%31s%n", name, word, &n) != 2)
            return false;
        p += n;
        while (*p == ' ')
            p++;
        s = named(g, name);
        if (!s || strcmp(words[stn_spatial_seen(s)], word) != 0)
            return false;
    }
    return true;
}

static bool drawn_matches(rec_file *f, struct graph *g)
{
    stn_sg_bucket bucket = (stn_sg_bucket)index_of(bucket_names, 8, rec_text(f));
    const char *want = rec_text(f);

    stn_sg_queue_sort(&g->queue);
    for (size_t i = 0; i < g->queue.count; i++) {
        const char *name;

        if (g->queue.items[i].bucket != bucket)
            continue;
        name = stn_spatial_name(g->queue.items[i].mesh);
        if (strncmp(want, name, strlen(name)) != 0)
            return false;
        want += strlen(name);
        while (*want == ' ')
            want++;
    }
    return *want == '\0';
}

static bool pick_matches(rec_file *f, struct graph *g)
{
    static stn_sg_pick got[MAX_NAMES];
    static char text[MAX_NAMES * 24];
    stn_sg_ray ray;
    size_t n, at = 0;

    ray.origin = sg_v3(f);
    ray.dir = sg_v3(f);
    n = stn_sg_pick_bounds(g->by_name[0], &ray, got, MAX_NAMES);
    text[0] = '\0';
    for (size_t i = 0; i < n && i < MAX_NAMES; i++) {
        uint64_t bits;

        memcpy(&bits, &got[i].distance, 8);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s:%016llx", i ? " " : "",
                               stn_spatial_name(got[i].mesh), (unsigned long long)bits);
    }
    return strcmp(text, rec_text(f)) == 0;
}

static bool xform_matches(rec_file *f, const stn_xform *x)
{
    char flags[16];
    bool ok = true;

    for (int i = 0; i < 9; i++)
        ok = same_f64(x->m[i], rec_f64(f)) && ok;
    for (int i = 0; i < 3; i++)
        ok = same_f64(x->s[i], rec_f64(f)) && ok;
    for (int i = 0; i < 3; i++)
        ok = same_f64(x->t[i], rec_f64(f)) && ok;
    snprintf(flags, sizeof flags, "%d%d%d", x->identity, x->rotation, x->uniform);
    return ok && strcmp(flags, rec_text(f)) == 0;
}

static bool states_match(rec_file *f, const stn_spatial *s)
{
    char text[64];
    size_t at = 0;

    for (unsigned k = 0; k < 3; k++) {
        const void *v = stn_spatial_state(s, k);

        at += (size_t)snprintf(text + at, sizeof text - at, k ? " " : "");
        if (v)
            at += (size_t)snprintf(text + at, sizeof text - at, "%d", (int)(uintptr_t)v - 1);
        else
            at += (size_t)snprintf(text + at, sizeof text - at, "-");
    }
    return strcmp(text, rec_text(f)) == 0;
}

static bool result(rec_file *f, struct graph *g)
{
    stn_spatial *s = named(g, rec_text(f));

    if (!s)
        return false;
    if (rec_is(f, "dirty")) {
        unsigned d = stn_spatial_dirty(s);
        char text[4] = {d & STN_SG_T ? 'T' : '-', d & STN_SG_R ? 'R' : '-', d & STN_SG_B ? 'B' : '-', '\0'};

        return strcmp(text, rec_text(f)) == 0;
    }
    if (rec_is(f, "xf"))
        return xform_matches(f, stn_spatial_world(s));
    if (rec_is(f, "states"))
        return states_match(f, s);
    {
        stn_bound want;

        return take_bound(f, &want) && same_bound(stn_spatial_bound(s), &want);
    }
}

struct trace {
    char text[8192];
    size_t len;
};

static void note(void *arg, stn_spatial *s, double dt)
{
    struct trace *t = arg;

    (void)dt;
    if (sizeof t->text - t->len < 64)
        return; /* the text is too short then, which the comparison tells */
    t->len += (size_t)snprintf(t->text + t->len, sizeof t->text - t->len, "%s%s%s", t->len ? " " : "",
                               stn_spatial_name(s), stn_spatial_dirty(s) & STN_SG_T ? "*" : "");
}

/* "a(b(c m2) m1)": m is a mesh. */
static stn_spatial *parse_tree(const char **p, struct trace *t, stn_spatial **moved)
{
    char name[32];
    size_t n = strcspn(*p, "() ");
    stn_spatial *s;

    snprintf(name, sizeof name, "%.*s", (int)n, *p);
    *p += n;
    s = name[0] == 'm' ? stn_mesh_new(name) : stn_node_new(name);
    stn_spatial_set_controller(s, note, t);
    if (strcmp(name, "b") == 0)
        *moved = s;
    if (**p == '(') {
        ++*p;
        while (**p && **p != ')') {
            stn_spatial_attach(s, parse_tree(p, t, moved), NULL);
            while (**p == ' ')
                ++*p;
        }
        if (**p)
            ++*p;
    }
    return s;
}

void vec_graph(vec_report *r, const char *dir)
{
    static struct graph g;
    static struct trace trace;
    stn_spatial *tree = NULL, *moved = NULL;
    int runs = 0;
    rec_file f;

    if (!rec_open(&f, dir, "scenegraph.tsv"))
        return;
    while (rec_next(&f)) {
        bool ok;

        if (change(&f, &g))
            continue;
        if (rec_is(&f, "camera")) {
            draw(&f, &g);
            continue;
        }
        if (rec_is(&f, "tree")) {
            const char *p = rec_text(&f);

            stn_spatial_free(tree);
            tree = parse_tree(&p, &trace, &moved);
            runs = 0;
            continue;
        }
        if (rec_is(&f, "controllers")) {
            if (runs++ > 0 && moved)
                stn_spatial_translate(moved, (stn_sg_v3){1, 2, 3});
            trace.len = 0;
            stn_spatial_update(tree, 0.0);
            ok = strcmp(trace.text, rec_text(&f)) == 0;
        } else if (rec_is(&f, "queued"))
            ok = queued_matches(&f, &g);
        else if (rec_is(&f, "frustum"))
            ok = seen_matches(&f, &g);
        else if (rec_is(&f, "drawn"))
            ok = drawn_matches(&f, &g);
        else if (rec_is(&f, "pick"))
            ok = pick_matches(&f, &g);
        else if (rec_is(&f, "dirty") || rec_is(&f, "xf") || rec_is(&f, "bound") || rec_is(&f, "states"))
            ok = result(&f, &g);
        else {
            vec_fail(r, "%s line %d: unknown record %s", f.name, f.line, f.field[0]);
            continue;
        }
        if (ok)
            vec_pass(r);
        else
            vec_fail(r, "%s line %d: %s %s", f.name, f.line, f.field[0], f.fields > 1 ? f.field[1] : "");
    }
    stn_spatial_free(tree);
    if (g.by_name[0])
        stn_spatial_free(g.by_name[0]);
    stn_sg_queue_fini(&g.queue);
    rec_close(&f);
}
