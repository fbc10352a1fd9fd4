/* json_layers.c - each kind of layer as JSON. */
#include "res/json_layers.h"

#include <stdlib.h>

typedef struct shower {
    const stn_res *res;
    const char *name; /* of the resource */
} shower;

static json_t *ints(const int32_t *v, size_t n)
{
    json_t *a = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(a, json_integer(v[i]));
    return a;
}

static json_t *bytes_as_ints(const uint8_t *v, size_t n)
{
    json_t *a = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(a, json_integer(v[i]));
    return a;
}

static json_t *texts(const char *const *v, size_t n)
{
    json_t *a = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(a, stn_js_text(v[i]));
    return a;
}

/* [name, version]; an empty name is the resource itself */
static json_t *resref(const shower *s, const stn_resref *r)
{
    if (!*r->name)
        return json_pack("[o, i]", stn_js_text(s->name), stn_res_version(s->res));
    return json_pack("[o, i]", stn_js_text(r->name), r->version);
}

static json_t *record_of(const stn_res_layer *l)
{
    return l ? json_integer(l->index) : json_null();
}

/* ---- pictures ---- */

/* Checksums of all levels of a chain. */
static json_t *levels_json(stn_mipmapper mapper, const uint8_t *chain, uint32_t w, uint32_t h)
{
    json_t *a = json_array();
    for (uint32_t n = stn_mip_levels(mapper, w, h); n > 0; n--) {
        size_t bytes = (size_t)w * h * 4;
        json_array_append_new(
            a, json_pack("{s:i, s:i, s:o}", "w", w, "h", h, "crc32", stn_js_crc(chain, bytes)));
        chain += bytes;
        w = w > 1 ? w / 2 : 1;
        h = h > 1 ? h / 2 : 1;
    }
    return a;
}

static json_t *picture_json(const uint8_t *data, uint32_t len, uint32_t w, uint32_t h, const uint8_t *rgba)
{
    size_t bytes = (size_t)w * h * 4;
    uint8_t *own = rgba ? NULL : malloc(bytes ? bytes : 1);
    json_t *crc = NULL;
    if (rgba)
        crc = stn_js_crc(rgba, bytes);
    else if (own && stn_picture_rgba(data, len, NULL, own, bytes, NULL, NULL) == STN_OK)
        crc = stn_js_crc(own, bytes);
    free(own);
    return json_pack("{s:i, s:i, s:o}", "w", w, "h", h, "rgba_crc32", crc ? crc : json_null());
}

static json_t *image_json(const stn_res_image *m)
{
    stn_image_geometry g = stn_res_image_geometry(m, 1.0);
    json_t *scaled = NULL;
    size_t bytes = g.ssz[0] > 0 && g.ssz[1] > 0 ? (size_t)g.ssz[0] * (size_t)g.ssz[1] * 4 : 0;
    if (bytes && (uint64_t)g.ssz[0] * (uint64_t)g.ssz[1] <= stn_res_default_limits.max_pixels) {
        uint8_t *out = malloc(bytes);
        if (out && stn_res_image_scaled(m, 1.0, NULL, out, bytes, NULL, NULL) == STN_OK)
            scaled = stn_js_crc(out, bytes);
        free(out);
    }
    return json_pack("{s:i, s:i, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "id", m->id, "z",
                     m->z, "subz", m->subz, "nooff", m->nooff, "off", ints(m->off, 2), "tsz", ints(m->tsz, 2),
                     "scale", stn_js_f32(m->scale), "so", ints(g.so, 2), "ssz", ints(g.ssz, 2), "stsz",
                     ints(g.stsz, 2), "info", stn_js_entries(&m->info), "image",
                     picture_json(m->picture, m->picture_len, m->w, m->h, m->rgba), "scaled_rgba_crc32",
                     scaled ? scaled : json_null());
}

static json_t *length_of(const uint8_t *data, uint32_t len)
{
    return data ? json_integer(len) : json_null();
}

static json_t *crc_of(const uint8_t *data, uint32_t len)
{
    return data ? stn_js_crc(data, len) : json_null();
}

