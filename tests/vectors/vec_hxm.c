#include "vec_hxm.h"

#include "base/buf.h"
#include "base/bytes.h"
#include "mesher/exact.h"
#include "mesher/ridges.h"
#include "mesher/water.h"
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SETS 64
#define MAX_SECTIONS 4096

typedef struct section {
    char tag[5];
    const uint8_t *data;
    size_t len;
} section;

typedef struct hxm {
    const char *name, *dir;
    section sections[MAX_SECTIONS];
    size_t nsections;
    stn_tileset *own[2 * MAX_SETS]; /* all sets, floors too */
    size_t nown;
    stn_job_set sets[MAX_SETS];
    stn_job job;
    uint16_t *tiles;
    float *heights;
    char *texts[8 * MAX_SETS];
    size_t ntexts;
} hxm;

static vec_report report;

static const section *find(const hxm *h, const char *tag)
{
    for (size_t i = 0; i < h->nsections; i++)
        if (strcmp(h->sections[i].tag, tag) == 0)
            return &h->sections[i];
    return NULL;
}

static bool split(hxm *h, const uint8_t *data, size_t len)
{
    stn_bytes in = stn_bytes_of(data, len);
    const uint8_t *magic = stn_bytes_take(&in, 4);

    if (!magic || memcmp(magic, "HXM1", 4) != 0)
        return false;
    while (stn_bytes_left(&in) > 0) {
        if (h->nsections == MAX_SECTIONS)
            return false;
        section *s = &h->sections[h->nsections++];
        const uint8_t *tag = stn_bytes_take(&in, 4);
        if (!tag)
            return false;
        memcpy(s->tag, tag, 4);
        s->len = stn_bytes_u32(&in);
        s->data = stn_bytes_take(&in, s->len);
        if (!s->data)
            return false;
    }
    return stn_bytes_ok(&in);
}

/* ---- the definitions of tiles */

static const char *keep(hxm *h, const char *text)
{
    if (h->ntexts == sizeof h->texts / sizeof *h->texts)
        return "";
    return h->texts[h->ntexts++] = strdup(text);
}

/* The value behind "key=" in a line; empty when it is not there. */
static const char *value_of(const char *line, const char *key, char *out, size_t cap)
{
    const char *at = strstr(line, key);
    size_t n = 0;

    out[0] = 0;
    if (!at)
        return out;
    at += strlen(key);
    while (at[n] && at[n] != ' ' && n + 1 < cap) {
        out[n] = at[n];
        n++;
    }
    out[n] = 0;
    return out;
}

static stn_tileset *own_set(hxm *h, const stn_tileset_def *def)
{
    stn_tileset *set = NULL;
    stn_err err = {0};

    if (h->nown == 2 * MAX_SETS || stn_tileset_new(def, &set, &err) != STN_OK) {
        vec_fail(&report, "%s: tileset %s: %s", h->name, def->name, err.text);
        return NULL;
    }
    return h->own[h->nown++] = set;
}

static stn_tileset *plain_set(hxm *h, const char *material)
{
    const char *m = keep(h, material);
    stn_tileset_def def = {.handle = (uint32_t)h->nown + 1, .name = m, .tiler = "trn", .base = {m, 1, -1}};
    return own_set(h, &def);
}

/* A flat set from its resource: only sizes, kinds and weights of its images matter. */
static stn_tileset *flat_set(hxm *h, const char *name)
{
    stn_tile_image images[HXM_IMAGES];
    stn_err err = {0};
    stn_tileset_def def = {
        .handle = (uint32_t)h->nown + 1, .name = keep(h, name), .tiler = "gnd", .images = images};

    if (hxm_read_images(h->dir, name, images, &def.nimages, &def.tile_w, &def.tile_h, &err) != STN_OK) {
        vec_fail(&report, "%s: %s", h->name, err.text);
        return NULL;
    }
    return own_set(h, &def);
}

