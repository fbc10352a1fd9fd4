#include "vec_flavor.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "res/res.h"
#include "world/tiledef.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A resource of one layer. */
static stn_res *resource_of(const char *type, const uint8_t *payload, size_t len, stn_err *err)
{
    stn_buf file = {0};
    stn_res *res = NULL;

    stn_buf_put(&file, "Haven Resource 1", 16);
    stn_buf_u16(&file, 1);
    stn_buf_cstr(&file, type);
    stn_buf_u32(&file, (uint32_t)len);
    stn_buf_put(&file, payload, len);
    stn_res_new(file.data, file.len, NULL, &res, NULL, err);
    stn_buf_fini(&file);
    return res;
}

static bool same_flavors(const stn_res_tileset *t, const json_t *want, vec_report *report, size_t at)
{
    const json_t *tags = json_object_get(want, "tags"), *flavors = json_object_get(want, "flavors");
    bool good = json_array_size(tags) == t->tag_count && json_array_size(flavors) == t->flavor_count;

    for (uint32_t i = 0; good && i < t->tag_count; i++)
        good = strcmp(json_string_value(json_array_get(tags, i)), t->tags[i]) == 0;
    for (uint32_t i = 0; good && i < t->flavor_count; i++) {
        const json_t *f = json_array_get(flavors, i);
        double p = stn_f64_of_bits(strtoull(json_string_value(json_object_get(f, "p")), NULL, 16));
        good =
            strcmp(json_string_value(json_object_get(f, "res")), t->flavors[i].res.name) == 0 &&
            (stn_bits_of_f64(p) == stn_bits_of_f64(t->flavors[i].p) || (isnan(p) && isnan(t->flavors[i].p)));
    }
    if (!good)
        vec_fail(report, "probability %zu: tags or flavors differ", at);
    return good;
}

void flavor_probabilities(const char *dir, vec_report *report)
{
    json_t *file = vec_json(dir, "probability.json"), *one;
    size_t i;

    json_array_foreach(file, i, one)
    {
        size_t len;
        uint8_t *payload = vec_unhex(json_string_value(json_object_get(one, "tileset2")), &len);
        stn_err err = {0};
        stn_res *res = payload ? resource_of("tileset2", payload, len, &err) : NULL;
        const stn_res_layer *layer = res ? stn_res_first(res, STN_LAYER_TILESET) : NULL;
        if (json_object_get(one, "error")) {
            if (res)
                vec_fail(report, "probability %zu: loads, expected %s", i,
                         json_string_value(json_object_get(one, "error")));
            else
                vec_pass(report);
        } else if (!layer) {
            vec_fail(report, "probability %zu: %s", i, err.text);
        } else if (same_flavors(layer->as.tileset, one, report, i)) {
            vec_pass(report);
        }
        stn_res_free(res);
        free(payload);
    }
    json_decref(file);
}

void flavor_ambient(const char *dir, vec_report *report)
{
    json_t *file = vec_json(dir, "ambient.json"), *one;
    size_t i;

    json_array_foreach(file, i, one)
    {
        size_t len;
        uint8_t *data = vec_unhex(json_string_value(json_object_get(one, "res")), &len);
        stn_err err = {0};
        stn_res *res = NULL;
        stn_flavor_facts facts = {0};
        if (!data || stn_res_new(data, len, NULL, &res, NULL, &err) != STN_OK) {
            vec_fail(report, "ambient %zu: %s", i, err.text);
        } else {
            for (uint32_t l = 0; l < stn_res_count(res); l++) {
                const stn_res_layer *layer = stn_res_layer_at(res, l);
                stn_flavor_facts_layer(&facts, layer->type,
                                       layer->kind == STN_LAYER_AUDIO ? layer->as.audio->id : NULL,
                                       layer->kind == STN_LAYER_RLINK ? (int)layer->as.rlink->type : -1);
            }
            if (facts.ambient == json_is_true(json_object_get(one, "ambient")))
                vec_pass(report);
            else
                vec_fail(report, "ambient %zu: got %d", i, facts.ambient);
        }
        stn_res_free(res);
        free(data);
    }
    json_decref(file);
}
