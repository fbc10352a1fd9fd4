/* sim_priv.h - inside of the simulation, shared by sim*.c alone. */
#ifndef STN_HOMESTEAD_SIM_PRIV_H
#define STN_HOMESTEAD_SIM_PRIV_H

#include "base/table.h"
#include "homestead/sim.h"

#define SIM_GARMENTS 6 /* models of a person, each with its own material */
#define PERSON_FIRST 0x01000000u /* object ids of people */
#define SCATTER_FIRST 0x02000000u /* of what is scattered */
#define PLACED_FIRST 0x03000000u /* of what people put down */
#define PLACED_END 0x04000000u
#define SIM_SHIRT 4 /* the one that is dyed */
#define SIM_DYES 4

/* Groups of attributes that change together. */
enum {
    G_PLACE, /* MOVE */
    G_DRAW, /* RES, or COMPOSE with models */
    G_POSE,
    G_MATERIALS,
    G_MOTION, /* LINBEG, HOMING, FOLLOW or their end */
    G_STEP, /* LINSTEP */
    G_SPEECH,
    G_NAME,
    G_COUNT
};

typedef enum motion { MOVE_NONE, MOVE_LINEAR, MOVE_HOMING, MOVE_FOLLOW } motion;

typedef struct cell {
    stn_sim_obj **objs;
    uint32_t n, cap;
} cell;

/* What a figure has besides: things that never walk do without. */
typedef struct figure {
    double home_x, home_y, roam, speed;
    bool swims, person;
    uint16_t pose_idle, pose_run; /* a person's, resource numbers */
    uint8_t pose_seq;
    motion motion;
    uint8_t ended; /* bit per motion kind that was in use and whose end must be told */
    double start_x, start_y, vx, vy, began, lasts; /* linear */
    double step_at; /* time of the last told place */
    uint32_t target; /* homing, following */
    double homing_v, until;
    double next; /* when it next decides */
    uint64_t chance;
    uint32_t use; /* object to deal with on arrival */
    stn_sim_deed deed; /* how */
    uint32_t party; /* its number, 0 = none */
    char name[STN_SIM_NAME_MAX + 1];
    bool travels; /* stands in the boat */
    uint16_t in_hand; /* resource number of what it wants to place, 0 = nothing */
    double quiet_at; /* when speech ends; 0 = silent */
    char say[STN_SIM_SAY_MAX + 1];
} figure;

struct stn_sim_obj {
    uint32_t id;
    uint16_t res;
    uint8_t sdt_len, sdt[STN_LAND_MAX_SDT];
    uint8_t n_materials;
    bool usable; /* bit 0 of the first state byte opens and closes it */
    bool bears, grows; /* what bears is a plant that can be harvested; the second state byte is its size */
    bool burns; /* it smokes while it is not out */
    uint8_t lit; /* how often it was lit: each time its smoke is another overlay */
    struct {
        uint16_t res;
        int8_t id;
    } materials[STN_LAND_MAX_MATERIALS];
    double x, y, angle; /* the server's last word (rc) */
    double now_x, now_y; /* where it is now, for looking */
    int32_t frame, latest, changed[G_COUNT];
    cell *cell;
    uint32_t slot; /* in the cell */
    uint32_t mover; /* place in the list of figures, plus one */
    figure *fig;
    uint64_t grid; /* key of the land grid that it belongs to; NO_GRID = none */
};

#define NO_GRID UINT64_MAX

typedef struct awake {
    int32_t gx, gy;
    double seen; /* when somebody was last near */
    stn_sim_obj **objs;
    size_t n;
} awake;

/* A grid that somebody is near to and that still rests. */
#define SIM_WANTED 64
typedef struct wanted {
    int32_t gx, gy;
    double dist2;
} wanted;

typedef struct resource {
    char name[96];
    uint16_t version;
} resource;

