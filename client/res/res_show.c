#include "client/res/res_show.h"

#include "base/text.h"
#include "res/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *shown(const char *raw, char *out, size_t cap)
{
    return stn_text_show(raw, strlen(raw), out, cap);
}

static void picture(const uint8_t *data, uint32_t len, char *out, size_t cap)
{
    static const char *const names[] = {"PNG", "JPEG", "GIF"};
    stn_picture_info info;
    if (!data)
        snprintf(out, cap, "no picture");
    else if (stn_picture_probe(data, len, NULL, &info, NULL, NULL) == STN_OK)
        snprintf(out, cap, "%ux%u %s", info.w, info.h, names[info.format]);
    else
        snprintf(out, cap, "a picture that cannot be read");
}

static void vbuf_summary(const stn_res_vbuf *vb, char *out, size_t cap)
{
    int n = snprintf(out, cap, "%u vertices:", vb->num);
    for (uint32_t i = 0; i < vb->count && n > 0 && (size_t)n < cap; i++)
        n += snprintf(out + n, cap - (size_t)n, " %s", stn_attr_name(vb->attribs[i].attr));
    if (vb->bone_count && n > 0 && (size_t)n < cap)
        snprintf(out + n, cap - (size_t)n, ", %u bones", vb->bone_count);
}

static void mat_summary(const stn_res_mat *m, char *out, size_t cap)
{
    int n = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < m->count && n >= 0 && (size_t)n < cap; i++) {
        char name[40];
        n += snprintf(out + n, cap - (size_t)n, "%s%s", i ? ", " : "",
                      shown(m->specs[i].name, name, sizeof name));
    }
}

static void tex_summary(const stn_res_tex *t, char *out, size_t cap)
{
    static const char *const mappers[] = {"no mip levels", "avg", "rnd", "cnt", "dav"};
    char p[64];
    picture(t->picture, t->picture_len, p, sizeof p);
    snprintf(out, cap, "%ux%u, %s%s, %s", t->w, t->h, p, t->mask ? " and mask" : "", mappers[t->mipmap]);
}

void stn_rs_summary(const stn_res_layer *l, char *out, size_t cap)
{
    char a[80], b[80];

    out[0] = 0;
    switch (l->kind) {
    case STN_LAYER_VBUF:
        vbuf_summary(l->as.vbuf, out, cap);
        break;
    case STN_LAYER_MESH:
        snprintf(out, cap, "%u triangles over layer %u%s", l->as.mesh->tris, l->as.mesh->vbuf->index,
                 l->as.mesh->mat ? "" : ", no material");
        break;
    case STN_LAYER_MANIM:
        snprintf(out, cap, "%u frames, %.3g s", l->as.manim->count, (double)l->as.manim->len);
        break;
    case STN_LAYER_SKEL:
        snprintf(out, cap, "%u bones", l->as.skel->count);
        break;
    case STN_LAYER_SKAN:
        snprintf(out, cap, "%u tracks, %.3g s%s", l->as.skan->track_count, (double)l->as.skan->len,
                 l->as.skan->effects_count ? ", events" : "");
        break;
    case STN_LAYER_BONEOFF:
        snprintf(out, cap, "\"%s\", %u steps", shown(l->as.boneoff->name, a, sizeof a), l->as.boneoff->count);
        break;
    case STN_LAYER_MAT:
        mat_summary(l->as.mat, out, cap);
        break;
    case STN_LAYER_TEX:
        tex_summary(l->as.tex, out, cap);
        break;
    case STN_LAYER_LIGHT:
        snprintf(out, cap, "%s",
                 !l->as.light->has_att  ? "directional"
                 : l->as.light->has_exp ? "spot"
                                        : "point");
        break;
    case STN_LAYER_RLINK: {
        static const char *const kinds[] = {"mesh and material of", "ambient sound of", "meshes of",
                                            "code of", "sprite of"};
        const char *name = l->as.rlink->res.name;
        snprintf(out, cap, "%s %s", kinds[l->as.rlink->type],
                 *name ? shown(name, a, sizeof a) : "this resource");
        break;
    }
    case STN_LAYER_SLINK:
        snprintf(out, cap, "%u entries", l->as.slink->count);
        break;
    case STN_LAYER_TILE:
        picture(l->as.tile->picture, l->as.tile->picture_len, a, sizeof a);
        snprintf(out, cap, "kind '%c' id %u weight %u, %s",
                 l->as.tile->kind >= 32 && l->as.tile->kind < 127 ? l->as.tile->kind : '?', l->as.tile->id,
                 l->as.tile->weight, a);
        break;
    case STN_LAYER_TILESET:
        snprintf(out, cap, "tiler %s, %u tiles in %ux%u, %u flavors",
                 shown(l->as.tileset->tiler, a, sizeof a), l->as.tileset->place_count, l->as.tileset->pack_w,
                 l->as.tileset->pack_h, l->as.tileset->flavor_count);
        break;
    case STN_LAYER_FLAVOBJ:
        shown(l->as.flavobj->res.name, out, cap);
        break;
    case STN_LAYER_OVERLAY:
        snprintf(out, cap, "%u tags, materials %d and %d", l->as.overlay->tag_count, l->as.overlay->mat_id,
                 l->as.overlay->omat_id);
        break;
    case STN_LAYER_OBST:
        snprintf(out, cap, "\"%s\", %u rings", shown(l->as.obst->id, a, sizeof a), l->as.obst->count);
        break;
    case STN_LAYER_NEG:
        snprintf(out, cap, "hot spot %d,%d", l->as.neg->cc[0], l->as.neg->cc[1]);
        break;
    case STN_LAYER_PROPS:
        snprintf(out, cap, "%u entries", l->as.props->props.count);
        break;
    case STN_LAYER_IMAGE:
        picture(l->as.image->picture, l->as.image->picture_len, a, sizeof a);
        snprintf(out, cap, "%s, z %d/%d", a, l->as.image->z, l->as.image->subz);
        break;
    case STN_LAYER_ANIM:
        snprintf(out, cap, "%u frames of %u ms", l->as.anim->count, l->as.anim->frame_ms);
        break;
    case STN_LAYER_AUDIO:
        snprintf(out, cap, "\"%s\", %u bytes of Ogg, volume %.3g", shown(l->as.audio->id, a, sizeof a),
                 l->as.audio->ogg_len, l->as.audio->volume);
        break;
    case STN_LAYER_CLAMB:
        snprintf(out, cap, "%u clips", l->as.clamb->count);
        break;
    case STN_LAYER_CODE:
        snprintf(out, cap, "class %s", shown(l->as.code->name, a, sizeof a));
        break;
    case STN_LAYER_CODEENTRY:
        snprintf(out, cap, "%u entries, uses %u resources", l->as.codeentry->count,
                 l->as.codeentry->use_count);
        break;
    case STN_LAYER_TOOLTIP:
    case STN_LAYER_PAGINA:
        snprintf(out, cap, "\"%s\"",
                 stn_text_show((const char *)l->as.blob->data, l->as.blob->len, a, sizeof a));
        break;
    case STN_LAYER_ACTION:
        snprintf(out, cap, "\"%s\" under %s", shown(l->as.action->name, a, sizeof a),
                 l->as.action->has_parent ? shown(l->as.action->parent.name, b, sizeof b) : "the root");
        break;
    case STN_LAYER_FOODEV:
        shown(l->as.foodev->name, out, cap);
        break;
    case STN_LAYER_MIDI:
    case STN_LAYER_FONT:
        snprintf(out, cap, "%u bytes", l->as.blob->len);
        break;
    case STN_LAYER_UNKNOWN:
    case STN_LAYER_KINDS:
        snprintf(out, cap, "unknown type, kept as it is");
        break;
    }
}

