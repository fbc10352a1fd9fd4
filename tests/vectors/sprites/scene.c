/* compose.json, place.json, random.json, light.json, composite.json */
#include "sprites.h"

#include "base/bytes.h"
#include "map/motion.h"
#include "renderer/sprite/composite.h"
#include "renderer/sprite/light.h"
#include "renderer/sprite/scatter.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- compose.json ---- */

#define LEVELS 16
#define OPS 64

typedef struct chain {
    stn_op ops[LEVELS][OPS];
    stn_op latent[LEVELS][2];
    char ids[LEVELS][OPS][32];
    stn_level levels[LEVELS];
    size_t n;
} chain;

static void set_color(stn_op *op, float r, float g)
{
    *op = (stn_op){.kind = STN_OP_SET, .slot = STN_SLOT_BASECOLOR};
    op->u.value.u.color[0] = r;
    op->u.value.u.color[1] = g;
    op->u.value.u.color[3] = 1;
}

static bool add_material(vec_sprites *v, stn_sprite_ctx *ctx, chain *c, size_t level, const char *spec)
{
    char name[128];
    const char *hash = strrchr(spec, '#');
    const stn_sprite_res *res;
    const stn_res_mat *mat;
    const stn_sprite_mat *m;
    stn_level *to = &c->levels[level];

    if (!hash || (size_t)(hash - spec) >= sizeof name)
        return false;
    memcpy(name, spec, (size_t)(hash - spec));
    name[hash - spec] = 0;
    res = vs_res(v, name);
    mat = res ? stn_material_find(res, (int32_t)strtol(hash + 1, NULL, 10)) : NULL;
    if (!mat || stn_sprite_material(ctx, res, mat, &m, NULL) != STN_SPRITE_OK)
        return false;
    for (uint32_t i = 0; i < m->statics.count; i++)
        c->ops[level][to->ops.count++] = m->statics.items[i];
    for (uint32_t i = 0; i < m->dynamics.count; i++)
        c->ops[level][to->ops.count++] = m->dynamics.items[i];
    return true;
}

static bool add_op(vec_sprites *v, stn_sprite_ctx *ctx, chain *c, size_t level, char *text)
{
    stn_level *to = &c->levels[level];
    stn_op *op = &c->ops[level][to->ops.count];
    char *id = c->ids[level][to->ops.count], *value = strchr(text, '='), *second;
    float f = value ? strtof(value + 1, NULL) : 0;

    if (to->ops.count >= OPS - 40)
        return false;
    if (value)
        *value++ = 0;
    if (strcmp(text, "mat") == 0)
        return add_material(v, ctx, c, level, value);
    *op = (stn_op){.kind = STN_OP_SET};
    if (strcmp(text, "col") == 0) {
        set_color(op, f, 0);
    } else if (strcmp(text, "ord") == 0) {
        op->slot = STN_SLOT_ORDER;
        op->u.value.u.order.main = (int32_t)strtol(value, NULL, 10);
    } else if (strcmp(text, "cull") == 0 || strcmp(text, "depth") == 0) {
        op->slot = text[0] == 'c' ? STN_SLOT_FACECULL : STN_SLOT_DEPTHTEST;
        if (strcmp(value, "none") == 0)
            op->kind = STN_OP_NOTHING;
    } else if (strcmp(text, "msk") == 0) {
        op->slot = STN_SLOT_MASKDEPTH;
    } else if (strcmp(text, "xl") == 0 || strcmp(text, "mark") == 0) {
        op->kind = STN_OP_LOCATION;
        op->u.matrix =
            stn_mat4_translate(text[0] == 'x' ? (stn_sprite_vec){f, 0, 0} : (stn_sprite_vec){0, 1, 0});
        if (text[0] == 'm')
            op->id = id;
    } else if (strcmp(text, "rz") == 0) {
        op->kind = STN_OP_LOCATION;
        op->u.matrix = stn_mat4_rotate((stn_sprite_vec){0, 0, 1}, f);
    } else if (strcmp(text, "sc") == 0) {
        op->kind = STN_OP_LOCATION;
        op->u.matrix = stn_mat4_identity;
        op->u.matrix.m[0] = op->u.matrix.m[5] = op->u.matrix.m[10] = f;
    } else if (strcmp(text, "nullrot") == 0) {
        op->kind = STN_OP_NO_TURN;
    } else if (strcmp(text, "goback") == 0 || strcmp(text, "act") == 0) {
        op->kind = text[0] == 'g' ? STN_OP_BACK : STN_OP_ACTIVATE;
        op->id = id;
    } else if (strcmp(text, "lat") == 0) {
        second = strchr(value, '=');
        if (!second)
            return false;
        *second++ = 0;
        set_color(&c->latent[level][0], 0, strtof(second, NULL));
        c->latent[level][1] = (stn_op){.kind = STN_OP_SET, .slot = STN_SLOT_ORDER};
        c->latent[level][1].u.value.u.order.main = 77;
        op->slot = STN_SLOT_LATENT;
        op->u.value.u.latent = (stn_latent){id, {c->latent[level], 2}};
    } else {
        return false;
    }
    if (value)
        snprintf(id, sizeof c->ids[0][0], "%s", value);
    to->ops.count++;
    return true;
}

