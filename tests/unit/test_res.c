/* test_res.c - what the vectors do not ask: limits, look-ups, conversions, keywords, hostile shapes of our
 * own. */
#include "res/json.h"
#include "support/support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* "type" and its payload, pairs ended by NULL; payload lengths as size_t. */
static stn_status read_records(stn_res **res, stn_res_fault *fault, const stn_res_opts *opts, ...)
{
    stn_buf b = {0};
    va_list ap;
    const char *type;
    stn_err err = {0};

    stn_res_put_head(&b, 3);
    va_start(ap, opts);
    while ((type = va_arg(ap, const char *)) != NULL) {
        const void *payload = va_arg(ap, const void *);
        size_t len = va_arg(ap, size_t);
        stn_res_put_record(&b, type, strlen(type), payload, len, NULL);
    }
    va_end(ap);
    stn_status st = stn_res_new(b.data, b.len, opts, res, fault, &err);
    stn_buf_fini(&b);
    return st;
}

#define BYTES(s) (const void *)(s), (size_t)(sizeof(s) - 1)

/* A vertex buffer of n vertices: plain positions, all zero. */
static void put_vbuf(stn_buf *b, uint16_t id, uint16_t n)
{
    stn_buf_u8(b, 1);
    stn_buf_u16(b, id);
    stn_buf_u16(b, n);
    stn_buf_cstr(b, "pos");
    stn_buf_u32(b, n * 12u);
    stn_buf_zero(b, n * 12u);
}

static void a_mesh_takes_the_first_buffer_and_the_last_material(void **state)
{
    (void)state;
    stn_buf v = {0};
    stn_res *res = NULL;
    stn_res_fault fault;
    put_vbuf(&v, 0, 3);
    assert_int_equal(read_records(&res, &fault, NULL, "mesh", BYTES("\0\1\0\5\0\0\0\1\0\2\0"), "mat2",
                                  BYTES("\5\0"), "vbuf2", v.data, v.len, "vbuf2", v.data, v.len, "mat2",
                                  BYTES("\5\0"), NULL),
                     STN_OK);
    const stn_res_mesh *m = stn_res_first(res, STN_LAYER_MESH)->as.mesh;
    assert_int_equal(m->vbuf->index, 2);
    assert_int_equal(m->mat->index, 4);
    assert_int_equal(stn_res_find(res, STN_LAYER_MAT, 5)->index, 1);
    assert_int_equal(stn_res_find(res, STN_LAYER_MESH, -1)->index, 0);
    assert_null(stn_res_find(res, STN_LAYER_MESH, 1));
    stn_res_free(res);
    stn_buf_fini(&v);
}

static void limits_are_kept(void **state)
{
    (void)state;
    stn_res_limits limits = stn_res_default_limits;
    stn_res_opts opts = {.want_version = STN_RES_ANY_VERSION, .limits = &limits};
    stn_res *res = NULL;
    stn_res_fault fault;

    limits.max_records = 1;
    assert_int_equal(read_records(&res, &fault, &opts, "a", BYTES(""), "b", BYTES(""), NULL), STN_TOO_BIG);
    assert_int_equal(fault.kind, STN_FAULT_LIMIT);
    limits = stn_res_default_limits;
    limits.max_input = 20;
    assert_int_equal(read_records(&res, &fault, &opts, "a", BYTES("xyz"), NULL), STN_TOO_BIG);
    limits = stn_res_default_limits;
    limits.max_depth = 2;
    assert_int_equal(read_records(&res, &fault, &opts, "props", BYTES("\1\2k\0\10\10\10\0\0\0"), NULL),
                     STN_TOO_BIG);
    limits.max_depth = 3;
    assert_int_equal(read_records(&res, &fault, &opts, "props", BYTES("\1\2k\0\10\10\10\0\0\0"), NULL),
                     STN_OK);
    stn_res_free(res);
}

static void a_head_is_judged_in_its_order(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        int want;
        stn_res_fault_kind fault;
    } cases[] = {
        {"", 0, -1, STN_FAULT_EMPTY},
        {"PK\3\4", 4, -1, STN_FAULT_TRUNCATED}, /* too short to be anything */
        {"Haven Resource 1", 16, -1, STN_FAULT_TRUNCATED},
        {"Haven Resource 2\1", 18, -1, STN_FAULT_SIGNATURE},
        {"Haven Resource 1\5\0", 18, 4, STN_FAULT_VERSION},
        {"Haven Resource 1\5\0", 18, 6, STN_FAULT_VERSION},
        {"Haven Resource 1\5\0", 18, 5, STN_FAULT_NONE},
        {"Haven Resource 1\5\0x", 19, -1, STN_FAULT_TRUNCATED}, /* a stray byte behind the last layer */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stn_res_opts opts = {.want_version = cases[i].want};
        stn_res *res = NULL;
        stn_res_fault fault;
        stn_res_new((const uint8_t *)cases[i].bytes, cases[i].len, &opts, &res, &fault, NULL);
        assert_int_equal(fault.kind, cases[i].fault);
        stn_res_free(res);
    }
}

