#include "renderer/hud/paint.h"

#include "base/log.h"
#include "renderer/gl/program.h"
#include "renderer/gl/ring.h"
#include "renderer/gl/shaders.h"

#include <SDL.h>
#include <SDL_ttf.h>
#include <glad/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHEET 1024
#define GLYPHS 2048
#define RUNS 64
#define VERTEX_BYTES ((size_t)64 << 10) /* of each region of the ring to begin with */

struct vertex {
    float x, y, u, v;
    uint8_t c[4];
};

struct glyph {
    uint32_t code; /* 0 = free */
    uint16_t x, y, w, h;
    int16_t advance;
};

struct run {
    uint32_t texture;
    uint32_t first, count; /* quads */
};

struct stn_paint {
    stn_glrec *rec;
    stn_textures *textures;
    TTF_Font *font;
    char *path; /* of the font that was asked for, NULL = none */
    float scale;
    uint32_t sheet, program, vao, indices_name;
    stn_ring vertices;
    uint64_t vertex_storage; /* of the ring, that the vertex array reads */
    int32_t pixels_at;
    struct glyph glyphs[GLYPHS];
    int pen_x, pen_y, row_h;
    float height;
    int width_px, height_px;
    struct vertex *v;
    uint32_t quads;
    struct run runs[RUNS];
    uint32_t run_count;
    bool sheet_full;
};

static const char *const fonts[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                    "/usr/share/fonts/TTF/DejaVuSans.ttf",
                                    "/usr/share/fonts/dejavu/DejaVuSans.ttf"};

static void open_font(stn_paint *p)
{
    int size = (int)lroundf(14.0f * p->scale);

    p->height = 17.0f * p->scale;
    if (!TTF_WasInit() && TTF_Init() != 0) {
        stn_log_warn("no text: SDL2_ttf does not start (%s)", TTF_GetError());
        return;
    }
    if (p->path && p->path[0])
        p->font = TTF_OpenFont(p->path, size);
    for (size_t i = 0; !p->font && i < sizeof fonts / sizeof fonts[0]; i++)
        p->font = TTF_OpenFont(fonts[i], size);
    if (!p->font)
        stn_log_warn("no text: DejaVu Sans is not installed (package fonts-dejavu-core)");
    else
        p->height = (float)TTF_FontHeight(p->font);
}

void stn_paint_scale(stn_paint *p, float scale)
{
    if (scale == p->scale)
        return;
    p->scale = scale;
    if (p->font)
        TTF_CloseFont(p->font);
    p->font = NULL;
    memset(p->glyphs, 0, sizeof p->glyphs);
    p->pen_x = 8;
    p->pen_y = p->row_h = 0;
    p->sheet_full = false;
    open_font(p);
}

/* The vertex array that is bound reads the ring's buffer as it is now. */
static void read_vertices(stn_paint *p)
{
    if (p->vertex_storage == p->vertices.storage)
        return;
    p->vertex_storage = p->vertices.storage;
    glBindBuffer(GL_ARRAY_BUFFER, p->vertices.buffer);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(struct vertex), NULL);
    glEnableVertexAttribArray(2);
    glVertexAttribPointer(2, 2, GL_FLOAT, GL_FALSE, sizeof(struct vertex), (const void *)8);
    glEnableVertexAttribArray(3);
    glVertexAttribPointer(3, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(struct vertex), (const void *)16);
}

static void make_buffers(stn_paint *p)
{
    uint16_t *indices = malloc(STN_PAINT_QUADS * 6 * sizeof *indices);

    glGenVertexArrays(1, &p->vao);
    glGenBuffers(1, &p->indices_name);
    stn_ring_init(&p->vertices, p->rec, GL_ARRAY_BUFFER, VERTEX_BYTES, 0);
    stn_glrec_vao(p->rec, p->vao);
    for (uint32_t i = 0; indices && i < STN_PAINT_QUADS; i++) {
        static const uint8_t order[6] = {0, 1, 2, 0, 2, 3};

        for (uint32_t k = 0; k < 6; k++)
            indices[i * 6 + k] = (uint16_t)(i * 4 + order[k]);
    }
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, p->indices_name);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, STN_PAINT_QUADS * 6 * 2, indices, GL_STATIC_DRAW);
    free(indices);
}