static bool read_level(vec_sprites *v, stn_sprite_ctx *ctx, chain *c, size_t level, const char *ops)
{
    char text[300], *save = NULL;

    c->levels[level].ops = (stn_ops){c->ops[level], 0};
    snprintf(text, sizeof text, "%s", ops);
    for (char *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save))
        if (!add_op(v, ctx, c, level, word))
            return false;
    return true;
}

static bool read_chain(vec_sprites *v, stn_sprite_ctx *ctx, chain *c, const json_t *list)
{
    json_t *one;
    size_t i;

    memset(c, 0, sizeof *c);
    json_array_foreach((json_t *)(uintptr_t)list, i, one)
    {
        const char *text = json_string_value(one);
        if (i == LEVELS || !text || (text[0] != 'L' && text[0] != 'U') || !read_level(v, ctx, c, i, text + 2))
            return false;
        c->levels[i].locked = text[0] == 'L';
        c->n = i + 1;
    }
    return true;
}

static bool check_chain(vec_sprites *v, const chain *c, const json_t *want, const char *error,
                        const char *what)
{
    stn_arena *arena = stn_arena_new(4096, 0);
    stn_state state;
    stn_sprite_fault fault = stn_state_compose(c->levels, c->n, arena, &state, NULL);
    bool good;

    if (*error) {
        good = vs_same_fault(error, fault);
        if (!good)
            vec_fail(v->report, "%s: want %s, got %s", what, error, stn_sprite_fault_name(fault));
    } else if (fault) {
        vec_fail(v->report, "%s: %s", what, stn_sprite_fault_name(fault));
        good = false;
    } else {
        json_t *got = vs_state_of(&state, NULL, false);
        good = vs_same(v, want, got, what);
        json_decref(got);
    }
    stn_arena_free(arena);
    return good;
}

static void one_chain(vec_sprites *v, stn_sprite_ctx *ctx, chain *c, const json_t *one)
{
    char *what = json_dumps(json_object_get(one, "chain"), JSON_COMPACT);
    const char *change = vs_text(one, "change");
    bool good = read_chain(v, ctx, c, vs_get(one, "chain"));

    if (!good)
        vec_fail(v->report, "compose %s: an op that is not known", what);
    else if (!*change)
        good = check_chain(v, c, json_object_get(one, "state"), vs_text(one, "error"), what);
    else {
        size_t level = strtoul(change, NULL, 10);
        const char *ops = strchr(change, ' ');
        bool refused = strcmp(vs_text(one, "error"), "refused") == 0;
        good = check_chain(v, c, vs_get(one, "before"), "", what);
        /* A locked slot keeps its op: the change is refused. */
        if (good && c->levels[level].locked != refused) {
            vec_fail(v->report, "compose %s: change of level %zu: refused %d", what, level,
                     c->levels[level].locked);
            good = false;
        }
        if (good && !refused)
            good = read_level(v, ctx, c, level, ops ? ops + 1 : "");
        good = good && check_chain(v, c, vs_get(one, "after"), "", what);
    }
    if (good)
        vec_pass(v->report);
    free(what);
}