static void memory_stays_under_the_ceiling(void **state)
{
    (void)state;
    stn_res_limits limits = stn_res_default_limits;
    stn_res_opts opts = {.want_version = STN_RES_ANY_VERSION, .limits = &limits};
    stn_res *res = NULL;
    stn_res_fault fault;
    uint8_t *nils = malloc(1 << 20);
    memset(nils, STN_TAG_NIL, 1 << 20);
    nils[0] = 1;
    limits.max_decoded = 1 << 20; /* a megabyte of nils decodes to 24 */
    assert_int_equal(read_records(&res, &fault, &opts, "props", nils, (size_t)1 << 20, NULL), STN_TOO_BIG);
    assert_int_equal(fault.kind, STN_FAULT_LIMIT);
    free(nils);
}

/* Every place where memory may run out, reached in turn by a rising ceiling: a clean error each time. */
static void running_out_of_memory_anywhere_is_a_clean_error(void **state)
{
    (void)state;
    static const char dir[] = "tests/vectors/data/resources/synth";
    char **names = vec_list(dir, ".res");
    unsigned refused = 0;

    for (char **n = names; *n; n++) {
        size_t len;
        uint8_t *data = vec_read(dir, *n, &len);
        stn_res_limits limits = stn_res_default_limits;
        stn_res_opts opts = {STN_RES_ANY_VERSION, STN_RES_DECODE, true, &limits};
        stn_status st = STN_TOO_BIG;
        for (size_t max = 64; st != STN_OK; max += max / 16 + 16) {
            stn_res *res = NULL;
            stn_res_fault fault;
            limits.max_decoded = max;
            st = stn_res_new(data, len, &opts, &res, &fault, NULL);
            if (st != STN_OK && fault.kind != STN_FAULT_LIMIT && fault.kind != STN_FAULT_MEMORY)
                fail_msg("%s under %zu bytes: %s", *n, max, stn_res_fault_name(fault.kind));
            refused += st != STN_OK;
            stn_res_free(res);
        }
        free(data);
    }
    vec_list_free(names);
    assert_true(refused > 100);
}

static void two_bone_attributes_are_one_too_many(void **state)
{
    (void)state;
    stn_res *res = NULL;
    stn_res_fault fault;
    assert_int_equal(read_records(&res, &fault, NULL, "vbuf2", BYTES("\0\2\0bones\0\4\0bones\0\4\0"), NULL),
                     STN_TOO_BIG);
    assert_int_equal(fault.kind, STN_FAULT_LIMIT);
}

static void influences_keep_the_four_strongest_and_add_up_to_one(void **state)
{
    (void)state;
    stn_buf b = {0};
    stn_res *res = NULL;
    static const float weights[6] = {1, 5, 3, 5, 2, 4};

    stn_buf_put(&b, "\0\1\0bones\0\6", 10);
    for (int i = 0; i < 6; i++) {
        stn_buf_u8(&b, (uint8_t)('a' + i));
        stn_buf_put(&b, "\0\1\0\0\0", 5);
        stn_buf_f32(&b, weights[i]);
        stn_buf_u32(&b, 0);
    }
    stn_buf_u8(&b, 0);
    assert_int_equal(read_records(&res, NULL, NULL, "vbuf2", b.data, b.len, NULL), STN_OK);
    const stn_res_vbuf *vb = stn_res_first(res, STN_LAYER_VBUF)->as.vbuf;
    const int32_t *idx = stn_res_vbuf_attr(vb, STN_ATTR_BONEIDX)->i;
    const float *wgt = stn_res_vbuf_attr(vb, STN_ATTR_BONEWGT)->f;
    static const int32_t want[4] = {1, 3, 5, 2}; /* equal ones in file order */
    for (int k = 0; k < 4; k++)
        assert_int_equal(idx[k], want[k]);
    assert_true(wgt[0] == 5.0f / 17.0f && wgt[3] == 3.0f / 17.0f);
    stn_res_free(res);
    stn_buf_fini(&b);
}

