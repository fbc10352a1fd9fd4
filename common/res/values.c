/* values.c - reading typed values, and maps.
 *
 * The `form` byte keeps what the value itself does not say about its spelling:
 *   bytes        the first length byte when its bit 7 was set (a 32-bit length followed)
 *   list, map    1 when the end of the stream closed it
 *   snorm8, 16   1 when the most negative pattern was clamped
 *   point        tag 18: bit 0 and 1 when x and y were signalling NaNs, which widening makes quiet
 */
#include "res/values.h"

#include <stdlib.h>

typedef struct reader {
    stn_bytes *in;
    stn_arena *arena;
    uint32_t depth_left;
    stn_res_fault_kind fault;
    stn_err *err;
} reader;

static bool fail(reader *r, stn_res_fault_kind kind, const char *fmt, unsigned a, unsigned long b)
{
    if (r->fault == STN_FAULT_NONE) {
        r->fault = kind;
        stn_fail(r->err, stn_res_fault_status(kind), fmt, a, b);
    }
    return false;
}

static bool read_value(reader *r, stn_value *v);

/* The items of a list or map body, in an array that doubles inside the arena. */
static bool read_body(reader *r, stn_values *out, bool *open)
{
    stn_value *items = NULL;
    uint32_t count = 0, cap = 0;

    *open = false;
    if (r->depth_left == 0)
        return fail(r, STN_FAULT_LIMIT, "typed value nests deeper than the limit (%u%lu)", 0, 0);
    r->depth_left--;
    for (;;) {
        if (stn_bytes_left(r->in) == 0) {
            *open = true;
            break;
        }
        if (r->in->data[r->in->pos] == STN_TAG_END) {
            r->in->pos++;
            break;
        }
        if (count == cap) {
            cap = cap ? cap * 2 : 4;
            stn_value *grown = stn_arena_array(r->arena, cap, sizeof *grown);
            if (!grown)
                return fail(r, STN_FAULT_LIMIT, "list of %u values (%lu bytes) is over the memory limit", cap,
                            (unsigned long)cap * sizeof *grown);
            if (count)
                memcpy(grown, items, count * sizeof *grown);
            items = grown;
        }
        if (!read_value(r, &items[count]))
            return false;
        count++;
    }
    r->depth_left++;
    *out = (stn_values){count, items};
    return true;
}

static int compare_keys(const void *a, const void *b, void *items)
{
    uint32_t ia = *(const uint32_t *)a, ib = *(const uint32_t *)b;
    const stn_value *pairs = items;
    int c = stn_value_compare(&pairs[2 * (size_t)ia], &pairs[2 * (size_t)ib]);
    return c ? c : (ia > ib) - (ia < ib);
}

static bool read_map(reader *r, stn_value *v)
{
    stn_values body;
    bool open;

    if (!read_body(r, &body, &open))
        return false;
    if (body.count % 2)
        return fail(r, STN_FAULT_FORMAT, "map with %u keys and values: the last key has no value (%lu)",
                    body.count, 0);
    uint32_t pairs = body.count / 2, n = 0;
    stn_map *map = stn_arena_alloc(r->arena, sizeof *map);
    uint32_t *order = stn_arena_array(r->arena, pairs ? pairs : 1, sizeof *order);
    if (!map || !order)
        return fail(r, STN_FAULT_LIMIT, "map of %u entries is over the memory limit (%lu)", pairs, 0);
    for (uint32_t i = 0; i < pairs; i++)
        order[i] = i;
    qsort_r(order, pairs, sizeof *order, compare_keys, (void *)(uintptr_t)body.items);
    for (uint32_t i = 0; i < pairs; i++) /* of equal keys the last in the file stands last here: keep that */
        if (i + 1 == pairs ||
            stn_value_compare(&body.items[2 * (size_t)order[i]], &body.items[2 * (size_t)order[i + 1]]) != 0)
            order[n++] = order[i];
    *map = (stn_map){.pairs = pairs, .items = body.items, .count = n, .order = order};
    v->kind = STN_VALUE_MAP;
    v->form = open;
    v->u.map = map;
    return true;
}