/* "none", "plain:M" or "gnd:SET" */
static stn_tileset *floor_set(hxm *h, const char *text)
{
    if (strncmp(text, "plain:", 6) == 0)
        return plain_set(h, text + 6);
    return strncmp(text, "gnd:", 4) == 0 ? flat_set(h, text + 4) : NULL;
}

static stn_tileset *define(hxm *h, const char *line)
{
    char kind[16] = "", a[200], b[200], c[200], name[32];
    stn_tileset_def def = {.handle = 0};

    sscanf(line, "%*d %15s", kind);
    value_of(line, " mat=", a, sizeof a);
    if (strcmp(kind, "plain") == 0)
        return plain_set(h, a);
    if (strcmp(kind, "gnd") == 0)
        return flat_set(h, value_of(line, " set=", a, sizeof a));
    snprintf(name, sizeof name, "set-%ld", strtol(line, NULL, 10));
    def.name = keep(h, name);
    def.tiler = "trn-r";
    if (strcmp(kind, "ridge") == 0) {
        def.base = (stn_material){keep(h, a), 1, -1};
        def.wall = (stn_material){keep(h, value_of(line, " rmat=", b, sizeof b)), 1, -1};
        def.break_height = (int32_t)strtol(value_of(line, " rthres=", c, sizeof c), NULL, 10);
        def.wall_height = stn_f32_of_bits((uint32_t)strtoul(value_of(line, " texh=", c, sizeof c), NULL, 16));
    } else if (strcmp(kind, "cave") == 0) {
        def.tiler = "cave";
        def.wall = (stn_material){keep(h, value_of(line, " wmat=", a, sizeof a)), 1, -1};
        def.floor = floor_set(h, value_of(line, " gnd=", b, sizeof b));
    } else if (strcmp(kind, "water") == 0) {
        def.tiler = "water";
        def.depth = (int32_t)strtol(value_of(line, " depth=", a, sizeof a), NULL, 10);
        def.floor = floor_set(h, value_of(line, " bottom=", b, sizeof b));
    } else {
        vec_fail(&report, "%s: tile definition \"%s\"", h->name, line);
        return NULL;
    }
    def.handle = (uint32_t)h->nown + 1;
    return own_set(h, &def);
}

static bool read_definitions(hxm *h)
{
    const section *s = find(h, "TDEF");
    char *text, *save = NULL;
    bool good = s != NULL;

    if (!s)
        return false;
    text = strndup((const char *)s->data, s->len);
    for (char *line = strtok_r(text, "\n", &save); line && good; line = strtok_r(NULL, "\n", &save)) {
        stn_tileset *set = define(h, line);
        good = set && h->job.nsets < MAX_SETS;
        if (good)
            h->sets[h->job.nsets++] = (stn_job_set){(uint16_t)strtol(line, NULL, 10), set};
    }
    free(text);
    h->job.sets = h->sets;
    return good;
}

static bool read_window(const section *s, stn_window *w, size_t size, void **out)
{
    stn_bytes in = stn_bytes_of(s ? s->data : NULL, s ? s->len : 0);
    int32_t x = stn_bytes_i32(&in), y = stn_bytes_i32(&in), width = stn_bytes_i32(&in),
            height = stn_bytes_i32(&in);
    size_t n;

    if (!stn_bytes_ok(&in) || width < 0 || height < 0 || width > 1000 || height > 1000)
        return false;
    n = (size_t)width * (size_t)height * size;
    if (stn_bytes_left(&in) != n || !(*out = malloc(n ? n : 1)))
        return false;
    memcpy(*out, stn_bytes_take(&in, n), n);
    *w = (stn_window){(int16_t)x, (int16_t)y, (uint16_t)width, (uint16_t)height};
    return true;
}

