/* placing.c - what the server wants a place for: it goes with the pointer, is turned, put down or left off.
 */
#include "renderer/renderer_impl.h"

#include "base/clock.h"

#include "proto/world.pb-c.h"

void renderer_ghost_begin(stn_renderer *r, uint32_t number)
{
    stn_ghost_begin(&r->ghost, number);
    r->ghost_due = number != 0;
    if (number)
        stn_hud_note(r->hud, "left button puts it down, right button leaves it; F1 tells how to turn it");
}

bool renderer_ghost_click(stn_renderer *r, unsigned modifiers, uint32_t button)
{
    const stn_ghost *g = &r->ghost;
    stn_net_act act = {.kind = STENNESS__ACT_KIND__ACT_PLACE,
                       .x = g->x,
                       .y = g->y,
                       .angle = g->angle,
                       .button = button,
                       .modifiers = modifiers,
                       .ghost = g->number};
    stn_stage_facts facts;

    if (!g->number)
        return false;
    if (button == 1 && !g->pointed)
        return true; /* nobody has seen yet where it would stand */
    stn_stage_get(r->stage, &facts);
    act.frame = facts.session;
    if (!stn_net_send_act(r->net, &act))
        stn_hud_note(r->hud, "not placed: too much at once");
    return true;
}

bool renderer_ghost_wheel(stn_renderer *r, const stn_input_state *in)
{
    /* Towards the person is the way of the clock. */
    return stn_ghost_wheel(&r->ghost, -(double)in->mouse.wheel, stn_input_modifiers(in));
}

/* The pointer's place is asked for when it moved, one question at a time, so that clicks find room. */
static void ask_ground(stn_renderer *r)
{
    double x, y;

    for (unsigned i = 0; i < r->click_count; i++)
        if (r->clicks[i].kind == STENNESS__ACT_KIND__ACT_NONE)
            return;
    if (!r->ghost_due || stn_picker_room(r->picker) < 2)
        return;
    r->ghost_due = false;
    renderer_pointer(r, &x, &y);
    if (stn_picker_ask_land(r->picker, &r->frame, (int)x, (int)y, r->width, r->height, stn_clock_ns()))
        r->clicks[r->click_count++] =
            (stn_net_act){.kind = STENNESS__ACT_KIND__ACT_NONE, .ghost = r->ghost.number};
}

void renderer_ghost_follow(stn_renderer *r)
{
    stn_stage_facts facts;
    stn_ghost_input in = {.steps = (double)r->settings.place_steps};

    if (!r->ghost.number)
        return;
    ask_ground(r);
    stn_stage_get(r->stage, &facts);
    in.modifiers = stn_input_modifiers(stn_logical_last(r->logical));
    in.has_player =
        facts.world.has_player && stn_stage_place(r->stage, facts.world.player, &in.player_x, &in.player_y);
    if (stn_ghost_settle(&r->ghost, &in))
        stn_stage_put_ghost(r->stage, r->ghost.x, r->ghost.y, r->ghost.angle);
}
