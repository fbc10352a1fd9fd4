#include "renderer/hud/hud.h"

#include "renderer/hud/captions.h"
#include "renderer/scene/project.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAP 256 /* texels of the minimap's texture */
#define NOTE_SECONDS 4.0
#define CHAT_LINES 6
#define CHAT_SECONDS 20.0

/* Names fade out between these distances from what the camera looks at, map units. */
#define NAME_NEAR 450.0f
#define NAME_FAR 650.0f
#define LIFT_LINES 4.0f /* that a text over a head may move up */

#define INK 0xf4efe2ffu
#define DIM 0xc8c2b4ffu
#define GOOD 0x8fd06affu
#define WAIT 0xf0c050ffu
#define BAD 0xe8604cffu
#define PANEL 0x14181ccc

struct chat_line {
    char text[STN_JOB_TEXT + 72];
    double left;
};

struct stn_hud {
    stn_paint *paint;
    stn_textures *textures;
    uint32_t map;
    uint8_t *pixels;
    uint64_t map_version;
    int32_t map_gx, map_gy; /* grid in the middle of the texture */
    bool map_made, help;
    stn_panel panel;
    float panel_x, panel_y, panel_w, panel_h, row_h; /* where it was drawn, and how high a row is */
    int panel_first, panel_shown; /* rows */
    char note[200];
    double note_left, clock;
    struct chat_line chat[CHAT_LINES];
    char menu[STN_JOB_TEXT];
    uint32_t menu_number;
    float menu_x, menu_y;
    stn_captions captions;
};

stn_hud *stn_hud_new(stn_paint *paint, stn_textures *textures)
{
    stn_hud *h = calloc(1, sizeof *h);
    stn_texture_level level = {MAP, MAP, NULL};

    if (!h)
        return NULL;
    h->paint = paint;
    h->textures = textures;
    h->pixels = calloc(MAP * MAP, 4);
    level.rgba = h->pixels;
    if (!h->pixels || stn_textures_add(textures, &level, 1,
                                       (stn_sampling){STN_FILTER_LINEAR, STN_FILTER_LINEAR, STN_MIPS_NONE, 1},
                                       &h->map, NULL) != STN_OK) {
        stn_hud_free(h);
        return NULL;
    }
    return h;
}

void stn_hud_free(stn_hud *h)
{
    if (!h)
        return;
    if (h->map)
        stn_textures_remove(h->textures, h->map);
    free(h->pixels);
    free(h);
}

void stn_hud_toggle_help(stn_hud *h)
{
    h->help = !h->help;
}

stn_panel *stn_hud_panel(stn_hud *h)
{
    return &h->panel;
}

void stn_hud_note(stn_hud *h, const char *text)
{
    snprintf(h->note, sizeof h->note, "%s", text);
    h->note_left = NOTE_SECONDS;
}

void stn_hud_chat(stn_hud *h, const char *from, const char *text)
{
    memmove(h->chat, h->chat + 1, sizeof h->chat[0] * (CHAT_LINES - 1));
    snprintf(h->chat[CHAT_LINES - 1].text, sizeof h->chat[0].text, "%s%s%s", from, from[0] ? ": " : "", text);
    h->chat[CHAT_LINES - 1].left = CHAT_SECONDS;
}

void stn_hud_menu(stn_hud *h, uint32_t number, const char *options, float x, float y)
{
    snprintf(h->menu, sizeof h->menu, "%s", number ? options : "");
    h->menu_number = number;
    h->menu_x = x;
    h->menu_y = y;
}

uint32_t stn_hud_menu_open(const stn_hud *h)
{
    return h->menu_number;
}

/* --- the line --- */

static float part(stn_hud *h, float x, float y, int state, const char *text)
{
    float lh = stn_paint_line_height(h->paint);

    stn_paint_disc(h->paint, x + 5.0f, y + lh * 0.5f, 4.0f, state >= 2 ? GOOD : state == 1 ? WAIT : BAD);
    return stn_paint_text(h->paint, x + 13.0f, y, INK, text) + 14.0f;
}

