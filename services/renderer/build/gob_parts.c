/* gob_parts.c - components of an object as they come from world. Every text, count and number is checked
 * here. */
#include "renderer/build/gob.h"

#include "renderer/build/words.h"

#include "base/bytes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take_ref(gob_ref *to, const Stenness__ResourceRef *r)
{
    memset(to, 0, sizeof *to);
    to->version = -1;
    if (!r || !r->name)
        return;
    snprintf(to->name, sizeof to->name, "%s", r->name);
    to->version = r->version;
    to->sdt_len = r->sdt.len < GOB_SDT ? r->sdt.len : GOB_SDT;
    if (to->sdt_len)
        memcpy(to->sdt, r->sdt.data, to->sdt_len);
}

static bool same_ref(const gob_ref *a, const gob_ref *b)
{
    return strcmp(a->name, b->name) == 0 && a->version == b->version && a->sdt_len == b->sdt_len &&
           memcmp(a->sdt, b->sdt, a->sdt_len) == 0;
}

static const void *unpack(stn_gobs *all, const ProtobufCMessageDescriptor *type, const uint8_t *data,
                          size_t len, stn_err *err)
{
    const ProtobufCMessage *m = NULL;

    return stn_unpack(all->unpacker, type, data, len, &m, err) == STN_OK ? m : NULL;
}

static bool sane(double v)
{
    return isfinite(v) && fabs(v) < 1e12;
}

static void placement(gob *g, const Stenness__Placement *p)
{
    if (!sane(p->x) || !sane(p->y) || !sane(p->angle))
        return;
    /* A word of the server starts homing anew. */
    if (g->motion.kind == STN_MOVE_HOMING && (p->x != g->x || p->y != g->y))
        g->motion.dist = 0.0;
    g->x = p->x;
    g->y = p->y;
    g->angle = p->angle;
    g->updateseq = (int32_t)p->updateseq;
    g->object.updateseq = g->updateseq;
    g->placed = true;
    g->place_due = true;
}

static void motion(gob *g, const Stenness__Motion *m)
{
    static const stn_motion_kind kinds[] = {STN_MOVE_NONE, STN_MOVE_LINEAR, STN_MOVE_HOMING,
                                            STN_MOVE_FOLLOWING};
    stn_motion n = {.kind =
                        m->kind <= STENNESS__MOTION_KIND__MOTION_FOLLOWING ? kinds[m->kind] : STN_MOVE_NONE,
                    .line = {.sx = m->sx,
                             .sy = m->sy,
                             .vx = m->vx,
                             .vy = m->vy,
                             .t = m->t,
                             .lt = m->lt,
                             .end = m->e,
                             .has_end = m->has_end,
                             .frozen = m->frozen},
                    .target = m->target,
                    .tx = m->tx,
                    .ty = m->ty,
                    .v = m->v,
                    .dist = m->dist};

    if (!sane(m->sx) || !sane(m->sy) || !sane(m->vx) || !sane(m->vy) || !sane(m->t) || !sane(m->lt) ||
        !sane(m->e) || !sane(n.v) || !sane(n.dist) || !sane(n.tx) || !sane(n.ty))
        return;
    /* A step never pulls back what is shown already: the same motion keeps the later time. */
    if (n.kind == STN_MOVE_LINEAR && g->motion.kind == STN_MOVE_LINEAR && m->instance == g->motion_instance &&
        g->motion.line.t > m->t)
        n.line.t = fmin(g->motion.line.t, m->has_end ? fmax(m->e, m->t) : m->lt + STN_MOTION_AHEAD);
    g->motion = n;
    g->motion_instance = m->instance;
    g->place_due = true;
}

static void drawable(gob *g, const Stenness__Drawable *d)
{
    gob_ref ref;

    take_ref(&ref, d->resource);
    if (g->kind == d->kind && g->drawable_instance == d->instance && same_ref(&ref, &g->drawable))
        return;
    g->kind = d->kind;
    g->drawable_instance = d->instance;
    g->drawable = ref;
    g->drawable_due = true;
    g->failed = false;
    g->models_due = g->items_due = g->poses_due = true;
}

static gob_body *body_of(gob *g)
{
    if (!g->body)
        g->body = calloc(1, sizeof *g->body);
    return g->body;
}

void gob_body_free(gob_body *b)
{
    if (!b)
        return;
    free(b->models);
    free(b->materials);
    free(b->items);
    free(b->poses);
    free(b->timed);
    free(b);
}

