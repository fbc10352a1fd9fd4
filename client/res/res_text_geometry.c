/* res_text_geometry.c - vertex buffers, meshes, animations and skeletons, field by field.
 * Source: docs/spec/resource-format.md 8 and 12 to 16. */
#include "client/res/res_text_layers.h"

#include <string.h>

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

void stn_rt_vbuf2(stn_rt *t)
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

void stn_rt_mesh(stn_rt *t)
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
        stn_rt_entries(t, "info");
        strips = *TEXT("index_format") != 0;
        n = (size_t)U16("triangles");
    }
    if (strips)
        stn_rt_rest_hex(t, "strips");
    else
        NUMBERS("indices", U16, 3 * n, 3);
}

void stn_rt_manim(stn_rt *t)
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

void stn_rt_skel(stn_rt *t)
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
        stn_rt_resref(t, "res", "res_version");
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

void stn_rt_skan(stn_rt *t)
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

void stn_rt_boneoff(stn_rt *t)
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