static void load_text(char to[128], const stn_hud_frame *f)
{
    char saved[32] = "";

    if (f->saved >= 500)
        snprintf(saved, sizeof saved, " (%uk left out)", (f->saved + 500) / 1000);
    snprintf(to, 128, "draws %u  triangles %uk%s", f->draws, (f->triangles + 500) / 1000, saved);
}

static void line(stn_hud *h, const stn_hud_frame *f)
{
    const stn_job_facts *w = &f->facts.world;
    char text[128];
    float x = 10.0f, y = 6.0f;

    stn_paint_rect(h->paint, 0.0f, 0.0f, (float)f->width, stn_paint_line_height(h->paint) + 12.0f,
                   0x14181c80);
    snprintf(text, sizeof text, "%.1f ms  %.0f fps", f->frame_ms, f->fps);
    x = stn_paint_text(h->paint, x, y, INK, text) + 18.0f;
    x = part(h, x, y, w->world, "world");
    x = part(h, x, y, w->loader, "loader");
    x = part(h, x, y, w->world ? w->meshers : 0, "mesher");
    x = part(h, x, y, w->world ? w->session : 0, "server");
    snprintf(text, sizeof text, "cuts %u/%u", w->cuts_ready, w->cuts_wanted);
    x = stn_paint_text(h->paint, x, y, w->cuts_ready < w->cuts_wanted ? WAIT : DIM, text) + 14.0f;
    snprintf(text, sizeof text, "objects %zu", f->facts.gobs);
    x = stn_paint_text(h->paint, x, y, DIM, text) + 14.0f;
    load_text(text, f);
    x = stn_paint_text(h->paint, x, y, DIM, text) + 14.0f;
    if (w->resources_waiting) {
        snprintf(text, sizeof text, "loading %u", w->resources_waiting);
        x = stn_paint_text(h->paint, x, y, WAIT, text) + 14.0f;
    }
    if (w->resources_failed) {
        snprintf(text, sizeof text, "missing %u", w->resources_failed);
        x = stn_paint_text(h->paint, x, y, BAD, text) + 14.0f;
    }
    if (f->programs_failed) {
        snprintf(text, sizeof text, "the driver refuses %u shaders", f->programs_failed);
        x = stn_paint_text(h->paint, x, y, BAD, text) + 14.0f;
    }
    if (f->preset[0])
        x = stn_paint_text(h->paint, x, y, DIM, f->preset) + 14.0f;
    if (!w->driver && w->world)
        stn_paint_text(h->paint, x, y, DIM, "watching");
}

/* --- minimap and compass --- */

static void refresh_map(stn_hud *h, const stn_hud_frame *f)
{
    int32_t tx = (int32_t)floor((double)f->focus.x / 11.0), ty = (int32_t)floor(-(double)f->focus.y / 11.0);
    int32_t gx = (int32_t)floor(tx / 100.0), gy = (int32_t)floor(ty / 100.0);
    uint64_t version = stn_stage_map_version(f->stage);

    if (h->map_made && version == h->map_version && gx == h->map_gx && gy == h->map_gy)
        return;
    h->map_made = true;
    h->map_version = version;
    h->map_gx = gx;
    h->map_gy = gy;
    memset(h->pixels, 0, MAP * MAP * 4);
    /* The texture holds tiles from 78 left and above of the middle grid's corner: 256 around its middle. */
    for (int32_t oy = -1; oy <= 1; oy++)
        for (int32_t ox = -1; ox <= 1; ox++) {
            const stn_job_grid *g = stn_stage_grid(f->stage, gx + ox, gy + oy);

            for (int y = 0; g && y < 100; y++) {
                int to_y = oy * 100 + y + 78, from_x = ox * 100 + 78, lo = from_x < 0 ? -from_x : 0;
                int hi = from_x + 100 > MAP ? MAP - from_x : 100;

                if (to_y >= 0 && to_y < MAP && hi > lo)
                    memcpy(h->pixels + ((size_t)to_y * MAP + (size_t)(from_x + lo)) * 4,
                           g->colours + ((size_t)y * 100 + (size_t)lo) * 4, (size_t)(hi - lo) * 4);
            }
        }
    stn_textures_update(h->textures, h->map, 0, 0, MAP, MAP, h->pixels);
}

