/* hud.h - what is written over the picture: the line of health and progress, minimap, compass, names and
 * speech over heads, panels.
 *
 * Panels: help (all keys), settings (panel.h), an object's menu.
 */
#ifndef STN_RENDERER_HUD_HUD_H
#define STN_RENDERER_HUD_HUD_H

#include "renderer/gl/stage.h"
#include "renderer/hud/paint.h"
#include "renderer/hud/panel.h"

typedef struct stn_hud_frame {
    int width, height;
    double frame_ms, fps, worst_ms;
    stn_stage_facts facts;
    const stn_stage *stage;
    stn_m4 view, proj;
    float angle; /* of the camera */
    stn_v3 focus;
    const stn_bindings *bindings;
    const char *driver, *preset;
    unsigned draws, triangles, saved; /* of the last picture with its shadows; left out by levels of detail */
    unsigned programs_failed; /* shaders that the driver refuses */
    double pointer_x, pointer_y; /* pixels */
    const char *typing; /* chat line being written, NULL = none */
} stn_hud_frame;

typedef struct stn_hud stn_hud;

stn_hud *stn_hud_new(stn_paint *paint, stn_textures *textures); /* NULL: out of memory */
void stn_hud_free(stn_hud *h);
void stn_hud_toggle_help(stn_hud *h);
/* Borrowed: the panel of settings, whose rows this draws. */
stn_panel *stn_hud_panel(stn_hud *h);
/* The row of the open panel under the pixel; -1 = none of them, -2 = not in the panel. */
int stn_hud_panel_at(const stn_hud *h, float x, float y);
/* A line that is shown for some seconds. */
void stn_hud_note(stn_hud *h, const char *text);
void stn_hud_chat(stn_hud *h, const char *from, const char *text);
/* An object's menu; options are separated by '\n', number 0 closes it. */
void stn_hud_menu(stn_hud *h, uint32_t number, const char *options, float x, float y);
uint32_t stn_hud_menu_open(const stn_hud *h); /* its number, 0 = none is open */
/* The option of the open menu under the pixel, -1 = none. */
int stn_hud_menu_at(const stn_hud *h, float x, float y);
void stn_hud_draw(stn_hud *h, const stn_hud_frame *f, const stn_hud_settings *s, double dt);

#endif