static bool read_job(hxm *h)
{
    const section *info = find(h, "INFO");
    stn_bytes in = stn_bytes_of(info ? info->data : NULL, info ? info->len : 0);
    stn_job *j = &h->job;
    stn_coord ul, size;

    j->grid_id = stn_bytes_i64(&in);
    j->grid.x = stn_bytes_i32(&in);
    j->grid.y = stn_bytes_i32(&in);
    j->cut.x = stn_bytes_i32(&in);
    j->cut.y = stn_bytes_i32(&in);
    ul.x = stn_bytes_i32(&in);
    ul.y = stn_bytes_i32(&in);
    size.x = stn_bytes_i32(&in);
    size.y = stn_bytes_i32(&in);
    j->blend = STN_BLEND_MAX;
    j->transitions = true;
    j->density = 100;
    if (!stn_bytes_ok(&in) || !read_definitions(h) ||
        !read_window(find(h, "TILE"), &j->tile_window, sizeof *h->tiles, (void **)&h->tiles) ||
        !read_window(find(h, "HGHT"), &j->height_window, sizeof *h->heights, (void **)&h->heights))
        return false;
    j->tiles = h->tiles;
    j->heights = h->heights;
    stn_coord own = stn_job_ul(j);
    if (ul.x != own.x || ul.y != own.y || size.x != STN_CUT_TILES || size.y != STN_CUT_TILES) {
        vec_fail(&report, "%s: a cut of %dx%d tiles from %d,%d, which its grid does not hold", h->name,
                 size.x, size.y, ul.x, ul.y);
        return false;
    }
    return true;
}

/* ---- what was built, section by section */

static void put_surface(const stn_build *b, const stn_water *w, stn_buf *out)
{
    stn_buf_u32(out, b->nv);
    for (uint32_t v = 0; v < b->nv; v++) {
        stn_vec3 n = b->nrm[v];
        /* The bottom takes the ground's normals at the shore once everything is built. */
        if (w && v >= w->bottom_first && v < w->bottom_first + STN_GROUND_VERTICES) {
            uint32_t g = v - w->bottom_first;
            int x = (int)(g % STN_GROUND_SIDE) - 1, y = (int)(g / STN_GROUND_SIDE) - 1;
            if (x >= 0 && y >= 0 && x <= STN_CUT_TILES && y <= STN_CUT_TILES &&
                w->shore[stn_water_corner(x, y)])
                n = b->nrm[g];
        }
        stn_buf_put(out, &b->pos[v], 12);
        stn_buf_put(out, &n, 12);
    }
}

/* Outermost corners of plain cuts have faces too, but no kernel makes their normals: nothing reads them. */
static void fill_normals(stn_build *b, const uint32_t *faces, size_t n)
{
    uint16_t *count = calloc(b->nv, sizeof *count);
    stn_vec3 *nrm = calloc(b->nv, sizeof *nrm);

    stn_face_normals(b->pos, b->nv, faces, n, nrm, count);
    for (uint32_t v = 0; v < b->nv; v++) {
        uint32_t x = v % STN_GROUND_SIDE, y = v / STN_GROUND_SIDE;
        if (v < STN_GROUND_VERTICES &&
            (x == 0 || y == 0 || x == STN_GROUND_SIDE - 1 || y == STN_GROUND_SIDE - 1))
            b->nrm[v] = nrm[v];
    }
    free(count);
    free(nrm);
}

static uint32_t *all_faces(stn_build *b, size_t *n)
{
    uint32_t *faces;

    if (b->shaped) {
        *n = b->nfaces;
        faces = malloc(*n * 12);
        memcpy(faces, b->faces, *n * 12);
        return faces;
    }
    faces = malloc((2 * STN_CUT_AREA + 2 * 104) * 12);
    for (int i = 0; i < STN_CUT_AREA; i++)
        stn_ground_faces(i % STN_CUT_TILES, i / STN_CUT_TILES,
                         b->split[stn_ring_tile(i % STN_CUT_TILES, i / STN_CUT_TILES)], faces + 6 * i);
    *n = 2 * STN_CUT_AREA;
    *n += 2 * stn_ground_border(b->split, faces + 3 * *n);
    return faces;
}

static void put_words(stn_buf *out, const void *words, size_t n)
{
    stn_buf_u32(out, (uint32_t)n);
    stn_buf_put(out, words, n * 4);
}

