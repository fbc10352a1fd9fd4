/* res_text_layers.c - the layer types, field by field in file order; one description reads and writes.
 * Source: docs/spec/resource-format.md 8 to 26. */
#include "client/res/res_text.h"

#include <string.h>

#define U8(k) stn_rt_int(t, k, STN_RT_U8)
#define U16(k) stn_rt_int(t, k, STN_RT_U16)
#define I8(k) stn_rt_int(t, k, STN_RT_I8)
#define I16(k) stn_rt_int(t, k, STN_RT_I16)
#define TEXT(k) stn_rt_text(t, k)
#define F32(k) stn_rt_real(t, k, STN_RT_F32)
#define CFLOAT(k) stn_rt_real(t, k, STN_RT_CFLOAT)
#define NUMBERS(k, type, n, line) stn_rt_numbers(t, k, STN_RT_##type, n, line)

static void resref(stn_rt *t, const char *name, const char *version)
{
    TEXT(name);
    U16(version);
}

/* (key, typed value)* and the empty key. */
static void entries(stn_rt *t, const char *list)
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

/* ---- geometry ---- */

static size_t components(const char *attr)
{
    static const struct {
        const char *name;
        uint8_t n;
    } table[] = {{"pos", 3}, {"nrm", 3}, {"col", 4}, {"tex", 2}, {"otex", 2}, {"tan", 3}, {"bit", 3}};
    size_t len = strlen(attr);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t n = strlen(table[i].name);
        if (strncmp(attr, table[i].name, n) == 0 && (len == n || (len == n + 1 && attr[n] == '2')))
            return table[i].n;
    }
    return 0;
}

static void packed(stn_rt *t, size_t n, size_t line)
{
    static const struct {
        const char *name;
        stn_rt_type type;
        uint8_t heads, per; /* header floats; elements for each stored number times 3 */
    } formats[] = {
        {"f4", STN_RT_F32, 0, 3},     {"f2", STN_RT_F16, 0, 3},   {"f1", STN_RT_F8, 0, 3},
        {"sn4", STN_RT_I32, 1, 3},    {"sn2", STN_RT_I16, 1, 3},  {"sn1", STN_RT_I8, 1, 3},
        {"un4", STN_RT_U32, 1, 3},    {"un2", STN_RT_U16, 1, 3},  {"un1", STN_RT_U8, 1, 3},
        {"rn4", STN_RT_U32, 2, 3},    {"rn2", STN_RT_U16, 2, 3},  {"rn1", STN_RT_U8, 2, 3},
        {"sf9995", STN_RT_U32, 0, 1}, {"uvech", STN_RT_U8, 0, 1}, {"uvec1", STN_RT_I8, 0, 2},
        {"uvec2", STN_RT_I16, 0, 2},
    };
    U8("pack_version");
    const char *name = TEXT("format");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(formats[i].name, name) != 0)
            continue;
        if (formats[i].heads == 2)
            F32("offset");
        if (formats[i].heads >= 1)
            F32("scale");
        stn_rt_numbers(t, "data", formats[i].type, n * formats[i].per / 3, formats[i].per < 3 ? 8 : line);
        return;
    }
    stn_rt_fail(t, "vertex format \"%.20s\" is not known", name);
}

static void bones(stn_rt *t, bool packed_weights)
{
    stn_rt_list l, runs;
    stn_rt_type type = STN_RT_F32;

    if (packed_weights) {
        U8("pack_version");
        const char *f = TEXT("format");
        type = strcmp(f, "f4") == 0 ? STN_RT_F32 : strcmp(f, "un2") == 0 ? STN_RT_U16 : STN_RT_U8;
        if (type == STN_RT_U8 && strcmp(f, "un1") != 0)
            stn_rt_fail(t, "weight format \"%.20s\" is not known", f);
    }
    U8("most");
    stn_rt_list_begin(t, &l, "bones");
    while (stn_rt_item(t, &l, stn_rt_peek_text(t))) {
        bool more = true;
        TEXT("name");
        stn_rt_list_begin(t, &runs, "runs");
        while (stn_rt_item(t, &runs,
                           more)) { /* a run of 0 ends the bone and is kept: its vertex may be anything */
            uint64_t n = (uint64_t)U16("count");
            U16("vertex");
            more = n > 0;
            if (n)
                stn_rt_numbers(t, "weights", type, n, 16);
        }
        stn_rt_list_end(t, &runs);
    }
    stn_rt_list_end(t, &l);
    stn_rt_end_text(t);
}

