/* The resource pack: every file decodes, is the same each time, and keeps the promises of its art. */
#include "homestead/land.h"
#include "homestead/pack/edges.h"
#include "homestead/pack/pack.h"
#include "res/res.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_FILES 128

static stn_buf files[MAX_FILES];
static stn_res *decoded[MAX_FILES];
static size_t count;

static int build_all(void **state)
{
    (void)state;
    count = stn_pack_count();
    if (count > MAX_FILES)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const stn_res_opts opts = {.want_version = stn_pack_version(i), .pixels = STN_RES_DECODE};
        stn_err err = {0};

        if (stn_pack_build(i, &files[i], &err) != STN_OK ||
            stn_res_new(files[i].data, files[i].len, &opts, &decoded[i], NULL, &err) != STN_OK) {
            fprintf(stderr, "%s: %s\n", stn_pack_name(i), err.text);
            return -1;
        }
    }
    return 0;
}

static int drop_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < count; i++) {
        stn_buf_fini(&files[i]);
        stn_res_free(decoded[i]);
    }
    return 0;
}

static size_t index_of(const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(stn_pack_name(i), name) == 0)
            return i;
    fail_msg("the pack lacks %s", name);
    return 0;
}

static void a_file_is_the_same_each_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < count; i++) {
        stn_buf again = {0};

        /* The large grounds share one painter; two of them stand for all. */
        if (strncmp(stn_pack_name(i), "homestead/tiles/", 16) == 0 && !strstr(stn_pack_name(i), "field") &&
            !strstr(stn_pack_name(i), "edge"))
            continue;
        assert_int_equal(stn_pack_build(i, &again, NULL), STN_OK);
        assert_int_equal(again.len, files[i].len);
        assert_memory_equal(again.data, files[i].data, again.len);
        stn_buf_fini(&again);
    }
}

static void names_are_unique_and_all_that_the_land_asks_for_is_there(void **state)
{
    stn_land *land = stn_land_new(1);
    stn_land_object *objects = malloc(STN_LAND_MAX_OBJECTS * sizeof *objects);
    size_t n = 0;
    const stn_land_tileset *sets = stn_land_tilesets(land, &n);

    (void)state;
    assert_non_null(objects);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(stn_pack_name(i), stn_pack_name(k));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(stn_pack_version(index_of(sets[i].name)), sets[i].version);
    for (int32_t gy = -2; gy <= 2; gy++)
        for (int32_t gx = -2; gx <= 2; gx++) {
            assert_int_equal(stn_land_objects(land, gx, gy, objects, STN_LAND_MAX_OBJECTS, &n), STN_OK);
            for (size_t i = 0; i < n; i++) {
                assert_int_equal(stn_pack_version(index_of(objects[i].name)), objects[i].version);
                for (unsigned m = 0; m < objects[i].n_materials; m++) {
                    const stn_land_material *mat = &objects[i].materials[m];

                    assert_non_null(stn_res_find(decoded[index_of(mat->name)], STN_LAYER_MAT, mat->id));
                }
            }
        }
    index_of("homestead/people/person");
    free(objects);
    stn_land_free(land);
}

/* Every resource that a layer names is in the pack, in that version. */
static void check_ref(stn_resref ref)
{
    if (*ref.name)
        assert_int_equal(stn_pack_version(index_of(ref.name)), ref.version);
}

static void check_values(const stn_values *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        if (v->items[i].kind == STN_VALUE_RES)
            check_ref(v->items[i].u.res);
        if (v->items[i].kind == STN_VALUE_LIST)
            check_values(&v->items[i].u.list);
    }
}

static void references_lead_somewhere(void **state)
{
    (void)state;
    for (size_t f = 0; f < count; f++)
        for (uint32_t i = 0; i < stn_res_count(decoded[f]); i++) {
            const stn_res_layer *l = stn_res_layer_at(decoded[f], i);

            assert_int_not_equal(l->kind, STN_LAYER_UNKNOWN);
            if (l->kind == STN_LAYER_MAT)
                for (uint32_t s = 0; s < l->as.mat->count; s++)
                    check_values(&l->as.mat->specs[s].args);
            if (l->kind == STN_LAYER_TILESET)
                check_values(&l->as.tileset->tiler_args);
            if (l->kind == STN_LAYER_FLAVOBJ)
                check_ref(l->as.flavobj->res);
            if (l->kind == STN_LAYER_RLINK)
                check_ref(l->as.rlink->res);
            if (l->kind == STN_LAYER_CODEENTRY)
                for (uint32_t u = 0; u < l->as.codeentry->use_count; u++)
                    check_ref(l->as.codeentry->uses[u].res);
        }
}