static bool read_bytes(reader *r, stn_value *v)
{
    uint8_t first = stn_bytes_u8(r->in);
    int32_t n = first;

    if (first & 128) {
        v->form = first;
        n = stn_bytes_i32(r->in);
    }
    if (r->in->bad)
        return true; /* reported by the caller */
    if (n < 0 || (size_t)n > stn_bytes_left(r->in))
        return fail(r, STN_FAULT_LENGTH, "byte string of %u bytes, %lu left", (unsigned)n,
                    (unsigned long)stn_bytes_left(r->in));
    v->kind = STN_VALUE_BYTES;
    v->len = (uint32_t)n;
    v->u.bytes = stn_bytes_take(r->in, (size_t)n);
    return true;
}

static double widen(float f, uint8_t bit, uint8_t *form)
{
    uint32_t b = stn_bits_of_f32(f);
    if ((b & 0x7f800000) == 0x7f800000 && (b & 0x7fffff) && !(b & 0x400000))
        *form |= bit;
    return (double)f;
}

static bool read_value(reader *r, stn_value *v)
{
    stn_bytes *in = r->in;
    uint8_t tag = stn_bytes_u8(in);
    bool open, fine = true;

    *v = (stn_value){.tag = tag};
    switch (in->bad ? STN_TAG_NIL : tag) {
    case STN_TAG_INT:
        v->kind = STN_VALUE_INT;
        v->u.i = stn_bytes_i32(in);
        break;
    case STN_TAG_UINT8:
        v->kind = STN_VALUE_INT;
        v->u.i = stn_bytes_u8(in);
        break;
    case STN_TAG_UINT16:
        v->kind = STN_VALUE_INT;
        v->u.i = stn_bytes_u16(in);
        break;
    case STN_TAG_INT8:
        v->kind = STN_VALUE_INT;
        v->u.i = stn_bytes_i8(in);
        break;
    case STN_TAG_INT16:
        v->kind = STN_VALUE_INT;
        v->u.i = stn_bytes_i16(in);
        break;
    case STN_TAG_TEXT: {
        size_t len = 0;
        v->kind = STN_VALUE_TEXT;
        v->u.text = stn_bytes_cstr(in, &len);
        v->len = (uint32_t)len;
        break;
    }
    case STN_TAG_COORD:
        v->kind = STN_VALUE_COORD;
        v->u.coord[0] = stn_bytes_i32(in);
        v->u.coord[1] = stn_bytes_i32(in);
        break;
    case STN_TAG_COLOR:
        v->kind = STN_VALUE_COLOR;
        for (int i = 0; i < 4; i++)
            v->u.color[i] = stn_bytes_u8(in);
        break;
    case STN_TAG_FCOLOR:
        v->kind = STN_VALUE_FCOLOR;
        for (int i = 0; i < 4; i++)
            v->u.fcolor[i] = stn_bytes_f32(in);
        break;
    case STN_TAG_LIST:
        v->kind = STN_VALUE_LIST;
        fine = read_body(r, &v->u.list, &open);
        v->form = open;
        break;
    case STN_TAG_MAP:
        fine = read_map(r, v);
        break;
    case STN_TAG_NIL:
        v->kind = STN_VALUE_NIL;
        break;
    case STN_TAG_UID:
        v->kind = STN_VALUE_UID;
        v->u.l = stn_bytes_i64(in);
        break;
    case STN_TAG_BYTES:
        fine = read_bytes(r, v);
        break;
    case STN_TAG_F32:
        v->kind = STN_VALUE_F32;
        v->u.f32 = stn_bytes_f32(in);
        break;
    case STN_TAG_F64:
        v->kind = STN_VALUE_F64;
        v->u.f64 = stn_bytes_f64(in);
        break;
    case STN_TAG_POINT32:
        v->kind = STN_VALUE_POINT;
        v->u.point[0] = widen(stn_bytes_f32(in), 1, &v->form);
        v->u.point[1] = widen(stn_bytes_f32(in), 2, &v->form);
        break;
    case STN_TAG_POINT64:
        v->kind = STN_VALUE_POINT;
        v->u.point[0] = stn_bytes_f64(in);
        v->u.point[1] = stn_bytes_f64(in);
        break;
    case STN_TAG_F8:
        v->kind = STN_VALUE_F8;
        v->u.bits = stn_bytes_u8(in);
        break;
    case STN_TAG_F16:
        v->kind = STN_VALUE_F16;
        v->u.bits = stn_bytes_u16(in);
        break;
    case STN_TAG_SNORM8: {
        int8_t i = stn_bytes_i8(in);
        v->kind = STN_VALUE_SNORM8;
        v->form = i == INT8_MIN;
        v->u.i = v->form ? -INT8_MAX : i;
        break;
    }
    case STN_TAG_SNORM16: {
        int16_t i = stn_bytes_i16(in);
        v->kind = STN_VALUE_SNORM16;
        v->form = i == INT16_MIN;
        v->u.i = v->form ? -INT16_MAX : i;
        break;
    }
    case STN_TAG_SNORM32:
        v->kind = STN_VALUE_SNORM32;
        v->u.i = stn_bytes_i32(in);
        if (v->u.i == INT32_MIN)
            fine = fail(r, STN_FAULT_VALUE, "snorm32 of the lowest integer has no value (%u%lu)", 0, 0);
        break;
    case STN_TAG_UNORM8:
    case STN_TAG_MNORM8:
        v->kind = tag == STN_TAG_UNORM8 ? STN_VALUE_UNORM8 : STN_VALUE_MNORM8;
        v->u.bits = stn_bytes_u8(in);
        break;
    case STN_TAG_UNORM16:
    case STN_TAG_MNORM16:
        v->kind = tag == STN_TAG_UNORM16 ? STN_VALUE_UNORM16 : STN_VALUE_MNORM16;
        v->u.bits = stn_bytes_u16(in);
        break;
    case STN_TAG_UNORM32:
    case STN_TAG_MNORM32:
        v->kind = tag == STN_TAG_UNORM32 ? STN_VALUE_UNORM32 : STN_VALUE_MNORM32;
        v->u.bits = stn_bytes_u32(in);
        break;
    case STN_TAG_LONG:
        v->kind = STN_VALUE_LONG;
        v->u.l = stn_bytes_i64(in);
        break;
    case STN_TAG_RES:
        v->kind = STN_VALUE_RES;
        v->u.res.name = stn_bytes_cstr(in, NULL);
        v->u.res.version = stn_bytes_u16(in);
        break;
    case STN_TAG_RESID: {
        uint16_t id = stn_bytes_u16(in);
        v->kind = id == 65535 ? STN_VALUE_NIL : STN_VALUE_RESID;
        v->u.i = id;
        break;
    }
    default:
        return fail(r, STN_FAULT_FORMAT, "unknown tag %u at %lu: its length cannot be known", tag,
                    (unsigned long)in->pos - 1);
    }
    if (in->bad)
        return fail(r, STN_FAULT_TRUNCATED, "ends inside a value of tag %u, at %lu", tag,
                    (unsigned long)in->pos);
    return fine;
}

