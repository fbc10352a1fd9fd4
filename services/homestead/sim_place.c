/* What people put down on the land, and take away again. */
#include "sim_priv.h"

#include <math.h>

#define GUIDEPOST "homestead/things/guidepost"

uint16_t stn_sim_in_hand(const stn_sim *sim, uint32_t person)
{
    const stn_sim_obj *obj = sim_person(sim, person);

    return obj ? obj->fig->in_hand : 0;
}

void sim_take_in_hand(stn_sim *sim, stn_sim_obj *person)
{
    person->fig->in_hand = sim_resource(sim, GUIDEPOST, STN_PACK_VERSION);
}

void stn_sim_leave_off(stn_sim *sim, uint32_t person)
{
    stn_sim_obj *obj = sim_person(sim, person);

    if (obj)
        obj->fig->in_hand = 0;
}

static size_t index_of(const stn_sim *sim, uint32_t id)
{
    size_t i = 0;

    while (i < sim->n_placed && sim->placed[i].id != id)
        i++;
    return i;
}

bool sim_is_placed(const stn_sim *sim, const stn_sim_obj *obj)
{
    return index_of(sim, obj->id) < sim->n_placed;
}

void sim_take_away(stn_sim *sim, stn_sim_obj *thing)
{
    size_t i = index_of(sim, thing->id);

    if (i == sim->n_placed)
        return;
    sim->placed[i] = sim->placed[--sim->n_placed];
    sim_remove(sim, thing);
}

/* Why not; NULL: it may stand there. */
static const char *objection(const stn_sim *sim, const stn_sim_obj *person, double x, double y)
{
    size_t own = 0;
    double px, py;

    if (!isfinite(x) || !isfinite(y))
        return "That is nowhere.";
    sim_position(sim, person, &px, &py);
    if (hypot(x - px, y - py) > STN_SIM_PLACE_REACH)
        return "That is too far away.";
    if (!sim_can_be_at(sim, x, y, false))
        return "Nothing can stand there.";
    for (size_t i = 0; i < sim->n_placed; i++) {
        const stn_sim_obj *other = stn_sim_find(sim, sim->placed[i].id);

        own += sim->placed[i].owner == person->id;
        if (other && hypot(other->x - x, other->y - y) < STN_SIM_PLACE_APART)
            return "Something stands there.";
    }
    if (own >= STN_SIM_PLACED_EACH || sim->n_placed == STN_SIM_PLACED_MAX)
        return "There are enough of them.";
    return NULL;
}

/* A number that no object has; 0: none is left. */
static uint32_t free_number(stn_sim *sim)
{
    for (size_t i = 0; i <= STN_SIM_PLACED_MAX; i++) {
        uint32_t id = sim->next_placed;

        sim->next_placed = id + 1 < PLACED_END ? id + 1 : PLACED_FIRST;
        if (!stn_sim_find(sim, id))
            return id;
    }
    return 0;
}

const char *stn_sim_put_down(stn_sim *sim, uint32_t person, double x, double y, double angle)
{
    stn_sim_obj *obj = sim_person(sim, person), *thing;
    const char *why;
    uint32_t id;

    if (!obj || !obj->fig->in_hand)
        return "There is nothing to put down.";
    if ((why = objection(sim, obj, x, y)) != NULL)
        return why;
    id = free_number(sim);
    thing = id ? sim_add(sim, id, GUIDEPOST, STN_PACK_VERSION, x, y, isfinite(angle) ? angle : 0.0) : NULL;
    if (!thing)
        return "There is no room for it.";
    sim->placed[sim->n_placed].id = id;
    sim->placed[sim->n_placed++].owner = person;
    obj->fig->in_hand = 0;
    return NULL;
}