static void meshes_are_sound(void **state)
{
    (void)state;
    for (size_t f = 0; f < count; f++) {
        for (const stn_res_layer *l = NULL; (l = stn_res_next(decoded[f], STN_LAYER_MESH, l));) {
            const stn_res_mesh *m = l->as.mesh;
            const stn_res_vbuf *v = m->vbuf->as.vbuf;
            const float *pos = stn_res_vbuf_attr(v, STN_ATTR_POS)->f,
                        *nrm = stn_res_vbuf_attr(v, STN_ATTR_NRM)->f;
            const float *tex = stn_res_vbuf_attr(v, STN_ATTR_TEX)->f;
            bool two_sided = false;
            uint32_t agree = 0, area = 0;

            for (uint32_t i = 0; i < v->num; i++) {
                float len = sqrtf(nrm[3 * i] * nrm[3 * i] + nrm[3 * i + 1] * nrm[3 * i + 1] +
                                  nrm[3 * i + 2] * nrm[3 * i + 2]);

                assert_true(len > 0.98f && len < 1.02f);
                for (int k = 0; k < 3; k++)
                    assert_true(fabsf(pos[3 * i + (uint32_t)k]) < 150.0f);
                assert_true(isfinite(tex[2 * i]) && isfinite(tex[2 * i + 1]));
            }
            if (m->mat)
                for (uint32_t s = 0; s < m->mat->as.mat->count; s++)
                    two_sided |= strcmp(m->mat->as.mat->specs[s].name, "nofacecull") == 0;
            for (uint32_t t = 0; t < m->tris; t++) {
                const uint16_t *k = m->indices + 3 * t;
                float e[2][3], n[3], mean[3];

                for (int c = 0; c < 3; c++) {
                    e[0][c] = pos[3 * k[1] + c] - pos[3 * k[0] + c];
                    e[1][c] = pos[3 * k[2] + c] - pos[3 * k[0] + c];
                    mean[c] = nrm[3 * k[0] + c] + nrm[3 * k[1] + c] + nrm[3 * k[2] + c];
                }
                n[0] = e[0][1] * e[1][2] - e[0][2] * e[1][1];
                n[1] = e[0][2] * e[1][0] - e[0][0] * e[1][2];
                n[2] = e[0][0] * e[1][1] - e[0][1] * e[1][0];
                if (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] < 1e-7f)
                    continue;
                area++;
                agree += n[0] * mean[0] + n[1] * mean[1] + n[2] * mean[2] > 0;
            }
            /* Counter-clockwise means: the face looks where its normals do. */
            if (!two_sided && agree < area - area / 20)
                fail_msg("%s: mesh over buffer %d: %u of %u faces look inward", stn_pack_name(f),
                         (int)m->vbuf_id, area - agree, area);
        }
    }
}

static void variable_materials_have_the_five_woods(void **state)
{
    static const char *const things[] = {"homestead/things/cupboard", "homestead/things/crate",
                                         "homestead/things/barrel"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        bool slot[3] = {false};

        for (const stn_res_layer *l = NULL;
             (l = stn_res_next(decoded[index_of(things[i])], STN_LAYER_MESH, l));) {
            const stn_value *vm = stn_entries_get(&l->as.mesh->rdat, "vm");

            if (vm)
                slot[atoi(vm->u.text)] = true;
        }
        assert_true(slot[0] && slot[2]);
    }
}