static json_t *tex_json(const stn_res_tex *t)
{
    static const char *const mappers[] = {"none", "avg", "rnd", "cnt", "dav"};
    static const char *const filters[] = {"nearest", "linear"};
    json_t *o = json_pack(
        "{s:i, s:[i, i], s:[i, i], s:s, s:s, s:s, s:s?, s:o, s:o, s:o, s:o}", "id", t->id, "off", t->off[0],
        t->off[1], "sz", t->w, t->h, "mipmap", mappers[t->mipmap], "magfilter", filters[t->mag_linear],
        "minfilter", filters[t->min_linear], "mipfilter", t->mip_filter < 0 ? NULL : filters[t->mip_filter],
        "img_len", length_of(t->picture, t->picture_len), "img_crc32", crc_of(t->picture, t->picture_len),
        "mask_len", length_of(t->mask, t->mask_len), "mask_crc32", crc_of(t->mask, t->mask_len));
    size_t bytes = stn_mip_bytes(t->mipmap, t->w, t->h);
    stn_picture_info info;
    const uint8_t *sized = t->mask ? t->mask : t->picture;
    stn_err err = {0};
    /* a size that no picture bears out is not worth its memory */
    bool plausible =
        sized &&
        stn_picture_probe(sized, t->mask ? t->mask_len : t->picture_len, NULL, &info, NULL, &err) == STN_OK &&
        info.w == t->w && info.h == t->h;
    uint8_t *out = plausible ? malloc(bytes) : NULL;

    if (out && stn_res_tex_pixels(t, NULL, out, bytes, NULL, &err) == STN_OK)
        json_object_set_new(o, "levels", levels_json(t->mipmap, out, t->w, t->h));
    else
        json_object_set_new(o, "levels_error", json_string(plausible ? err.text : "size or picture"));
    free(out);
    return o;
}

/* ---- geometry ---- */

static json_t *vbuf_json(const stn_res_vbuf *vb)
{
    json_t *a = json_array();
    for (uint32_t i = 0; i < vb->count; i++) {
        const stn_attrib *at = &vb->attribs[i];
        size_t n = (size_t)vb->num * at->components;
        json_t *o = at->i ? stn_js_int_array(at->i, n) : stn_js_float_array(at->f, n);
        json_object_set_new(o, "attr", json_string(stn_attr_name(at->attr)));
        json_object_set_new(o, "nc", json_integer(at->components));
        if (at->attr == STN_ATTR_BONEIDX)
            json_object_set_new(o, "names", texts(vb->bones, vb->bone_count));
        json_array_append_new(a, o);
    }
    return json_pack("{s:i, s:I, s:o}", "id", vb->id, "num", (json_int_t)vb->num, "attribs", a);
}

static json_t *mesh_json(const stn_res_mesh *m)
{
    json_t *rdat = json_object();
    for (uint32_t i = 0; i < m->rdat.count; i++)
        stn_js_set(rdat, m->rdat.items[i].key, stn_js_text(m->rdat.items[i].value.u.text));
    json_t *bounds = m->has_bounds
                         ? json_pack("[o, o]", stn_js_floats(m->bounds[0], 3), stn_js_floats(m->bounds[1], 3))
                         : json_null();
    return json_pack("{s:i, s:i, s:i, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "id", m->id, "vbufid", m->vbuf_id,
                     "ref", m->ref, "info", stn_js_entries(&m->info), "rdat", rdat, "tris",
                     (json_int_t)m->tris, "indices", stn_js_u16_array(m->indices, 3 * (size_t)m->tris),
                     "vbuf_record", record_of(m->vbuf), "mat_record", record_of(m->mat), "bounds", bounds);
}

static json_t *manim_json(const stn_res_manim *m)
{
    json_t *frames = json_array();
    for (uint32_t i = 0; i < m->count; i++) {
        const stn_manim_frame *f = &m->frames[i];
        size_t n = 3 * (size_t)f->count;
        json_array_append_new(frames, json_pack("{s:o, s:o, s:o, s:o}", "time", stn_js_f32(f->time), "idx",
                                                stn_js_int_array(f->idx, f->count), "pos",
                                                stn_js_float_array(f->pos, n), "nrm",
                                                f->nrm ? stn_js_float_array(f->nrm, n) : json_null()));
    }
    return json_pack("{s:i, s:b, s:o, s:i, s:i, s:o}", "id", m->id, "rnd", m->random, "len",
                     stn_js_f32(m->len), "minv", m->min_vertex, "maxv", m->max_vertex, "frames", frames);
}

static int by_bone_name(const void *a, const void *b)
{
    return strcmp((*(const stn_bone *const *)a)->name, (*(const stn_bone *const *)b)->name);
}

