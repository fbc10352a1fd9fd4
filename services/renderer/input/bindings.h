/* bindings.h - which key does what: defaults, and changes from the configuration.
 *
 * A binding is a key with modifiers, "Ctrl+F1". Changes come as "help=F2,shot=Ctrl+P"; what is not named
 * keeps its default, "none" unbinds. A key can also be named by its scancode, "key-54": those whose own name
 * would not be read back from a list are written so.
 */
#ifndef STN_RENDERER_INPUT_BINDINGS_H
#define STN_RENDERER_INPUT_BINDINGS_H

#include "base/err.h"
#include "renderer/input/logical.h"

typedef enum stn_action {
    STN_ACTION_CAMERA_LEFT,
    STN_ACTION_CAMERA_RIGHT,
    STN_ACTION_CAMERA_IN,
    STN_ACTION_CAMERA_OUT,
    STN_ACTION_CAMERA_RESET,
    STN_ACTION_CAMERA_NEXT,
    STN_ACTION_HELP,
    STN_ACTION_SETTINGS,
    STN_ACTION_MINIMAP,
    STN_ACTION_LINE,
    STN_ACTION_SHOT,
    STN_ACTION_FULLSCREEN,
    STN_ACTION_GRID,
    STN_ACTION_PLACE_LEFT,
    STN_ACTION_PLACE_RIGHT,
    STN_ACTION_PLACE_LEFT_FINE,
    STN_ACTION_PLACE_RIGHT_FINE,
    STN_ACTION_CHAT,
    STN_ACTION_CANCEL,
    STN_ACTION_QUIT,
    STN_ACTIONS
} stn_action;

enum { STN_MOD_SHIFT = 1, STN_MOD_CTRL = 2, STN_MOD_ALT = 4 };

typedef struct stn_binding {
    uint16_t key; /* scancode, 0 = unbound */
    uint8_t modifiers;
} stn_binding;

typedef struct stn_bindings {
    stn_binding of[STN_ACTIONS];
} stn_bindings;

void stn_bindings_default(stn_bindings *b);
/* STN_USAGE names the action or the key that is not known; what stands before it is applied. */
stn_status stn_bindings_change(stn_bindings *b, const char *text, stn_err *err);
const char *stn_action_name(stn_action a); /* "camera-left": as in the configuration */
const char *stn_action_help(stn_action a); /* for people */
/* Gives the action the key; another action that had it has none then. */
void stn_bindings_bind(stn_bindings *b, stn_action a, stn_binding key);
/* What differs from the defaults, as stn_bindings_change() reads it; false: it does not fit. */
bool stn_bindings_text(const stn_bindings *b, char *out, size_t cap);
/* "Ctrl+F1", "" when unbound. */
const char *stn_binding_text(const stn_binding *b, char out[48]);
/* A condition of the logical layer: pressed with exactly these modifiers. Negative: unbound or no room. */
int stn_binding_condition(const stn_binding *b, stn_logical *l);
unsigned stn_input_modifiers(const stn_input_state *in);

#endif