static void put_bytes(stn_buf *out, const uint8_t *bytes, size_t n)
{
    stn_buf_u32(out, (uint32_t)n);
    stn_buf_put(out, bytes, n);
}

static void put_part_head(stn_buf *out, const stn_part *p)
{
    stn_buf_u16(out, p->x);
    stn_buf_u16(out, p->y);
    stn_buf_u32(out, p->nv);
    stn_buf_u32(out, p->nf);
}

static void put_ground_parts(const stn_ridges *r, stn_buf *out)
{
    uint32_t n = 0;
    for (int i = 0; i < STN_CUT_AREA; i++)
        n += r->ground[i] != NULL;
    stn_buf_u32(out, n);
    for (int i = 0; i < STN_CUT_AREA; i++) {
        const stn_part *p = r->ground[i];
        if (!p)
            continue;
        put_part_head(out, p);
        stn_buf_put(out, p->v, 4u * p->nv);
        stn_buf_put(out, p->tx, 4u * p->nv);
        stn_buf_put(out, p->ty, 4u * p->nv);
        for (unsigned k = 0; k < p->nf; k++)
            stn_buf_u32(out, p->f[k]);
    }
}

static void put_rows(stn_buf *out, uint32_t n, const uint16_t *const *rows, const uint32_t *row_n)
{
    for (uint32_t i = 0; i < n; i++) {
        stn_buf_u32(out, row_n[i]);
        for (uint32_t k = 0; k < row_n[i]; k++)
            stn_buf_u32(out, rows[i][k]);
    }
}

static void put_walls(const stn_ridges *r, stn_buf *out)
{
    uint32_t n = 0;
    for (int i = 0; i < STN_CUT_AREA; i++)
        n += r->wall[i] != NULL;
    stn_buf_u32(out, n);
    for (int i = 0; i < STN_CUT_AREA; i++) {
        const stn_ridge_wall *w = r->wall[i];
        if (!w)
            continue;
        put_part_head(out, w->part);
        stn_buf_u32(out, w->ncolumns);
        stn_buf_u32(out, w->nlower);
        stn_buf_u32(out, w->nupper);
        stn_buf_put(out, w->part->v, 4u * w->part->nv);
        stn_buf_put(out, w->part->tx, 4u * w->part->nv);
        stn_buf_put(out, w->part->ty, 4u * w->part->nv);
        stn_buf_put(out, w->rx, 4u * w->part->nv);
        stn_buf_put(out, w->ry, 4u * w->part->nv);
        stn_buf_put(out, w->column, 4u * w->part->nv);
        stn_buf_put(out, w->height, 4u * w->ncolumns);
        for (unsigned k = 0; k < w->part->nf; k++)
            stn_buf_u32(out, w->part->f[k]);
        put_rows(out, w->nlower, w->lower, w->lower_n);
        put_rows(out, w->nupper, w->upper, w->upper_n);
    }
}

static void put_failed(const stn_ridges *r, stn_buf *out)
{
    uint32_t n = 0;
    for (int i = 0; i < STN_CUT_AREA; i++)
        n += r->failed[i];
    stn_buf_u32(out, n);
    for (int i = 0; i < STN_CUT_AREA; i++)
        if (r->failed[i]) {
            stn_buf_u16(out, (uint16_t)(i % STN_CUT_TILES));
            stn_buf_u16(out, (uint16_t)(i / STN_CUT_TILES));
        }
}

static void material_text(const stn_state *s, char *out, size_t cap)
{
    switch (s->kind) {
    case STN_MESH_WATER:
        snprintf(out, cap, "watersurf");
        break;
    case STN_MESH_FOAM:
        snprintf(out, cap, "foam");
        break;
    case STN_MESH_WALL:
    case STN_MESH_CAVE:
        snprintf(out, cap, "%s", s->material.res);
        break;
    case STN_MESH_FLAT:
        snprintf(out, cap, "gcol|texdraw:%s%s%s|mlorder=%d", s->clip->def.name, s->clipped ? "|texclip:" : "",
                 s->clipped ? s->clip->def.name : "", s->order);
        break;
    default:
        snprintf(out, cap, "%s|mlorder=%d%s%s", s->material.res, s->order, s->vertex_colour ? "|vcol" : "",
                 s->fog ? "|waterfog|depthbias=4.0,4.0" : "");
    }
}