stn_status stn_paint_new(stn_glrec *rec, stn_textures *textures, const char *font, float scale,
                         stn_paint **out, stn_err *err)
{
    stn_paint *p = calloc(1, sizeof *p);
    uint8_t *blank = calloc(SHEET * SHEET, 4);
    stn_texture_level level = {SHEET, SHEET, blank};
    stn_status st = STN_OK;

    *out = NULL;
    if (p)
        p->v = malloc(STN_PAINT_QUADS * 4 * sizeof *p->v);
    if (!p || !blank || !p->v) {
        st = stn_fail(err, STN_NO_MEMORY, "flat drawing");
        goto fail;
    }
    p->rec = rec;
    p->textures = textures;
    p->scale = scale;
    if (font && font[0] && !(p->path = strdup(font))) {
        st = stn_fail(err, STN_NO_MEMORY, "flat drawing");
        goto fail;
    }
    memset(blank, 255, 4 * 4); /* the first texels are white: rectangles read them */
    memset(blank + SHEET * 4, 255, 4 * 4);
    st = stn_textures_add(textures, &level, 1,
                          (stn_sampling){STN_FILTER_NEAREST, STN_FILTER_NEAREST, STN_MIPS_NONE, 1}, &p->sheet,
                          err);
    if (st != STN_OK)
        goto fail;
    p->pen_x = 8;
    p->program = stn_program_simple(stn_shader_flat_vertex, stn_shader_flat, "", err);
    if (!p->program) {
        st = STN_UNSUPPORTED;
        goto fail;
    }
    p->pixels_at = glGetUniformLocation(p->program, "pixels");
    stn_glrec_invalidate(rec);
    make_buffers(p);
    open_font(p);
    free(blank);
    *out = p;
    return STN_OK;
fail:
    free(blank);
    stn_paint_free(p);
    return st;
}

void stn_paint_free(stn_paint *p)
{
    if (!p)
        return;
    if (p->font)
        TTF_CloseFont(p->font);
    if (p->program)
        glDeleteProgram(p->program);
    if (p->vao) {
        stn_glrec_forget_vao(p->rec, p->vao);
        glDeleteVertexArrays(1, &p->vao);
        stn_ring_fini(&p->vertices);
        glDeleteBuffers(1, &p->indices_name);
    }
    if (p->sheet)
        stn_textures_remove(p->textures, p->sheet);
    free(p->v);
    free(p->path);
    free(p);
}

bool stn_paint_has_font(const stn_paint *p)
{
    return p->font != NULL;
}

void stn_paint_begin(stn_paint *p, int width, int height)
{
    p->width_px = width;
    p->height_px = height;
    p->quads = 0;
    p->run_count = 0;
}

static struct vertex *quad(stn_paint *p, uint32_t texture)
{
    struct run *r = p->run_count ? &p->runs[p->run_count - 1] : NULL;

    if (p->quads == STN_PAINT_QUADS)
        return NULL;
    if (!r || r->texture != texture) {
        if (p->run_count == RUNS)
            return NULL;
        r = &p->runs[p->run_count++];
        *r = (struct run){texture, p->quads, 0};
    }
    r->count++;
    return &p->v[p->quads++ * 4];
}

static void corner(struct vertex *v, float x, float y, float u, float w, uint32_t c)
{
    *v = (struct vertex){x, y, u, w, {(uint8_t)(c >> 24), (uint8_t)(c >> 16), (uint8_t)(c >> 8), (uint8_t)c}};
}

static void put_quad(stn_paint *p, uint32_t texture, float x, float y, float w, float h, float u0, float v0,
                     float u1, float v1, uint32_t c)
{
    struct vertex *v = quad(p, texture);

    if (!v)
        return;
    corner(&v[0], x, y, u0, v0, c);
    corner(&v[1], x, y + h, u0, v1, c);
    corner(&v[2], x + w, y + h, u1, v1, c);
    corner(&v[3], x + w, y, u1, v0, c);
}

#define WHITE (1.0f / (float)SHEET)

void stn_paint_rect(stn_paint *p, float x, float y, float w, float h, uint32_t colour)
{
    put_quad(p, p->sheet, x, y, w, h, WHITE, WHITE, WHITE, WHITE, colour);
}