void vs_compose(vec_sprites *v)
{
    json_t *file = vec_json(v->dir, "compose.json"), *one;
    stn_sprite_ctx *ctx;
    chain *c;
    size_t i;

    if (!file)
        return;
    ctx = vs_ctx(v);
    c = malloc(sizeof *c);
    json_array_foreach(vs_get(file, "chains"), i, one) one_chain(v, ctx, c, one);
    json_array_foreach(vs_get(file, "changes"), i, one) one_chain(v, ctx, c, one);
    free(c);
    stn_sprite_ctx_free(ctx);
    json_decref(file);
}

/* ---- place.json, on the terrain that the spec gives for it ---- */

static stn_sprite_fault test_z(void *user, stn_place_surface surface, double x, double y, double *out,
                               stn_err *err)
{
    (void)user;
    (void)err;
    *out = ((0.07 * x - 0.03 * y) + (0.001 * x) * y) + (surface == STN_SURFACE_TERRAIN ? 3 : 1);
    return STN_SPRITE_OK;
}

static stn_sprite_fault test_normal(void *user, stn_place_surface surface, double x, double y,
                                    stn_sprite_vec *out, stn_err *err)
{
    (void)user;
    (void)surface;
    (void)err;
    *out = stn_sprite_vec_norm((stn_sprite_vec){(float)-(0.07 + 0.001 * y), (float)-(-0.03 + 0.001 * x), 1});
    return STN_SPRITE_OK;
}

static const stn_ground test_ground = {test_z, test_normal, NULL};

static void one_place(vec_sprites *v, const json_t *one)
{
    const stn_sprite_res *res = vs_res(v, vs_text(one, "res"));
    double scale = 0.0107421875;
    double x = (double)json_integer_value(vs_get(one, "px")) * scale,
           y = (double)json_integer_value(vs_get(one, "py")) * scale;
    double a = (((double)json_integer_value(vs_get(one, "aw")) / 65536.0) * M_PI) * 2;
    float zoff = (float)json_integer_value(json_object_get(one, "zoff")) / 100.0f;
    stn_placer placer;
    stn_placed placed;
    stn_mat4 m;
    stn_err err = {0};
    stn_sprite_fault fault = stn_placer_of(res->res, &placer, &err);
    char c[64], r[200], mat[200], what[200];

    snprintf(what, sizeof what, "place %s at %s, %s", vs_text(one, "res"), vs_text(one, "x"),
             vs_text(one, "y"));
    if (!fault)
        fault = stn_place(&placer, &test_ground, x, y, a, zoff, &placed, &err);
    if (json_object_get(one, "error")) {
        if (fault && vs_same_fault(vs_text(one, "error"), fault))
            vec_pass(v->report);
        else
            vec_fail(v->report, "%s: want %s, got %s", what, vs_text(one, "error"),
                     stn_sprite_fault_name(fault));
        return;
    }
    if (fault) {
        vec_fail(v->report, "%s: %s", what, err.text);
        return;
    }
    m = stn_placed_matrix(&placed);
    vs_floats(&placed.at.x, 3, c, sizeof c);
    vs_floats(placed.turn.m, 16, r, sizeof r);
    vs_floats(m.m, 16, mat, sizeof mat);
    if (x != vs_double(vs_text(one, "x")) || y != vs_double(vs_text(one, "y")) ||
        a != vs_double(vs_text(one, "a")) || strcmp(c, vs_text(one, "c")) != 0 ||
        strcmp(r, vs_text(one, "rot")) != 0 || strcmp(mat, vs_text(one, "mat")) != 0)
        vec_fail(v->report, "%s:\n  want c %s rot %s mat %s\n  got  c %s rot %s mat %s", what,
                 vs_text(one, "c"), vs_text(one, "rot"), vs_text(one, "mat"), c, r, mat);
    else
        vec_pass(v->report);
}