static void many_frames_of_many_images_stay_small(void **state)
{
    (void)state;
    stn_buf b = {0};
    stn_err err = {0};
    stn_res *res = NULL;
    static const char gif[] =
        "\0\0\0\0\0\1\0\0\0\0\0GIF89a\1\0\1\0\200\0\0\0\0\0\377\377\377,\0\0\0\0\1\0\1\0\0\2\2D\1\0;";

    stn_res_put_head(&b, 1);
    for (int i = 0; i < 2000; i++)
        stn_res_put_record(&b, "image", 5, gif, sizeof gif - 1, NULL);
    stn_buf anim = {0};
    stn_buf_put(&anim, "\0\0\1\0", 4);
    stn_buf_u16(&anim, 60000);
    for (int i = 0; i < 60000; i++)
        stn_buf_u16(&anim, 1);
    stn_res_put_record(&b, "anim", 4, anim.data, anim.len, NULL);
    if (stn_res_new(b.data, b.len, NULL, &res, NULL, &err) != STN_OK)
        fail_msg("%s", err.text);
    const stn_res_anim *a = stn_res_first(res, STN_LAYER_ANIM)->as.anim;
    assert_int_equal(a->frames[59999].count, 2000);
    assert_int_equal(a->frames[59999].images[7]->index, 7);
    assert_true(stn_res_bytes(res) < 32 * b.len);
    stn_res_free(res);
    stn_buf_fini(&anim);
    stn_buf_fini(&b);
}

static void conversions_follow_their_table(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        int32_t want;
        bool fits;
    } ints[] = {
        {"\4\7", 2, 7, true},
        {"\17\0\0\0\77", 5, 0, true}, /* 0.5 */
        {"\17\0\0\300\377", 5, 0, true}, /* NaN */
        {"\17\0\0\200\177", 5, INT32_MAX, true}, /* infinite */
        {"\41\1\0\0\0\1\0\0\0", 9, 1, true}, /* the low half of a long */
        {"\27\177", 2, 1, true}, /* a norm at its end */
        {"\27\176", 2, 0, true},
        {"\31\377", 2, 0, true},
        {"\14", 1, 0, false},
        {"\2x\0", 3, 0, false},
    };
    stn_arena *arena = stn_arena_new(256, 0);
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        stn_bytes in = stn_bytes_of(ints[i].bytes, ints[i].len);
        stn_value v;
        int32_t got = 0;
        assert_int_equal(stn_value_read(&in, arena, 8, &v, NULL, NULL), STN_OK);
        assert_int_equal(stn_value_as_int(&v, &got, NULL) == STN_OK, ints[i].fits);
        assert_int_equal(got, ints[i].want);
    }
    stn_arena_free(arena);
}

static void keywords_follow_their_pattern(void **state)
{
    (void)state;
    stn_arena *arena = stn_arena_new(256, 0);
    stn_entries e;
    stn_value pair[2] = {stn_value_text("mode"), stn_value_text("ol")};
    stn_value with[4] = {stn_value_text("gfx/t"), stn_value_int(3), stn_value_int(1), stn_value_int(2)};
    stn_value mixed[3] = {stn_value_int(4), stn_value_int(5), stn_value_list(pair, 2)};

    assert_int_equal(stn_values_keywords(&(stn_values){4, with}, "?@res, id, flags", arena, &e, NULL),
                     STN_OK);
    assert_string_equal(stn_entries_get(&e, "res")->u.res.name, "gfx/t");
    assert_int_equal(stn_entries_get(&e, "res")->u.res.version, 3);
    assert_int_equal(stn_entries_get(&e, "id")->u.i, 1);
    assert_int_equal(stn_entries_get(&e, "flags")->u.i, 2);
    assert_int_equal(stn_values_keywords(&(stn_values){3, mixed}, "?@res, id, flags", arena, &e, NULL),
                     STN_OK);
    assert_null(stn_entries_get(&e, "res")); /* optional and not there: nothing consumed */
    assert_int_equal(stn_entries_get(&e, "id")->u.i, 4);
    assert_string_equal(stn_entries_get(&e, "mode")->u.text, "ol");
    assert_int_equal(stn_values_keywords(&(stn_values){1, mixed}, "@res", arena, &e, NULL), STN_BAD_DATA);
    stn_arena_free(arena);
}

static void equal_map_keys_keep_the_last(void **state)
{
    (void)state;
    static const char bytes[] = "\40\2a\0\4\1\2b\0\4\2\2a\0\4\3";
    stn_arena *arena = stn_arena_new(256, 0);
    stn_bytes in = stn_bytes_of(bytes, sizeof bytes - 1);
    stn_value v;
    stn_buf b = {0};
    assert_int_equal(stn_value_read(&in, arena, 8, &v, NULL, NULL), STN_OK);
    assert_int_equal(v.u.map->count, 2);
    assert_int_equal(stn_map_get(v.u.map, "a")->u.i, 3);
    assert_null(stn_map_get(v.u.map, "c"));
    assert_int_equal(stn_value_write_exact(&b, &v, NULL), STN_OK);
    assert_int_equal(b.len, sizeof bytes - 1);
    assert_memory_equal(b.data, bytes, b.len);
    stn_buf_fini(&b);
    stn_arena_free(arena);
}