stn_status stn_value_read(stn_bytes *in, stn_arena *arena, uint32_t max_depth, stn_value *out,
                          stn_res_fault_kind *fault, stn_err *err)
{
    reader r = {.in = in, .arena = arena, .depth_left = max_depth, .err = err};
    read_value(&r, out);
    if (fault)
        *fault = r.fault;
    return stn_res_fault_status(r.fault);
}

stn_status stn_values_read(stn_bytes *in, stn_arena *arena, uint32_t max_depth, stn_values *out, bool *open,
                           stn_res_fault_kind *fault, stn_err *err)
{
    /* the list itself is not a level of nesting inside a value */
    reader r = {.in = in, .arena = arena, .depth_left = max_depth + 1, .err = err};
    bool o = false;
    *out = (stn_values){0};
    if (in->bad)
        fail(&r, STN_FAULT_TRUNCATED, "ends before a list (%u%lu)", 0, 0);
    else
        read_body(&r, out, &o);
    if (open)
        *open = o;
    if (fault)
        *fault = r.fault;
    return stn_res_fault_status(r.fault);
}

static int order_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* NaNs of any payload are one key; zeros of either sign are two. */
static uint64_t key_f64(double v)
{
    return v != v ? UINT64_C(0x7ff8000000000000) : stn_bits_of_f64(v);
}

static int compare_maps(const stn_map *a, const stn_map *b)
{
    int c = order_u64(a->count, b->count);
    for (uint32_t i = 0; !c && i < a->count; i++) {
        const stn_value *pa = &a->items[2 * (size_t)a->order[i]], *pb = &b->items[2 * (size_t)b->order[i]];
        c = stn_value_compare(&pa[0], &pb[0]);
        if (!c)
            c = stn_value_compare(&pa[1], &pb[1]);
    }
    return c;
}