/* By the group of a name (docs/spec/object-cache.md A10). */
static uint32_t group_colour(const stn_job_name *n)
{
    static const uint32_t colours[STN_NAME_GROUPS] = {0xffffffff, 0x8ee07cff, 0xff8a78ff, 0x8fb4ffff,
                                                      0x84e6e6ff, 0xf6e27aff, 0xe79bf2ff, 0xffa5c8ff};

    return colours[n->group % STN_NAME_GROUPS];
}

struct marks {
    stn_hud *h;
    const stn_hud_frame *f;
    float x, y, size;
    const stn_job_name *pointed; /* who is under the pointer */
};

static void mark(void *arg, const stn_stage_mark *k)
{
    struct marks *m = arg;
    float px = m->x + m->size * 0.5f + (float)((k->x - (double)m->f->focus.x) / 11.0) * (m->size / 100.0f);
    float py = m->y + m->size * 0.5f + (float)((k->y + (double)m->f->focus.y) / 11.0) * (m->size / 100.0f);

    if (k->kind == 2 || px < m->x + 2.0f || py < m->y + 2.0f || px > m->x + m->size - 2.0f ||
        py > m->y + m->size - 2.0f)
        return;
    stn_paint_rect(m->h->paint, px - 1.0f, py - 1.0f, 2.0f + (float)k->kind, 2.0f + (float)k->kind,
                   k->kind == 1 ? 0xfff2b0ff : 0x3a2a1cc0);
    if (k->name && fabs(m->f->pointer_x - (double)px) < 5.0 && fabs(m->f->pointer_y - (double)py) < 5.0)
        m->pointed = k->name;
}

/* Beside the pointer, and in the window. */
static void tell_mark(const struct marks *m)
{
    float w, x, y = (float)m->f->pointer_y - stn_paint_line_height(m->h->paint) - 4.0f;

    if (!m->pointed)
        return;
    w = stn_paint_text_width(m->h->paint, m->pointed->text);
    x = fminf((float)m->f->pointer_x, (float)m->f->width - w - 6.0f);
    stn_paint_rect(m->h->paint, x - 4.0f, y - 2.0f, w + 8.0f, stn_paint_line_height(m->h->paint) + 4.0f,
                   PANEL);
    stn_paint_text(m->h->paint, x, y, group_colour(m->pointed), m->pointed->text);
}

/* Who is farther away than the map reaches stands at its rim. */
static void party(const struct marks *m)
{
    const stn_job_facts *w = &m->f->facts.world;

    for (uint32_t i = 0; i < w->party_count; i++) {
        const stn_party_mark *p = &w->party[i];
        float dx = (float)((p->x - (double)m->f->focus.x) / 11.0) / 100.0f;
        float dy = (float)((p->y + (double)m->f->focus.y) / 11.0) / 100.0f;
        float x = m->x + m->size * (0.5f + fmaxf(-0.48f, fminf(0.48f, dx)));
        float y = m->y + m->size * (0.5f + fmaxf(-0.48f, fminf(0.48f, dy)));

        stn_paint_disc(m->h->paint, x, y, p->leads ? 4.5f : 3.5f, 0x000000c0);
        stn_paint_disc(m->h->paint, x, y, p->leads ? 3.5f : 2.5f, p->colour);
    }
}