static json_t *skel_json(const stn_res_skel *s)
{
    json_t *a = json_array();
    const stn_bone **sorted = malloc(((size_t)s->count + 1) * sizeof *sorted);
    for (uint32_t i = 0; sorted && i < s->count; i++)
        sorted[i] = &s->bones[i];
    if (sorted)
        qsort(sorted, s->count, sizeof *sorted, by_bone_name);
    for (uint32_t i = 0; sorted && i < s->count; i++) {
        const stn_bone *b = sorted[i];
        json_array_append_new(
            a, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", stn_js_text(b->name), "parent",
                         stn_js_text(b->parent_name), "ipos", stn_js_floats(b->pos, 3), "irax",
                         stn_js_floats(b->axis, 3), "irang", stn_js_f32(b->angle), "bind_lrot",
                         stn_js_floats(b->local_rot, 4), "bind_gpos", stn_js_floats(b->global_pos, 3),
                         "bind_grot", stn_js_floats(b->global_rot, 4)));
    }
    free(sorted);
    return json_pack("{s:o}", "bones", a);
}

static json_t *event_json(const shower *s, const stn_skan_event *e)
{
    json_t *time = stn_js_f32(e->time);
    switch (e->kind) {
    case STN_SKAN_SPAWN:
        return json_pack("{s:s, s:o, s:o, s:o, s:b}", "t", "spawn", "time", time, "res", resref(s, &e->res),
                         "sdt", stn_js_bytes(e->state, e->state_len), "loc", e->placed);
    case STN_SKAN_TRIGGER:
        return json_pack("{s:s, s:o, s:o}", "t", "trigger", "time", time, "id", stn_js_text(e->id));
    case STN_SKAN_MAKE_OVERLAY:
        return json_pack("{s:s, s:o, s:o, s:o, s:o}", "t", "mkol", "time", time, "id", stn_js_text(e->id),
                         "res", resref(s, &e->res), "sdt", stn_js_bytes(e->state, e->state_len));
    case STN_SKAN_REMOVE_OVERLAY:
        return json_pack("{s:s, s:o, s:o}", "t", "rmol", "time", time, "id", stn_js_text(e->id));
    case STN_SKAN_HOLE:
        break;
    }
    json_decref(time);
    return json_null();
}

static json_t *skan_json(const shower *s, const stn_res_skan *a)
{
    static const char *const modes[] = {"once", "loop", "pong", "pongloop"};
    json_t *tracks = json_array(), *effects = json_array();
    for (uint32_t i = 0; i < a->track_count; i++) {
        const stn_skan_track *t = &a->tracks[i];
        json_array_append_new(tracks,
                              json_pack("{s:o, s:I, s:o, s:o, s:o}", "bone", stn_js_text(t->bone), "frames",
                                        (json_int_t)t->count, "time", stn_js_float_array(t->time, t->count),
                                        "trans", stn_js_float_array(t->trans, 3 * (size_t)t->count), "rot",
                                        stn_js_float_array(t->rot, 4 * (size_t)t->count)));
    }
    for (uint32_t i = 0; i < a->effects_count; i++) {
        json_t *list = json_array();
        for (uint32_t k = 0; k < a->effects[i].count; k++)
            json_array_append_new(list, event_json(s, &a->effects[i].events[k]));
        json_array_append_new(effects, list);
    }
    return json_pack("{s:i, s:o, s:o, s:s, s:b, s:o, s:o}", "id", a->id, "len", stn_js_f32(a->len), "nspeed",
                     stn_js_f64(a->speed), "mode", modes[a->mode], "has_ref_skel", a->skel != NULL, "tracks",
                     tracks, "effects", effects);
}

static json_t *boneoff_json(const stn_res_boneoff *b)
{
    json_t *ops = json_array();
    for (uint32_t i = 0; i < b->count; i++) {
        const stn_boneoff_step *s = &b->steps[i];
        json_t *o = json_pack("{s:i}", "op", s->code);
        if (s->op == STN_BONEOFF_MOVE || s->op == STN_BONEOFF_TURN || s->op == STN_BONEOFF_SCALE)
            json_object_set_new(o, "matrix", stn_js_floats(s->matrix, 16));
        if (s->op == STN_BONEOFF_BONE)
            json_object_set_new(o, "bone", stn_js_text(s->bone));
        if (s->op == STN_BONEOFF_ALIGN) {
            json_object_set_new(o, "ref", stn_js_floats(s->ref, 3));
            json_object_set_new(o, "orig", stn_js_text(s->bone));
            json_object_set_new(o, "tgt", stn_js_text(s->target));
        }
        json_array_append_new(ops, o);
    }
    return json_pack("{s:o, s:o}", "name", stn_js_text(b->name), "ops", ops);
}

