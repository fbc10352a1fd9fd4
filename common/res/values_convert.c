/* values_convert.c - what typed values are worth to a layer that wants a number, a text or a table of
 * keywords. */
#include "res/numbers.h"
#include "res/values.h"

#include <math.h>

static stn_status misfit(const stn_value *v, const char *wanted, stn_err *err)
{
    return stn_fail(err, STN_BAD_DATA, "%s where %s is wanted", stn_value_kind_name((stn_value_kind)v->kind),
                    wanted);
}

/* The divisor of a norm, 0 for other kinds, and its integer. */
static double norm_of(const stn_value *v, double *integer)
{
    switch ((stn_value_kind)v->kind) {
    case STN_VALUE_SNORM8:
        *integer = v->u.i;
        return 127.0;
    case STN_VALUE_SNORM16:
        *integer = v->u.i;
        return 32767.0;
    case STN_VALUE_SNORM32:
        *integer = v->u.i;
        return 2147483647.0;
    case STN_VALUE_UNORM8:
        *integer = v->u.bits;
        return 255.0;
    case STN_VALUE_UNORM16:
        *integer = v->u.bits;
        return 65535.0;
    case STN_VALUE_UNORM32:
        *integer = v->u.bits;
        return 4294967295.0;
    case STN_VALUE_MNORM8:
        *integer = v->u.bits;
        return 256.0;
    case STN_VALUE_MNORM16:
        *integer = v->u.bits;
        return 65536.0;
    case STN_VALUE_MNORM32:
        *integer = v->u.bits;
        return 4294967296.0;
    default:
        return 0.0;
    }
}

static bool is_norm32(const stn_value *v)
{
    return v->kind == STN_VALUE_SNORM32 || v->kind == STN_VALUE_UNORM32 || v->kind == STN_VALUE_MNORM32;
}

double stn_value_norm_double(const stn_value *v)
{
    double i = 0, d = norm_of(v, &i);
    return d == 0 ? 0 : i * (1.0 / d); /* times the rounded reciprocal, not divided: the last bit differs */
}

float stn_value_norm_float(const stn_value *v)
{
    double i = 0, d = norm_of(v, &i);
    if (d == 0)
        return 0;
    if (is_norm32(v)) /* these have the double form alone */
        return (float)stn_value_norm_double(v);
    return (float)i * (1.0f / (float)d);
}

bool stn_value_is_number(const stn_value *v)
{
    double i;
    switch ((stn_value_kind)v->kind) {
    case STN_VALUE_INT:
    case STN_VALUE_LONG:
    case STN_VALUE_UID:
    case STN_VALUE_RESID:
    case STN_VALUE_F32:
    case STN_VALUE_F64:
    case STN_VALUE_F8:
    case STN_VALUE_F16:
        return true;
    default:
        return norm_of(v, &i) != 0;
    }
}

static float small_float(const stn_value *v)
{
    return v->kind == STN_VALUE_F8 ? stn_res_f8((uint8_t)v->u.bits) : stn_res_f16((uint16_t)v->u.bits);
}

/* Toward zero, saturating, NaN to 0. */
static int32_t saturate(double d)
{
    if (isnan(d))
        return 0;
    if (d >= 2147483647.0)
        return INT32_MAX;
    if (d <= -2147483648.0)
        return INT32_MIN;
    return (int32_t)d;
}

stn_status stn_value_as_int(const stn_value *v, int32_t *out, stn_err *err)
{
    *out = 0;
    if (!stn_value_is_number(v))
        return misfit(v, "an integer", err);
    switch ((stn_value_kind)v->kind) {
    case STN_VALUE_INT:
    case STN_VALUE_RESID:
        *out = v->u.i;
        break;
    case STN_VALUE_LONG:
    case STN_VALUE_UID:
        *out = (int32_t)(uint32_t)(uint64_t)v->u.l;
        break;
    case STN_VALUE_F32:
        *out = saturate((double)v->u.f32);
        break;
    case STN_VALUE_F64:
        *out = saturate(v->u.f64);
        break;
    case STN_VALUE_F8:
    case STN_VALUE_F16:
        *out = saturate((double)small_float(v));
        break;
    case STN_VALUE_SNORM8:
    case STN_VALUE_SNORM16:
    case STN_VALUE_SNORM32: {
        double i = 0, d = norm_of(v, &i);
        *out = i == d ? 1 : i == -d ? -1 : 0;
        break;
    }
    case STN_VALUE_UNORM8:
    case STN_VALUE_UNORM16:
    case STN_VALUE_UNORM32: {
        double i = 0, d = norm_of(v, &i);
        *out = i == d;
        break;
    }
    default: /* mnorms never reach one */
        break;
    }
    return STN_OK;
}