/* A list in place of an older one; false: out of memory, and the older one stays. */
static bool take_refs(gob_ref **list, unsigned *count, Stenness__ResourceRef *const *from, size_t n,
                      size_t most)
{
    gob_ref *made;

    n = n < most ? n : most;
    made = calloc(n ? n : 1, sizeof *made);
    if (!made)
        return false;
    for (size_t i = 0; i < n; i++)
        take_ref(&made[i], from[i]);
    free(*list);
    *list = made;
    *count = (unsigned)n;
    return true;
}

static bool poses(gob *g, const Stenness__Poses *p)
{
    gob_body *b = body_of(g);

    if (!b || !take_refs(&b->poses, &b->pose_count, p->poses, p->n_poses, GOB_POSES) ||
        !take_refs(&b->timed, &b->timed_count, p->timed, p->n_timed, GOB_POSES))
        return false;
    b->timed_seconds = p->timed_seconds;
    b->interpolate = p->interpolate;
    g->poses_due = g->poses_due || p->has_poses || p->n_poses > 0;
    g->timed_due = p->has_timed && p->n_timed > 0;
    return true;
}

static bool mods(gob *g, const Stenness__Mods *m)
{
    gob_body *b = body_of(g);
    size_t n = m->n_mods < GOB_MODELS ? m->n_mods : GOB_MODELS, all = 0;
    gob_model *models = calloc(n ? n : 1, sizeof *models);
    gob_ref *materials, *next;

    for (size_t i = 0; i < n; i++)
        all += m->mods[i]->n_textures < GOB_MATERIALS ? m->mods[i]->n_textures : GOB_MATERIALS;
    materials = next = calloc(all ? all : 1, sizeof *materials);
    if (!b || !models || !materials) {
        free(models);
        free(materials);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        take_ref(&models[i].mod, m->mods[i]->mod);
        models[i].materials = next;
        for (size_t t = 0; t < m->mods[i]->n_textures && t < GOB_MATERIALS; t++, next++)
            take_ref(next, m->mods[i]->textures[t]);
        models[i].material_count = (unsigned)(next - models[i].materials);
    }
    free(b->models);
    free(b->materials);
    b->models = models;
    b->materials = materials;
    b->model_count = (unsigned)n;
    g->models_due = true;
    return true;
}

static bool equipment(gob *g, const Stenness__Equipment *e)
{
    gob_body *b = body_of(g);
    size_t n = e->n_items < GOB_ITEMS ? e->n_items : GOB_ITEMS;
    gob_item *items = calloc(n ? n : 1, sizeof *items);

    if (!b || !items) {
        free(items);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const Stenness__EquipmentItem *it = e->items[i];

        take_ref(&items[i].what, it->resource);
        snprintf(items[i].at, sizeof items[i].at, "%s", it->at ? it->at : "");
        items[i].type = it->type;
        if (it->has_offset) {
            items[i].offset[0] = it->x;
            items[i].offset[1] = it->y;
            items[i].offset[2] = it->z;
        }
    }
    free(b->items);
    b->items = items;
    b->item_count = (unsigned)n;
    g->items_due = true;
    return true;
}

void gob_overlays_free(gob *g)
{
    for (unsigned i = 0; i < g->overlay_count; i++)
        stn_sprite_free(g->overlays[i].sprite);
    free(g->overlays);
    g->overlays = NULL;
    g->overlay_count = 0;
}

static bool overlays(gob *g, const Stenness__Overlays *o)
{
    size_t n = o->n_overlays < GOB_OVERLAYS ? o->n_overlays : GOB_OVERLAYS;
    gob_overlay *made = calloc(n ? n : 1, sizeof *made);

    if (!made)
        return false;
    for (size_t i = 0; i < n; i++) {
        gob_overlay *to = &made[i];

        to->id = o->overlays[i]->id;
        to->instance = o->overlays[i]->instance;
        to->persistent = o->overlays[i]->delign;
        to->ending = o->overlays[i]->ending;
        take_ref(&to->ref, o->overlays[i]->resource);
        for (unsigned k = 0; k < g->overlay_count; k++) {
            gob_overlay *old = &g->overlays[k];

            if (old->instance != to->instance || !same_ref(&old->ref, &to->ref))
                continue;
            to->sprite = old->sprite;
            to->failed = old->failed;
            to->over = old->over;
            to->reported = old->reported;
            old->sprite = NULL;
            if (to->ending && !old->ending && to->sprite && !stn_sprite_end(to->sprite)) {
                stn_sprite_free(to->sprite);
                to->sprite = NULL;
                to->over = true;
            }
        }
    }
    gob_overlays_free(g);
    g->overlays = made;
    g->overlay_count = (unsigned)n;
    g->look_due = true;
    return true;
}