/* ---- materials, lights, links ---- */

static json_t *mat_json(const stn_res_mat *m)
{
    json_t *specs = json_array();
    for (uint32_t i = 0; i < m->count; i++)
        json_array_append_new(
            specs, json_pack("[o, o]", stn_js_text(m->specs[i].name), stn_js_values(&m->specs[i].args)));
    return json_pack("{s:i, s:o}", "id", m->id, "specs", specs);
}

static json_t *light_json(const stn_res_light *l)
{
    return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "id", l->id, "amb", bytes_as_ints(l->ambient, 4),
                     "dif", bytes_as_ints(l->diffuse, 4), "spc", bytes_as_ints(l->specular, 4), "att",
                     l->has_att ? stn_js_floats(l->att, 3) : json_null(), "dir",
                     l->has_dir ? stn_js_floats(l->dir, 3) : json_null(), "exp",
                     l->has_exp ? stn_js_f32(l->exp) : json_null());
}

static json_t *list_json(const stn_values *v)
{
    return json_pack("[s, o]", "list", stn_js_values(v));
}

static json_t *rlink_json(const shower *s, const stn_res_rlink *l)
{
    static const char *const kinds[] = {"meshmat", "ambient", "collect", "params", "sprite"};
    json_t *o = json_pack("{s:i, s:o, s:s, s:o}", "id", l->id, "info", stn_js_entries(&l->info), "kind",
                          kinds[l->type], l->type == STN_RLINK_MESHMAT ? "mesh" : "res", resref(s, &l->res));
    if (l->type == STN_RLINK_MESHMAT || l->type == STN_RLINK_COLLECT)
        json_object_set_new(o, "meshid", json_integer(l->mesh_id));
    if (l->type == STN_RLINK_MESHMAT) {
        json_object_set_new(o, "mat", resref(s, &l->mat));
        json_object_set_new(o, "matid", json_integer(l->mat_id));
    }
    if (l->type == STN_RLINK_COLLECT)
        json_object_set_new(o, "meshmask", json_integer(l->mesh_mask));
    if (l->type == STN_RLINK_PARAMS)
        json_object_set_new(o, "args", list_json(&l->args));
    return o;
}

#define SLINK_SHOWN                                                                                          \
    1000 /* nodes of one tree: entries may be shared, and then a tree is far larger than its input */

static json_t *slink_entry_json(const shower *s, const stn_res_slink *l, int32_t at, int *left)
{
    if (at < 0 || --*left < 0)
        return json_null();
    const stn_slink_entry *e = &l->entries[at];
    if (!e->is_switch)
        return json_pack("{s:s, s:o}", "t", "r", "res", resref(s, &e->res));
    json_t *branches = json_array();
    for (uint32_t i = 0; i < e->count; i++)
        json_array_append_new(branches, json_pack("[o, o]", stn_js_text(e->branches[i].tag),
                                                  slink_entry_json(s, l, e->branches[i].entry, left)));
    return json_pack("{s:s, s:o, s:o}", "t", "t", "branches", branches, "default",
                     slink_entry_json(s, l, e->fallback, left));
}

/* ---- terrain ---- */

static json_t *choices(const stn_tile_list *l)
{
    json_t *a = json_array();
    for (uint32_t i = 0; i < l->count; i++)
        json_array_append_new(a, json_pack("[i, i]", l->items[i].tile->index, l->items[i].weight));
    return a;
}

static json_t *transitions(const stn_tile_list *lists)
{
    json_t *a = json_array();
    for (int i = 0; i < 15; i++)
        json_array_append_new(a, choices(&lists[i]));
    return a;
}

static json_t *pack_json(const stn_res_tileset *t)
{
    if (!t->place_count)
        return json_null();
    json_t *places = json_array();
    for (uint32_t i = 0; i < t->place_count; i++)
        json_array_append_new(
            places, json_pack("[i, i, i]", t->places[i].tile->index, t->places[i].x, t->places[i].y));
    size_t bytes = stn_mip_bytes(STN_MIP_AVG, t->pack_w, t->pack_h);
    uint8_t *out = malloc(bytes);
    json_t *levels = NULL;
    if (out && stn_res_tileset_pixels(t, NULL, out, bytes, NULL, NULL) == STN_OK)
        levels = levels_json(STN_MIP_AVG, out, t->pack_w, t->pack_h);
    free(out);
    return json_pack("{s:i, s:i, s:o, s:o}", "w", t->pack_w, "h", t->pack_h, "places", places, "levels",
                     levels ? levels : json_null());
}

