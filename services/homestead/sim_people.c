/* What people do: come, go, walk, speak, and deal with things and each other. */
#include "sim_priv.h"

#include <math.h>
#include <string.h>

#define PERSON "homestead/people/skeleton"
#define FIRE "homestead/things/campfire"
#define BOAT "homestead/things/rowboat"
#define MOUTH "homestead/things/cavemouth"
#define WELL "homestead/things/well"

static const char *const garments[SIM_GARMENTS] = {"homestead/people/body",     "homestead/people/hair",
                                                   "homestead/people/trousers", "homestead/people/boots",
                                                   "homestead/people/shirt",    "homestead/people/belt"};
static const char *const dyes[SIM_DYES] = {"homestead/people/dye-blue", "homestead/people/dye-green",
                                           "homestead/people/dye-ochre", "homestead/people/dye-undyed"};

/* As much of the text as has room, and no part of a character. */
static void cut_text(char *out, size_t max, const char *text)
{
    size_t len = strlen(text);

    if (len > max) {
        len = max;
        while (len && ((uint8_t)text[len] & 0xc0) == 0x80)
            len--;
    }
    memcpy(out, text, len);
    out[len] = 0;
}

uint32_t stn_sim_join(stn_sim *sim, const char *name)
{
    double x, y, angle, turn;
    uint32_t id = sim->next_person;
    stn_sim_obj *obj;

    stn_land_spawn(sim->land, &x, &y, &angle);
    /* The first stands at the spawn itself, the others about it. */
    turn = 2.4 * (double)sim->stats.people;
    x += 14.0 * cos(turn) * (sim->stats.people ? sqrt((double)sim->stats.people) : 0.0);
    y += 14.0 * sin(turn) * (sim->stats.people ? sqrt((double)sim->stats.people) : 0.0);
    obj = sim_add(sim, id, PERSON, STN_PACK_VERSION, x, y, angle);
    if (!obj)
        return 0;
    if (!sim_make_figure(sim, obj, 0.0, STN_SIM_WALK, false)) {
        sim_remove(sim, obj);
        return 0;
    }
    obj->fig->person = true;
    cut_text(obj->fig->name, STN_SIM_NAME_MAX, name);
    obj->fig->pose_idle = sim_resource(sim, "homestead/people/idle", STN_PACK_VERSION);
    obj->fig->pose_run = sim_resource(sim, "homestead/people/run", STN_PACK_VERSION);
    for (unsigned i = 0; i < SIM_GARMENTS; i++)
        sim->garments[i] = sim_resource(sim, garments[i], STN_PACK_VERSION);
    for (unsigned i = 0; i < SIM_DYES; i++)
        sim->dyes[i] = sim_resource(sim, dyes[i], STN_PACK_VERSION);
    sim->next_person = id + 1 < SCATTER_FIRST ? id + 1 : PERSON_FIRST;
    sim->stats.people++;
    if (sim->set.one_party)
        sim_party_join_all(sim, obj);
    return id;
}

stn_sim_obj *sim_person(const stn_sim *sim, uint32_t id)
{
    stn_sim_obj *obj = stn_sim_find(sim, id);

    return obj && obj->fig && obj->fig->person ? obj : NULL;
}

void stn_sim_leave(stn_sim *sim, uint32_t id)
{
    stn_sim_obj *obj = sim_person(sim, id);

    if (!obj)
        return;
    sim_party_leave(sim, obj);
    sim_remove(sim, obj);
    sim->stats.people--;
}

/* Does it at once when it is within reach, else on arrival. */
static void go_and_do(stn_sim *sim, stn_sim_obj *obj, stn_sim_obj *thing, stn_sim_deed deed)
{
    double from_x, from_y, x = thing->now_x, y = thing->now_y, far;

    sim_position(sim, obj, &from_x, &from_y);
    far = hypot(x - from_x, y - from_y);
    if (far < 30.0) {
        sim_stop(sim, obj);
        sim_do(sim, obj, thing, deed);
        return;
    }
    /* Stops an arm's length before it. */
    x -= (x - from_x) / far * 20.0;
    y -= (y - from_y) / far * 20.0;
    sim_reach(sim, from_x, from_y, &x, &y, false);
    sim_begin_walk(sim, obj, x, y, STN_SIM_WALK);
    obj->fig->use = thing->id;
    obj->fig->deed = deed;
}

void stn_sim_walk(stn_sim *sim, uint32_t id, double x, double y, uint32_t use)
{
    stn_sim_obj *obj = sim_person(sim, id), *thing;
    double from_x, from_y;

    if (!obj || !isfinite(x) || !isfinite(y))
        return;
    thing = use ? stn_sim_find(sim, use) : NULL;
    obj->fig->use = 0;
    if (thing && thing->usable) {
        go_and_do(sim, obj, thing, STN_DEED_USE);
        return;
    }
    sim_position(sim, obj, &from_x, &from_y);
    sim_reach(sim, from_x, from_y, &x, &y, false);
    sim_begin_walk(sim, obj, x, y, STN_SIM_WALK);
}

/* ---- what can be done with things */

static bool named(const stn_sim *sim, const stn_sim_obj *obj, const char *name)
{
    return obj->res && !strcmp(sim->res[obj->res - 1].name, name);
}

