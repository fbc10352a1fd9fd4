/* res_text_layers.c - the layer types, field by field in file order; one description reads and writes.
 * Source: docs/spec/resource-format.md 8 to 26. */
#include "client/res/res_text_layers.h"

#include <string.h>

void stn_rt_resref(stn_rt *t, const char *name, const char *version)
{
    TEXT(name);
    U16(version);
}

/* (key, typed value)* and the empty key. */
void stn_rt_entries(stn_rt *t, const char *list)
{
    stn_rt_list l;
    stn_rt_list_begin(t, &l, list);
    while (stn_rt_item(t, &l, stn_rt_peek_text(t))) {
        if (!*TEXT("key"))
            stn_rt_fail(t, "a key is empty, which would end its list");
        stn_rt_value(t, "value");
    }
    stn_rt_list_end(t, &l);
    stn_rt_end_text(t);
}

/* n single strings. */
static void strings(stn_rt *t, const char *list, stn_rt_type count_type)
{
    stn_rt_list l;
    uint64_t n = stn_rt_count(t, list, count_type);
    stn_rt_list_begin(t, &l, list);
    while (stn_rt_item(t, &l, n > 0)) {
        TEXT("text");
        n--;
    }
    stn_rt_list_end(t, &l);
}

/* ---- materials, textures, lights, links ---- */

static void mat2(stn_rt *t)
{
    stn_rt_list l;
    U16("id");
    stn_rt_list_begin(t, &l, "specs");
    while (stn_rt_item(t, &l, stn_rt_left(t))) {
        TEXT("name");
        stn_rt_values(t, "args");
    }
    stn_rt_list_end(t, &l);
}

static void picture32(stn_rt *t)
{
    stn_rt_sub s;
    stn_rt_sub_begin(t, &s, STN_RT_I32);
    stn_rt_blob(t, "picture", SIZE_MAX, "picture");
    stn_rt_sub_end(t, &s, STN_RT_I32);
}

static void tex_part(stn_rt *t, int64_t part, bool framed)
{
    if (part == 0 || part == 4)
        picture32(t);
    else if (part >= 1 && part <= 3)
        U8("value");
    else if (part != 5 && !framed)
        stn_rt_fail(t, "part %lld is not known", (long long)part);
}

static void tex(stn_rt *t)
{
    stn_rt_list l;
    stn_rt_sub s;
    I16("id");
    NUMBERS("off", U16, 2, 2);
    NUMBERS("size", U16, 2, 2);
    stn_rt_list_begin(t, &l, "parts");
    while (stn_rt_item(t, &l, stn_rt_left(t))) {
        int64_t head = U8("part"), framing = head >> 6;
        stn_rt_type type = framing == 1 ? STN_RT_U8 : STN_RT_I32;
        if (framing == 3)
            stn_rt_fail(t, "part %lld: framing is not known", (long long)head);
        if (framing == 2)
            U8("part_flags");
        if (framing)
            stn_rt_sub_begin(t, &s, type);
        tex_part(t, head & 63, framing != 0);
        if (framing)
            stn_rt_sub_end(t, &s, type);
    }
    stn_rt_list_end(t, &l);
}

static void light(stn_rt *t)
{
    stn_rt_list l;
    int64_t version = U8("version");
    stn_rt_type type = version == 0 ? STN_RT_CFLOAT : STN_RT_F32;
    if (version == 0)
        I8("id");
    else
        I16("id");
    stn_rt_numbers(t, "ambient", type, 4, 4);
    stn_rt_numbers(t, "diffuse", type, 4, 4);
    stn_rt_numbers(t, "specular", type, 4, 4);
    stn_rt_list_begin(t, &l, "parts");
    while (stn_rt_item(t, &l, stn_rt_left(t))) {
        int64_t part = U8("part");
        if (part < 1 || part > 3)
            stn_rt_fail(t, "part %lld is not known", (long long)part);
        size_t n = part == 3 ? 1 : 3;
        stn_rt_numbers(t, "values", type, n, n);
    }
    stn_rt_list_end(t, &l);
}

static void rlink(stn_rt *t)
{
    int64_t v = U8("version"), type = v;
    if (v >= 3) {
        I16("id");
        type = U8("type");
    }
    if (v == 4)
        stn_rt_entries(t, "info");
    if (v > 4 || type > 4)
        stn_rt_fail(t, "version %lld type %lld is not known", (long long)v, (long long)type);
    stn_rt_resref(t, "res", "res_version");
    if (type == 0) {
        I16("mesh");
        stn_rt_resref(t, "mat_res", "mat_version");
        I16("mat");
    } else if (type == 2) {
        I16("mesh");
        if (t->to_text ? stn_rt_left(t) : json_object_get(t->cur, "mask") != NULL)
            I16("mask");
    } else if (type == 3) {
        stn_rt_values(t, "args");
    }
}