static void minimap(stn_hud *h, const stn_hud_frame *f)
{
    float size = (float)(f->height < 500 ? 110 : 180), x = (float)f->width - size - 12.0f;
    float y = (float)f->height - size - 12.0f;
    double tx = (double)f->focus.x / 11.0, ty = -(double)f->focus.y / 11.0;
    float u = (float)((tx - h->map_gx * 100.0 + 78.0) / MAP),
          v = (float)((ty - h->map_gy * 100.0 + 78.0) / MAP);
    const float half = 50.0f / MAP;
    float a = f->angle + STN_PI32, dx = cosf(a), dy = -sinf(a);
    struct marks m = {h, f, x, y, size, NULL};

    refresh_map(h, f);
    stn_paint_rect(h->paint, x - 3.0f, y - 3.0f, size + 6.0f, size + 6.0f, PANEL);
    stn_paint_picture(h->paint, h->map, x, y, size, size, u - half, v - half, u + half, v + half, 0xffffffff);
    stn_stage_each_mark(f->stage, mark, &m);
    party(&m);
    stn_paint_line(h->paint, x + size * 0.5f, y + size * 0.5f, x + size * 0.5f + dx * 14.0f,
                   y + size * 0.5f + dy * 14.0f, 2.0f, 0xffffffd0);
    stn_paint_disc(h->paint, x + size * 0.5f, y + size * 0.5f, 3.5f, 0xffffffff);
    stn_paint_text(h->paint, x + size * 0.5f - 4.0f, y + 2.0f, INK, "N");
    tell_mark(&m);
}

static void compass(stn_hud *h, const stn_hud_frame *f, float y)
{
    static const char *const names[4] = {"E", "N", "W", "S"};
    float middle = (float)f->width * 0.5f, span = fminf(260.0f, (float)f->width * 0.35f);
    char text[64];
    float w;

    /* The way the camera looks is away from where it stands. */
    for (int i = 0; i < 8; i++) {
        float at = (float)i * STN_PI32 / 4.0f, d = remainderf(at - (f->angle + STN_PI32), 2.0f * STN_PI32);
        float x = middle - d / (STN_PI32 * 0.5f) * span * 0.5f;

        if (fabsf(d) > STN_PI32 * 0.5f)
            continue;
        if (i % 2 == 0)
            stn_paint_text(h->paint, x - stn_paint_text_width(h->paint, names[i / 2]) * 0.5f, y, INK,
                           names[i / 2]);
        else
            stn_paint_rect(h->paint, x - 1.0f, y + 6.0f, 2.0f, 6.0f, DIM);
    }
    snprintf(text, sizeof text, "%d, %d", (int)floorf(f->focus.x / 11.0f), (int)floorf(-f->focus.y / 11.0f));
    w = stn_paint_text_width(h->paint, text);
    stn_paint_text(h->paint, middle - w * 0.5f, y + stn_paint_line_height(h->paint), DIM, text);
}

/* --- texts in the scene --- */

struct heads {
    stn_hud *h;
    const stn_hud_frame *f;
    bool names;
};

/* How much of a name is seen from here, 0 to 1. */
static float name_share(const stn_hud_frame *f, stn_v3 at)
{
    float far = hypotf(at.x - f->focus.x, at.y - f->focus.y);

    return fmaxf(0.0f, fminf(1.0f, (NAME_FAR - far) / (NAME_FAR - NAME_NEAR)));
}

static float name_height(const stn_hud *h)
{
    return stn_paint_line_height(h->paint) + 1.0f;
}

static float speech_height(const stn_hud *h)
{
    return stn_paint_line_height(h->paint) + 8.0f;
}

static void gather_words(void *arg, const stn_stage_words *w)
{
    const struct heads *all = arg;
    stn_hud *h = all->h;
    const stn_hud_frame *f = all->f;
    stn_m4 one = stn_m4_identity();
    stn_v4 clip = stn_project_clip(&one, &f->view, &f->proj, w->at);
    float share = w->name && all->names ? name_share(f, w->at) : 0.0f;
    stn_caption c = {.depth = clip.z, .speech = w->speech};
    stn_v3 p;

    if (!(clip.w > 0.0f) || !(fabsf(clip.z) <= clip.w) || (!w->speech && !(share > 0.0f)))
        return;
    p = stn_project_view(clip, 0.0f, 0.0f, (float)f->width, (float)f->height);
    c.x = p.x;
    c.y = p.y;
    if (share > 0.0f) {
        c.name = w->name->text;
        c.colour = (group_colour(w->name) & 0xffffff00u) | (uint32_t)(share * 255.0f);
        c.w = stn_paint_text_width(h->paint, w->name->text) + 4.0f;
        c.h = name_height(h);
    }
    if (w->speech) {
        c.w = fmaxf(c.w, stn_paint_text_width(h->paint, w->speech) + 12.0f);
        c.h += speech_height(h);
    }
    if (c.x + 0.5f * c.w > 0.0f && c.x - 0.5f * c.w < (float)f->width && c.y > 0.0f &&
        c.y - c.h < (float)f->height)
        stn_captions_add(&h->captions, &c);
}