static void check_linear(vec_sprites *v, const json_t *lines)
{
    stn_linear m = {.sx = 10, .sy = 20, .vx = 3.25, .vy = -1.5};
    stn_placer placer = {.kind = STN_PLACER_SURFACE, .surface = STN_SURFACE_MAP};
    json_t *line;
    size_t i;

    json_array_foreach((json_t *)(uintptr_t)lines, i, line)
    {
        const char *act = vs_text(line, "do");
        double x, y;
        stn_placed placed;
        char c[64];
        if (strncmp(act, "tick ", 5) == 0)
            stn_linear_tick(&m, vs_double(act + 5));
        else if (strncmp(act, "step ", 5) == 0)
            stn_linear_step(&m, strtod(act + 5, NULL), -1);
        else {
            m.has_end = true;
            m.end = strtod(act + 4, NULL);
        }
        stn_linear_at(&m, &x, &y);
        stn_place(&placer, &test_ground, x, y, 0, 0, &placed, NULL);
        vs_floats(&placed.at.x, 3, c, sizeof c);
        if (m.t != vs_double(vs_text(line, "t")) || strcmp(c, vs_text(line, "c")) != 0 ||
            stn_linear_speed(&m) != vs_double(vs_text(line, "v"))) {
            vec_fail(v->report, "linmove line %zu (%s): t %.17g, c %s, want %s %s", i, act, m.t, c,
                     vs_text(line, "t"), vs_text(line, "c"));
            return;
        }
    }
    vec_pass(v->report);
}

void vs_place(vec_sprites *v)
{
    json_t *file = vec_json(v->dir, "place.json"), *one;
    size_t i;

    if (!file)
        return;
    json_array_foreach(vs_get(file, "place"), i, one)
    {
        if (vs_have(v, vs_text(one, "res")))
            one_place(v, one);
    }
    check_linear(v, vs_get(file, "linmove"));
    json_decref(file);
}

/* ---- random.json ---- */

static json_t *health_text(int64_t id, int h)
{
    stn_crack crack;
    char turn[64], mix[64];

    if (!stn_health_crack(id, (float)h / 4.0f, &crack))
        return json_string("none");
    return json_sprintf("%d %s %s", crack.index, vs_floats(crack.turn, 4, turn, sizeof turn),
                        vs_floats(crack.mix, 4, mix, sizeof mix));
}

static void one_id(vec_sprites *v, const json_t *one)
{
    static const int32_t bounds[7] = {1, 2, 3, 7, 8, 100, 1000000007};
    int64_t id = (int64_t)vs_u64(vs_text(one, "id"));
    stn_obj_random r = stn_obj_random_of(id);
    json_t *got = json_object(), *list = json_array();
    float f[2];
    char text[64], key[32];

    json_object_set(got, "id", vs_get(one, "id"));
    json_object_set_new(got, "seedstate", json_sprintf("%012llx", (unsigned long long)r.j48.s));
    for (int i = 0; i < 4; i++)
        json_array_append_new(list, json_integer(stn_j48_int(&r.j48)));
    json_object_set_new(got, "nextInt", list);
    list = json_array();
    for (int i = 0; i < 7; i++)
        json_array_append_new(list, json_sprintf("%d:%d", bounds[i], stn_j48_below(&r.j48, bounds[i])));
    json_object_set_new(got, "nextIntN", list);
    f[0] = stn_j48_float(&r.j48);
    f[1] = stn_j48_float(&r.j48);
    json_object_set_new(got, "nextFloat", json_string(vs_floats(f, 2, text, sizeof text)));
    json_object_set_new(got, "nextDouble",
                        json_sprintf("%016llx", (unsigned long long)stn_bits_of_f64(stn_j48_double(&r.j48))));
    json_object_set_new(got, "nextLong", json_sprintf("%016llx", (unsigned long long)stn_j48_long(&r.j48)));
    json_object_set_new(got, "nextBoolean", json_boolean(stn_j48_bool(&r.j48)));
    {
        double g[3];
        for (int i = 0; i < 3; i++)
            g[i] = stn_obj_random_gauss(&r);
        json_object_set_new(got, "nextGaussian",
                            json_sprintf("%016llx %016llx %016llx", (unsigned long long)stn_bits_of_f64(g[0]),
                                         (unsigned long long)stn_bits_of_f64(g[1]),
                                         (unsigned long long)stn_bits_of_f64(g[2])));
    }
    for (int h = 0; h < 256; h++) {
        snprintf(key, sizeof key, "health%d", h);
        if (json_object_get(one, key))
            json_object_set_new(got, key, health_text(id, h));
    }
    if (vs_same(v, one, got, "random id"))
        vec_pass(v->report);
    json_decref(got);
}