/* Lines that meet across the border differ no more than lines somewhere inside the picture do. */
static void ground_textures_wrap(void **state)
{
    (void)state;
    for (size_t f = 0; f < count; f++) {
        if (strncmp(stn_pack_name(f), "homestead/tiles/", 16) != 0)
            continue;
        for (const stn_res_layer *l = NULL; (l = stn_res_next(decoded[f], STN_LAYER_TEX, l));) {
            const stn_res_tex *t = l->as.tex;
            size_t bytes = stn_mip_bytes(t->mipmap, t->w, t->h);
            uint8_t *px = malloc(bytes);

            assert_non_null(px);
            assert_int_equal(stn_res_tex_pixels(t, NULL, px, bytes, NULL, NULL), STN_OK);
            for (int axis = 0; axis < 2; axis++) {
                size_t n = axis ? t->w : t->h, side = axis ? t->h : t->w;
                size_t step = axis ? 4u * t->w : 4u, across = axis ? 4u : 4u * t->w;
                double seam = 0, most = 0;

                for (size_t k = 0; k < side; k++) {
                    double sum = 0;

                    for (size_t i = 0; i < n; i++)
                        for (size_t c = 0; c < 3; c++)
                            sum += abs(px[i * across + k * step + c] -
                                       px[i * across + (k + 1) % side * step + c]);
                    if (k + 1 == side)
                        seam = sum;
                    else
                        most = sum > most ? sum : most;
                }
                if (seam > most * 1.1)
                    fail_msg("%s texture %d axis %d: seam %.0f, inside at most %.0f", stn_pack_name(f),
                             (int)t->id, axis, seam, most);
            }
            free(px);
        }
    }
}

static float alpha(stn_canvas *c, int x, int y)
{
    return stn_canvas_at(c, x, y)->a;
}

/* North of a tile with the side W stands one with the side W, or with the corner SW: their borders agree. */
static void edge_masks_meet_at_tile_corners(void **state)
{
    enum { N = STN_EDGE_SIDE };

    (void)state;
    for (int style = 0; style < STN_EDGE_STYLES; style++)
        for (unsigned v = 0; v < 2; v++) {
            stn_canvas *west = stn_edge_paint((stn_edge_style)style, 1, 0, v),
                       *other = stn_edge_paint((stn_edge_style)style, 1, 0, 1 - v);
            stn_canvas *corner = stn_edge_paint((stn_edge_style)style, 0, 8, v),
                       *all = stn_edge_paint((stn_edge_style)style, 15, 0, v);
            float side = 0, turn = 0;

            for (int x = 0; x < N; x++) {
                side += fabsf(alpha(west, x, 0) - alpha(other, x, N - 1));
                turn += fabsf(alpha(west, x, 0) - alpha(corner, x, N - 1));
            }
            assert_true(side / N < 0.06f);
            assert_true(turn / N < 0.06f);
            /* Masked sides are covered, the far side is not. */
            for (int y = 0; y < N; y++) {
                assert_true(alpha(west, 0, y) > 0.9f);
                assert_true(alpha(west, N - 1, y) < 0.1f);
                assert_true(alpha(all, 0, y) > 0.9f && alpha(all, N - 1, y) > 0.9f);
            }
            stn_canvas_free(west);
            stn_canvas_free(other);
            stn_canvas_free(corner);
            stn_canvas_free(all);
        }
}

static void tilesets_have_all_their_masks(void **state)
{
    static const char *const sets[] = {"homestead/tiles/edge-blade", "homestead/tiles/edge-soft",
                                       "homestead/tiles/edge-hard"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const stn_res_tileset *t = stn_res_first(decoded[index_of(sets[i])], STN_LAYER_TILESET)->as.tileset;

        assert_true(t->has_btrans && t->has_ctrans);
        for (int k = 0; k < 15; k++)
            assert_true(t->btrans[k].count >= 1 && t->ctrans[k].count >= 1);
    }
}

/* A class that an entry names is carried by the resource itself or by a library that it uses. */
static void sprite_classes_are_carried(void **state)
{
    (void)state;
    for (size_t f = 0; f < count; f++) {
        const stn_res_layer *code = stn_res_first(decoded[f], STN_LAYER_CODEENTRY);

        for (uint32_t i = 0; code && i < code->as.codeentry->count; i++) {
            const char *cls = code->as.codeentry->entries[i].cls;
            bool carried = strcmp(cls, "mod") == 0;
            const stn_res *holder = decoded[f];

            if (code->as.codeentry->use_count)
                holder = decoded[index_of(code->as.codeentry->uses[0].res.name)];
            for (const stn_res_layer *l = NULL; (l = stn_res_next(holder, STN_LAYER_CODE, l));)
                carried |= strcmp(l->as.code->name, cls) == 0;
            assert_true(carried);
        }
    }
}

/* ---- feet ---- */

typedef struct figure {
    const stn_res_skel *skel;
    const stn_res_skan *cycle;
} figure;