static void put_text(stn_buf *out, const char *text)
{
    stn_buf_u16(out, (uint16_t)strlen(text));
    stn_buf_put(out, text, strlen(text));
}

static void put_mesh(const stn_exact_mesh *e, stn_buf *out)
{
    char text[400];

    material_text(&e->model->state, text, sizeof text);
    put_text(out, text);
    stn_buf_u32(out, e->nv);
    stn_buf_u32(out, e->ni);
    stn_buf_u32(out, e->nattrs);
    for (unsigned a = 0; a < e->nattrs; a++) {
        unsigned n = stn_mesh_attr_components((stn_mesh_attr)e->attr[a]);
        put_text(out, stn_mesh_attr_name((stn_mesh_attr)e->attr[a]));
        stn_buf_u32(out, n);
        for (uint32_t v = 0; v < e->nv; v++)
            stn_buf_put(out, e->data + (size_t)v * e->stride + e->offset[a], n * sizeof(float));
    }
    stn_buf_put(out, e->index, e->ni * sizeof(uint16_t));
}

static void put_click(const stn_build *b, uint8_t bucket, stn_buf *out)
{
    stn_laid laid = stn_build_laid(b);
    stn_buf pos = {0}, loc = {0}, index = {0};
    uint8_t buckets[STN_CUT_AREA];

    stn_build_click_buckets(b, buckets);
    stn_click_mesh(&laid, buckets, bucket, &pos, &loc, &index, NULL);
    put_text(out, bucket ? "clickwater" : "clickmain");
    stn_buf_u32(out, (uint32_t)(pos.len / 12));
    stn_buf_u32(out, (uint32_t)(index.len / 2));
    stn_buf_u32(out, 2);
    put_text(out, "pos");
    stn_buf_u32(out, 3);
    stn_buf_put(out, pos.data, pos.len);
    put_text(out, "loc");
    stn_buf_u32(out, 2);
    stn_buf_put(out, loc.data, loc.len);
    stn_buf_put(out, index.data, index.len);
    stn_buf_fini(&pos);
    stn_buf_fini(&loc);
    stn_buf_fini(&index);
}

/* ---- comparing */

static bool same(const hxm *h, const section *want, const stn_buf *got, const char *how)
{
    size_t n = got->len < want->len ? got->len : want->len,
           at = vec_first_difference(got->data, want->data, n);

    if (at == n && got->len == want->len)
        return true;
    vec_fail(&report, "%s %s (%s): %zu bytes, expected %zu; differs at %zu", h->name, want->tag, how,
             got->len, want->len, at);
    return false;
}

/* Sections that are made elsewhere than in put_section(). */
static const char *const input_tags[] = {"INFO", "TDEF", "TILE", "HGHT", NULL};
static const char *const mesh_tags[] = {"MODL", "FLAT", NULL};
static const char *const sheet_tags[] = {"OLMK", "OLVB", "OLVM", "OLFI", "OLOU", "GRID", NULL};

static bool is_one_of(const char *tag, const char *const *tags)
{
    while (*tags && strcmp(*tags, tag) != 0)
        tags++;
    return *tags != NULL;
}

