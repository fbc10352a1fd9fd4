#include "homestead/client_party.h"

#include <math.h>
#include <string.h>

static void tell_members(stn_client_party *p, int32_t widget, const stn_sim_party *party, stn_conn *conn)
{
    stn_value args[STN_SIM_PARTY_MAX] = {{0}};
    uint32_t n = party ? party->n : 0;

    for (uint32_t i = 0; i < n; i++)
        args[i] = stn_value_int((int32_t)party->ids[i]);
    stn_conn_say(conn, widget, "list", args, n);
    if (n > 0)
        stn_conn_say(conn, widget, "ldr", args, 1);
    args[0] = stn_value_int(party ? (int32_t)party->number : -1);
    stn_conn_say(conn, widget, "pid", args, 1);
    memset(p->placed, 0, sizeof p->placed);
}

/* Colours that are told apart on any ground. */
static stn_value colour_of(uint32_t place)
{
    static const uint8_t colours[][4] = {{255, 208, 64, 255},  {96, 192, 255, 255},  {255, 112, 112, 255},
                                         {128, 224, 112, 255}, {224, 144, 255, 255}, {255, 255, 255, 255}};
    stn_value v = {.kind = STN_VALUE_COLOR};

    memcpy(v.u.color, colours[place % (sizeof colours / sizeof colours[0])], 4);
    return v;
}

static void tell_places(stn_client_party *p, int32_t widget, const stn_sim *sim, const stn_sim_party *party,
                        stn_conn *conn)
{
    for (uint32_t i = 0; i < party->n; i++) {
        stn_value args[3] = {stn_value_int((int32_t)party->ids[i]), {.kind = STN_VALUE_COORD}, colour_of(i)};
        int32_t *at = args[1].u.coord;
        double x, y;

        if (!stn_sim_place(sim, party->ids[i], &x, &y))
            continue;
        at[0] = (int32_t)floor(x / STN_SIM_UNIT);
        at[1] = (int32_t)floor(y / STN_SIM_UNIT);
        if (p->placed[i] && p->at[i][0] == at[0] && p->at[i][1] == at[1])
            continue;
        p->placed[i] = true;
        memcpy(p->at[i], at, sizeof p->at[i]);
        stn_conn_say(conn, widget, "m", args, 3);
    }
}

void stn_client_party_run(stn_client_party *p, double now, int32_t widget, const stn_sim *sim,
                          uint32_t person, stn_conn *conn)
{
    const stn_sim_party *party = stn_sim_party_of(sim, person);
    uint32_t number = party ? party->number : 0, changes = party ? party->changes : 0;

    if (number != p->number || changes != p->changes) {
        p->number = number;
        p->changes = changes;
        tell_members(p, widget, party, conn);
        p->next = now;
    }
    if (!party || now < p->next)
        return;
    p->next = now + STN_CLIENT_PARTY_S;
    tell_places(p, widget, sim, party, conn);
}
