/* test_res_wire.c - resources packed and opened again: the same file, arrays and pixels; lies are found. */
#include "res/wire.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOLDER "tests/vectors/data/resources/synth"

typedef struct packed {
    uint8_t *data; /* of the file */
    size_t len;
    stn_res *res;
    stn_wire_plan *plan;
    uint8_t *frames[STN_WIRE_FRAMES];
    stn_wire_span spans[STN_WIRE_FRAMES];
    uint8_t *body;
    size_t body_len;
} packed;

static bool pack(const char *name, size_t bulk_max, packed *p)
{
    stn_err err = {0};
    memset(p, 0, sizeof *p);
    p->data = vec_read(FOLDER, name, &p->len);
    assert_non_null(p->data);
    if (stn_res_new(p->data, p->len, NULL, &p->res, NULL, &err) != STN_OK) {
        free(p->data);
        return false; /* one of the refused ones */
    }
    if (stn_wire_plan_new(p->res, bulk_max, &p->plan, &err) != STN_OK)
        fail_msg("%s: %s", name, err.text);
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++) {
        size_t n = stn_wire_plan_bytes(p->plan, i);
        p->frames[i] = malloc(n + 1);
        memset(p->frames[i], 0xa5, n + 1); /* every byte must be written */
        p->spans[i] = (stn_wire_span){p->frames[i], n};
    }
    stn_wire_plan_fill(p->plan, p->frames, &err);
    const Stenness__Ready *r = stn_wire_plan_ready(p->plan);
    p->body_len = stenness__ready__get_packed_size(r);
    p->body = malloc(p->body_len + 1);
    stenness__ready__pack(r, p->body);
    return true;
}

static void unpack(packed *p)
{
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++)
        free(p->frames[i]);
    stn_wire_plan_free(p->plan);
    stn_res_free(p->res);
    free(p->body);
    free(p->data);
}

static void check_layer(const packed *p, const stn_wire_layer *l, const stn_res_layer *from)
{
    assert_int_equal(l->kind, from->kind);
    assert_int_equal(l->raw.len, from->raw_len);
    assert_memory_equal(l->raw.data, from->raw, from->raw_len);
    if (l->kind == STN_LAYER_VBUF) {
        assert_int_equal(l->attrib_count, from->as.vbuf->count);
        for (uint32_t i = 0; i < l->attrib_count; i++) {
            const stn_attrib *a = &from->as.vbuf->attribs[i];
            const void *want = a->attr == STN_ATTR_BONEIDX ? (const void *)a->i : (const void *)a->f;
            assert_memory_equal(l->attribs[i].data, want, (size_t)l->num * a->components * 4);
        }
    } else if (l->kind == STN_LAYER_MESH) {
        assert_memory_equal(l->indices.data, from->as.mesh->indices, (size_t)from->as.mesh->tris * 6);
        assert_int_equal(l->vbuf_layer, from->as.mesh->vbuf->index);
    } else if (l->kind == STN_LAYER_TEX && l->pixels.data) {
        size_t n = stn_mip_bytes(l->mipmap, l->w, l->h);
        uint8_t *want = malloc(n);
        assert_int_equal(stn_res_tex_pixels(from->as.tex, NULL, want, n, NULL, NULL), STN_OK);
        assert_int_equal(l->pixels.len, n);
        assert_memory_equal(l->pixels.data, want, n);
        free(want);
        uint32_t w = 0, h = 0;
        stn_wire_span s;
        size_t at = 0;
        for (uint32_t k = 0; k < l->levels; k++) {
            assert_true(stn_wire_level(l, k, &w, &h, &s));
            assert_ptr_equal(s.data, l->pixels.data + at);
            at += s.len;
        }
        assert_int_equal(at, n);
        assert_false(stn_wire_level(l, l->levels, &w, &h, &s));
    }
    (void)p;
}

static void what_is_packed_opens_as_it_was(void **state)
{
    char **names = vec_list(FOLDER, ".res");
    size_t n = 0;
    (void)state;
    for (char **name = names; *name; name++) {
        packed p;
        stn_wire *w;
        stn_res *again;
        stn_err err = {0};
        if (!pack(*name, STN_WIRE_BULK_MAX, &p))
            continue;
        assert_int_equal(p.spans[STN_WIRE_RAW].len, p.len);
        assert_memory_equal(p.spans[STN_WIRE_RAW].data, p.data, p.len);
        Stenness__Ready *r = stenness__ready__unpack(NULL, p.body_len, p.body);
        if (stn_wire_open(r, p.spans, STN_WIRE_FRAMES, &w, &err) != STN_OK)
            fail_msg("%s: %s", *name, err.text);
        stenness__ready__free_unpacked(r, NULL);
        assert_int_equal(stn_wire_count(w), stn_res_count(p.res));
        for (uint32_t i = 0; i < stn_wire_count(w); i++)
            check_layer(&p, stn_wire_layer_at(w, i), stn_res_layer_at(p.res, i));
        assert_int_equal(stn_wire_res(w, &again, &err), STN_OK);
        assert_int_equal(stn_res_count(again), stn_wire_count(w));
        stn_res_free(again);
        stn_wire_free(w);
        unpack(&p);
        n++;
    }
    vec_list_free(names);
    assert_true(n > 5);
}

