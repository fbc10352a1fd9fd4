/* Export and import of the recorded map. Source: docs/spec/map-cache.md 10.4. */
#include "world/mapstore_impl.h"

#include "base/file.h"
#include "base/table.h"
#include "world/mapfile/export.h"

#include <stdlib.h>
#include <string.h>

#define FILE_MAX ((size_t)1 << 30)
#define BODY_MAX ((size_t)1 << 30) /* what a reader of ours takes */

/* ---- export */

static stn_status export_segment(stn_mapstore *s, int64_t segment, stn_buf *body, stn_map_counts *out,
                                 stn_err *err)
{
    stn_live_grid *list;
    size_t n;
    stn_status st = stn_mapfile_list(s->map, segment, &list, &n, err);

    for (size_t i = 0; st == STN_OK && i < n; i++) {
        stn_record *r;
        int64_t in;
        stn_coord at;
        if (stn_mapfile_place(s->map, list[i].id, &in, &at, NULL) != STN_OK || in != segment ||
            !stn_coord_eq(at, list[i].gc) || stn_mapfile_grid(s->map, list[i].id, &r, NULL) != STN_OK)
            continue; /* a leftover, or a record that counts as absent */
        st = stn_export_put_grid(body, list[i].id, segment, at, r, err);
        stn_record_free(r);
        out->grids++;
    }
    free(list);
    return st;
}

stn_status stn_mapstore_export(stn_mapstore *s, const char *file, stn_map_counts *out, stn_err *err)
{
    stn_buf body = {.max = BODY_MAX}, whole = {0};
    const stn_marker *markers;
    const int64_t *segments;
    size_t n;
    stn_status st;

    *out = (stn_map_counts){0};
    if ((st = stn_mapstore_begin(s, false, err)) != STN_OK)
        return st;
    n = stn_mapfile_segments(s->map, &segments);
    for (size_t i = 0; st == STN_OK && i < n; i++)
        st = export_segment(s, segments[i], &body, out, err);
    n = stn_mapfile_markers(s->map, &markers);
    for (size_t i = 0; st == STN_OK && i < n; i++, out->markers++)
        st = stn_export_put_marker(&body, &markers[i], err);
    if (body.failed)
        st = stn_fail(err, STN_TOO_BIG, "recorded map %s: more than %zu bytes to export", s->path, BODY_MAX);
    st = stn_mapstore_end(s, st, err);
    if (st == STN_OK)
        st = stn_export_finish(&body, &whole, err);
    if (st == STN_OK)
        st = stn_file_write(file, whole.data, whole.len, 0644, true, err);
    stn_buf_fini(&body);
    stn_buf_fini(&whole);
    return st;
}

/* ---- import */

/* Where a segment of the file lies in ours. */
typedef struct mapping {
    int64_t foreign, own;
    stn_coord off; /* own place minus foreign place */
    bool known; /* it shares a grid with a segment of ours */
    bool contradicts;
    bool made; /* a segment of ours was made for it */
    bool grew;
} mapping;

typedef struct import {
    stn_mapstore *s;
    stn_map_counts *out;
    mapping *list;
    size_t n, cap;
} import;

static mapping *mapping_of(import *im, int64_t foreign)
{
    for (size_t i = 0; i < im->n; i++)
        if (im->list[i].foreign == foreign)
            return &im->list[i];
    return NULL;
}

static mapping *add_mapping(import *im, int64_t foreign, stn_err *err)
{
    if (im->n == im->cap) {
        size_t cap = im->cap ? im->cap * 2 : 16;
        mapping *more = realloc(im->list, cap * sizeof *more);
        if (!more) {
            stn_fail(err, STN_NO_MEMORY, "map import: segments");
            return NULL;
        }
        im->list = more;
        im->cap = cap;
    }
    im->list[im->n] = (mapping){.foreign = foreign};
    return &im->list[im->n++];
}