static json_t *tileset_json(const shower *s, const stn_res_tileset *t)
{
    json_t *flavors = json_array();
    for (uint32_t i = 0; i < t->flavor_count; i++) {
        const stn_flavor *f = &t->flavors[i];
        json_array_append_new(
            flavors, f->flavobj ? json_pack("{s:o}", "flavobj", record_of(f->flavobj))
                                : json_pack("{s:o, s:o}", "res", resref(s, &f->res), "p", stn_js_f64(f->p)));
    }
    return json_pack("{s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "tiler", stn_js_text(t->tiler),
                     "tiler_args", list_json(&t->tiler_args), "tags", texts(t->tags, t->tag_count),
                     "flavprob", t->flavprob, "flavors", flavors, "ground",
                     t->has_ground ? choices(&t->ground) : json_null(), "ctrans",
                     t->has_ctrans ? transitions(t->ctrans) : json_null(), "btrans",
                     t->has_btrans ? transitions(t->btrans) : json_null(), "pack", pack_json(t));
}

/* ---- scenery, sound, code, UI ---- */

static json_t *obst_json(const stn_res_obst *o)
{
    json_t *rings = json_array();
    for (uint32_t i = 0; i < o->count; i++) {
        json_t *ring = json_array();
        for (uint32_t p = 0; p < o->rings[i].count; p++)
            json_array_append_new(ring, json_pack("[o, o]", stn_js_f64(o->rings[i].points[p][0]),
                                                  stn_js_f64(o->rings[i].points[p][1])));
        json_array_append_new(rings, ring);
    }
    return json_pack("{s:o, s:o}", "id", stn_js_text(o->id), "rings", rings);
}

static json_t *neg_json(const stn_res_neg *n)
{
    json_t *ep = json_array();
    for (int i = 0; i < 8; i++) {
        json_t *ring = json_array();
        for (uint32_t p = 0; p < n->ep[i].count; p++)
            json_array_append_new(ring, json_pack("[i, i]", n->ep[i].points[p][0], n->ep[i].points[p][1]));
        json_array_append_new(ep, ring);
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "cc", ints(n->cc, 2), "ac", ints(n->ac, 2), "bc", ints(n->bc, 2),
                     "ep", ep);
}

static json_t *anim_json(const stn_res_anim *a)
{
    json_t *ids = json_array(), *frames = json_array();
    for (uint32_t i = 0; i < a->count; i++) {
        json_t *frame = json_array();
        for (uint32_t k = 0; k < a->frames[i].count; k++)
            json_array_append_new(frame, record_of(a->frames[i].images[k]));
        json_array_append_new(frames, frame);
        json_array_append_new(ids, json_integer(a->frames[i].id));
    }
    return json_pack("{s:i, s:i, s:o, s:o}", "id", a->id, "d", a->frame_ms, "ids", ids, "frames", frames);
}

static json_t *clamb_json(const shower *s, const stn_res_clamb *a)
{
    json_t *clips = json_array();
    for (uint32_t i = 0; i < a->count; i++)
        json_array_append_new(clips,
                              json_pack("[o, o]", stn_js_text(a->clips[i].id), stn_js_f64(a->clips[i].rate)));
    return json_pack("{s:o, s:i, s:i, s:i, s:o, s:o}", "parent",
                     a->has_parent ? resref(s, &a->parent) : json_null(), "minc", a->min_clips, "maxc",
                     a->max_clips, "maxi", a->max_instances, "bvol", stn_js_f64((double)a->volume), "clips",
                     clips);
}

static json_t *codeentry_json(const shower *s, const stn_res_codeentry *k)
{
    json_t *entries = json_object(), *args = json_object(), *path = json_array();
    for (uint32_t i = 0; i < k->count; i++) {
        const stn_code_entry *e = &k->entries[i];
        stn_js_set(entries, e->entry, stn_js_text(e->cls));
        if (e->has_args)
            stn_js_set(args, e->entry, list_json(&e->args));
    }
    for (uint32_t i = 0; i < k->use_count; i++)
        json_array_append_new(path,
                              k->uses[i].indirect ? json_string("indirect") : resref(s, &k->uses[i].res));
    return json_pack("{s:o, s:o, s:o}", "entries", entries, "args", args, "classpath", path);
}

static json_t *blob_json(const uint8_t *data, uint32_t len)
{
    return json_pack("{s:I, s:o}", "data_len", (json_int_t)len, "data_crc32", stn_js_crc(data, len));
}