static bool check_sheets(const hxm *h, const stn_build *b, const char *how)
{
    const section *mask = find(h, "OLMK"), *s;
    stn_laid laid = stn_build_laid(b);
    stn_buf vertices = {0}, one = {0}, two = {0}, got = {0};
    uint16_t *number = malloc(b->nv * sizeof *number);
    bool good = true;

    if (!number || !mask || mask->len < 4 + STN_GROUND_SPLITS * STN_GROUND_SPLITS) {
        free(number);
        for (size_t i = 0; i < h->nsections; i++)
            if (is_one_of(h->sections[i].tag, sheet_tags)) {
                vec_fail(&report, "%s: section %s without a whole OLMK", h->name, h->sections[i].tag);
                return false;
            }
        return true;
    }
    stn_sheet_vertices(&laid, &vertices, number, NULL);
    for (size_t i = 0; i < h->nsections && good; i++) {
        s = &h->sections[i];
        stn_buf_clear(&one);
        stn_buf_clear(&two);
        stn_buf_clear(&got);
        if (strcmp(s->tag, "OLVB") == 0) {
            stn_buf_u32(&got, (uint32_t)(vertices.len / 16));
            stn_buf_put(&got, vertices.data, vertices.len);
        } else if (strcmp(s->tag, "OLVM") == 0) {
            stn_buf_u32(&got, b->nv);
            for (uint32_t v = 0; v < b->nv; v++)
                stn_buf_u32(&got, number[v] == STN_SHEET_NONE ? UINT32_MAX : number[v]);
        } else if (strcmp(s->tag, "OLFI") == 0 || strcmp(s->tag, "OLOU") == 0) {
            if (s->tag[2] == 'F')
                stn_sheet_fill(&laid, number, mask->data + 4, &one);
            else
                stn_sheet_outline(&laid, number, mask->data + 4, &one);
            stn_buf_u32(&got, (uint32_t)(one.len / 2));
            stn_buf_put(&got, one.data, one.len);
        } else if (strcmp(s->tag, "GRID") == 0) {
            stn_grid_lines(&laid, &one, &two, NULL);
            stn_buf_u32(&got, (uint32_t)(one.len / 12));
            stn_buf_u32(&got, (uint32_t)(two.len / 2));
            stn_buf_put(&got, one.data, one.len);
            stn_buf_put(&got, two.data, two.len);
        } else {
            continue;
        }
        good = same(h, s, &got, how);
    }
    stn_buf_fini(&vertices);
    stn_buf_fini(&one);
    stn_buf_fini(&two);
    stn_buf_fini(&got);
    free(number);
    return good;
}

/* False when the tag is not one of these. */
static bool put_section(const char *tag, stn_build *b, const uint32_t *faces, size_t nfaces, stn_buf *out)
{
    const stn_ridges *r = stn_build_ridges(b);
    const stn_water *w = stn_build_water(b);

    if (strcmp(tag, "SVTX") == 0)
        put_surface(b, w, out);
    else if (strcmp(tag, "SFAC") == 0) {
        stn_buf_u32(out, (uint32_t)nfaces);
        stn_buf_put(out, faces, nfaces * 12);
    } else if (strcmp(tag, "SPLT") == 0)
        put_bytes(out, b->split, sizeof b->split);
    else if (r && strcmp(tag, "RBRK") == 0)
        put_bytes(out, r->broken, STN_RIDGE_SIDES);
    else if (r && strcmp(tag, "REDG") == 0)
        put_words(out, r->edge, 2 * STN_RIDGE_SIDES);
    else if (r && strcmp(tag, "RCRS") == 0)
        put_failed(r, out);
    else if (r && strcmp(tag, "RGND") == 0)
        put_ground_parts(r, out);
    else if (r && strcmp(tag, "RRDG") == 0)
        put_walls(r, out);
    else if (w && strcmp(tag, "WDEP") == 0)
        put_words(out, w->depth, STN_WATER_SIDE * STN_WATER_SIDE);
    else if (w && strcmp(tag, "WSHO") == 0)
        put_bytes(out, w->shore, STN_WATER_SIDE * STN_WATER_SIDE);
    else if (w && strcmp(tag, "WSPL") == 0)
        put_bytes(out, w->split, STN_CUT_AREA);
    else if (w && strcmp(tag, "WBVI") == 0) {
        stn_buf_u32(out, STN_GROUND_VERTICES);
        for (uint32_t v = 0; v < STN_GROUND_VERTICES; v++)
            stn_buf_u32(out, w->bottom_first + v);
    } else if (w && strcmp(tag, "WFLO") == 0) {
        put_words(out, w->flow_x, STN_CUT_VERTICES * STN_CUT_VERTICES);
        stn_buf_put(out, w->flow_y, sizeof w->flow_y);
    } else
        return false;
    return true;
}

