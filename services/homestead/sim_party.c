/* Who goes with whom. A party has two people at least; when one is left it is over. */
#include "sim_priv.h"

#include <stdlib.h>
#include <string.h>

static stn_sim_party *party_of(const stn_sim *sim, const stn_sim_obj *obj)
{
    return obj->fig->party ? stn_table_get(sim->parties, obj->fig->party) : NULL;
}

const stn_sim_party *stn_sim_party_of(const stn_sim *sim, uint32_t person)
{
    const stn_sim_obj *obj = sim_person(sim, person);

    return obj ? party_of(sim, obj) : NULL;
}

static stn_sim_party *new_party(stn_sim *sim)
{
    stn_sim_party *p = calloc(1, sizeof *p);

    if (p && !stn_table_put(sim->parties, ++sim->party_numbers, p, NULL)) {
        free(p);
        p = NULL;
    }
    if (p)
        p->number = sim->party_numbers;
    return p;
}

/* The group of its name tells it to all. */
static void set_party(stn_sim_obj *obj, uint32_t number)
{
    obj->fig->party = number;
    sim_touch(obj, G_NAME);
}

static void add(stn_sim_party *p, stn_sim_obj *obj)
{
    if (p->n == STN_SIM_PARTY_MAX)
        return; /* it goes on alone */
    set_party(obj, p->number);
    p->ids[p->n++] = obj->id;
    p->changes++;
}

void sim_party_leave(stn_sim *sim, stn_sim_obj *obj)
{
    stn_sim_party *p = party_of(sim, obj);
    uint32_t n = 0;

    if (!p)
        return;
    set_party(obj, 0);
    for (uint32_t i = 0; i < p->n; i++)
        if (p->ids[i] != obj->id)
            p->ids[n++] = p->ids[i];
    p->n = n;
    p->changes++;
    if (n > 1)
        return;
    if (n == 1) {
        stn_sim_obj *last = sim_person(sim, p->ids[0]);
        if (last)
            set_party(last, 0);
    }
    free(stn_table_remove(sim->parties, p->number));
}

void sim_party_join(stn_sim *sim, stn_sim_obj *obj, stn_sim_obj *other)
{
    stn_sim_party *p = party_of(sim, other);

    if (obj == other || !other->fig->person || (p && p == party_of(sim, obj)))
        return;
    if (!p) {
        if (!(p = new_party(sim)))
            return;
        add(p, other);
    }
    if (p->n == STN_SIM_PARTY_MAX)
        return;
    sim_party_leave(sim, obj);
    add(p, obj);
}

void sim_party_join_all(stn_sim *sim, stn_sim_obj *obj)
{
    for (size_t i = 0; i < sim->n_movers; i++) {
        stn_sim_obj *other = sim->movers[i];

        if (other != obj && other->fig->person) {
            sim_party_join(sim, obj, other);
            return;
        }
    }
}

void sim_party_fini(stn_sim *sim)
{
    size_t it = 0;
    uint64_t key;
    void *value;

    while (sim->parties && stn_table_next(sim->parties, &it, &key, &value))
        free(value);
    stn_table_free(sim->parties);
}
