/* panel.h - the settings panel as a value: its rows, and what keys do to them. Pure.
 *
 * Rows are settings, then one for each action with the key that does it. While the panel is open the arrows
 * choose and change, whatever they are bound to; Enter (or right) on an action's row asks for a key, and the
 * next one that is pressed, with the modifiers held, does that action from then on: Escape leaves it as it
 * was, Backspace takes the key away, and another action that had the key loses it. Left gives an action its
 * first key back.
 */
#ifndef STN_RENDERER_HUD_PANEL_H
#define STN_RENDERER_HUD_PANEL_H

#include "renderer/input/bindings.h"

#define STN_PANEL_SETTINGS 18
#define STN_PANEL_ROWS (STN_PANEL_SETTINGS + STN_ACTIONS)
#define STN_PANEL_TEXT 64

typedef struct stn_hud_settings {
    bool shadows, outlines, smooth, fog, sway, clouds, grid, overlays, names, minimap, line;
    int camera; /* 0 ortho, 1 follow, 2 bad, 3 rts, 4 worse */
    int fov; /* degrees across, of cameras with perspective: 53 = as the reference */
    int frame_cap; /* frames a second, 0 = none */
    int fog_distance; /* map units */
    int detail; /* percent by which sizes count when things far away get coarser; 0 = nothing does */
    int ui_percent; /* size of text */
    int place_steps; /* of a tile, for what is placed with Shift; 0 = none: anywhere */
} stn_hud_settings;

#define STN_HUD_FOV 53

extern const char *const stn_hud_cameras[5];

typedef enum stn_panel_change { STN_PANEL_NOTHING, STN_PANEL_SETTING, STN_PANEL_BINDING } stn_panel_change;

typedef struct stn_panel {
    bool open, waiting; /* waiting: for the key of the row's action */
    int row;
    uint64_t taken; /* seq of the snapshot whose key was meant for the panel: no action may follow it */
} stn_panel;

/* Name and value as they are shown; waiting rows say so. */
void stn_panel_text(const stn_panel *p, const stn_hud_settings *s, const stn_bindings *b, int row,
                    char name[STN_PANEL_TEXT], char value[STN_PANEL_TEXT]);
/* One step of a row, to either side (dx 1 or -1); out of range: nothing. */
stn_panel_change stn_panel_step(stn_panel *p, stn_hud_settings *s, stn_bindings *b, int row, int dx);
/* To be shown every snapshot with a key that went down, before any action is. */
stn_panel_change stn_panel_keys(stn_panel *p, stn_hud_settings *s, stn_bindings *b, const stn_two *states);

#endif
