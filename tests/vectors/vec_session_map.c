/* Map fragments and grid messages. */
#include "vec_session.h"

#include "base/bytes.h"
#include "world/defrag.h"
#include "world/mapcache.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One case: payloads in order, each with the message that it completes or null. `want` is the required
 * outcome of a hostile case, where the reference may have thrown. */
static void one_defrag(vec_report *r, const char *file, unsigned line, const json_t *o, const char *want)
{
    const json_t *steps = json_object_get(o, "steps");
    stn_defrag *d = stn_defrag_new();
    bool good = d != NULL;

    for (size_t i = 0; i < json_array_size(steps) && good; i++) {
        const json_t *step = json_array_get(steps, i);
        size_t len, want_len, blob_len = 0;
        uint8_t *data = vec_field_hex(step, "data", &len), *blob = NULL;
        uint8_t *whole = vec_field_hex(step, "complete", &want_len);
        bool threw = json_is_string(json_object_get(step, "exception"));
        stn_status st = stn_defrag_feed(d, data, len, 0, &blob, &blob_len, NULL);

        if (threw)
            good = st != STN_OK && st != STN_AGAIN && !(want && !strcmp(want, "ACCEPT"));
        else if (whole)
            good = st == STN_OK && blob_len == want_len && !memcmp(blob, whole, want_len);
        else
            good = st == STN_AGAIN;
        if (want && !strncmp(want, "DROP-BUFFER", 11) && threw)
            good = good && stn_defrag_live(d) == 0;
        if (!good)
            vec_fail(r, "%s line %u %s: fragment %zu", file, line, vec_text(o, "name", ""), i);
        free(whole);
        free(blob);
        free(data);
    }
    if (good)
        vec_pass(r);
    stn_defrag_free(d);
}

static bool digest_is(const char *hex, const void *data, size_t len)
{
    uint8_t have[32];
    char text[65];

    if (EVP_Digest(data, len, have, NULL, EVP_sha256(), NULL) <= 0)
        return false;
    for (int i = 0; i < 32; i++)
        snprintf(text + 2 * i, 3, "%02x", have[i]);
    return !strcmp(hex, text);
}

static bool tileset_is(const stn_mapcache *c, uint16_t tile, const json_t *want)
{
    const stn_tileset_name *t = stn_mapcache_tileset(c, tile);

    if (!t)
        return false;
    if (json_object_get(want, "name"))
        return t->name && !strcmp(t->name, vec_text(want, "name", "")) &&
               json_integer_value(json_object_get(want, "ver")) == t->version;
    return !t->name && json_integer_value(json_object_get(want, "resid")) == t->resid;
}

static const char *grid_differs(const json_t *o, const stn_mapcache *c, const stn_grid *g)
{
    static const size_t heads[5] = {0, 1, 99, 100, 9999};
    static uint8_t bytes[4 * STN_GRID_CELLS];
    const json_t *overlays = json_object_get(o, "overlays"), *sets = json_object_get(o, "tilesets"), *set;
    char id[32];
    const char *tile;

    snprintf(id, sizeof id, "%" PRId64, g->id);
    if (strcmp(vec_text(o, "id", ""), id))
        return "id";
    for (size_t i = 0; i < STN_GRID_CELLS; i++)
        stn_st32(bytes + 4 * i, g->tiles[i]);
    if (!digest_is(vec_text(o, "tiles_sha256", ""), bytes, sizeof bytes))
        return "tiles";
    for (size_t i = 0; i < STN_GRID_CELLS; i++)
        stn_st32(bytes + 4 * i, stn_bits_of_f32(g->z[i]));
    if (!digest_is(vec_text(o, "z_sha256", ""), bytes, sizeof bytes))
        return "heights";
    for (size_t i = 0; i < 5; i++)
        if (json_integer_value(json_array_get(json_object_get(o, "tiles_head"), i)) != g->tiles[heads[i]] ||
            strtoull(json_string_value(json_array_get(json_object_get(o, "z_head"), i)), NULL, 16) !=
                stn_bits_of_f32(g->z[heads[i]]))
            return "some tile or height";
    json_object_foreach((json_t *)(uintptr_t)sets, tile, set)
    {
        if (!tileset_is(c, (uint16_t)strtoul(tile, NULL, 10), set))
            return "tileset table";
    }
    if (json_is_null(overlays) || !overlays)
        return g->has_overlays ? "presence of overlays" : NULL;
    if (json_array_size(overlays) != g->n_overlays)
        return "number of overlays";
    for (size_t k = 0; k < g->n_overlays; k++) {
        const json_t *want = json_array_get(overlays, k);

        for (size_t i = 0; i < STN_GRID_CELLS; i++)
            bytes[i] = g->overlays[k].bits[i / 8] >> (i % 8) & 1;
        if (json_integer_value(json_object_get(want, "resid")) != g->overlays[k].resid ||
            !digest_is(vec_text(want, "mask_sha256", ""), bytes, STN_GRID_CELLS))
            return "overlay";
    }
    return NULL;
}

