#include "renderer/input/logical.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pred {
    stn_pred_kind kind;
    unsigned key, clicks;
    int a, b;
    double seconds, since;
};

struct trigger {
    char id[32];
    int condition;
    stn_trigger_fn fn;
    void *arg;
};

struct stn_logical {
    struct pred preds[STN_PREDICATES];
    struct trigger triggers[STN_TRIGGERS];
    int pred_count;
    size_t trigger_count;
    struct {
        stn_physical *layer;
        stn_input_state last;
    } sources[STN_LOGICAL_SOURCES];
    size_t source_count;
};

stn_logical *stn_logical_new(void)
{
    return calloc(1, sizeof(stn_logical));
}

void stn_logical_free(stn_logical *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->source_count; i++)
        l->sources[i].layer->owner = NULL;
    free(l);
}

stn_status stn_logical_listen(stn_logical *l, stn_physical *p, stn_err *err)
{
    if (p->owner == l)
        return STN_OK;
    if (p->owner)
        return stn_fail(err, STN_BUSY, "this physical input layer belongs to another logical layer");
    if (l->source_count == STN_LOGICAL_SOURCES)
        return stn_fail(err, STN_BUSY, "more than %d physical input layers", STN_LOGICAL_SOURCES);
    l->sources[l->source_count++].layer = p;
    p->owner = l;
    return STN_OK;
}

static int add(stn_logical *l, struct pred p)
{
    if (l->pred_count == STN_PREDICATES)
        return -1;
    l->preds[l->pred_count] = p;
    return l->pred_count++;
}

int stn_pred_key(stn_logical *l, stn_pred_kind kind, unsigned key)
{
    return add(l, (struct pred){.kind = kind, .key = key});
}

int stn_pred_button(stn_logical *l, stn_pred_kind kind, unsigned button, unsigned clicks)
{
    return button < STN_BUTTON_COUNT ? add(l, (struct pred){.kind = kind, .key = button, .clicks = clicks})
                                     : -1;
}

int stn_pred_plain(stn_logical *l, stn_pred_kind kind)
{
    return add(l, (struct pred){.kind = kind});
}

int stn_pred_both(stn_logical *l, int a, int b)
{
    return a < 0 || b < 0 ? -1 : add(l, (struct pred){.kind = STN_PRED_AND, .a = a, .b = b});
}

int stn_pred_either(stn_logical *l, int a, int b)
{
    return a < 0 || b < 0 ? -1 : add(l, (struct pred){.kind = STN_PRED_OR, .a = a, .b = b});
}

int stn_pred_not(stn_logical *l, int a)
{
    return a < 0 ? -1 : add(l, (struct pred){.kind = STN_PRED_NOT, .a = a});
}

int stn_pred_every(stn_logical *l, int a, double seconds)
{
    return a < 0
               ? -1
               : add(l, (struct pred){.kind = STN_PRED_EVERY, .a = a, .seconds = seconds, .since = seconds});
}

stn_status stn_logical_trigger(stn_logical *l, const char *id, int condition, stn_trigger_fn fn, void *arg,
                               stn_err *err)
{
    struct trigger *t;

    if (condition < 0 || condition >= l->pred_count)
        return stn_fail(err, STN_USAGE, "trigger \"%s\": no such condition", id);
    for (size_t i = 0; i < l->trigger_count; i++)
        if (l->triggers[i].condition == condition && l->triggers[i].fn == fn && l->triggers[i].arg == arg)
            return STN_OK;
    if (l->trigger_count == STN_TRIGGERS)
        return stn_fail(err, STN_TOO_BIG, "trigger \"%s\": more than %d", id, STN_TRIGGERS);
    t = &l->triggers[l->trigger_count++];
    snprintf(t->id, sizeof t->id, "%s", id);
    t->condition = condition;
    t->fn = fn;
    t->arg = arg;
    return STN_OK;
}

void stn_logical_clear(stn_logical *l)
{
    l->pred_count = 0;
    l->trigger_count = 0;
}

static bool clicked(const struct pred *p, const stn_two *s)
{
    for (unsigned b = 0; b < STN_BUTTON_COUNT; b++)
        if (s->prev->mouse.down[b] && !s->cur->mouse.down[b] && b == p->key &&
            s->cur->mouse.clicks[b] == p->clicks)
            return true;
    return false;
}

/* A predicate names only earlier ones, so this ends. */
static bool holds(stn_logical *l, int at, const stn_two *s)
{
    struct pred *p = &l->preds[at];

    switch (p->kind) {
    case STN_PRED_ALWAYS:
        return true;
    case STN_PRED_KEY_PRESSED:
        return stn_input_key(s->cur, p->key) && !stn_input_key(s->prev, p->key);
    case STN_PRED_KEY_RELEASED:
        return !stn_input_key(s->cur, p->key) && stn_input_key(s->prev, p->key);
    case STN_PRED_KEY_HELD:
        return stn_input_key(s->cur, p->key);
    case STN_PRED_MOUSE_MOVED:
        return s->cur->seq != s->prev->seq && (s->cur->mouse.dx || s->cur->mouse.dy);
    case STN_PRED_WHEEL:
        return s->cur->seq != s->prev->seq && s->cur->mouse.wheel != 0.0f;
    case STN_PRED_BUTTON_PRESSED:
        return s->cur->mouse.down[p->key] && !s->prev->mouse.down[p->key];
    case STN_PRED_BUTTON_RELEASED:
        return !s->cur->mouse.down[p->key] && s->prev->mouse.down[p->key];
    case STN_PRED_BUTTON_DOWN:
        return s->cur->mouse.down[p->key];
    case STN_PRED_CLICKED:
        return clicked(p, s);
    case STN_PRED_TEXT:
        return s->cur->seq != s->prev->seq && s->cur->text[0] != '\0';
    case STN_PRED_KEYS:
        return s->cur->key_part != s->prev->key_part;
    case STN_PRED_AND:
        return holds(l, p->a, s) && holds(l, p->b, s);
    case STN_PRED_OR:
        return holds(l, p->a, s) || holds(l, p->b, s);
    case STN_PRED_NOT:
        return !holds(l, p->a, s);
    case STN_PRED_EVERY:
        if (p->since < p->seconds || !holds(l, p->a, s))
            return false;
        p->since = 0.0;
        return true;
    }
    return false;
}

static void test(stn_logical *l, const stn_two *s, double tpf)
{
    for (int i = 0; i < l->pred_count; i++)
        if (l->preds[i].kind == STN_PRED_EVERY)
            l->preds[i].since += tpf;
    for (size_t i = 0; i < l->trigger_count; i++)
        if (holds(l, l->triggers[i].condition, s))
            l->triggers[i].fn(l->triggers[i].arg, s, tpf);
}

void stn_logical_check(stn_logical *l, double tpf)
{
    for (size_t i = 0; i < l->source_count; i++) {
        stn_physical *p = l->sources[i].layer;
        stn_input_state *last = &l->sources[i].last;

        stn_physical_read(p);
        if (p->count == 0) {
            test(l, &(stn_two){last, last}, tpf);
            continue;
        }
        for (size_t k = 0; k < p->count; k++) {
            if (!p->queue[k].lost_focus)
                test(l, &(stn_two){last, &p->queue[k]}, tpf / (double)p->count);
            *last = p->queue[k];
        }
    }
}

const stn_input_state *stn_logical_last(const stn_logical *l)
{
    return &l->sources[0].last;
}