static json_t *sprouts_json(const stn_sprout *sprouts, uint32_t n)
{
    json_t *list = json_array();
    char at[32], m[200];
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(list, json_sprintf("%u %s %s", sprouts[i].variant,
                                                 vs_floats(&sprouts[i].x, 2, at, sizeof at),
                                                 vs_floats(sprouts[i].place.m, 16, m, sizeof m)));
    return list;
}

static void one_plant(vec_sprites *v, const json_t *one)
{
    static stn_sprout sprouts[STN_SPROUTS_MAX];
    int32_t num = (int32_t)json_integer_value(vs_get(one, "num")),
            nvar = (int32_t)json_integer_value(vs_get(one, "nvar"));
    double x = vs_double(vs_text(one, "x")), y = vs_double(vs_text(one, "y"));
    stn_scatter s = {.object = (int64_t)vs_u64(vs_text(one, "id")),
                     .angle = vs_double(vs_text(one, "a")),
                     .x = (float)x,
                     .y = (float)y,
                     .ground = &test_ground};
    static const char *const kinds[] = {"growing", "trellis", "gaussian"};
    double z;
    bool good = true;

    test_z(NULL, STN_SURFACE_MAP, x, y, &z, NULL);
    s.z = (float)z;
    for (int k = 0; k < 3; k++) {
        uint32_t n;
        json_t *got;
        stn_sprite_fault fault =
            k == 0   ? stn_scatter_growing(&s, num, nvar, sprouts, &n, NULL)
            : k == 1 ? stn_scatter_trellis(&s, num, nvar, sprouts, &n, NULL)
                     : stn_scatter_gaussian(&s, num, num + 3, 2.5f, nvar, NULL, sprouts, &n, NULL);
        if (fault) {
            vec_fail(v->report, "plants %s: %s", kinds[k], stn_sprite_fault_name(fault));
            good = false;
            continue;
        }
        got = sprouts_json(sprouts, n);
        good &= vs_same(v, vs_get(one, kinds[k]), got, kinds[k]);
        json_decref(got);
    }
    if (good)
        vec_pass(v->report);
}

static void one_tree(vec_sprites *v, const json_t *one)
{
    stn_tilt tilt =
        stn_tree_tilt((int64_t)vs_u64(vs_text(one, "grid")), (int32_t)json_integer_value(vs_get(one, "tx")),
                      (int32_t)json_integer_value(vs_get(one, "ty")));
    char m[200];
    if (tilt.direction != vs_double(vs_text(one, "aa")) || tilt.amount != vs_double(vs_text(one, "ra")) ||
        strcmp(vs_text(one, "rot"), vs_floats(tilt.turn.m, 16, m, sizeof m)) != 0)
        vec_fail(v->report, "tree in %s: rot %s, want %s", vs_text(one, "grid"), m, vs_text(one, "rot"));
    else
        vec_pass(v->report);
}

void vs_random(vec_sprites *v)
{
    json_t *file = vec_json(v->dir, "random.json"), *one;
    size_t i;

    if (!file)
        return;
    json_array_foreach(vs_get(file, "ids"), i, one) one_id(v, one);
    json_array_foreach(vs_get(file, "plants"), i, one) one_plant(v, one);
    json_array_foreach(vs_get(file, "trees"), i, one) one_tree(v, one);
    json_decref(file);
}

/* ---- light.json ---- */

static json_t *four(const float f[4])
{
    char text[64];
    return json_string(vs_floats(f, 4, text, sizeof text));
}

