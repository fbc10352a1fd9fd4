#include "loader/saved.h"

#include <stdlib.h>
#include <string.h>

struct stn_saved {
    unsigned pool;
    int version;
    char *name;
    unsigned phase; /* 0 any version, 1 the recorded one, 2 what is cached */
    stn_asked asked; /* of this phase, when `made`; its ask is referenced, its object held */
    bool made;
    stn_asked first;
    stn_object *hand; /* older than recorded; held */
    stn_object *loaded; /* held */
};

stn_saved *stn_saved_new(unsigned pool, const char *name, int version)
{
    stn_saved *s = calloc(1, sizeof *s);
    if (s && !(s->name = strdup(name))) {
        free(s);
        s = NULL;
    }
    if (s) {
        s->pool = pool;
        s->version = version;
    }
    return s;
}

static void let_go(stn_asks *asks, stn_asked *asked)
{
    if (asked->ask)
        stn_asking_unref(asks, asked->ask);
    if (asked->object)
        stn_object_release(stn_asks_objects(asks), asked->object);
    *asked = (stn_asked){.kind = STN_ASKED_MISS};
}

void stn_saved_free(stn_asks *asks, stn_saved *s)
{
    if (!s)
        return;
    let_go(asks, &s->asked);
    let_go(asks, &s->first);
    if (s->hand)
        stn_object_release(stn_asks_objects(asks), s->hand);
    if (s->loaded)
        stn_object_release(stn_asks_objects(asks), s->loaded);
    free(s->name);
    free(s);
}

/* The answer of this phase's ask, made once. STN_AGAIN while it is pending; *object is NULL when it failed.
 */
static stn_status phase_answer(stn_asks *asks, stn_saved *s, int want, int prio, stn_object **object,
                               stn_err *err)
{
    *object = NULL;
    if (!s->made) {
        stn_status st = stn_asks_ask(asks, s->pool, s->name, want, prio, &s->asked, err);
        if (st != STN_OK)
            return st;
        s->made = true;
        if (s->asked.kind == STN_ASKED_HIT)
            stn_object_hold(stn_asks_objects(asks), s->asked.object);
        else if (s->asked.kind == STN_ASKED_ASK)
            stn_asking_ref(s->asked.ask);
    }
    if (s->asked.kind == STN_ASKED_ASK) {
        if (!stn_asking_final(s->asked.ask))
            return STN_AGAIN;
        *object = stn_asking_object(s->asked.ask);
    } else if (s->asked.kind == STN_ASKED_HIT) {
        *object = s->asked.object;
    }
    return STN_OK;
}

static void keep(stn_asks *asks, stn_object **where, stn_object *o)
{
    stn_object_hold(stn_asks_objects(asks), o);
    *where = o;
}

static stn_status any_version(stn_asks *asks, stn_saved *s, int prio, stn_err *err)
{
    stn_object *o;
    stn_status st = phase_answer(asks, s, -1, prio, &o, err);
    if (st != STN_OK)
        return st;
    if (o && stn_object_version(o) >= s->version) {
        keep(asks, &s->loaded, o);
    } else if (o) {
        keep(asks, &s->hand, o);
    } else {
        s->first = s->asked; /* with its reference */
        s->asked = (stn_asked){.kind = STN_ASKED_MISS};
    }
    let_go(asks, &s->asked);
    s->made = false;
    s->phase = 1;
    return STN_OK;
}

static stn_status recorded_version(stn_asks *asks, stn_saved *s, int prio, stn_err *err)
{
    stn_object *o;
    stn_status st = phase_answer(asks, s, s->version, prio, &o, err);
    if (st != STN_OK)
        return st;
    if (o || s->hand)
        keep(asks, &s->loaded, o ? o : s->hand);
    let_go(asks, &s->asked);
    s->phase = 2;
    return STN_OK;
}

stn_status stn_saved_get(stn_asks *asks, stn_saved *s, int prio, stn_saved_result *out, stn_err *err)
{
    stn_status st = STN_OK;
    *out = (stn_saved_result){.state = STN_SAVED_FAILED};
    if (!s->loaded && s->phase == 0)
        st = any_version(asks, s, prio, err);
    if (st == STN_OK && !s->loaded && s->phase == 1)
        st = recorded_version(asks, s, prio, err);
    if (st == STN_OK && !s->loaded) {
        stn_object *o = stn_asks_peek(asks, s->pool, s->name);
        if (o)
            keep(asks, &s->loaded, o);
    }
    if (st == STN_AGAIN) {
        out->state = STN_SAVED_PENDING;
        out->ask = s->asked.ask;
        return STN_OK;
    }
    if (st != STN_OK)
        return st;
    out->object = s->loaded;
    out->state = s->loaded ? STN_SAVED_READY : STN_SAVED_FAILED;
    out->first = s->first;
    return STN_OK;
}

int stn_saved_version(const stn_saved *s)
{
    int v = s->loaded ? stn_object_version(s->loaded) : -1;
    return v > s->version ? v : s->version;
}
