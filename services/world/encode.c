#include "world/encode.h"

#include "base/bytes.h"

#include "proto/world.pb-c.h"

#include <stdlib.h>
#include <string.h>

/* More resources than any payload of 65535 bytes can name are not in one component. */
#define REFS_MAX 4096
#define VALUE_MAX (256u << 10)
#define VARIABLE_MATERIALS "lib/vmat"

struct stn_encode {
    stn_tracker *t;
    stn_incarnation e;
    stn_resids *ids;
    uint8_t buf[VALUE_MAX];
    Stenness__ResourceRef refs[REFS_MAX];
    Stenness__ResourceRef *ptrs[REFS_MAX];
    size_t n_refs, n_ptrs;
    bool unnamed, failed;
};

static Stenness__ResourceRef *ref_of(stn_encode *c, uint16_t resid, const uint8_t *sdt, size_t len)
{
    Stenness__ResourceRef *r;
    const stn_resid *id = stn_resids_take(c->ids, resid, 0);

    if (c->n_refs == REFS_MAX) {
        c->failed = true;
        return &c->refs[0];
    }
    r = &c->refs[c->n_refs++];
    stenness__resource_ref__init(r);
    if (id && id->name) {
        r->name = id->name;
        r->version = id->version;
    } else {
        c->unnamed = true;
    }
    r->sdt = (ProtobufCBinaryData){len, (uint8_t *)(uintptr_t)sdt};
    return r;
}

/* A list of references, as protobuf-c wants it. */
static Stenness__ResourceRef **refs_of(stn_encode *c, const stn_sres_list *l)
{
    Stenness__ResourceRef **first = &c->ptrs[c->n_ptrs];
    for (size_t i = 0; i < l->n; i++) {
        if (c->n_ptrs == REFS_MAX) {
            c->failed = true;
            break;
        }
        c->ptrs[c->n_ptrs++] = ref_of(c, l->at[i].resid, l->at[i].sdt, l->at[i].len);
    }
    return first;
}

static void put(stn_encode *c, unsigned type, const ProtobufCMessage *m)
{
    size_t len = protobuf_c_message_get_packed_size(m);
    const uint8_t *old;
    uint32_t old_len;

    if (len > VALUE_MAX || c->failed) {
        c->failed = true;
        return;
    }
    protobuf_c_message_pack(m, c->buf);
    old = stn_tracker_value(c->t, c->e, type, &old_len);
    if (old && old_len == len && memcmp(old, c->buf, len) == 0)
        return;
    if (!stn_tracker_set(c->t, c->e, type, c->buf, (uint32_t)len))
        c->failed = true;
}

static void take_away(stn_encode *c, unsigned type)
{
    stn_tracker_unset(c->t, c->e, type);
}

static void placement(stn_encode *c, const stn_gob *g)
{
    Stenness__Placement m = STENNESS__PLACEMENT__INIT;
    m.x = g->x;
    m.y = g->y;
    m.angle = g->angle;
    m.virtual_ = g->is_virtual;
    m.updateseq = g->updateseq;
    put(c, STN_COMP_PLACEMENT, &m.base);
}

static void motion(stn_encode *c, const stn_gob *g, int64_t now_ns)
{
    const stn_moving *v = &g->moving;
    Stenness__Motion m = STENNESS__MOTION__INIT;

    if (v->kind == STN_MOVING_NONE) {
        take_away(c, STN_COMP_MOTION);
        return;
    }
    m.instance = v->instance;
    m.kind = (Stenness__MotionKind)v->kind;
    m.sx = v->line.sx;
    m.sy = v->line.sy;
    m.vx = v->line.vx;
    m.vy = v->line.vy;
    m.t = v->line.t;
    m.lt = v->line.lt;
    m.has_end = v->line.has_end;
    m.e = m.has_end ? v->line.end : 0;
    m.frozen = v->line.frozen;
    m.target = (int64_t)v->target;
    m.tx = v->tx;
    m.ty = v->ty;
    m.v = v->v;
    m.dist = v->dist;
    if (v->kind == STN_MOVING_FOLLOWING) {
        m.xf = ref_of(c, v->xf, NULL, 0);
        m.bone = v->bone;
    }
    m.at_ns = now_ns;
    put(c, STN_COMP_MOTION, &m.base);
}

static void drawable(stn_encode *c, const stn_drawable *d)
{
    Stenness__Drawable m = STENNESS__DRAWABLE__INIT;

    if (d->kind == STN_DRAW_NONE) {
        take_away(c, STN_COMP_DRAWABLE);
        return;
    }
    m.instance = d->instance;
    m.kind = (Stenness__DrawableKind)d->kind;
    m.resource = ref_of(c, d->res.resid, d->res.sdt, d->res.len);
    put(c, STN_COMP_DRAWABLE, &m.base);
}