void vs_light(vec_sprites *v)
{
    static const char *const kinds[] = {"DirLight", "PosLight", "SpotLight"};
    static const float origin[4] = {0, 0, 0, 1};
    json_t *file = vec_json(v->dir, "light.json"), *one;
    size_t i;

    json_array_foreach(file, i, one)
    {
        const stn_sprite_res *res;
        const stn_res_layer *layer;
        stn_light light;
        stn_err err = {0};
        json_t *got;
        char text[64];
        if (!vs_have(v, vs_text(one, "res")))
            continue;
        res = vs_res(v, vs_text(one, "res"));
        layer = stn_res_find(res->res, STN_LAYER_LIGHT, (int32_t)json_integer_value(vs_get(one, "id")));
        if (!layer || stn_light_of(layer->as.light, &light, &err)) {
            if (json_object_get(one, "error") && layer)
                vec_pass(v->report);
            else
                vec_fail(v->report, "light %s: %s", vs_text(one, "res"), err.text);
            continue;
        }
        got = json_pack("{s:O, s:O, s:s, s:o, s:o, s:o}", "res", vs_get(one, "res"), "id", vs_get(one, "id"),
                        "kind", kinds[light.kind], "amb", four(light.ambient), "dif", four(light.diffuse),
                        "spc", four(light.specular));
        if (light.kind != STN_LIGHT_DIRECTION) {
            json_object_set_new(got, "pos", four(origin));
            json_object_set_new(got, "att", four(light.attenuation));
        }
        if (light.kind == STN_LIGHT_DIRECTION) {
            float dir[4] = {light.direction.x, light.direction.y, light.direction.z, 0};
            json_object_set_new(got, "dir", four(dir));
        } else if (light.kind == STN_LIGHT_SPOT) {
            json_object_set_new(got, "dir", json_string(vs_floats(&light.direction.x, 3, text, sizeof text)));
            json_object_set_new(got, "exp", json_string(vs_floats(&light.exponent, 1, text, sizeof text)));
        }
        if (vs_same(v, one, got, "light"))
            vec_pass(v->report);
        json_decref(got);
    }
    json_decref(file);
}

/* ---- composite.json ---- */

#define LIST 32

static stn_sprite_fault do_models(vec_sprites *v, stn_composite *c, char *text, stn_err *err)
{
    stn_composite_model models[LIST];
    const stn_sprite_res *mats[LIST][LIST];
    uint32_t n = 0;
    char *save = NULL, *inner = NULL;

    for (char *word = strtok_r(text, " ", &save); word && n < LIST; word = strtok_r(NULL, " ", &save)) {
        char *colon = strchr(word, ':');
        if (colon)
            *colon = 0;
        models[n] = (stn_composite_model){.mesh = vs_res(v, word), .materials = mats[n]};
        for (char *m = colon ? strtok_r(colon + 1, "+", &inner) : NULL; m && models[n].n_materials < LIST;
             m = strtok_r(NULL, "+", &inner)) {
            mats[n][models[n].n_materials] = vs_res(v, m);
            if (!mats[n][models[n].n_materials++])
                return stn_sprite_fail(err, STN_SPRITE_LOAD_FAILED, "material %s is not there", m);
        }
        if (!models[n].mesh)
            return stn_sprite_fail(err, STN_SPRITE_LOAD_FAILED, "model %s is not there", word);
        n++;
    }
    return stn_composite_models(c, models, n, err);
}

static stn_sprite_fault do_items(vec_sprites *v, stn_composite *c, char *text, stn_err *err)
{
    stn_composite_item items[LIST];
    uint8_t *bytes[LIST] = {NULL};
    uint32_t n = 0;
    char *save = NULL;
    stn_sprite_fault fault;

    for (char *word = strtok_r(text, " ", &save); word && n < LIST; word = strtok_r(NULL, " ", &save)) {
        char *field[5] = {word};
        for (int i = 1; i < 5; i++) {
            field[i] = field[i - 1] ? strchr(field[i - 1], ',') : NULL;
            if (field[i])
                *field[i]++ = 0;
        }
        if (!field[4])
            continue;
        items[n] = (stn_composite_item){.type = (uint32_t)strtoul(field[0], NULL, 10), .at = field[1]};
        items[n].what.res = vs_res(v, field[2]);
        items[n].what.sdt = bytes[n] = vs_sdt(field[3], &items[n].what.sdt_len);
        sscanf(field[4], "%f:%f:%f", &items[n].offset[0], &items[n].offset[1], &items[n].offset[2]);
        n++;
        if (!items[n - 1].what.res)
            break;
    }
    fault = stn_composite_items(c, items, n, err);
    for (uint32_t i = 0; i < n; i++)
        free(bytes[i]);
    return fault;
}