/* First reading: which of ours a foreign segment is, by the grids that both have. */
static stn_status learn_grid(void *arg, int64_t id, int64_t segment, stn_coord at, stn_record *r,
                             stn_err *err)
{
    import *im = arg;
    mapping *m = mapping_of(im, segment);
    int64_t own;
    stn_coord place, off;

    stn_record_free(r);
    if (!m && !(m = add_mapping(im, segment, err)))
        return STN_NO_MEMORY;
    if (stn_mapfile_place(im->s->map, id, &own, &place, NULL) != STN_OK)
        return STN_OK;
    off = (stn_coord){(int32_t)((uint32_t)place.x - (uint32_t)at.x),
                      (int32_t)((uint32_t)place.y - (uint32_t)at.y)};
    if (!m->known) {
        m->known = true;
        m->own = own;
        m->off = off;
    } else if (own == m->own && !stn_coord_eq(off, m->off)) {
        m->contradicts = true;
    }
    return STN_OK;
}

static stn_status pass_marker(void *arg, const stn_marker *marker, stn_err *err)
{
    (void)arg;
    (void)marker;
    (void)err;
    return STN_OK;
}

static stn_status pass_grid(void *arg, int64_t id, int64_t segment, stn_coord at, stn_record *r, stn_err *err)
{
    (void)arg;
    (void)id;
    (void)segment;
    (void)at;
    (void)err;
    stn_record_free(r);
    return STN_OK;
}

/* Second reading: what is new goes where nothing is. */
static stn_status take_grid(void *arg, int64_t id, int64_t segment, stn_coord at, stn_record *r, stn_err *err)
{
    import *im = arg;
    mapping *m = mapping_of(im, segment);
    bool added = false;
    stn_status st = STN_OK;

    if (!m || m->contradicts) {
        im->out->refused++;
    } else {
        if (!m->known && !m->made) {
            st = stn_mapfile_add_segment(im->s->map, &m->own, err);
            m->made = st == STN_OK;
        }
        if (st == STN_OK)
            st = stn_mapfile_add_grid(im->s->map, m->own, stn_coord_add(at, m->off.x, m->off.y), id, r,
                                      &added, err);
        m->grew |= added;
        im->out->grids += added;
        im->out->known += st == STN_OK && !added;
    }
    stn_record_free(r);
    return st;
}

/* Third reading, when every segment has its place: markers may stand before the grids. */
static stn_status take_marker(void *arg, const stn_marker *marker, stn_err *err)
{
    import *im = arg;
    const mapping *m = mapping_of(im, marker->segment);
    const stn_marker *have;
    size_t n = stn_mapfile_markers(im->s->map, &have);
    stn_coord off;
    stn_marker own = *marker;
    stn_status st;

    if (!m || m->contradicts || (!m->known && !m->made))
        return STN_OK; /* a place on ground that we do not have */
    off = stn_tile_of_grid(m->off);
    own.segment = m->own;
    own.tile = stn_coord_add(marker->tile, off.x, off.y);
    for (size_t i = 0; i < n; i++)
        if (have[i].segment == own.segment && stn_coord_eq(have[i].tile, own.tile) &&
            !strcmp(have[i].name, own.name))
            return STN_OK;
    if ((st = stn_mapfile_add_marker(im->s->map, &own, err)) == STN_OK)
        im->out->markers++;
    return st;
}

stn_status stn_mapstore_import(stn_mapstore *s, const char *file, stn_map_counts *out, stn_err *err)
{
import im = {.s = s, .out = out };
    const stn_export_hooks passes[] = {
        {learn_grid, pass_marker, &im}, {take_grid, pass_marker, &im}, {pass_grid, take_marker, &im}};
    uint8_t *data;
    size_t len;
    stn_status st;

    *out = (stn_map_counts){0};
    if ((st = stn_file_read(file, FILE_MAX, &data, &len, err)) != STN_OK)
        return st;
    if ((st = stn_mapstore_begin(s, true, err)) != STN_OK) {
        free(data);
        return st;
    }
    for (size_t i = 0; st == STN_OK && i < sizeof passes / sizeof passes[0]; i++)
        if ((st = stn_export_read(data, len, &passes[i], err)) != STN_OK)
            stn_fail_in(err, st, "%s", file);
    for (size_t i = 0; st == STN_OK && i < im.n; i++)
        if (im.list[i].grew || im.list[i].made)
            st = stn_mapfile_store(s->map, im.list[i].own, err);
    st = stn_mapstore_end(s, st, err);
    if (st != STN_OK)
        *out = (stn_map_counts){0};
    free(im.list);
    free(data);
    return st;
}