static json_t *action_json(const shower *s, const stn_res_action *a)
{
    return json_pack("{s:o, s:o, s:i, s:o}", "parent", a->has_parent ? resref(s, &a->parent) : json_null(),
                     "name", stn_js_text(a->name), "hk", a->hotkey, "ad", texts(a->ad, a->count));
}

json_t *stn_res_json_layer(const stn_res *res, const stn_res_layer *l, const char *name)
{
    const shower s = {res, name};
    json_t *o;

    switch (l->kind) {
    case STN_LAYER_VBUF:
        return vbuf_json(l->as.vbuf);
    case STN_LAYER_MESH:
        return mesh_json(l->as.mesh);
    case STN_LAYER_MANIM:
        return manim_json(l->as.manim);
    case STN_LAYER_SKEL:
        return skel_json(l->as.skel);
    case STN_LAYER_SKAN:
        return skan_json(&s, l->as.skan);
    case STN_LAYER_BONEOFF:
        return boneoff_json(l->as.boneoff);
    case STN_LAYER_MAT:
        return mat_json(l->as.mat);
    case STN_LAYER_TEX:
        return tex_json(l->as.tex);
    case STN_LAYER_LIGHT:
        return light_json(l->as.light);
    case STN_LAYER_RLINK:
        return rlink_json(&s, l->as.rlink);
    case STN_LAYER_SLINK: {
        int left = SLINK_SHOWN;
        return json_pack("{s:o}", "root", slink_entry_json(&s, l->as.slink, l->as.slink->root, &left));
    }
    case STN_LAYER_TILE:
        return json_pack("{s:i, s:i, s:i, s:o}", "t", l->as.tile->kind, "id", l->as.tile->id, "w",
                         l->as.tile->weight, "image",
                         picture_json(l->as.tile->picture, l->as.tile->picture_len, l->as.tile->w,
                                      l->as.tile->h, l->as.tile->rgba));
    case STN_LAYER_TILESET:
        return tileset_json(&s, l->as.tileset);
    case STN_LAYER_FLAVOBJ:
        return json_pack("{s:o, s:o}", "res", resref(&s, &l->as.flavobj->res), "args",
                         list_json(&l->as.flavobj->args));
    case STN_LAYER_OVERLAY:
        return json_pack("{s:o, s:i, s:i}", "tags", texts(l->as.overlay->tags, l->as.overlay->tag_count),
                         "matid", l->as.overlay->mat_id, "omatid", l->as.overlay->omat_id);
    case STN_LAYER_OBST:
        return obst_json(l->as.obst);
    case STN_LAYER_NEG:
        return neg_json(l->as.neg);
    case STN_LAYER_PROPS:
        return json_pack("{s:o}", "props", stn_js_entries(&l->as.props->props));
    case STN_LAYER_IMAGE:
        return image_json(l->as.image);
    case STN_LAYER_ANIM:
        return anim_json(l->as.anim);
    case STN_LAYER_AUDIO:
        o = blob_json(l->as.audio->ogg, l->as.audio->ogg_len);
        json_object_set_new(o, "id", stn_js_text(l->as.audio->id));
        json_object_set_new(o, "vol", stn_js_f64(l->as.audio->volume));
        json_object_set_new(o, "info", stn_js_entries(&l->as.audio->info));
        return o;
    case STN_LAYER_CLAMB:
        return clamb_json(&s, l->as.clamb);
    case STN_LAYER_MIDI:
    case STN_LAYER_FONT:
        return blob_json(l->as.blob->data, l->as.blob->len);
    case STN_LAYER_CODE:
        o = blob_json(l->as.code->data, l->as.code->len);
        json_object_set_new(o, "name", stn_js_text(l->as.code->name));
        return o;
    case STN_LAYER_CODEENTRY:
        return codeentry_json(&s, l->as.codeentry);
    case STN_LAYER_TOOLTIP:
    case STN_LAYER_PAGINA:
        return json_pack("{s:o}", "text", stn_res_json_text((const char *)l->as.blob->data, l->as.blob->len));
    case STN_LAYER_ACTION:
        return action_json(&s, l->as.action);
    case STN_LAYER_FOODEV:
        return json_pack("{s:o, s:o, s:i}", "col", bytes_as_ints(l->as.foodev->color, 4), "name",
                         stn_js_text(l->as.foodev->name), "sort", l->as.foodev->sort);
    case STN_LAYER_UNKNOWN:
    case STN_LAYER_KINDS:
        break;
    }
    return NULL;
}