typedef struct composed {
    json_t *list;
    const json_t *want;
} composed;

static bool composed_leaf(void *user, const stn_leaf *leaf)
{
    composed *d = user;
    char text[300];
    vs_mesh(leaf->part->res, leaf->part->layer, text, sizeof text);
    json_array_append_new(d->list, json_pack("{s:s, s:o}", "obj", text, "state", vs_state(leaf, false)));
    return true;
}

static json_t *composite_drawn(const stn_composite *c)
{
    composed d = {json_array(), NULL};
    stn_arena *arena = stn_arena_new(4096, 0);
    stn_state outer;

    stn_state_clear(&outer);
    stn_composite_leaves(c, &outer, arena, composed_leaf, &d, NULL);
    stn_arena_free(arena);
    return d.list;
}

/* Instances in the order in which they first appear over the whole script. */
typedef struct numbering {
    uint64_t seen[256];
    unsigned n;
} numbering;

static json_t *items_json(const stn_composite *c, numbering *num)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < stn_composite_item_count(c); i++) {
        uint64_t instance = stn_composite_item_instance(c, i);
        unsigned at = 0;
        while (at < num->n && num->seen[at] != instance)
            at++;
        if (at == num->n && num->n < 256)
            num->seen[num->n++] = instance;
        json_array_append_new(list, json_sprintf("inst%u flags=%08x", at,
                                                 stn_sprite_flag_word(stn_composite_item_sprite(c, i))));
    }
    return list;
}

static void composite_script(vec_sprites *v, const json_t *one)
{
    stn_sprite_ctx *ctx = vs_ctx(v);
    stn_sprite_object object = {.id = 77};
    stn_composite *c = NULL;
    numbering num = {.n = 0};
    json_t *step;
    size_t i;
    bool good = stn_composite_new(ctx, &object, vs_res(v, vs_text(one, "body")), &c, NULL) == STN_SPRITE_OK;

    json_array_foreach(vs_get(one, "steps"), i, step)
    {
        char text[600], what[700];
        uint64_t before[2], after[2];
        stn_err err = {0};
        stn_sprite_fault fault;
        const char *error = vs_text(step, "error");
        json_t *got;
        if (!good)
            break;
        snprintf(text, sizeof text, "%s", vs_text(step, "do"));
        snprintf(what, sizeof what, "composite step \"%s\"", text);
        stn_sprite_ctx_counts(ctx, &before[0], &before[1]);
        fault = strncmp(text, "mod", 3) == 0 ? do_models(v, c, text + (text[3] == ' ' ? 4 : 3), &err)
                                             : do_items(v, c, text + (text[3] == ' ' ? 4 : 3), &err);
        stn_sprite_ctx_counts(ctx, &after[0], &after[1]);
        if (*error ? !vs_same_fault(error, fault) : fault != STN_SPRITE_OK) {
            vec_fail(v->report, "%s: want %s, got %s (%s)", what, *error ? error : "no error",
                     stn_sprite_fault_name(fault), err.text);
            good = false;
            break;
        }
        got = json_pack("{s:O, s:O, s:I, s:I, s:o, s:o}", "do", vs_get(step, "do"), "error",
                        vs_get(step, "error"), "added", (json_int_t)(after[0] - before[0]), "removed",
                        (json_int_t)(after[1] - before[1]), "equ", items_json(c, &num), "draw",
                        composite_drawn(c));
        good = vs_same(v, step, got, what);
        json_decref(got);
    }
    if (good)
        vec_pass(v->report);
    stn_composite_free(c);
    stn_sprite_ctx_free(ctx);
}