/* A door or a plant that is not as the land made it, kept while its grid rests. */
#define MAX_MARKS 4096
typedef struct mark {
    uint32_t id;
    uint8_t sdt_len, sdt[STN_LAND_MAX_SDT];
    double at;
} mark;

struct stn_sim {
    const stn_land *land;
    stn_sim_settings set;
    double now;
    double next_grow;
    stn_table *objects; /* id -> obj */
    stn_table *cells; /* packed cell -> cell */
    stn_table *grids; /* packed grid -> awake */
    wanted wanted[SIM_WANTED];
    unsigned n_wanted;
    stn_table *marks; /* id -> mark */
    stn_table *parties; /* number -> stn_sim_party */
    uint32_t party_numbers;
    stn_sim_obj **movers; /* every figure */
    size_t n_movers, cap_movers;
    resource *res;
    size_t n_res;
    stn_names *res_of; /* name -> number */
    uint16_t vmat, smoke, clouds, names, claim;
    uint16_t garments[SIM_GARMENTS], dyes[SIM_DYES]; /* resource numbers */
    uint16_t tileset_of[256];
    bool wet[256], closed[256]; /* by tile id; closed: nobody can be there */
    uint32_t next_person;
    struct {
        uint32_t id, owner;
    } placed[STN_SIM_PLACED_MAX];
    size_t n_placed;
    uint32_t next_placed; /* object id */
    stn_land_object *scratch; /* STN_LAND_MAX_OBJECTS */
    stn_sim_stats stats;
};

/* sim.c */
void sim_touch(stn_sim_obj *obj, unsigned group);
void sim_relocate(stn_sim *sim, stn_sim_obj *obj, double x, double y);
stn_sim_obj *sim_add(stn_sim *sim, uint32_t id, const char *res, uint16_t version, double x, double y,
                     double angle);
bool sim_make_figure(stn_sim *sim, stn_sim_obj *obj, double roam, double speed, bool swims);

uint16_t sim_resource(stn_sim *sim, const char *name, uint16_t version);
void sim_remove(stn_sim *sim, stn_sim_obj *obj);
/* Remembers the state of a thing for when its grid wakes again. */
void sim_keep(stn_sim *sim, const stn_sim_obj *obj);
static inline bool sim_bears(const stn_sim_obj *obj)
{
    return obj->bears && obj->sdt_len >= 2;
}

/* sim_people.c */
stn_sim_obj *sim_person(const stn_sim *sim, uint32_t id); /* NULL: no such person */
void sim_do(stn_sim *sim, stn_sim_obj *person, stn_sim_obj *thing, stn_sim_deed deed);

/* sim_place.c */
bool sim_is_placed(const stn_sim *sim, const stn_sim_obj *obj);
void sim_take_away(stn_sim *sim, stn_sim_obj *thing);
void sim_take_in_hand(stn_sim *sim, stn_sim_obj *person);

/* sim_party.c */
void sim_party_join(stn_sim *sim, stn_sim_obj *person, stn_sim_obj *other);
void sim_party_join_all(stn_sim *sim, stn_sim_obj *person); /* the party of whoever is there */
void sim_party_leave(stn_sim *sim, stn_sim_obj *person);
void sim_party_fini(stn_sim *sim);

/* sim_move.c */
void sim_move_all(stn_sim *sim);
void sim_begin_walk(stn_sim *sim, stn_sim_obj *obj, double x, double y, double speed);
void sim_stop(stn_sim *sim, stn_sim_obj *obj);
void sim_put_at(stn_sim *sim, stn_sim_obj *obj, double x, double y);
/* Where a figure is at the simulation's time. */
void sim_position(const stn_sim *sim, const stn_sim_obj *obj, double *x, double *y);
bool sim_can_be_at(const stn_sim *sim, double x, double y, bool swims);
/* The last place on the straight way that can be gone to. */
void sim_reach(const stn_sim *sim, double x, double y, double *to_x, double *to_y, bool swims);
uint64_t sim_chance(uint64_t *state);
double sim_chance01(uint64_t *state);

#endif