void gob_take_ghost(gob *g, const Stenness__Ghost *ghost)
{
    size_t n = ghost->n_overlays < GOB_OVERLAYS ? ghost->n_overlays : GOB_OVERLAYS;

    take_ref(&g->drawable, ghost->resource);
    g->kind = STENNESS__DRAWABLE_KIND__DRAWABLE_RESOURCE;
    g->drawable_instance = 1;
    g->drawable_due = true;
    g->overlays = n ? calloc(n, sizeof *g->overlays) : NULL;
    g->overlay_count = g->overlays ? (unsigned)n : 0;
    for (unsigned i = 0; i < g->overlay_count; i++) {
        g->overlays[i].id = (int32_t)i + 1;
        g->overlays[i].persistent = true;
        take_ref(&g->overlays[i].ref, ghost->overlays[i]);
    }
}

/* The message of lib/vmat: resource number and material id, over and over; slot k is the k-th. */
static bool variable_materials(gob *g, const Stenness__Published *p)
{
    stn_bytes b = stn_bytes_of(p->data.data, p->data.len);
    gob_dress *d = g->dress;

    if (!d && !(d = g->dress = calloc(1, sizeof *d)))
        return false;
    d->count = 0;
    while (stn_bytes_left(&b) >= 3 && d->count < STN_VARMAT_SLOTS) {
        uint16_t number = stn_bytes_u16(&b);
        int8_t id = stn_bytes_i8(&b);
        const Stenness__ResourceRef *r = NULL;

        for (size_t i = 0; i < p->n_map_ids && i < p->n_map_resources; i++)
            if (p->map_ids[i] == number)
                r = p->map_resources[i];
        if (!r || !r->name) {
            d->count = 0;
            return true;
        }
        snprintf(d->names[d->count], sizeof d->names[0], "%s", r->name);
        d->entries[d->count] = (stn_varmat_entry){d->names[d->count], r->version, id};
        d->count++;
    }
    g->vm_due = d->count > 0;
    d->instance = p->instance;
    return true;
}

/* How the object's plants move; the numbers are drawn anew for each message. */
static void sway(stn_gobs *all, gob *g, const Stenness__Published *p)
{
    stn_err err = {0};
    stn_sprite_fault f = stn_sway_read(p->data.data, p->data.len, &all->rnd, &g->sway, &err);

    g->object.sway = f == STN_SPRITE_OK ? &g->sway : NULL;
    if (f != STN_SPRITE_OK)
        gob_fault(all, g, "sway", f, &err);
    g->look_due = true;
}

static bool name(stn_gobs *all, gob *g, uint32_t type, const Stenness__Published *p)
{
    stn_job_name *n = g->name ? g->name : calloc(1, sizeof *n);

    if (!n)
        return false;
    if (!stn_words_name(p->data.data, p->data.len, n)) {
        stn_err err = {0};

        stn_fail(&err, STN_TRUNCATED, "a name of %zu bytes ends early", p->data.len);
        gob_fault(all, g, "name", STN_SPRITE_EOF, &err);
    }
    g->name = n;
    g->name_type = type;
    g->name_due = true;
    return true;
}

/* The component says something else from now on: what `id` stands for, or nothing. */
static void published_other(gob *g, uint32_t type, stn_native_id id)
{
    if (type == g->dress_type && id != STN_NATIVE_VARMAT) {
        g->dress_type = 0;
        g->vm_due = false;
        g->object.n_mods = 0;
    }
    if (type == g->sway_type && id != STN_NATIVE_SWAY) {
        g->sway_type = 0;
        g->object.sway = NULL;
        g->look_due = true;
    }
    if (type == g->name_type && id != STN_NATIVE_NAME) {
        g->name_type = 0;
        g->name->text[0] = '\0';
        g->name_due = true;
    }
}