static bool check_meshes(const hxm *h, stn_build *b, const char *how)
{
    stn_exact exact;
    stn_buf got = {0};
    unsigned k = 0;
    bool good = true;

    if (stn_build_exact(b, &exact) != STN_OK) {
        vec_fail(&report, "%s: %s", h->name, b->err->text);
        return false;
    }
    for (size_t i = 0; i < h->nsections && good; i++) {
        const section *s = &h->sections[i];
        stn_buf_clear(&got);
        if (strcmp(s->tag, "MODL") == 0 && k < exact.n)
            put_mesh(&exact.meshes[k++], &got);
        else if (strcmp(s->tag, "FLAT") == 0 && s->len > 12)
            put_click(b, memcmp(s->data + 2, "clickwater", 10) == 0, &got);
        else if (strcmp(s->tag, "MODL") != 0)
            continue;
        good = same(h, s, &got, how);
    }
    if (good && k != exact.n) {
        vec_fail(&report, "%s: %u models, expected %u", h->name, exact.n, k);
        good = false;
    }
    stn_buf_fini(&got);
    return good;
}

static void check(const hxm *h, stn_build *b, const char *how)
{
    size_t nfaces;
    uint32_t *faces = all_faces(b, &nfaces);
    stn_buf got = {0};
    bool good = true;

    fill_normals(b, faces, nfaces);
    for (size_t i = 0; i < h->nsections && good; i++) {
        const section *s = &h->sections[i];
        stn_buf_clear(&got);
        if (put_section(s->tag, b, faces, nfaces, &got))
            good = same(h, s, &got, how);
        else if (!is_one_of(s->tag, input_tags) && !is_one_of(s->tag, mesh_tags) &&
                 !is_one_of(s->tag, sheet_tags)) {
            vec_fail(&report, "%s: section %s, but the build has no such thing", h->name, s->tag);
            good = false;
        }
    }
    if (good && check_meshes(h, b, how) && check_sheets(h, b, how))
        vec_pass(&report);
    stn_buf_fini(&got);
    free(faces);
}

static void run_file(const char *dir, const char *name, stn_scratch *scratch)
{
    static const char *const forms[] = {"plain", "sse2", "avx2", "avx512"};
    size_t len;
    uint8_t *data = vec_read(dir, name, &len);
    hxm *h = calloc(1, sizeof *h);

    h->name = name;
    h->dir = dir;
    if (!data || !split(h, data, len) || !read_job(h)) {
        vec_fail(&report, "%s: cannot be read", name);
    } else {
        for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
            const stn_kernels *k = stn_kernels_named(forms[f]);
            stn_blocks *blocks = k ? stn_blocks_new(STN_BLOCKS_DEFAULT, k) : NULL;
            for (int warm = 0; k && warm < 2; warm++) {
                stn_build *b;
                stn_err err = {0};
                if (stn_build_run(scratch, blocks, k, &h->job, &b, &err) != STN_OK)
                    vec_fail(&report, "%s (%s): %s", name, forms[f], err.text);
                else
                    check(h, b, forms[f]);
            }
            stn_blocks_free(blocks);
        }
    }
    for (size_t i = h->nown; i-- > 0;)
        stn_tileset_unref(h->own[i]);
    for (size_t i = 0; i < h->ntexts; i++)
        free(h->texts[i]);
    free(h->tiles);
    free(h->heights);
    free(h);
    free(data);
}

int hxm_main(int argc, char **argv)
{
    stn_scratch *scratch = stn_scratch_new(0);
    char **names;

    if (argc != 2 || !scratch) {
        fprintf(stderr, "usage: %s DIR\n", argv[0]);
        return 64;
    }
    names = vec_list(argv[1], ".bin");
    for (size_t i = 0; names[i]; i++)
        run_file(argv[1], names[i], scratch);
    vec_list_free(names);
    stn_scratch_free(scratch);
    return vec_done(&report);
}