int stn_value_compare(const stn_value *a, const stn_value *b)
{
    int c = order_u64(a->kind, b->kind);
    if (c)
        return c;
    switch ((stn_value_kind)a->kind) {
    case STN_VALUE_NIL:
        return 0;
    case STN_VALUE_INT:
    case STN_VALUE_RESID:
    case STN_VALUE_SNORM8:
    case STN_VALUE_SNORM16:
    case STN_VALUE_SNORM32:
        return (a->u.i > b->u.i) - (a->u.i < b->u.i);
    case STN_VALUE_LONG:
    case STN_VALUE_UID:
        return (a->u.l > b->u.l) - (a->u.l < b->u.l);
    case STN_VALUE_TEXT: {
        uint32_t n = a->len < b->len ? a->len : b->len;
        c = n ? memcmp(a->u.text, b->u.text, n) : 0;
        return c ? c : order_u64(a->len, b->len);
    }
    case STN_VALUE_COORD:
        c = (a->u.coord[0] > b->u.coord[0]) - (a->u.coord[0] < b->u.coord[0]);
        return c ? c : (a->u.coord[1] > b->u.coord[1]) - (a->u.coord[1] < b->u.coord[1]);
    case STN_VALUE_COLOR:
        return memcmp(a->u.color, b->u.color, 4);
    case STN_VALUE_FCOLOR:
        return memcmp(a->u.fcolor, b->u.fcolor, sizeof a->u.fcolor);
    case STN_VALUE_LIST:
    case STN_VALUE_BYTES:
        return order_u64((uintptr_t)a, (uintptr_t)b);
    case STN_VALUE_MAP:
        return compare_maps(a->u.map, b->u.map);
    case STN_VALUE_F32:
        return order_u64(key_f64((double)a->u.f32), key_f64((double)b->u.f32));
    case STN_VALUE_F64:
        return order_u64(key_f64(a->u.f64), key_f64(b->u.f64));
    case STN_VALUE_POINT:
        c = order_u64(key_f64(a->u.point[0]), key_f64(b->u.point[0]));
        return c ? c : order_u64(key_f64(a->u.point[1]), key_f64(b->u.point[1]));
    case STN_VALUE_F8:
    case STN_VALUE_F16:
    case STN_VALUE_UNORM8:
    case STN_VALUE_MNORM8:
    case STN_VALUE_UNORM16:
    case STN_VALUE_MNORM16:
    case STN_VALUE_UNORM32:
    case STN_VALUE_MNORM32:
        return order_u64(a->u.bits, b->u.bits);
    case STN_VALUE_RES:
        c = strcmp(a->u.res.name, b->u.res.name);
        return c ? c : (a->u.res.version > b->u.res.version) - (a->u.res.version < b->u.res.version);
    }
    return 0;
}

const stn_value *stn_map_get(const stn_map *map, const char *key)
{
    stn_value want = stn_value_text(key);
    uint32_t lo = 0, hi = map->count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        const stn_value *pair = &map->items[2 * (size_t)map->order[mid]];
        int c = stn_value_compare(&want, &pair[0]);
        if (c == 0)
            return &pair[1];
        if (c < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

const char *stn_value_kind_name(stn_value_kind kind)
{
    static const char *const names[] = {
        "nil",    "integer", "long",    "text",    "coord",   "color",   "fcolor",  "list",     "map",
        "uid",    "bytes",   "f32",     "f64",     "point",   "f8",      "f16",     "snorm8",   "unorm8",
        "mnorm8", "snorm16", "unorm16", "mnorm16", "snorm32", "unorm32", "mnorm32", "resource", "resource id",
    };
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

stn_value stn_value_int(int32_t v)
{
    return (stn_value){.kind = STN_VALUE_INT, .u.i = v};
}

stn_value stn_value_text(const char *text)
{
    return (stn_value){.kind = STN_VALUE_TEXT, .len = (uint32_t)strlen(text), .u.text = text};
}

stn_value stn_value_f32(float v)
{
    return (stn_value){.kind = STN_VALUE_F32, .u.f32 = v};
}

stn_value stn_value_list(const stn_value *items, uint32_t count)
{
    return (stn_value){.kind = STN_VALUE_LIST, .u.list = {count, items}};
}