static void list_line(FILE *to, const stn_res_layer *l)
{
    char type[32], id[64] = "-", what[200];
    int32_t number;
    const char *text = stn_res_layer_text_id(l);

    if (stn_res_layer_id(l, &number))
        snprintf(id, sizeof id, "%d", number);
    else if (text && *text)
        shown(text, id, sizeof id);
    stn_rs_summary(l, what, sizeof what);
    fprintf(to, "%4u  %8zu  %8u  %-10s %-8s %s\n", l->index, l->offset, l->raw_len,
            shown(l->type, type, sizeof type), id, what);
}

void stn_rs_list(FILE *to, const stn_res *res)
{
    fprintf(to, "   #    offset     bytes  type       id\n");
    for (uint32_t i = 0; i < stn_res_count(res); i++)
        list_line(to, stn_res_layer_at(res, i));
}

/* ---- show ---- */

static bool picked(const stn_res_layer *l, char *const *picks, int count, bool *used)
{
    bool hit = count == 0;
    for (int i = 0; i < count; i++) {
        uint64_t n;
        bool is = stn_text_u64(picks[i], UINT32_MAX, &n) ? n == l->index : strcmp(picks[i], l->type) == 0;
        used[i] |= is;
        hit |= is;
    }
    return hit;
}

static void show_layer(FILE *to, const stn_res *res, const stn_res_layer *l, const char *name)
{
    char type[32], what[200];
    const char *key;
    json_t *value, *o = stn_res_json_layer(res, l, name);

    stn_rs_summary(l, what, sizeof what);
    fprintf(to, "\n%u %s: %s (%u bytes at %zu)\n", l->index, shown(l->type, type, sizeof type), what,
            l->raw_len, l->offset);
    json_object_foreach(o, key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        size_t n = text ? strlen(text) : 0;
        if (n > 2000) /* the whole is there with --json */
            fprintf(to, "    %-10s %.1900s … (%zu characters)\n", key, text, n);
        else
            fprintf(to, "    %-10s %s\n", key, text ? text : "?");
        free(text);
    }
    json_decref(o);
}

bool stn_rs_show(FILE *to, const stn_res *res, const char *name, char *const *picks, int count, bool json)
{
    bool *used = calloc((size_t)count + 1, sizeof *used), all = used != NULL;
    json_t *o = json ? stn_res_json(res, name) : NULL, *records = json_object_get(o, "records");
    json_t *kept = json_array();

    if (!json)
        fprintf(to, "%s: version %u, %u layers\n", name, stn_res_version(res), stn_res_count(res));
    for (uint32_t i = 0; used && i < stn_res_count(res); i++) {
        const stn_res_layer *l = stn_res_layer_at(res, i);
        if (!picked(l, picks, count, used))
            continue;
        if (json)
            json_array_append(kept, json_array_get(records, i));
        else
            show_layer(to, res, l, name);
    }
    for (int i = 0; used && i < count; i++)
        if (!used[i]) {
            fprintf(stderr, "stenness res: %s has no layer \"%s\" (numbers and types: stenness res list)\n",
                    name, picks[i]);
            all = false;
        }
    if (json) {
        json_object_set(o, "records", kept);
        json_dumpf(o, to, JSON_INDENT(1));
        fputc('\n', to);
    }
    json_decref(kept);
    json_decref(o);
    free(used);
    return all;
}
