/* ghost.h - where the thing that is being placed stands, by pointer, wheel and keys. Pure.
 *
 * It stands on the middle of the tile under the pointer; with Shift on a finer grid. Until the person turned
 * it once it looks at the player, by quarter turns. Map units and radians, y down: an angle grows as seen
 * from above with the clock. Source: docs/spec/rendering.md 18, docs/spec/session-protocol.md 9.7.
 */
#ifndef STN_RENDERER_INPUT_GHOST_H
#define STN_RENDERER_INPUT_GHOST_H

#include <stdbool.h>
#include <stdint.h>

#define STN_GHOST_STEPS 8 /* of a tile, with Shift, unless chosen otherwise */

typedef struct stn_ghost {
    uint32_t number; /* world's; 0 = nothing is being placed */
    bool pointed; /* the pointer was on the ground since it began */
    double at_x, at_y; /* there */
    double x, y, angle; /* where the thing stands */
    bool turned; /* by the person */
    double wheel; /* part of a step that is still to be done */
} stn_ghost;

typedef struct stn_ghost_input {
    unsigned modifiers; /* STN_MOD_* */
    double steps; /* of a tile with Shift; 0 = none: anywhere */
    bool has_player;
    double player_x, player_y;
} stn_ghost_input;

void stn_ghost_begin(stn_ghost *g, uint32_t number); /* 0: it is over */
/* The pointer is on the ground there. Not finite: no effect. */
void stn_ghost_point(stn_ghost *g, double x, double y);
/* Where it stands now. False: the pointer was not on the ground yet. */
bool stn_ghost_settle(stn_ghost *g, const stn_ghost_input *in);
/* By n steps of an eighth of a turn, to multiples of it (Ctrl), or of a twenty-fourth (Shift). False: with
 * neither, or nothing is being placed. */
bool stn_ghost_turn(stn_ghost *g, double n, unsigned modifiers);
/* As stn_ghost_turn(), by the wheel, whose steps may come in parts. */
bool stn_ghost_wheel(stn_ghost *g, double n, unsigned modifiers);

#endif