void stn_paint_line(stn_paint *p, float x0, float y0, float x1, float y1, float width, uint32_t colour)
{
    float dx = x1 - x0, dy = y1 - y0, len = sqrtf(dx * dx + dy * dy), nx, ny;
    struct vertex *v;

    if (len <= 0.0f || !(v = quad(p, p->sheet)))
        return;
    nx = -dy / len * width * 0.5f;
    ny = dx / len * width * 0.5f;
    corner(&v[0], x0 + nx, y0 + ny, WHITE, WHITE, colour);
    corner(&v[1], x0 - nx, y0 - ny, WHITE, WHITE, colour);
    corner(&v[2], x1 - nx, y1 - ny, WHITE, WHITE, colour);
    corner(&v[3], x1 + nx, y1 + ny, WHITE, WHITE, colour);
}

void stn_paint_disc(stn_paint *p, float x, float y, float r, uint32_t colour)
{
    const float turn = 6.2831853f;

    for (int i = 0; i < 8; i++) {
        struct vertex *v = quad(p, p->sheet);
        float a = turn * (float)i / 8.0f, b = turn * ((float)i + 0.5f) / 8.0f,
              c = turn * (float)(i + 1) / 8.0f;

        if (!v)
            return;
        corner(&v[0], x, y, WHITE, WHITE, colour);
        corner(&v[1], x + cosf(a) * r, y + sinf(a) * r, WHITE, WHITE, colour);
        corner(&v[2], x + cosf(b) * r, y + sinf(b) * r, WHITE, WHITE, colour);
        corner(&v[3], x + cosf(c) * r, y + sinf(c) * r, WHITE, WHITE, colour);
    }
}

/* The next character; malformed bytes give U+FFFD one at a time. */
static uint32_t next_code(const char **s)
{
    const unsigned char *p = (const unsigned char *)*s;
    int n = p[0] < 0x80 ? 0 : p[0] >= 0xf0 && p[0] < 0xf5 ? 3 : p[0] >= 0xe0 ? 2 : p[0] >= 0xc2 ? 1 : -1;
    uint32_t c = n <= 0 ? p[0] : n == 1 ? p[0] & 0x1fu : n == 2 ? p[0] & 0x0fu : p[0] & 0x07u;

    if (n < 0 || p[0] >= 0xf5) {
        ++*s;
        return 0xfffd;
    }
    for (int i = 1; i <= n; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            *s += i;
            return 0xfffd;
        }
        c = c << 6 | (p[i] & 0x3fu);
    }
    *s += n + 1;
    return c;
}

/* Draws a glyph into the sheet, with a soft dark edge one pixel around it. */
static void draw_glyph(stn_paint *p, struct glyph *g)
{
    SDL_Color white = {255, 255, 255, 255};
    SDL_Surface *raw = TTF_RenderGlyph32_Blended(p->font, g->code, white), *s;
    int w, h;
    uint8_t *px;

    if (!raw)
        return;
    s = SDL_ConvertSurfaceFormat(raw, SDL_PIXELFORMAT_RGBA32, 0);
    SDL_FreeSurface(raw);
    if (!s)
        return;
    w = s->w + 2;
    h = s->h + 2;
    if (p->pen_x + w > SHEET) {
        p->pen_x = 0;
        p->pen_y += p->row_h;
        p->row_h = 0;
    }
    px = calloc((size_t)w * (size_t)h, 4);
    if (!px || p->pen_y + h > SHEET) {
        if (!p->sheet_full)
            stn_log_warn("the glyph sheet is full: new characters are not shown");
        p->sheet_full = true;
        free(px);
        SDL_FreeSurface(s);
        return;
    }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            unsigned edge = 0, in = 0;
            uint8_t *to = px + ((size_t)y * (size_t)w + (size_t)x) * 4;

            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int sx = x - 1 + dx, sy = y - 1 + dy;
                    unsigned a;

                    if (sx < 0 || sy < 0 || sx >= s->w || sy >= s->h)
                        continue;
                    a = ((const uint8_t *)s->pixels)[sy * s->pitch + sx * 4 + 3];
                    edge = a > edge ? a : edge;
                    in = dx == 0 && dy == 0 ? a : in;
                }
            to[0] = to[1] = to[2] = (uint8_t)in;
            to[3] = (uint8_t)(in > edge * 7 / 10 ? in : edge * 7 / 10);
        }
    stn_textures_update(p->textures, p->sheet, (uint32_t)p->pen_x, (uint32_t)p->pen_y, (uint32_t)w,
                        (uint32_t)h, px);
    g->x = (uint16_t)p->pen_x;
    g->y = (uint16_t)p->pen_y;
    g->w = (uint16_t)w;
    g->h = (uint16_t)h;
    p->pen_x += w;
    p->row_h = h > p->row_h ? h : p->row_h;
    free(px);
    SDL_FreeSurface(s);
}