static void rotate(const float q[4], const float v[3], float out[3])
{
    float c[3] = {q[2] * v[2] - q[3] * v[1], q[3] * v[0] - q[1] * v[2], q[1] * v[1] - q[2] * v[0]};
    float d[3] = {q[2] * c[2] - q[3] * c[1], q[3] * c[0] - q[1] * c[2], q[1] * c[1] - q[2] * c[0]};

    for (int k = 0; k < 3; k++)
        out[k] = v[k] + 2 * q[0] * c[k] + 2 * d[k];
}

/* Place of a point that hangs on a bone, at key frame `key`. */
static void place(const figure *f, const char *bone, const float offset[3], uint32_t key, float out[3])
{
    float p[3] = {offset[0], offset[1], offset[2]};

    for (int32_t b = stn_res_skel_find(f->skel, bone); b >= 0; b = f->skel->bones[b].parent) {
        float q[4] = {1, 0, 0, 0}, r[3], move[3] = {0, 0, 0};

        for (uint32_t t = 0; t < f->cycle->track_count; t++)
            if (strcmp(f->cycle->tracks[t].bone, f->skel->bones[b].name) == 0) {
                memcpy(q, f->cycle->tracks[t].rot + 4 * key, sizeof q);
                memcpy(move, f->cycle->tracks[t].trans + 3 * key, sizeof move);
            }
        rotate(q, p, r);
        for (int k = 0; k < 3; k++)
            p[k] = r[k] + f->skel->bones[b].pos[k] + move[k];
    }
    memcpy(out, p, sizeof p);
}

/* While a foot stands it goes back, seen from the body, at the speed that the cycle is made for. */
static void feet_do_not_slide(void **state)
{
    static const struct {
        const char *name, *foot;
        int32_t id;
        float sole[3]; /* from the foot bone */
        float tolerance;
    } walks[] = {
        {"homestead/people/person", "footL", 0, {0.6f, 0, -1.0f}, 0.20f},
        {"homestead/people/person", "footR", 0, {0.6f, 0, -1.0f}, 0.20f},
        {"homestead/people/person", "footL", 1, {0.9f, 0, -1.0f}, 0.30f},
        {"homestead/beasts/deer", "fl3", 0, {0, 0, -0.9f}, 0.25f},
        {"homestead/beasts/deer", "hr3", 0, {0, 0, -0.9f}, 0.25f},
    };

    (void)state;
    for (size_t w = 0; w < sizeof walks / sizeof walks[0]; w++) {
        const stn_res *res = decoded[index_of(walks[w].name)];
        figure f = {stn_res_first(res, STN_LAYER_SKEL)->as.skel,
                    stn_res_find(res, STN_LAYER_SKAN, walks[w].id)->as.skan};
        uint32_t n = f.cycle->tracks[0].count;
        float z[32], x[32], low = 1e9f, sum = 0;
        int standing = 0;

        assert_null(f.cycle->missing_bone);
        assert_true(n <= 32 && f.cycle->speed > 0);
        for (uint32_t k = 0; k < n; k++) {
            float p[3];

            place(&f, walks[w].foot, walks[w].sole, k, p);
            x[k] = p[0];
            z[k] = p[2];
            low = fminf(low, p[2]);
        }
        for (uint32_t k = 0; k < n; k++)
            if (z[k] < low + 0.25f && z[(k + 1) % n] < low + 0.25f) {
                sum += (x[k] - x[(k + 1) % n]) * (float)n / f.cycle->len;
                standing++;
            }
        assert_true(standing >= 2);
        if (fabsf(sum / (float)standing - (float)f.cycle->speed) > walks[w].tolerance * (float)f.cycle->speed)
            fail_msg("%s %s cycle %d: a standing foot goes %.1f units a second, made for %.1f", walks[w].name,
                     walks[w].foot, (int)walks[w].id, (double)sum / standing, f.cycle->speed);
        assert_true(low > -0.6f && low < 0.5f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_the_same_each_time),
        cmocka_unit_test(names_are_unique_and_all_that_the_land_asks_for_is_there),
        cmocka_unit_test(references_lead_somewhere),
        cmocka_unit_test(meshes_are_sound),
        cmocka_unit_test(variable_materials_have_the_five_woods),
        cmocka_unit_test(ground_textures_wrap),
        cmocka_unit_test(edge_masks_meet_at_tile_corners),
        cmocka_unit_test(tilesets_have_all_their_masks),
        cmocka_unit_test(sprite_classes_are_carried),
        cmocka_unit_test(feet_do_not_slide),
    };

    return cmocka_run_group_tests(tests, build_all, drop_all);
}