static void poses(stn_encode *c, const stn_drawable *d)
{
    Stenness__Poses m = STENNESS__POSES__INIT;

    if (d->kind != STN_DRAW_COMPOSITE || (!d->has_poses && !d->has_timed)) {
        take_away(c, STN_COMP_POSES);
        return;
    }
    m.instance = d->instance;
    m.seq = d->pseq;
    m.interpolate = d->interp;
    m.has_poses = d->has_poses;
    m.has_timed = d->has_timed;
    m.poses = refs_of(c, &d->poses);
    m.n_poses = d->poses.n;
    m.timed = refs_of(c, &d->timed);
    m.n_timed = d->timed.n;
    m.timed_seconds = d->timed_s;
    put(c, STN_COMP_POSES, &m.base);
}

static void mods(stn_encode *c, const stn_drawable *d)
{
    Stenness__Mods m = STENNESS__MODS__INIT;
    Stenness__CompositeMod *list, **ptrs;

    if (d->kind != STN_DRAW_COMPOSITE || !d->has_mods) {
        take_away(c, STN_COMP_MODS);
        return;
    }
    list = calloc(d->n_mods + 1, sizeof *list);
    ptrs = calloc(d->n_mods + 1, sizeof(Stenness__CompositeMod *));
    for (size_t i = 0; list && ptrs && i < d->n_mods; i++) {
        stenness__composite_mod__init(&list[i]);
        list[i].mod = ref_of(c, d->mods[i].mod, NULL, 0);
        list[i].textures = refs_of(c, &d->mods[i].textures);
        list[i].n_textures = d->mods[i].textures.n;
        ptrs[i] = &list[i];
    }
    m.instance = d->instance;
    m.mods = ptrs;
    m.n_mods = d->n_mods;
    if (list && ptrs)
        put(c, STN_COMP_MODS, &m.base);
    else
        c->failed = true;
    free(list);
    free(ptrs);
}

static void equipment(stn_encode *c, const stn_drawable *d)
{
    Stenness__Equipment m = STENNESS__EQUIPMENT__INIT;
    Stenness__EquipmentItem *list, **ptrs;

    if (d->kind != STN_DRAW_COMPOSITE || !d->has_equ) {
        take_away(c, STN_COMP_EQUIPMENT);
        return;
    }
    list = calloc(d->n_equ + 1, sizeof *list);
    ptrs = calloc(d->n_equ + 1, sizeof(Stenness__EquipmentItem *));
    for (size_t i = 0; list && ptrs && i < d->n_equ; i++) {
        const stn_equ *e = &d->equ[i];
        stenness__equipment_item__init(&list[i]);
        list[i].type = e->type;
        list[i].at = e->at;
        list[i].resource = ref_of(c, e->res.resid, e->res.sdt, e->res.len);
        list[i].has_offset = e->has_offset;
        list[i].x = e->off[0];
        list[i].y = e->off[1];
        list[i].z = e->off[2];
        ptrs[i] = &list[i];
    }
    m.instance = d->instance;
    m.items = ptrs;
    m.n_items = d->n_equ;
    if (list && ptrs)
        put(c, STN_COMP_EQUIPMENT, &m.base);
    else
        c->failed = true;
    free(list);
    free(ptrs);
}

static void overlays(stn_encode *c, const stn_gob *g)
{
    Stenness__Overlays m = STENNESS__OVERLAYS__INIT;
    Stenness__Overlay *list, **ptrs;

    if (g->n_overlays == 0) {
        take_away(c, STN_COMP_OVERLAYS);
        return;
    }
    list = calloc(g->n_overlays, sizeof *list);
    ptrs = calloc(g->n_overlays, sizeof(Stenness__Overlay *));
    for (size_t i = 0; list && ptrs && i < g->n_overlays; i++) {
        const stn_overlay *o = &g->overlays[i];
        stenness__overlay__init(&list[i]);
        list[i].id = o->id;
        list[i].resource = ref_of(c, o->res.resid, o->res.sdt, o->res.len);
        list[i].delign = o->delign;
        list[i].old = o->old;
        list[i].instance = o->instance;
        list[i].ending = o->deleted;
        ptrs[i] = &list[i];
    }
    m.overlays = ptrs;
    m.n_overlays = g->n_overlays;
    if (list && ptrs)
        put(c, STN_COMP_OVERLAYS, &m.base);
    else
        c->failed = true;
    free(list);
    free(ptrs);
}