static struct glyph *glyph_of(stn_paint *p, uint32_t code)
{
    uint32_t at = code * UINT32_C(2654435761) % GLYPHS;
    int advance = 0;

    for (uint32_t i = 0; i < GLYPHS; i++, at = (at + 1) % GLYPHS) {
        struct glyph *g = &p->glyphs[at];

        if (g->code == code)
            return g;
        if (g->code)
            continue;
        g->code = code;
        TTF_GlyphMetrics32(p->font, code, NULL, NULL, NULL, NULL, &advance);
        g->advance = (int16_t)advance;
        if (code > ' ')
            draw_glyph(p, g);
        return g;
    }
    return NULL;
}

float stn_paint_text(stn_paint *p, float x, float y, uint32_t colour, const char *utf8)
{
    x = floorf(x);
    y = floorf(y);
    while (p->font && *utf8) {
        const struct glyph *g = glyph_of(p, next_code(&utf8));

        if (!g)
            break;
        if (g->w)
            put_quad(p, p->sheet, x - 1.0f, y - 1.0f, g->w, g->h, (float)g->x / SHEET, (float)g->y / SHEET,
                     (float)(g->x + g->w) / SHEET, (float)(g->y + g->h) / SHEET, colour);
        x += g->advance;
    }
    return x;
}

float stn_paint_text_width(stn_paint *p, const char *utf8)
{
    float w = 0.0f;

    while (p->font && *utf8) {
        const struct glyph *g = glyph_of(p, next_code(&utf8));

        w += g ? (float)g->advance : 0.0f;
    }
    return w;
}

float stn_paint_line_height(const stn_paint *p)
{
    return p->height;
}

void stn_paint_picture(stn_paint *p, uint32_t texture, float x, float y, float w, float h, float u0, float v0,
                       float u1, float v1, uint32_t colour)
{
    put_quad(p, texture, x, y, w, h, u0, v0, u1, v1, colour);
}

void stn_paint_end(stn_paint *p)
{
    static const stn_blendmode over = {STN_BM_ADD, STN_BM_SRC_A, STN_BM_INV_SRC_A,
                                       STN_BM_MAX, STN_BM_ONE,   STN_BM_ONE};

    size_t bytes = p->quads * 4 * sizeof(struct vertex), at = 0;
    void *to = stn_ring_begin(&p->vertices, bytes, sizeof(struct vertex), &at);

    if (!to)
        return;
    memcpy(to, p->v, bytes);
    stn_ring_end(&p->vertices);
    stn_glrec_program(p->rec, p->program);
    stn_glrec_vao(p->rec, p->vao);
    read_vertices(p);
    stn_glrec_depth(p->rec, false, GL_LEQUAL, false);
    stn_glrec_cull(p->rec, false, false);
    stn_glrec_blend(p->rec, true, &over);
    stn_glrec_colour_mask(p->rec, 0, true);
    stn_glrec_viewport(p->rec, 0, 0, p->width_px, p->height_px);
    glUniform2f(p->pixels_at, (GLfloat)p->width_px, (GLfloat)p->height_px);
    for (uint32_t i = 0; i < p->run_count; i++) {
        stn_textures_bind(p->textures, p->runs[i].texture, STN_UNIT_SOURCE);
        glDrawElementsBaseVertex(GL_TRIANGLES, (GLsizei)p->runs[i].count * 6, GL_UNSIGNED_SHORT,
                                 (const void *)(uintptr_t)(p->runs[i].first * 12),
                                 (GLint)(at / sizeof(struct vertex)));
    }
}
