#include "renderer/build/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void stn_words_chat(const Stenness__Chat *c, stn_job_text *out)
{
    if (!c)
        return;
    out->id = c->object;
    snprintf(out->from, sizeof out->from, "%s", c->from ? c->from : "");
    snprintf(out->text, sizeof out->text, "%s", c->text ? c->text : "");
}

void stn_words_menu(const Stenness__Menu *m, stn_job_text *out)
{
    size_t at = 0;

    if (!m)
        return;
    out->id = m->object;
    out->menu = m->closed ? 0 : m->number;
    for (size_t i = 0; !m->closed && i < m->n_options; i++) {
        size_t len = strlen(m->options[i]);

        if (at + len + 2 > sizeof out->text)
            return;
        if (i)
            out->text[at++] = '\n';
        memcpy(out->text + at, m->options[i], len + 1);
        at += len;
        out->options++;
    }
}

static size_t least(const size_t *n, size_t count)
{
    size_t min = SIZE_MAX;

    for (size_t i = 0; i < count; i++)
        min = n[i] < min ? n[i] : min;
    return min;
}

void stn_words_party(const Stenness__Global *g, stn_job_facts *out)
{
    size_t n = least(
        (const size_t[]){g->n_party_ids, g->n_party_x, g->n_party_y, g->n_party_placed, g->n_party_colours},
        5);

    out->party_count = 0;
    for (size_t i = 0; i < n && out->party_count < STN_PARTY_MARKS; i++)
        if (g->party_placed[i] && g->party_ids[i] != g->party_own && isfinite(g->party_x[i]) &&
            isfinite(g->party_y[i]))
            out->party[out->party_count++] = (stn_party_mark){
                g->party_x[i], g->party_y[i], g->party_colours[i] | 0xff, g->party_ids[i] == g->party_leader};
}

/* Weather is code of the server's; of it, what goes by this name is made natively. */
bool stn_words_clouds(const Stenness__Global *g)
{
    for (size_t i = 0; i < g->n_weather; i++) {
        const char *last = strrchr(g->weather[i], '/');

        if (strcmp(last ? last + 1 : g->weather[i], "clouds") == 0)
            return true;
    }
    return false;
}

void stn_words_session(const Stenness__Session *s, stn_job_facts *out)
{
    out->session = s->state == STENNESS__SESSION_STATE__SESSION_RUNNING ? 2 : 1;
    out->meshers = s->meshers > 0 ? 2 : 0;
    out->cuts_wanted = s->cuts_wanted;
    out->cuts_ready = s->cuts_ready;
    out->grids_wanted = s->grids_wanted;
    out->grids_ready = s->grids_ready;
    out->driver = s->driver;
    snprintf(out->text, sizeof out->text, "%s",
             s->state != STENNESS__SESSION_STATE__SESSION_RUNNING && s->text ? s->text : "");
}