static void small_ones(stn_encode *c, const stn_gob *g, uint32_t changed)
{
    if (changed & 1u << STN_COMP_OFFSET) {
        Stenness__Offset m = STENNESS__OFFSET__INIT;
        m.instance = g->offset.instance;
        m.z = g->offset.z;
        g->offset.instance ? put(c, STN_COMP_OFFSET, &m.base) : take_away(c, STN_COMP_OFFSET);
    }
    if (changed & 1u << STN_COMP_SPEECH) {
        Stenness__Speech m = STENNESS__SPEECH__INIT;
        m.instance = g->speaking.instance;
        m.z = g->speaking.z;
        m.text = g->speaking.text;
        g->speaking.instance ? put(c, STN_COMP_SPEECH, &m.base) : take_away(c, STN_COMP_SPEECH);
    }
    if (changed & 1u << STN_COMP_HEALTH) {
        Stenness__Health m = STENNESS__HEALTH__INIT;
        m.instance = g->health.instance;
        m.hp = g->health.hp;
        g->health.instance ? put(c, STN_COMP_HEALTH, &m.base) : take_away(c, STN_COMP_HEALTH);
    }
    if (changed & 1u << STN_COMP_ICON) {
        Stenness__Icon m = STENNESS__ICON__INIT;
        m.instance = g->icon.instance;
        if (g->icon.instance)
            m.resource = ref_of(c, g->icon.res.resid, g->icon.res.sdt, g->icon.res.len);
        g->icon.instance ? put(c, STN_COMP_ICON, &m.base) : take_away(c, STN_COMP_ICON);
    }
    if (changed & 1u << STN_COMP_LUMIN) {
        Stenness__Lumin m = STENNESS__LUMIN__INIT;
        m.instance = g->lumin.instance;
        m.x = g->lumin.x;
        m.y = g->lumin.y;
        m.size = g->lumin.size;
        m.strength = g->lumin.strength;
        g->lumin.instance ? put(c, STN_COMP_LUMIN, &m.base) : take_away(c, STN_COMP_LUMIN);
    }
}

static void avatar(stn_encode *c, const stn_gob *g)
{
    Stenness__Avatar m = STENNESS__AVATAR__INIT;

    if (!g->avatar.instance) {
        take_away(c, STN_COMP_AVATAR);
        return;
    }
    m.instance = g->avatar.instance;
    m.layers = &c->ptrs[c->n_ptrs];
    for (size_t i = 0; i < g->avatar.n; i++) {
        if (c->n_ptrs == REFS_MAX) {
            c->failed = true;
            return;
        }
        c->ptrs[c->n_ptrs++] = ref_of(c, g->avatar.layers[i], NULL, 0);
    }
    m.n_layers = g->avatar.n;
    put(c, STN_COMP_AVATAR, &m.base);
}

/* Session numbers inside the bytes of an attribute mean nothing to a viewer: those of the formats known here
 * travel with the resources they stand for. Variable materials: repeated u16 resource number, i8 material. */
static void published_one(stn_encode *c, const stn_published *p, unsigned type)
{
    Stenness__Published m = STENNESS__PUBLISHED__INIT;
    uint32_t keys[UINT8_MAX];

    m.instance = p->instance;
    m.resource = ref_of(c, p->resid, NULL, 0);
    m.slot = m.resource->name;
    m.data = (ProtobufCBinaryData){p->len, p->data};
    m.map_ids = keys;
    m.map_resources = &c->ptrs[c->n_ptrs];
    if (!strcmp(m.slot, VARIABLE_MATERIALS))
        for (size_t at = 0; at + 3 <= p->len && m.n_map_ids < UINT8_MAX && c->n_ptrs < REFS_MAX; at += 3) {
            keys[m.n_map_ids++] = stn_ld16(p->data + at);
            c->ptrs[c->n_ptrs++] = ref_of(c, stn_ld16(p->data + at), NULL, 0);
        }
    m.n_map_resources = m.n_map_ids;
    put(c, type, &m.base);
}

static void published(stn_encode *c, const stn_gob *g)
{
    unsigned type = STN_COMP_PUBLISHED;
    for (size_t i = 0; i < g->n_published && type < STN_TRACKER_COMPONENTS; i++, type++)
        published_one(c, &g->published[i], type);
    for (; type < STN_TRACKER_COMPONENTS; type++)
        take_away(c, type);
}

stn_encode *stn_encode_new(void)
{
    return calloc(1, sizeof(stn_encode));
}

void stn_encode_free(stn_encode *c)
{
    free(c);
}

bool stn_encode_gob(stn_encode *c, stn_tracker *t, stn_incarnation e, const stn_gob *g, uint32_t changed,
                    stn_resids *ids, int64_t now_ns, bool *unnamed)
{
    c->t = t;
    c->e = e;
    c->ids = ids;
    c->n_refs = c->n_ptrs = 0;
    c->unnamed = c->failed = false;
    if (changed & 1u << STN_COMP_PLACEMENT)
        placement(c, g);
    if (changed & 1u << STN_COMP_MOTION)
        motion(c, g, now_ns);
    if (changed & 1u << STN_COMP_DRAWABLE)
        drawable(c, &g->drawable);
    if (changed & 1u << STN_COMP_POSES)
        poses(c, &g->drawable);
    if (changed & 1u << STN_COMP_MODS)
        mods(c, &g->drawable);
    if (changed & 1u << STN_COMP_EQUIPMENT)
        equipment(c, &g->drawable);
    if (changed & 1u << STN_COMP_OVERLAYS)
        overlays(c, g);
    if (changed & 1u << STN_COMP_AVATAR)
        avatar(c, g);
    if (changed & 1u << STN_COMP_PUBLISHED)
        published(c, g);
    small_ones(c, g, changed);
    *unnamed |= c->unnamed;
    return !c->failed;
}
