/* sim.h - what happens on homestead's land: people, beasts, doors, growth, time of day.
 *
 * Pure: time comes in with each tick, chance from a seed; the same seed, ticks and calls give the same world.
 * Nothing here knows of clients; the server asks what is near a point and what changed of an object.
 *
 * Changes  Every object has a frame number that only grows and, for each group of attributes, the frame of
 *          its last change. A receiver that has acknowledged frame f lacks exactly the groups changed after
 *          f, so lost and repeated datagrams need no memory of what was sent.
 *
 * Land     Objects of the land come to life when a person is near their grid and rest when nobody has been
 *          near for STN_SIM_REST_S; doors stay as they were left.
 *
 * Figures  People are composites of homestead/people/skeleton with garments and the poses idle and run;
 * beasts are sprites whose state bytes are none when they stand, 01 when they walk, 02 when they run.
 *
 * Parties  People who go along with each other form a party; who has been in it longest leads.
 *
 * Names    Each person has the name it came with; its group tells the party (0: none, else 1 to 7 in turn).
 *
 * Placing  At the well a person can take a guidepost in hand and put it down within STN_SIM_PLACE_REACH, on
 * dry ground where nothing of the kind stands; anyone can take it away again.
 *
 * Limits   STN_SIM_MAX_OBJECTS objects, STN_SIM_PARTY_MAX people in a party, STN_SIM_MAX_RESOURCES resources,
 * STN_SIM_SAY_MAX bytes of speech.
 *
 * Source   docs/spec/object-cache.md A3 (attribute payloads), A4 (motion), docs/spec/session-protocol.md 9,
 * 13
 */
#ifndef STN_HOMESTEAD_SIM_H
#define STN_HOMESTEAD_SIM_H

#include "base/buf.h"
#include "base/err.h"
#include "homestead/land.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STN_SIM_TICK_S 0.05
#define STN_SIM_REST_S 60.0
#define STN_SIM_MAX_OBJECTS 400000
#define STN_SIM_MAX_RESOURCES 4096
#define STN_SIM_SAY_MAX 200
#define STN_SIM_NAME_MAX 63 /* bytes */
#define STN_SIM_UNIT (11.0 / 1024.0) /* map units of one position unit on the wire */
#define STN_SIM_PARTY_MAX 64
#define STN_SIM_PLACED_MAX 1024 /* things that people put down, all together … */
#define STN_SIM_PLACED_EACH 16 /* … and each */
#define STN_SIM_PLACE_REACH 88.0 /* map units from who puts it down */
#define STN_SIM_PLACE_APART 4.0 /* between two */
#define STN_SIM_RIPE 60 /* hundredths of its size from which on a plant can be harvested … */
#define STN_SIM_BARE 40 /* … and what is left of it */
#define STN_SIM_WALK 34.0 /* map units a second, about three tiles: what the running cycle is made for */

typedef struct stn_sim stn_sim;
typedef struct stn_sim_obj stn_sim_obj;

typedef struct stn_sim_settings {
    const stn_land *land; /* borrowed; lives longer */
    uint64_t seed;
    uint32_t objects; /* still things scattered about the spawn besides the land's own */
    uint32_t movers; /* beasts roaming there besides the land's own: linear, homing and following */
    double scatter; /* radius of that, map units; 0 = by their number */
    double step_rate; /* how often a second a moving object's place is told; 0 = 4 */
    double hour; /* time of day at the start, 0..24; negative = 10.5 */
    double day_speed; /* game seconds a second; 0 = 3 */
    double year; /* time of year at the start, 0..1 from the first day of spring; 0 = 5/12, in summer */
    bool one_party; /* all people are of one party as they come */
    bool clouds; /* part of the weather: their shadows go over the land */
    bool travel; /* boats take people away: stn_sim_takes_leave() is asked */
} stn_sim_settings;

typedef struct stn_sim_stats {
    size_t objects, moving, people, grids_awake, resources;
    uint64_t legs; /* walks begun */
    uint64_t refused; /* objects that were over a limit */
} stn_sim_stats;

stn_status stn_sim_new(const stn_sim_settings *settings, stn_sim **out, stn_err *err);
void stn_sim_free(stn_sim *sim);
/* Advances to `now` (seconds from the start, never backwards). Call about every STN_SIM_TICK_S. */
void stn_sim_tick(stn_sim *sim, double now);
void stn_sim_get_stats(const stn_sim *sim, stn_sim_stats *out);

/* ---- people */

/* A person enters at the spawn; 0 when there is no room. The number is its object id. A name that is longer
 * than STN_SIM_NAME_MAX is cut between characters. */
uint32_t stn_sim_join(stn_sim *sim, const char *name);
void stn_sim_leave(stn_sim *sim, uint32_t person);
/* Walks in a straight line towards x, y (map units), to the last place that can be walked on. With `use` the
 * object of that number is used on arrival (a door opens or closes), or at once when it is within reach. */
void stn_sim_walk(stn_sim *sim, uint32_t person, double x, double y, uint32_t use);