static void pictures_that_do_not_fit_are_left_out_with_a_reason(void **state)
{
    char **names = vec_list(FOLDER, ".res");
    size_t left_out = 0;
    (void)state;
    for (char **name = names; *name; name++) {
        packed p;
        if (!pack(*name, STN_WIRE_BULK_MAX, &p))
            continue;
        size_t least = p.spans[STN_WIRE_RAW].len + p.spans[STN_WIRE_MODELS].len;
        bool pixels = p.spans[STN_WIRE_PIXELS].len > 0;
        unpack(&p);
        if (!pixels || !pack(*name, least, &p))
            continue;
        const Stenness__Ready *r = stn_wire_plan_ready(p.plan);
        for (size_t i = 0; i < r->n_layers; i++)
            left_out += *r->layers[i]->problem != 0;
        assert_int_equal(p.spans[STN_WIRE_PIXELS].len, 0);
        unpack(&p);
    }
    vec_list_free(names);
    assert_true(left_out > 0);
}

static void what_is_not_wanted_is_not_described(void **state)
{
    char **names = vec_list(FOLDER, ".res");
    (void)state;
    for (char **name = names; *name; name++) {
        packed p;
        stn_wire *w;
        stn_res *res;
        if (!pack(*name, STN_WIRE_BULK_MAX, &p))
            continue;
        for (uint32_t want = 0; want < 8; want++) {
            Stenness__Ready *r = stenness__ready__unpack(NULL, p.body_len, p.body);
            stn_wire_span spans[STN_WIRE_FRAMES] = {
                want & STENNESS__RESOURCE_WANT__WANT_RAW ? p.spans[0] : (stn_wire_span){NULL, 0},
                want & STENNESS__RESOURCE_WANT__WANT_MODELS ? p.spans[1] : (stn_wire_span){NULL, 0},
                want & STENNESS__RESOURCE_WANT__WANT_PIXELS ? p.spans[2] : (stn_wire_span){NULL, 0}};
            /* stn_wire_select() only shortens lists: give them back their length before the memory goes. */
            size_t counts[256];
            assert_true(r->n_layers <= 256);
            for (size_t i = 0; i < r->n_layers; i++)
                counts[i] = r->layers[i]->n_arrays;
            stn_wire_select(r, want);
            stn_err err = {0};
            if (stn_wire_open(r, spans, STN_WIRE_FRAMES, &w, &err) != STN_OK)
                fail_msg("%s want %u: %s", *name, want, err.text);
            stn_status st = stn_wire_res(w, &res, NULL);
            assert_int_equal(st, want & STENNESS__RESOURCE_WANT__WANT_RAW ? STN_OK : STN_USAGE);
            stn_res_free(res);
            stn_wire_free(w);
            for (size_t i = 0; i < r->n_layers; i++)
                r->layers[i]->n_arrays = counts[i];
            stenness__ready__free_unpacked(r, NULL);
        }
        unpack(&p);
    }
    vec_list_free(names);
}

static void frames_cut_anywhere_are_refused_or_read_within(void **state)
{
    char **names = vec_list(FOLDER, ".res");
    (void)state;
    for (char **name = names; *name; name++) {
        packed p;
        stn_wire *w;
        if (!pack(*name, STN_WIRE_BULK_MAX, &p))
            continue;
        for (unsigned f = 0; f < STN_WIRE_FRAMES; f++) {
            size_t n = p.spans[f].len;
            if (n < 32)
                continue;
            Stenness__Ready *r = stenness__ready__unpack(NULL, p.body_len, p.body);
            p.spans[f].len = n - 17; /* more than the padding behind the last array */
            assert_int_equal(stn_wire_open(r, p.spans, STN_WIRE_FRAMES, &w, NULL), STN_BAD_DATA);
            p.spans[f].len = n;
            stenness__ready__free_unpacked(r, NULL);
        }
        unpack(&p);
    }
    vec_list_free(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_opens_as_it_was),
        cmocka_unit_test(pictures_that_do_not_fit_are_left_out_with_a_reason),
        cmocka_unit_test(what_is_not_wanted_is_not_described),
        cmocka_unit_test(frames_cut_anywhere_are_refused_or_read_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