static bool pose_step(vec_sprites *v, stn_composite *c, const stn_res_skel *skel, const char *act,
                      const char *what)
{
    char verb[16] = "", name[128] = "";
    double a = 0, b = 0;
    stn_err err = {0};
    stn_sprite_fault fault = STN_SPRITE_OK;

    if (strncmp(act, "tick ", 5) == 0) {
        fault = stn_composite_tick(c, strtod(act + 5, NULL), &err);
    } else if (sscanf(act, "%15s %127s %lf %lf", verb, name, &a, &b) >= 3) {
        const stn_sprite_res *res = vs_res(v, name);
        bool timed = strcmp(verb, "settmp") == 0;
        stn_poseset *set = stn_poseset_new(skel, 31337);
        stn_poseset_reseed(set, 31337, 1);
        fault = res ? stn_poseset_add(set, res->res, 0, true, timed, &err) : STN_SPRITE_LOAD_FAILED;
        if (fault)
            stn_poseset_free(set);
        else if (timed)
            stn_composite_install_timed(c, set, (float)a, (float)b);
        else
            stn_composite_install(c, set, (float)a);
    }
    if (fault)
        vec_fail(v->report, "%s: %s", what, err.text);
    return !fault;
}

static void composite_poses(vec_sprites *v, const json_t *steps)
{
    const stn_sprite_res *body = vs_res(v, "test/body");
    stn_sprite_ctx *ctx = vs_ctx(v);
    stn_sprite_object object = {.id = 77, .speed = 5};
    const stn_res_layer *skel = body ? stn_res_first(body->res, STN_LAYER_SKEL) : NULL;
    stn_pose *bind = skel ? stn_pose_new(skel->as.skel) : NULL;
    stn_composite *c = NULL;
    json_t *step;
    size_t i;
    bool good = bind && stn_composite_new(ctx, &object, body, &c, NULL) == STN_SPRITE_OK;

    json_array_foreach((json_t *)(uintptr_t)steps, i, step)
    {
        char what[200], text[64];
        const stn_poseset *set;
        json_t *times, *got;
        float f;
        snprintf(what, sizeof what, "composite poses step %zu (%s)", i, vs_text(step, "do"));
        if (!good || !(good = pose_step(v, c, skel->as.skel, vs_text(step, "do"), what)))
            break;
        set = stn_composite_set(c);
        times = json_array();
        for (uint32_t t = 0; t < stn_poseset_tracks(set); t++) {
            f = stn_track_time(stn_poseset_track(set, t));
            json_array_append_new(times, json_string(vs_floats(&f, 1, text, sizeof text)));
        }
        got = json_pack("{s:O, s:O, s:o}", "do", vs_get(step, "do"), "pose", vs_get(step, "pose"), "times",
                        times);
        f = stn_poseset_blend(set);
        json_object_set_new(got, "ipold", json_string(vs_floats(&f, 1, text, sizeof text)));
        f = stn_poseset_left(set);
        json_object_set_new(got, "limit", json_string(vs_floats(&f, 1, text, sizeof text)));
        f = stn_poseset_rate(set);
        json_object_set_new(got, "rsmod", json_string(vs_floats(&f, 1, text, sizeof text)));
        good = vs_same(v, step, got, what) &&
               vs_check_pose(v, vs_get(step, "pose"), stn_composite_pose(c), bind, what);
        json_decref(got);
    }
    if (good)
        vec_pass(v->report);
    stn_pose_free(bind);
    stn_composite_free(c);
    stn_sprite_ctx_free(ctx);
}

void vs_composite(vec_sprites *v)
{
    json_t *file = vec_json(v->dir, "composite.json"), *one;
    size_t i;

    if (!file)
        return;
    json_array_foreach(vs_get(file, "scripts"), i, one)
    {
        if (vs_have(v, vs_text(one, "body")))
            composite_script(v, one);
    }
    if (json_array_size(vs_get(file, "poses")) > 0 && vs_have(v, "test/body"))
        composite_poses(v, vs_get(file, "poses"));
    json_decref(file);
}