stn_status stn_value_as_double(const stn_value *v, double *out, stn_err *err)
{
    *out = 0;
    if (!stn_value_is_number(v))
        return misfit(v, "a number", err);
    switch ((stn_value_kind)v->kind) {
    case STN_VALUE_INT:
    case STN_VALUE_RESID:
        *out = v->u.i;
        break;
    case STN_VALUE_LONG:
    case STN_VALUE_UID:
        *out = (double)v->u.l;
        break;
    case STN_VALUE_F32:
        *out = (double)v->u.f32;
        break;
    case STN_VALUE_F64:
        *out = v->u.f64;
        break;
    case STN_VALUE_F8:
    case STN_VALUE_F16:
        *out = (double)small_float(v);
        break;
    default:
        *out = stn_value_norm_double(v);
        break;
    }
    return STN_OK;
}

stn_status stn_value_as_float(const stn_value *v, float *out, stn_err *err)
{
    *out = 0;
    if (!stn_value_is_number(v))
        return misfit(v, "a number", err);
    switch ((stn_value_kind)v->kind) {
    case STN_VALUE_INT:
    case STN_VALUE_RESID:
        *out = (float)v->u.i;
        break;
    case STN_VALUE_LONG:
    case STN_VALUE_UID:
        *out = (float)v->u.l;
        break;
    case STN_VALUE_F32:
        *out = v->u.f32;
        break;
    case STN_VALUE_F64:
        *out = (float)v->u.f64;
        break;
    case STN_VALUE_F8:
    case STN_VALUE_F16:
        *out = small_float(v);
        break;
    default:
        *out = stn_value_norm_float(v);
        break;
    }
    return STN_OK;
}

stn_status stn_value_as_bool(const stn_value *v, bool *out, stn_err *err)
{
    int32_t i;
    stn_status st = stn_value_as_int(v, &i, err);
    *out = i != 0;
    return st;
}

stn_status stn_value_as_text(const stn_value *v, const char **out, stn_err *err)
{
    *out = "";
    if (v->kind != STN_VALUE_TEXT)
        return misfit(v, "text", err);
    *out = v->u.text;
    return STN_OK;
}

stn_status stn_value_as_color(const stn_value *v, uint8_t out[4], stn_err *err)
{
    memset(out, 0, 4);
    if (v->kind != STN_VALUE_COLOR)
        return misfit(v, "a color", err);
    memcpy(out, v->u.color, 4);
    return STN_OK;
}

stn_status stn_value_as_coord(const stn_value *v, int32_t out[2], stn_err *err)
{
    out[0] = out[1] = 0;
    if (v->kind != STN_VALUE_COORD)
        return misfit(v, "a coord", err);
    out[0] = v->u.coord[0];
    out[1] = v->u.coord[1];
    return STN_OK;
}

const stn_value *stn_entries_get(const stn_entries *table, const char *key)
{
    for (uint32_t i = table->count; i-- > 0;)
        if (strcmp(table->items[i].key, key) == 0)
            return &table->items[i].value;
    return NULL;
}

bool stn_entries_counts(const stn_entries *table, uint32_t i)
{
    return stn_entries_get(table, table->items[i].key) == &table->items[i].value;
}

/* ---- keyword arguments ---- */

typedef struct keywords {
    stn_arena *arena;
    stn_entry *items;
    uint32_t count;
    stn_err *err;
} keywords;