static void slink(stn_rt *t)
{
    stn_rt_list l, branches;
    U8("version");
    stn_rt_list_begin(t, &l, "entries");
    /* a negative id ends the list: its high byte tells */
    while (stn_rt_item(t, &l, t->to_text && stn_bytes_left(&t->in) > 1 && t->in.data[t->in.pos + 1] < 128)) {
        I16("id");
        int64_t kind = U8("kind");
        if (kind == 'r') {
            stn_rt_resref(t, "res", "res_version");
        } else if (kind == 't') {
            uint64_t n = stn_rt_count(t, "branches", STN_RT_U8);
            stn_rt_list_begin(t, &branches, "branches");
            while (stn_rt_item(t, &branches, n > 0)) {
                n--;
                TEXT("tag");
                I16("entry");
            }
            stn_rt_list_end(t, &branches);
            I16("default");
        } else {
            stn_rt_fail(t, "entry kind %lld is not known", (long long)kind);
        }
    }
    stn_rt_list_end(t, &l);
    I16("end");
    I16("root");
}

/* ---- terrain ---- */

static void tile(stn_rt *t)
{
    U8("kind");
    U8("id");
    U16("weight");
    stn_rt_blob(t, "picture", SIZE_MAX, "picture");
}

static void flavors(stn_rt *t, bool old)
{
    stn_rt_list l;
    uint64_t n;
    if (old)
        U8("flags");
    n = stn_rt_count(t, "flavors", STN_RT_U16);
    U16("density");
    stn_rt_list_begin(t, &l, "flavors");
    while (stn_rt_item(t, &l, n > 0)) {
        n--;
        stn_rt_resref(t, "res", "res_version");
        U8("weight");
    }
    stn_rt_list_end(t, &l);
}

static void tileset2(stn_rt *t)
{
    stn_rt_list l;
    stn_rt_list_begin(t, &l, "parts");
    while (stn_rt_item(t, &l, stn_rt_left(t))) {
        int64_t part = U8("part");
        if (part == 0) {
            TEXT("tiler");
            stn_rt_values(t, "args");
        } else if (part == 1) {
            flavors(t, false);
        } else if (part == 2) {
            strings(t, "tags", STN_RT_I8);
        } else {
            stn_rt_fail(t, "part %lld is not known", (long long)part);
        }
    }
    stn_rt_list_end(t, &l);
}

static void tileset(stn_rt *t)
{
    flavors(t, true);
}

static void flavobj(stn_rt *t)
{
    U8("version");
    stn_rt_resref(t, "res", "res_version");
    stn_rt_values(t, "args");
}

/* a version and one list: overlay, props */
static void versioned_list(stn_rt *t)
{
    U8("version");
    stn_rt_values(t, "values");
}

/* ---- scenery ---- */

static void obst(stn_rt *t)
{
    stn_rt_list l;
    int64_t version = U8("version");
    uint8_t counts[255];
    size_t n = 0;
    if (version != 1 && version != 2)
        return;
    if (version == 2)
        TEXT("id");
    size_t rings = (size_t)stn_rt_count(t, "rings", STN_RT_U8);
    /* the counts stand together, in front of all points */
    for (size_t i = 0; i < rings && stn_rt_ok(t); i++) {
        if (t->to_text) {
            counts[i] = stn_bytes_u8(&t->in);
        } else {
            json_t *ring = json_array_get(json_object_get(t->cur, "rings"), i);
            size_t points = json_array_size(json_object_get(ring, "points"));
            if (points > 255)
                stn_rt_fail(t, "ring of %zu points, at most 255 fit", points);
            counts[i] = (uint8_t)points;
            stn_buf_u8(t->b, counts[i]);
        }
    }
    stn_rt_list_begin(t, &l, "rings");
    while (stn_rt_item(t, &l, n < rings)) {
        NUMBERS("points", F16, 2 * (size_t)counts[n], 2);
        n++;
    }
    stn_rt_list_end(t, &l);
}

static void neg(stn_rt *t)
{
    stn_rt_list l;
    NUMBERS("spot", I16, 2, 2);
    NUMBERS("box_from", I16, 2, 2);
    NUMBERS("box_to", I16, 2, 2);
    stn_rt_hex(t, "unread", 4);
    uint64_t n = stn_rt_count(t, "rings", STN_RT_U8);
    stn_rt_list_begin(t, &l, "rings");
    while (stn_rt_item(t, &l, n > 0)) {
        n--;
        U8("ring");
        size_t points = (size_t)U16("count");
        NUMBERS("points", I16, 2 * points, 2);
    }
    stn_rt_list_end(t, &l);
}

static void anim(stn_rt *t)
{
    I16("id");
    U16("frame_ms");
    size_t n = (size_t)U16("frames");
    NUMBERS("images", I16, n, 16);
}