/* What is said stands over the name of who says it. */
static void draw_words(stn_hud *h, const stn_caption *c)
{
    float y = c->top, w;

    if (c->speech) {
        w = stn_paint_text_width(h->paint, c->speech);
        stn_paint_rect(h->paint, c->x - w * 0.5f - 6.0f, y, w + 12.0f, speech_height(h) - 2.0f, 0x14181c90);
        stn_paint_text(h->paint, c->x - w * 0.5f, y + 3.0f, INK, c->speech);
        y += speech_height(h);
    }
    if (c->name)
        stn_paint_text(h->paint, c->x - stn_paint_text_width(h->paint, c->name) * 0.5f, y, c->colour,
                       c->name);
}

static void words(stn_hud *h, const stn_hud_frame *f, const stn_hud_settings *s)
{
    struct heads all = {h, f, s->names};

    h->captions.count = 0;
    stn_stage_each_words(f->stage, gather_words, &all);
    stn_captions_place(&h->captions, LIFT_LINES * stn_paint_line_height(h->paint));
    for (unsigned i = h->captions.count; i-- > 0;) /* the nearest last, over the others */
        if (h->captions.at[i].shown)
            draw_words(h, &h->captions.at[i]);
}

/* --- panels --- */

static void help(stn_hud *h, const stn_hud_frame *f)
{
    static const char *const mouse[][2] = {
        {"left button", "walk there, or use what is there"}, {"right button", "what an object offers"},
        {"middle button", "drag: turn the camera"},          {"wheel", "nearer, farther"},
        {"Ctrl/Shift + wheel", "turn what is placed"},       {"Shift", "place it off the middles of tiles"}};
    float lh = stn_paint_line_height(h->paint) + 3.0f, rows = STN_ACTIONS + 8.0f;
    float column = 8.6f * stn_paint_line_height(h->paint), w = 28.0f * stn_paint_line_height(h->paint);
    float x = ((float)f->width - w) * 0.5f, y = fmaxf(((float)f->height - lh * rows) * 0.5f, 4.0f);

    stn_paint_rect(h->paint, x - 16.0f, y - 12.0f, w + 32.0f, lh * rows + 20.0f, PANEL);
    stn_paint_text(h->paint, x, y, INK, "Keys");
    y += lh * 1.3f;
    for (int i = 0; i < STN_ACTIONS; i++, y += lh) {
        char key[48];

        stn_paint_text(h->paint, x, y, WAIT, stn_binding_text(&f->bindings->of[i], key));
        stn_paint_text(h->paint, x + column, y, INK, stn_action_help((stn_action)i));
    }
    for (size_t i = 0; i < sizeof mouse / sizeof mouse[0]; i++, y += lh) {
        stn_paint_text(h->paint, x, y, DIM, mouse[i][0]);
        stn_paint_text(h->paint, x + column, y, DIM, mouse[i][1]);
    }
}