/* A published attribute: what it means is its carrier's matter. */
static bool published(stn_gobs *all, gob *g, uint32_t type, const Stenness__Published *p)
{
    const stn_native *twin = p->resource && p->resource->name && p->resource->name[0]
                                 ? stn_sprite_attribute(all->ctx, p->resource->name, p->resource->version)
                                 : NULL;

    /* Slots close up when one goes: what this component said before may have moved to another. */
    published_other(g, type, twin ? twin->id : STN_NATIVE_NONE);
    if (!twin)
        return true;
    if (twin->id == STN_NATIVE_VARMAT) {
        g->dress_type = type;
        return variable_materials(g, p);
    }
    if (twin->id == STN_NATIVE_SWAY) {
        g->sway_type = type;
        sway(all, g, p);
    }
    return twin->id != STN_NATIVE_NAME || name(all, g, type, p);
}

static void say(stn_gobs *all, const gob *g, const Stenness__Speech *s)
{
    stn_job *job = stn_job_new(STN_JOB_GOB_TEXT, all->frame);

    if (!job)
        return;
    job->u.text.id = g->id;
    job->u.text.z = s ? s->z : 0.0f;
    snprintf(job->u.text.text, sizeof job->u.text.text, "%s", s && s->text ? s->text : "");
    if (!all->ops.give(all->ops.ctx, job))
        stn_job_free(job); /* speech that finds no room is not worth waiting for */
}

#define UNPACK(type) unpack(all, &stenness__##type##__descriptor, data, len, err)

stn_status gob_component(stn_gobs *all, gob *g, uint32_t type, const uint8_t *data, size_t len, stn_err *err)
{
    const void *m = NULL;
    bool kept = true;

    switch (type) {
    case STENNESS__COMPONENT_TYPE__COMPONENT_PLACEMENT:
        if ((m = UNPACK(placement)) != NULL)
            placement(g, m);
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_MOTION:
        if ((m = UNPACK(motion)) != NULL)
            motion(g, m);
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_DRAWABLE:
        if ((m = UNPACK(drawable)) != NULL)
            drawable(g, m);
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_POSES:
        if ((m = UNPACK(poses)) != NULL)
            kept = poses(g, m);
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_MODS:
        if ((m = UNPACK(mods)) != NULL)
            kept = mods(g, m);
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_EQUIPMENT:
        if ((m = UNPACK(equipment)) != NULL)
            kept = equipment(g, m);
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_OVERLAYS:
        if ((m = UNPACK(overlays)) != NULL)
            kept = overlays(g, m);
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_OFFSET:
        if ((m = UNPACK(offset)) != NULL) {
            float z = ((const Stenness__Offset *)m)->z;

            g->z = isfinite(z) ? z : 0.0f;
            g->place_due = true;
        }
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_SPEECH:
        if ((m = UNPACK(speech)) != NULL)
            say(all, g, m);
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_HEALTH:
        if ((m = UNPACK(health)) != NULL) {
            g->hp = ((const Stenness__Health *)m)->hp;
            g->look_due = true;
        }
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_ICON:
    case STENNESS__COMPONENT_TYPE__COMPONENT_LUMIN:
    case STENNESS__COMPONENT_TYPE__COMPONENT_AVATAR:
        return STN_OK;
    default:
        if ((m = UNPACK(published)) != NULL)
            kept = published(all, g, type, m);
    }
    if (!kept)
        return stn_fail(err, STN_NO_MEMORY, "component %u of object %lld", type, (long long)g->id);
    return m ? STN_OK : stn_fail_in(err, STN_BAD_DATA, "component %u of object %lld", type, (long long)g->id);
}

void gob_component_removed(gob *g, uint32_t type)
{
    switch (type) {
    case STENNESS__COMPONENT_TYPE__COMPONENT_MOTION:
        g->motion.kind = STN_MOVE_NONE;
        g->place_due = true;
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_DRAWABLE:
        g->kind = STENNESS__DRAWABLE_KIND__DRAWABLE_NONE;
        g->drawable_due = true;
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_OVERLAYS:
        gob_overlays_free(g);
        g->look_due = true;
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_EQUIPMENT:
        if (g->body)
            g->body->item_count = 0;
        g->items_due = true;
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_OFFSET:
        g->z = 0.0f;
        g->place_due = true;
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_HEALTH:
        g->hp = 1.0f;
        g->look_due = true;
        break;
    default:
        if (type >= STENNESS__COMPONENT_TYPE__COMPONENT_PUBLISHED)
            published_other(g, type, STN_NATIVE_NONE);
        break;
    }
}