static void image(stn_rt *t)
{
    stn_rt_list l;
    stn_rt_sub s;
    bool keyed =
        t->to_text ? t->in.len > 0 && t->in.data[0] >= 128 : json_object_get(t->cur, "keyed") != NULL;
    if (keyed) {
        U8("keyed");
        I16("id");
        stn_rt_entries(t, "info");
    } else {
        I16("z");
        I16("subz");
        int64_t flags = U8("flags");
        I16("id");
        NUMBERS("off", I16, 2, 2);
        if (flags & 4) {
            stn_rt_list_begin(t, &l, "info");
            while (stn_rt_item(t, &l, stn_rt_peek_text(t))) {
                TEXT("key");
                /* lengths from 128 on are four bytes behind a byte with bit 7, whose other bits are ignored
                 */
                bool wide = t->to_text ? stn_rt_left(t) && t->in.data[t->in.pos] >= 128
                                       : json_object_get(t->cur, "wide") != NULL;
                if (wide)
                    U8("wide");
                stn_rt_sub_begin(t, &s, wide ? STN_RT_I32 : STN_RT_U8);
                stn_rt_rest_hex(t, "value");
                stn_rt_sub_end(t, &s, wide ? STN_RT_I32 : STN_RT_U8);
            }
            stn_rt_list_end(t, &l);
            stn_rt_end_text(t);
        }
    }
    stn_rt_blob(t, "picture", SIZE_MAX, "picture");
}

/* ---- sound, code, UI ---- */

static void audio2(stn_rt *t)
{
    int64_t version = U8("version");
    TEXT("id");
    if (version == 2)
        U16("volume");
    if (version == 3)
        stn_rt_entries(t, "info");
    stn_rt_blob(t, "sound", SIZE_MAX, "ogg");
}

static void audio(stn_rt *t)
{
    stn_rt_blob(t, "sound", SIZE_MAX, "ogg");
}

static void midi(stn_rt *t)
{
    stn_rt_blob(t, "music", SIZE_MAX, "mid");
}

static void clamb(stn_rt *t)
{
    stn_rt_list l;
    int64_t version = U8("version");
    if (version == 2 && *TEXT("parent"))
        U16("parent_version");
    U8("min_clips");
    U8("max_clips");
    U16("max_instances");
    F32("volume");
    uint64_t n = stn_rt_count(t, "clips", STN_RT_U8);
    stn_rt_list_begin(t, &l, "clips");
    while (stn_rt_item(t, &l, n > 0)) {
        n--;
        TEXT("id");
        F32("mean");
    }
    stn_rt_list_end(t, &l);
}

static void code(stn_rt *t)
{
    TEXT("name");
    stn_rt_blob(t, "class", SIZE_MAX, "class");
}

static void src(stn_rt *t)
{
    U8("version");
    TEXT("name");
    stn_rt_blob(t, "source", SIZE_MAX, "java");
}

static void codeentry(stn_rt *t)
{
    stn_rt_list l, pairs;
    stn_rt_list_begin(t, &l, "blocks");
    while (stn_rt_item(t, &l, stn_rt_left(t))) {
        int64_t block = U8("block");
        bool more = true;
        if (block == 4) {
            stn_rt_values(t, "values");
            continue;
        }
        if (block < 1 || block > 3) {
            stn_rt_fail(t, "block %lld is not known", (long long)block);
            break;
        }
        stn_rt_list_begin(t, &pairs,
                          "items"); /* the empty item that ends it is kept: a class may stand in it */
        while (stn_rt_item(t, &pairs, more)) {
            more = *TEXT(block == 2 ? "res" : "entry") != 0;
            if (block != 2)
                TEXT("class");
            else if (more)
                U16("res_version");
            if (block == 3 && more)
                stn_rt_values(t, "args");
        }
        stn_rt_list_end(t, &pairs);
    }
    stn_rt_list_end(t, &l);
}

static void text(stn_rt *t)
{
    stn_rt_rest_text(t, "text");
}

static void action(stn_rt *t)
{
    stn_rt_resref(t, "parent", "parent_version");
    TEXT("name");
    TEXT("unused");
    U16("hotkey");
    strings(t, "words", STN_RT_U16);
}

static void font(stn_rt *t)
{
    U8("version");
    U8("type");
    stn_rt_blob(t, "font", SIZE_MAX, "ttf");
}

static void foodev(stn_rt *t)
{
    U8("version");
    NUMBERS("color", U8, 4, 4);
    TEXT("name");
    I16("sort");
}

bool stn_rt_describe(stn_rt *t, const char *type)
{
    static const struct {
        const char *type;
        void (*fn)(stn_rt *t);
    } table[] = {
        {"vbuf2", stn_rt_vbuf2},
        {"mesh", stn_rt_mesh},
        {"manim", stn_rt_manim},
        {"skel", stn_rt_skel},
        {"skan", stn_rt_skan},
        {"boneoff", stn_rt_boneoff},
        {"mat2", mat2},
        {"tex", tex},
        {"light", light},
        {"rlink", rlink},
        {"slink", slink},
        {"tile", tile},
        {"tileset2", tileset2},
        {"tileset", tileset},
        {"flavobj", flavobj},
        {"overlay", versioned_list},
        {"props", versioned_list},
        {"obst", obst},
        {"neg", neg},
        {"anim", anim},
        {"image", image},
        {"audio2", audio2},
        {"audio", audio},
        {"midi", midi},
        {"clamb", clamb},
        {"code", code},
        {"src", src},
        {"codeentry", codeentry},
        {"tooltip", text},
        {"pagina", text},
        {"action", action},
        {"font", font},
        {"foodev", foodev},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].type, type) == 0) {
            table[i].fn(t);
            return true;
        }
    return false;
}