static void a_picture_that_its_bytes_cannot_hold_costs_nothing(void **state)
{
    (void)state;
    uint8_t png[60] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x20\0\0\0\x20\0\x08\6\0\0\0";
    stn_picture_info info;
    stn_res_fault_kind fault;
    assert_int_equal(stn_picture_probe(png, sizeof png, NULL, &info, &fault, NULL), STN_BAD_DATA);
    assert_int_equal(fault, STN_FAULT_IMAGE);
    png[16] = 1; /* 2^24 wide: over the limit of a side */
    assert_int_equal(stn_picture_probe(png, sizeof png, NULL, &info, &fault, NULL), STN_TOO_BIG);
}

static void wide_levels_equal_single_texels(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 3000; round++) {
        /* 8x2 makes four texels at once, each 2x2 one alone; channels near each other make ties */
        uint8_t wide[(8 * 2 + 4 * 1 + 2 + 1) * 4], single[(2 * 2 + 1) * 4];
        for (int i = 0; i < 8 * 2 * 4; i++) {
            seed = seed * 1664525u + 1013904223u;
            wide[i] = (uint8_t)(round % 3 == 0   ? seed >> 24
                                : round % 3 == 1 ? seed >> 30
                                                 : (seed >> 31) * 255);
            if (i % 4 == 3)
                wide[i] = (uint8_t)(seed >> 8 & 1 ? 128 : round % 2 ? 127 : 255);
        }
        for (int mapper = STN_MIP_AVG; mapper <= STN_MIP_DAV; mapper++) {
            if (mapper == STN_MIP_RND)
                continue;
            stn_mip_chain((stn_mipmapper)mapper, wide, 8, 2);
            for (int x = 0; x < 4; x++) {
                memcpy(single, wide + 8 * x, 8);
                memcpy(single + 8, wide + 32 + 8 * x, 8);
                stn_mip_chain((stn_mipmapper)mapper, single, 2, 2);
                assert_memory_equal(wide + 64 + 4 * x, single + 16, 4);
            }
        }
    }
}

typedef struct found {
    size_t n;
    stn_res_fault faults[8];
} found;

static void note(void *user, const stn_res_fault *fault, const char *type, const stn_err *err)
{
    found *f = user;
    (void)type;
    assert_true(err->text[0] != 0);
    if (f->n < 8)
        f->faults[f->n] = *fault;
    f->n++;
}

static void the_checker_names_every_fault(void **state)
{
    (void)state;
    stn_buf b = {0};
    found f = {0};
    stn_res_put_head(&b, 1);
    stn_res_put_record(&b, "light", 5, "\7", 1, NULL);
    stn_res_put_record(&b, "mat2", 4, "\0", 2, NULL);
    stn_res_put_record(&b, "neg", 3, "", 0, NULL);
    stn_buf_put(&b, "tail", 5); /* a name without its length */
    assert_int_equal(stn_res_check(b.data, b.len, NULL, note, &f), 3);
    assert_int_equal(f.faults[0].record, 3);
    assert_int_equal(f.faults[1].kind, STN_FAULT_FORMAT);
    assert_int_equal(f.faults[1].offset, 18);
    assert_int_equal(f.faults[2].kind, STN_FAULT_TRUNCATED);
    stn_buf_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_takes_the_first_buffer_and_the_last_material),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(a_head_is_judged_in_its_order),
        cmocka_unit_test(memory_stays_under_the_ceiling),
        cmocka_unit_test(running_out_of_memory_anywhere_is_a_clean_error),
        cmocka_unit_test(two_bone_attributes_are_one_too_many),
        cmocka_unit_test(influences_keep_the_four_strongest_and_add_up_to_one),
        cmocka_unit_test(many_frames_of_many_images_stay_small),
        cmocka_unit_test(conversions_follow_their_table),
        cmocka_unit_test(keywords_follow_their_pattern),
        cmocka_unit_test(equal_map_keys_keep_the_last),
        cmocka_unit_test(a_picture_that_its_bytes_cannot_hold_costs_nothing),
        cmocka_unit_test(wide_levels_equal_single_texels),
        cmocka_unit_test(the_checker_names_every_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