/* The message as one fragment, the way it would come. */
static stn_status feed(stn_mapcache *c, uint32_t packet, const uint8_t *data, size_t len, stn_err *err)
{
    uint8_t *body = malloc(len + 8);
    stn_status st = STN_NO_MEMORY;

    if (body && len <= 65535) {
        stn_st32(body, packet);
        stn_st16(body + 4, 0);
        stn_st16(body + 6, (uint16_t)len);
        memcpy(body + 8, data, len);
        st = stn_mapcache_data(c, body, len + 8, 0, err);
    }
    free(body);
    return st;
}

static void one_grid(vec_report *r, unsigned line, const json_t *o)
{
    size_t len;
    uint8_t *data = vec_field_hex(o, "data", &len);
    const json_t *at = json_object_get(o, "gc");
    stn_coord gc = {(int32_t)json_integer_value(json_array_get(at, 0)),
                    (int32_t)json_integer_value(json_array_get(at, 1))};
    stn_mapcache *c = stn_mapcache_new(NULL, 0);
    const stn_grid *g = NULL;
    stn_err err = {0};
    const char *what;

    feed(c, 1, data, len, NULL);
    if (json_is_true(json_object_get(o, "ignored_when_unrequested")) && stn_mapcache_count(c) != 0) {
        vec_fail(r, "mapgrid line %u: taken although nobody asked", line);
        goto out;
    }
    stn_mapcache_need(c, gc);
    if (feed(c, 2, data, len, &err) == STN_OK)
        g = stn_mapcache_held(c, gc);
    if (!g)
        vec_fail(r, "mapgrid line %u: %s", line, err.code ? err.text : "no grid came of it");
    else if ((what = grid_differs(o, c, g)) != NULL)
        vec_fail(r, "mapgrid line %u: the %s differs", line, what);
    else
        vec_pass(r);
out:
    stn_mapcache_free(c);
    free(data);
}

void vec_session_map(vec_report *r, const char *dir)
{
    static const char *const files[] = {"mapdata_frag.jsonl", "hostile_mapdata.jsonl", "mapgrid.jsonl"};
    json_t *required = vec_json(dir, "required.json"), *o;

    for (int f = 0; f < 3; f++) {
        size_t len, it = 0;
        uint8_t *text = vec_read(dir, files[f], &len);
        unsigned line = 0;

        while (text && (o = vec_jsonl_next((const char *)text, len, &it)) != NULL) {
            line++;
            if (f == 2)
                one_grid(r, line, o);
            else
                one_defrag(
                    r, files[f], line, o,
                    f == 1 ? vec_text(json_object_get(required, "mapdata"), vec_text(o, "name", "?"), NULL)
                           : NULL);
            json_decref(o);
        }
        free(text);
    }
    json_decref(required);
}
