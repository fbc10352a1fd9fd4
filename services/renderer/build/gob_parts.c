/* gob_parts.c - components of an object as they come from world. Every text, count and number is checked
 * here. */
#include "renderer/build/gob.h"

#include "base/bytes.h"

#include <math.h>
#include <stdio.h>
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
                    .sx = m->sx,
                    .sy = m->sy,
                    .vx = m->vx,
                    .vy = m->vy,
                    .t = m->t,
                    .lt = m->lt,
                    .e = m->e,
                    .has_end = m->has_end,
                    .frozen = m->frozen,
                    .target = m->target,
                    .tx = m->tx,
                    .ty = m->ty,
                    .v = m->v,
                    .dist = m->dist};

    if (!sane(n.sx) || !sane(n.sy) || !sane(n.vx) || !sane(n.vy) || !sane(n.t) || !sane(n.lt) || !sane(n.e) ||
        !sane(n.v) || !sane(n.dist) || !sane(n.tx) || !sane(n.ty))
        return;
    /* A step never pulls back what is shown already: the same motion keeps the later time. */
    if (n.kind == STN_MOVE_LINEAR && g->motion.kind == STN_MOVE_LINEAR && m->instance == g->motion_instance &&
        g->motion.t > n.t)
        n.t = fmin(g->motion.t, n.has_end ? fmax(n.e, n.t) : n.lt + 0.5);
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

static void poses(gob *g, const Stenness__Poses *p)
{
    g->pose_count = g->timed_count = 0;
    for (size_t i = 0; i < p->n_poses && g->pose_count < GOB_POSES; i++)
        take_ref(&g->poses[g->pose_count++], p->poses[i]);
    for (size_t i = 0; i < p->n_timed && g->timed_count < GOB_POSES; i++)
        take_ref(&g->timed[g->timed_count++], p->timed[i]);
    g->timed_seconds = p->timed_seconds;
    g->interpolate = p->interpolate;
    g->poses_due = g->poses_due || p->has_poses || p->n_poses > 0;
    g->timed_due = p->has_timed && p->n_timed > 0;
}

static void mods(gob *g, const Stenness__Mods *m)
{
    g->model_count = 0;
    for (size_t i = 0; i < m->n_mods && g->model_count < GOB_MODELS; i++) {
        unsigned k = g->model_count++;

        take_ref(&g->models[k].mod, m->mods[i]->mod);
        g->models[k].material_count = 0;
        for (size_t t = 0; t < m->mods[i]->n_textures && t < GOB_MATERIALS; t++)
            take_ref(&g->models[k].materials[g->models[k].material_count++], m->mods[i]->textures[t]);
    }
    g->models_due = true;
}

static void equipment(gob *g, const Stenness__Equipment *e)
{
    g->item_count = 0;
    for (size_t i = 0; i < e->n_items && g->item_count < GOB_ITEMS; i++) {
        const Stenness__EquipmentItem *it = e->items[i];
        unsigned k = g->item_count++;

        take_ref(&g->items[k].what, it->resource);
        snprintf(g->items[k].at, sizeof g->items[k].at, "%s", it->at ? it->at : "");
        g->items[k].type = it->type;
        g->items[k].offset[0] = it->has_offset ? it->x : 0.0f;
        g->items[k].offset[1] = it->has_offset ? it->y : 0.0f;
        g->items[k].offset[2] = it->has_offset ? it->z : 0.0f;
    }
    g->items_due = true;
}

static void overlays(gob *g, const Stenness__Overlays *o)
{
    gob_overlay old[GOB_OVERLAYS];
    unsigned old_count = g->overlay_count;

    memcpy(old, g->overlays, sizeof old);
    g->overlay_count = 0;
    for (size_t i = 0; i < o->n_overlays && g->overlay_count < GOB_OVERLAYS; i++) {
        gob_overlay n = {.id = o->overlays[i]->id, .instance = o->overlays[i]->instance};

        take_ref(&n.ref, o->overlays[i]->resource);
        for (unsigned k = 0; k < old_count; k++)
            if (old[k].instance == n.instance && same_ref(&old[k].ref, &n.ref)) {
                n.sprite = old[k].sprite;
                n.failed = old[k].failed;
                old[k].sprite = NULL;
            }
        g->overlays[g->overlay_count++] = n;
    }
    for (unsigned k = 0; k < old_count; k++)
        stn_sprite_free(old[k].sprite);
    g->look_due = true;
}

/* The message of lib/vmat: resource number and material id, over and over; slot k is the k-th. */
static void variable_materials(gob *g, const Stenness__Published *p)
{
    stn_bytes b = stn_bytes_of(p->data.data, p->data.len);

    g->vm_count = 0;
    while (stn_bytes_left(&b) >= 3 && g->vm_count < STN_VARMAT_SLOTS) {
        uint16_t number = stn_bytes_u16(&b);
        int8_t id = stn_bytes_i8(&b);
        const Stenness__ResourceRef *r = NULL;

        for (size_t i = 0; i < p->n_map_ids && i < p->n_map_resources; i++)
            if (p->map_ids[i] == number)
                r = p->map_resources[i];
        if (!r || !r->name) {
            g->vm_count = 0;
            return;
        }
        snprintf(g->vm_names[g->vm_count], sizeof g->vm_names[0], "%s", r->name);
        g->vm[g->vm_count] = (stn_varmat_entry){g->vm_names[g->vm_count], r->version, id};
        g->vm_count++;
    }
    g->vm_due = g->vm_count > 0;
    g->vm_instance = p->instance;
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
            poses(g, m);
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_MODS:
        if ((m = UNPACK(mods)) != NULL)
            mods(g, m);
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_EQUIPMENT:
        if ((m = UNPACK(equipment)) != NULL)
            equipment(g, m);
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_OVERLAYS:
        if ((m = UNPACK(overlays)) != NULL)
            overlays(g, m);
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
        if ((m = UNPACK(published)) != NULL) {
            const Stenness__Published *p = m;

            if (p->resource && p->resource->name && strcmp(p->resource->name, "lib/vmat") == 0)
                variable_materials(g, p);
        }
    }
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
        for (unsigned i = 0; i < g->overlay_count; i++)
            stn_sprite_free(g->overlays[i].sprite);
        g->overlay_count = 0;
        g->look_due = true;
        break;
    case STENNESS__COMPONENT_TYPE__COMPONENT_EQUIPMENT:
        g->item_count = 0;
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
        break;
    }
}