/* What a person can do with a thing, or with another person, or itself. */
typedef enum stn_sim_deed {
    STN_DEED_USE, /* opens or closes it; lights a fire or puts it out */
    STN_DEED_HARVEST, /* of a plant; it grows again */
    STN_DEED_JOIN, /* its party */
    STN_DEED_LEAVE, /* one's own party */
    STN_DEED_TRAVEL, /* away, by the boat */
    STN_DEED_PASS, /* through the mouth of a cave */
    STN_DEED_PLACE, /* takes in hand what it then puts down somewhere */
    STN_DEED_TAKE, /* takes away what somebody put down */
} stn_sim_deed;
#define STN_SIM_OFFERS 4
typedef struct stn_sim_offer {
    stn_sim_deed deed;
    const char *text; /* static */
} stn_sim_offer;
size_t stn_sim_offers(const stn_sim *sim, uint32_t person, uint32_t thing, stn_sim_offer out[STN_SIM_OFFERS]);
/* Walks there and does it, if it is still offered. */
void stn_sim_do(stn_sim *sim, uint32_t person, uint32_t thing, stn_sim_deed deed);
/* True once after the person got into the boat. */
bool stn_sim_takes_leave(stn_sim *sim, uint32_t person);

/* ---- what people put down */

/* The resource number of what the person has in hand for placing, 0 = nothing. */
uint16_t stn_sim_in_hand(const stn_sim *sim, uint32_t person);
/* Puts it down there, with its front turned to `angle` (radians). NULL: done, and its hand is empty; else why
 * not (static, for people), and it is still in hand. A thing stays as long as the simulation does, until it
 * is taken away. */
const char *stn_sim_put_down(stn_sim *sim, uint32_t person, double x, double y, double angle);
void stn_sim_leave_off(stn_sim *sim, uint32_t person);

typedef struct stn_sim_party {
    uint32_t number; /* from 1 */
    uint32_t changes; /* grows when somebody comes or goes */
    uint32_t n, ids[STN_SIM_PARTY_MAX]; /* the first one leads */
} stn_sim_party;
/* NULL: it goes alone. Borrowed until the next call that is not const. */
const stn_sim_party *stn_sim_party_of(const stn_sim *sim, uint32_t person);

/* A line of speech over its head for some seconds; cut at STN_SIM_SAY_MAX bytes. */
void stn_sim_say(stn_sim *sim, uint32_t person, const char *text);
/* Where it is now; false when there is no such object. */
bool stn_sim_place(const stn_sim *sim, uint32_t id, double *x, double *y);

/* ---- what is there */

/* Asks for the land within r of a point to be awake, and keeps it so; it wakes with the next ticks, the
 * nearest first. The server calls this for each viewer before it looks. */
void stn_sim_wake(stn_sim *sim, double x, double y, double r);
/* Calls `see` for every object within r. No change to the simulation meanwhile. */
typedef void (*stn_sim_see)(void *user, stn_sim_obj *obj, double dist2);
void stn_sim_look(const stn_sim *sim, double x, double y, double r, stn_sim_see see, void *user);
stn_sim_obj *stn_sim_find(const stn_sim *sim, uint32_t id); /* NULL when it is gone */

uint32_t stn_sim_id(const stn_sim_obj *obj);
/* Frame of the newest change to any attribute. Tells the place of a moving object when that is due, which is
 * a change. */
int32_t stn_sim_latest(stn_sim *sim, stn_sim_obj *obj);
/* The newest frame number; never below stn_sim_latest(). */
int32_t stn_sim_frame(const stn_sim_obj *obj);
/* Makes a new frame number above `above` without a change: for a viewer that gains or loses sight of the
 * object. */
int32_t stn_sim_bump(stn_sim_obj *obj, int32_t above);
/* Appends the attributes of the groups that changed after `since` (INT32_MIN: everything), in the container's
 * form, without head and end. names: with the names of people, for those who can read them. Resource numbers
 * used are marked in `used` (bitmap, may be NULL). */
#define STN_SIM_USED_BYTES (STN_SIM_MAX_RESOURCES / 8)
void stn_sim_write(const stn_sim *sim, const stn_sim_obj *obj, int32_t since, bool names, stn_buf *out,
                   uint8_t *used);

/* ---- resources and the whole world's state */

/* Session resource numbers are the same for all: 1 .. stn_sim_resources(). */
size_t stn_sim_resources(const stn_sim *sim);
bool stn_sim_resource(const stn_sim *sim, uint16_t id, const char **name, uint16_t *version);
/* The number of a tileset of the land. */
uint16_t stn_sim_tileset(const stn_sim *sim, uint16_t tile);
/* The mark of what belongs to somebody: it is announced before the map. */
uint16_t stn_sim_claim(const stn_sim *sim);
/* A GLOBLOB payload: time, light, astronomy. */
/* The resource of the clouds, 0 = none: it is announced before the first of these. */
uint16_t stn_sim_clouds(const stn_sim *sim);
void stn_sim_globlob(const stn_sim *sim, bool absolute, stn_buf *out);

#endif