static void attribute(stn_rt *t, const char *name, size_t num)
{
    size_t n = components(name);
    if (strcmp(name, "bones") == 0 || strcmp(name, "bones2") == 0)
        bones(t, name[5] == '2');
    else if (!n)
        stn_rt_fail(t, "vertex attribute \"%.20s\" is not known", name);
    else if (name[strlen(name) - 1] == '2')
        packed(t, num * n, n);
    else
        NUMBERS("data", F32, num * n, n);
}

static void vbuf2(stn_rt *t)
{
    stn_rt_list l;
    stn_rt_sub s;
    int64_t flags = U8("version");
    if (flags == 1)
        I16("id");
    size_t num = (size_t)U16("vertices");
    stn_rt_list_begin(t, &l, "attributes");
    while (stn_rt_item(t, &l, stn_rt_left(t))) {
        const char *name = TEXT("name");
        if (flags == 1)
            stn_rt_sub_begin(t, &s, STN_RT_I32);
        attribute(t, name, num);
        if (flags == 1)
            stn_rt_sub_end(t, &s, STN_RT_I32);
    }
    stn_rt_list_end(t, &l);
}

static void mesh(stn_rt *t)
{
    stn_rt_list l;
    int64_t f = U8("form");
    bool strips;
    size_t n;
    if (f < 128) { /* the bits say which fields follow */
        n = (size_t)U16("triangles");
        I16("mat");
        if (f & 2)
            I16("id");
        if (f & 4)
            I16("ref");
        if (f & 8) {
            stn_rt_list_begin(t, &l, "tags");
            while (stn_rt_item(t, &l, stn_rt_peek_text(t))) {
                TEXT("key");
                TEXT("text");
            }
            stn_rt_list_end(t, &l);
            stn_rt_end_text(t);
        }
        if (f & 16)
            I16("vbuf");
        strips = f & 32;
    } else {
        I16("id");
        I16("vbuf");
        entries(t, "info");
        strips = *TEXT("index_format") != 0;
        n = (size_t)U16("triangles");
    }
    if (strips)
        stn_rt_rest_hex(t, "strips");
    else
        NUMBERS("indices", U16, 3 * n, 3);
}

static void manim(stn_rt *t)
{
    stn_rt_list l, runs;
    U8("version");
    I16("id");
    U8("random");
    F32("len");
    stn_rt_list_begin(t, &l, "frames");
    while (stn_rt_item(t, &l, stn_rt_left(t) && t->in.data[t->in.pos] != 0)) {
        int64_t type = U8("type");
        if (type < 1 || type > 4)
            stn_rt_fail(t, "frame type %lld, known are 1 to 4", (long long)type);
        F32("time");
        int64_t left = U16("vertices");
        if (type == 4)
            NUMBERS("offset_scale", F16, 6, 2);
        stn_rt_list_begin(t, &runs, "runs");
        while (stn_rt_item(t, &runs, left > 0)) {
            U16("start");
            size_t n = (size_t)U16("count");
            left -= (int64_t)n;
            if (type == 1)
                NUMBERS("offsets", F32, 6 * n, 6);
            else if (type == 2)
                NUMBERS("offsets", U32, n, 8);
            else if (type == 3)
                NUMBERS("offsets", F16, 3 * n, 3);
            else
                NUMBERS("offsets", U8, 3 * n, 3);
        }
        stn_rt_list_end(t, &runs);
    }
    stn_rt_list_end(t, &l);
    U8("end");
}

static void skel(stn_rt *t)
{
    stn_rt_list l;
    bool v1 = false;
    stn_rt_list_begin(t, &l, "bones");
    while (stn_rt_item(t, &l, stn_rt_left(t))) {
        const char *name = TEXT("name");
        if (name[0] > 0 && name[0] < 32 && !name[1]) { /* a switch of format, no bone */
            v1 = name[0] == 1;
            if (!v1)
                stn_rt_fail(t, "bone format %d is not known", name[0]);
            continue;
        }
        if (v1) {
            TEXT("parent");
            NUMBERS("position", F32, 3, 3);
            U16("angle");
            NUMBERS("axis", I16, 2, 2);
        } else {
            NUMBERS("position", CFLOAT, 3, 3);
            NUMBERS("axis", CFLOAT, 3, 3);
            CFLOAT("angle");
            TEXT("parent");
        }
    }
    stn_rt_list_end(t, &l);
}