/* As many rows as there is room for, with the chosen one among them. */
static void settings(stn_hud *h, const stn_hud_frame *f, const stn_hud_settings *s)
{
    float lh = stn_paint_line_height(h->paint) + 5.0f, w = 17.0f * stn_paint_line_height(h->paint) + 120.0f,
          x, y;
    int room = (int)((float)f->height / lh) - 7, shown = room < STN_PANEL_ROWS ? room : STN_PANEL_ROWS;
    const char *hint = h->panel.waiting ? "Escape leaves it, Backspace takes it away"
                                        : "up and down choose, left and right change, Enter binds a key";

    shown = shown < 1 ? 1 : shown;
    w = fminf(fmaxf(w, stn_paint_text_width(h->paint, hint)), (float)f->width - 40.0f);
    if (h->panel.row < h->panel_first)
        h->panel_first = h->panel.row;
    if (h->panel.row >= h->panel_first + shown)
        h->panel_first = h->panel.row - shown + 1;
    if (h->panel_first > STN_PANEL_ROWS - shown)
        h->panel_first = STN_PANEL_ROWS - shown;
    h->panel_shown = shown;
    h->row_h = lh;
    h->panel_w = w + 32.0f;
    h->panel_h = lh * ((float)shown + 4.2f) + 16.0f;
    h->panel_x = floorf(((float)f->width - h->panel_w) * 0.5f);
    h->panel_y = floorf(fmaxf(((float)f->height - h->panel_h) * 0.5f, 4.0f));
    x = h->panel_x + 16.0f;
    y = h->panel_y + 12.0f;
    stn_paint_rect(h->paint, h->panel_x, h->panel_y, h->panel_w, h->panel_h, PANEL);
    stn_paint_text(h->paint, x, y, INK, "Settings");
    y += lh * 1.4f;
    for (int i = h->panel_first; i < h->panel_first + shown; i++, y += lh) {
        char name[STN_PANEL_TEXT], value[STN_PANEL_TEXT];

        stn_panel_text(&h->panel, s, f->bindings, i, name, value);
        if (i == h->panel.row)
            stn_paint_rect(h->paint, x - 8.0f, y - 2.0f, w + 16.0f, lh, 0xffffff22);
        stn_paint_text(h->paint, x, y, INK, name);
        stn_paint_text(h->paint, x + w - stn_paint_text_width(h->paint, value), y, WAIT, value);
    }
    if (shown < STN_PANEL_ROWS) { /* how much of the list this is */
        float all = lh * (float)shown, top = h->panel_y + 12.0f + lh * 1.4f;

        stn_paint_rect(h->paint, x + w + 10.0f, top, 3.0f, all, 0xffffff22);
        stn_paint_rect(h->paint, x + w + 10.0f, top + all * (float)h->panel_first / STN_PANEL_ROWS, 3.0f,
                       all * (float)shown / STN_PANEL_ROWS, 0xffffff90);
    }
    stn_paint_text(h->paint, x, y + lh * 0.4f, DIM, hint);
    stn_paint_text(h->paint, x, y + lh * 1.4f, DIM, f->driver);
}

int stn_hud_panel_at(const stn_hud *h, float x, float y)
{
    int row = (int)floorf((y - h->panel_y - 12.0f - h->row_h * 1.4f) / h->row_h);

    if (!h->panel.open || x < h->panel_x || y < h->panel_y || x >= h->panel_x + h->panel_w ||
        y >= h->panel_y + h->panel_h)
        return -2;
    return row >= 0 && row < h->panel_shown ? h->panel_first + row : -1;
}

static void middle_text(stn_hud *h, const stn_hud_frame *f, const char *text)
{
    float w = stn_paint_text_width(h->paint, text), lh = stn_paint_line_height(h->paint);
    float x = ((float)f->width - w) * 0.5f, y = (float)f->height * 0.42f;

    stn_paint_rect(h->paint, x - 18.0f, y - 10.0f, w + 36.0f, lh + 20.0f, PANEL);
    stn_paint_text(h->paint, x, y, INK, text);
}

static void progress(stn_hud *h, const stn_hud_frame *f)
{
    const stn_job_facts *w = &f->facts.world;
    float width = fminf(320.0f, (float)f->width * 0.5f), x = ((float)f->width - width) * 0.5f;
    float y = (float)f->height * 0.52f, part_done;
    char text[STN_JOB_TEXT];

    if (f->facts.frame == 0) {
        if (!w->world)
            snprintf(text, sizeof text, "waiting for world");
        else if (w->text[0])
            snprintf(text, sizeof text, "%s", w->text);
        else
            snprintf(text, sizeof text, "waiting for the server");
        middle_text(h, f, text);
    } else if (f->facts.frozen) {
        middle_text(h, f, "entering another place");
    } else if (w->world && w->session < 2 && w->text[0]) {
        middle_text(h, f, w->text);
    } else if (f->facts.cuts == 0) {
        middle_text(h, f, "loading the land");
    }
    if (w->cuts_wanted == 0 || w->cuts_ready >= w->cuts_wanted || w->cuts_wanted - w->cuts_ready < 6)
        return;
    part_done = (float)w->cuts_ready / (float)w->cuts_wanted;
    stn_paint_rect(h->paint, x - 2.0f, y - 2.0f, width + 4.0f, 10.0f, PANEL);
    stn_paint_rect(h->paint, x, y, width * part_done, 6.0f, GOOD);
}