/* text and number name a resource: {name, version} */
static stn_status spec_of(const stn_value *name, const stn_value *version, stn_value *out, stn_err *err)
{
    *out = (stn_value){.kind = STN_VALUE_RES, .u.res.name = name->u.text};
    return stn_value_as_int(version, &out->u.res.version, err);
}

/* The next word of a pattern: name without marks. False at its end. */
static bool next_word(const char **pattern, const char **name, size_t *len, bool *optional, bool *resource)
{
    const char *p = *pattern;
    while (*p == ' ' || *p == ',')
        p++;
    if (!*p)
        return false;
    *optional = *p == '?';
    p += *optional;
    *resource = *p == '@';
    p += *resource;
    *name = p;
    while (*p && *p != ',' && *p != ' ')
        p++;
    *len = (size_t)(p - *name);
    *pattern = p;
    return true;
}

static stn_status take_map(keywords *k, const stn_map *map)
{
    for (uint32_t i = 0; i < map->pairs; i++) {
        const stn_value *pair = &map->items[2 * (size_t)i];
        if (pair[0].kind != STN_VALUE_TEXT)
            return misfit(&pair[0], "a text key", k->err);
        k->items[k->count++] = (stn_entry){pair[0].u.text, pair[1]};
    }
    return STN_OK;
}

static stn_status take_list(keywords *k, const stn_value *v)
{
    if (v->kind != STN_VALUE_LIST)
        return misfit(v, "a list of a keyword and its value", k->err);
    const stn_values *l = &v->u.list;
    stn_entry *e = &k->items[k->count];
    stn_status st;

    if (l->count < 2)
        return stn_fail(k->err, STN_BAD_DATA, "keyword list of %u items, at least 2 are needed", l->count);
    if ((st = stn_value_as_text(&l->items[0], &e->key, k->err)) != STN_OK)
        return st;
    if (l->count == 3 && l->items[1].kind == STN_VALUE_TEXT && stn_value_is_number(&l->items[2]))
        st = spec_of(&l->items[1], &l->items[2], &e->value, k->err);
    else
        e->value = l->items[1];
    k->count++;
    return st;
}

stn_status stn_values_keywords(const stn_values *args, const char *pattern, stn_arena *arena,
                               stn_entries *out, stn_err *err)
{
    keywords k = {.arena = arena, .err = err};
    size_t most = args->count;
    stn_status st = STN_OK;

    *out = (stn_entries){0};
    for (uint32_t i = 0; i < args->count; i++)
        if (args->items[i].kind == STN_VALUE_MAP)
            most += args->items[i].u.map->pairs;
    k.items = stn_arena_array(arena, most ? most : 1, sizeof *k.items);
    if (!k.items)
        return stn_fail(err, STN_NO_MEMORY, "%zu keyword arguments", most);
    for (uint32_t a = 0; a < args->count;) {
        const stn_value *v = &args->items[a];
        const char *name;
        size_t len;
        bool optional, resource;

        if (v->kind == STN_VALUE_MAP) {
            st = take_map(&k, v->u.map);
            a++;
        } else if (next_word(&pattern, &name, &len, &optional, &resource)) {
            stn_entry *e = &k.items[k.count];
            e->key = stn_arena_strndup(arena, name, len);
            if (!e->key)
                return stn_fail(err, STN_NO_MEMORY, "keyword name");
            if (!resource || v->kind == STN_VALUE_RES || v->kind == STN_VALUE_RESID) {
                e->value = *v;
                k.count++;
                a++;
            } else if (v->kind == STN_VALUE_TEXT && a + 1 < args->count &&
                       stn_value_is_number(&args->items[a + 1])) {
                st = spec_of(v, &args->items[a + 1], &e->value, err);
                k.count++;
                a += 2;
            } else if (!optional) {
                st = misfit(v, "a resource", err);
            }
        } else {
            st = take_list(&k, v);
            a++;
        }
        if (st != STN_OK)
            return st;
    }
    *out = (stn_entries){k.count, k.items};
    return STN_OK;
}