static void event_body(stn_rt *t, int64_t type)
{
    if (type == 3)
        U8("unused");
    if (type == 1 || type == 3 || type == 4)
        TEXT("id");
    if (type == 0 || type == 2 || type == 3) {
        resref(t, "res", "res_version");
        stn_rt_sub s;
        stn_rt_sub_begin(t, &s, STN_RT_U8);
        stn_rt_rest_hex(t, "state");
        stn_rt_sub_end(t, &s, STN_RT_U8);
    }
    if (type == 2 && (U8("place_flags") & 1))
        TEXT("place");
    if (type > 4)
        stn_rt_fail(t, "event type %lld is not known", (long long)type);
}

static void skan(stn_rt *t)
{
    stn_rt_list l, frames;
    stn_rt_sub s;
    I16("id");
    int64_t flags = U8("flags"), format = flags >> 1 & 3;
    stn_rt_type number = format == 0 ? STN_RT_CFLOAT : STN_RT_F32;
    if (format > 1)
        stn_rt_fail(t, "number format %lld is not known", (long long)format);
    U8("mode");
    stn_rt_real(t, "len", number);
    if (flags & 1)
        stn_rt_real(t, "speed", number);
    stn_rt_list_begin(t, &l, "tracks");
    while (stn_rt_item(t, &l, stn_rt_left(t))) {
        bool events = strcmp(TEXT("bone"), "{ctl}") == 0;
        const char *list = events ? "events" : "frames";
        uint64_t n = stn_rt_count(t, list, STN_RT_U16);
        stn_rt_list_begin(t, &frames, list);
        while (stn_rt_item(t, &frames, n > 0)) {
            n--;
            if (format == 0)
                CFLOAT("time");
            else
                U16("time");
            if (events) {
                int64_t type = U8("type");
                if (type & 128) {
                    stn_rt_sub_begin(t, &s, STN_RT_U16);
                    if ((type & 127) <= 4)
                        event_body(t, type & 127);
                    stn_rt_sub_end(t, &s, STN_RT_U16);
                } else {
                    event_body(t, type);
                }
            } else if (format == 0) {
                NUMBERS("move", CFLOAT, 3, 3);
                CFLOAT("angle");
                NUMBERS("axis", CFLOAT, 3, 3);
            } else {
                NUMBERS("move", F16, 3, 3);
                U16("angle");
                NUMBERS("axis", I16, 2, 2);
            }
        }
        stn_rt_list_end(t, &frames);
    }
    stn_rt_list_end(t, &l);
}

static void boneoff(stn_rt *t)
{
    stn_rt_list l;
    TEXT("name");
    stn_rt_list_begin(t, &l, "steps");
    while (stn_rt_item(t, &l, stn_rt_left(t))) {
        int64_t op = U8("op");
        if (op == 0)
            NUMBERS("move", CFLOAT, 3, 3);
        else if (op == 16)
            NUMBERS("move", F32, 3, 3);
        else if (op == 1)
            NUMBERS("turn", CFLOAT, 4, 4);
        else if (op == 17)
            U16("angle");
        else if (op == 3)
            NUMBERS("ref", CFLOAT, 3, 3);
        else if (op == 5)
            F32("scale");
        else if (op != 2 && op != 4 && op != 19)
            stn_rt_fail(t, "instruction %lld is not known", (long long)op);
        if (op == 17 || op == 19)
            NUMBERS("axis", I16, 2, 2);
        if (op == 2 || op == 3 || op == 19)
            TEXT("bone");
        if (op == 3 || op == 19)
            TEXT("target");
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
        entries(t, "info");
    if (v > 4 || type > 4)
        stn_rt_fail(t, "version %lld type %lld is not known", (long long)v, (long long)type);
    resref(t, "res", "res_version");
    if (type == 0) {
        I16("mesh");
        resref(t, "mat_res", "mat_version");
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
            resref(t, "res", "res_version");
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
        resref(t, "res", "res_version");
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
    resref(t, "res", "res_version");
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
        entries(t, "info");
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
        entries(t, "info");
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
    resref(t, "parent", "parent_version");
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
        {"vbuf2", vbuf2},
        {"mesh", mesh},
        {"manim", manim},
        {"skel", skel},
        {"skan", skan},
        {"boneoff", boneoff},
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