static void menu(stn_hud *h)
{
    float lh = stn_paint_line_height(h->paint) + 6.0f, y = h->menu_y, w = 60.0f;
    char copy[STN_JOB_TEXT], *save = NULL;
    int n = 0;

    if (!h->menu[0])
        return;
    snprintf(copy, sizeof copy, "%s", h->menu);
    for (char *t = strtok_r(copy, "\n", &save); t; t = strtok_r(NULL, "\n", &save), n++)
        w = fmaxf(w, stn_paint_text_width(h->paint, t));
    stn_paint_rect(h->paint, h->menu_x, y, w + 20.0f, lh * (float)n + 6.0f, PANEL);
    snprintf(copy, sizeof copy, "%s", h->menu);
    for (char *t = strtok_r(copy, "\n", &save); t; t = strtok_r(NULL, "\n", &save), y += lh)
        stn_paint_text(h->paint, h->menu_x + 10.0f, y + 6.0f, INK, t);
}

int stn_hud_menu_at(const stn_hud *h, float x, float y)
{
    float lh = stn_paint_line_height(h->paint) + 6.0f;
    int n = 1, at;

    if (!h->menu[0])
        return -1;
    for (const char *p = h->menu; *p; p++)
        n += *p == '\n';
    at = (int)floorf((y - h->menu_y - 3.0f) / lh);
    return x >= h->menu_x && x < h->menu_x + 220.0f && at >= 0 && at < n ? at : -1;
}

static void chat(stn_hud *h, const stn_hud_frame *f, double dt)
{
    float lh = stn_paint_line_height(h->paint) + 2.0f, y = (float)f->height - 16.0f - lh * (CHAT_LINES + 1);

    for (int i = 0; i < CHAT_LINES; i++, y += lh) {
        if (h->chat[i].left <= 0.0)
            continue;
        h->chat[i].left -= dt;
        stn_paint_text(h->paint, 12.0f, y, INK, h->chat[i].text);
    }
    if (f->typing) {
        char text[300];

        snprintf(text, sizeof text, "> %s_", f->typing);
        stn_paint_rect(h->paint, 6.0f, y - 2.0f, 420.0f, lh + 4.0f, PANEL);
        stn_paint_text(h->paint, 12.0f, y, INK, text);
    }
}

void stn_hud_draw(stn_hud *h, const stn_hud_frame *f, const stn_hud_settings *s, double dt)
{
    float top = s->line ? stn_paint_line_height(h->paint) + 18.0f : 8.0f;

    h->clock += dt;
    stn_paint_begin(h->paint, f->width, f->height);
    words(h, f, s);
    if (s->line)
        line(h, f);
    if (f->facts.frame != 0) {
        compass(h, f, top);
        if (s->minimap)
            minimap(h, f);
    }
    chat(h, f, dt);
    progress(h, f);
    menu(h);
    if (h->note_left > 0.0) {
        float w = stn_paint_text_width(h->paint, h->note);

        h->note_left -= dt;
        stn_paint_rect(h->paint, ((float)f->width - w) * 0.5f - 12.0f, (float)f->height - 64.0f, w + 24.0f,
                       stn_paint_line_height(h->paint) + 12.0f, PANEL);
        stn_paint_text(h->paint, ((float)f->width - w) * 0.5f, (float)f->height - 58.0f, INK, h->note);
    }
    if (h->panel.open)
        settings(h, f, s);
    if (h->help)
        help(h, f);
    stn_paint_end(h->paint);
}