static void offer(stn_sim_offer *out, size_t *n, stn_sim_deed deed, const char *text)
{
    out[(*n)++] = (stn_sim_offer){deed, text};
}

size_t stn_sim_offers(const stn_sim *sim, uint32_t id, uint32_t thing_id, stn_sim_offer out[STN_SIM_OFFERS])
{
    const stn_sim_obj *obj = sim_person(sim, id), *thing = stn_sim_find(sim, thing_id);
    double x, y;
    size_t n = 0;

    if (!obj || !thing)
        return 0;
    if (thing->usable && named(sim, thing, FIRE))
        offer(out, &n, STN_DEED_USE, thing->sdt_len ? "Light" : "Put out");
    else if (thing->usable)
        offer(out, &n, STN_DEED_USE, thing->sdt_len ? "Close" : "Open");
    if (sim_bears(thing) && thing->sdt[1] >= STN_SIM_RIPE)
        offer(out, &n, STN_DEED_HARVEST, "Harvest");
    if (thing == obj && obj->fig->party)
        offer(out, &n, STN_DEED_LEAVE, "Leave the party");
    if (thing != obj && thing->fig && thing->fig->person &&
        (!thing->fig->party || thing->fig->party != obj->fig->party))
        offer(out, &n, STN_DEED_JOIN, "Go along");
    if (sim->set.travel && named(sim, thing, BOAT))
        offer(out, &n, STN_DEED_TRAVEL, "Row away");
    if (named(sim, thing, MOUTH) && stn_land_passage(sim->land, thing->x, thing->y, &x, &y))
        offer(out, &n, STN_DEED_PASS, "Crawl in");
    if (named(sim, thing, WELL))
        offer(out, &n, STN_DEED_PLACE, "Set up a guidepost");
    if (sim_is_placed(sim, thing))
        offer(out, &n, STN_DEED_TAKE, "Take away");
    return n;
}

void stn_sim_do(stn_sim *sim, uint32_t id, uint32_t thing_id, stn_sim_deed deed)
{
    stn_sim_obj *obj = sim_person(sim, id), *thing = stn_sim_find(sim, thing_id);
    stn_sim_offer offers[STN_SIM_OFFERS];
    size_t n = stn_sim_offers(sim, id, thing_id, offers);

    for (size_t i = 0; i < n; i++)
        if (offers[i].deed == deed)
            go_and_do(sim, obj, thing, deed);
}

/* Closed and burning are no byte at all: then the layers from 16 on are shown, the closed leaf and the flames
 * among them (docs/spec/sprites.md 4); a byte 00 would show neither. The other state is the byte 01. */
static void use(stn_sim *sim, stn_sim_obj *thing)
{
    thing->sdt_len = thing->sdt_len ? 0 : 1;
    thing->sdt[0] = thing->sdt_len;
    thing->lit = (uint8_t)(thing->lit + (thing->burns && !thing->sdt_len));
    sim_touch(thing, G_DRAW);
    sim_keep(sim, thing);
}

static void harvest(stn_sim *sim, stn_sim_obj *thing)
{
    thing->sdt[1] = STN_SIM_BARE;
    thing->grows = true;
    sim_touch(thing, G_DRAW);
    sim_keep(sim, thing);
}

static void pass(stn_sim *sim, stn_sim_obj *obj, const stn_sim_obj *mouth)
{
    double x, y;

    if (!named(sim, mouth, MOUTH) || !stn_land_passage(sim->land, mouth->x, mouth->y, &x, &y))
        return;
    sim_stop(sim, obj);
    sim_put_at(sim, obj, x, y);
}

void sim_do(stn_sim *sim, stn_sim_obj *obj, stn_sim_obj *thing, stn_sim_deed deed)
{
    switch (deed) {
    case STN_DEED_USE:
        if (thing->usable)
            use(sim, thing);
        break;
    case STN_DEED_HARVEST:
        if (sim_bears(thing))
            harvest(sim, thing);
        break;
    case STN_DEED_JOIN:
        sim_party_join(sim, obj, thing);
        break;
    case STN_DEED_LEAVE:
        sim_party_leave(sim, obj);
        break;
    case STN_DEED_TRAVEL:
        obj->fig->travels = true;
        break;
    case STN_DEED_PASS:
        pass(sim, obj, thing);
        break;
    case STN_DEED_PLACE:
        sim_take_in_hand(sim, obj);
        break;
    case STN_DEED_TAKE:
        sim_take_away(sim, thing);
        break;
    }
}

bool stn_sim_takes_leave(stn_sim *sim, uint32_t id)
{
    stn_sim_obj *obj = sim_person(sim, id);
    bool travels = obj && obj->fig->travels;

    if (travels)
        obj->fig->travels = false;
    return travels;
}

void stn_sim_say(stn_sim *sim, uint32_t id, const char *text)
{
    stn_sim_obj *obj = sim_person(sim, id);

    if (!obj)
        return;
    cut_text(obj->fig->say, STN_SIM_SAY_MAX, text);
    obj->fig->quiet_at = sim->now + 5.0 + 0.05 * (double)strlen(obj->fig->say);
    sim_touch(obj, G_SPEECH);
}
