#include "renderer/build/words.h"

#include "base/bytes.h"
#include "base/text.h"

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

/* A character of one to four bytes. */
static uint32_t code_of(const char *text, size_t n)
{
    static const uint8_t first[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = (uint8_t)text[0] & first[n];

    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((uint8_t)text[i] & 0x3fu);
    return c;
}

/* Controls, and what has no picture of its own: marks of direction, joiners, the mark of byte order. */
static bool unseen(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c >= 0xe0000;
}

static bool blank(uint32_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == 0xa0 || c == 0x3000 ||
           (c >= 0x2000 && c <= 0x200a);
}

static void put_name(const char *text, size_t len, char out[STN_NAME_BYTES])
{
    static const char broken[] = "\xef\xbf\xbd", cut[] = "\xe2\x80\xa6";
    size_t at = 0, characters = 0;
    bool space = false;

    for (size_t i = 0, n; i < len; i += n) {
        bool whole;
        uint32_t c;

        n = stn_text_utf8_part(text + i, len - i, &whole);
        c = whole ? code_of(text + i, n) : 0xfffd;
        space |= blank(c);
        if (blank(c) || unseen(c))
            continue;
        if (characters + (space && at) >= STN_NAME_CHARACTERS) {
            memcpy(out + at, cut, sizeof cut - 1);
            at += sizeof cut - 1;
            break;
        }
        if (space && at) {
            out[at++] = ' ';
            characters++;
        }
        space = false;
        memcpy(out + at, whole ? text + i : broken, whole ? n : sizeof broken - 1);
        at += whole ? n : sizeof broken - 1;
        characters++;
    }
    out[at] = '\0';
}

bool stn_words_name(const uint8_t *data, size_t len, stn_job_name *out)
{
    stn_bytes in = stn_bytes_of(data, len);
    size_t n;
    const char *text = stn_bytes_cstr(&in, &n);

    out->text[0] = '\0';
    out->group = out->type = 0;
    if (!text)
        return false;
    if (n == 0)
        return true;
    out->group = stn_bytes_u8(&in);
    out->type = stn_bytes_u8(&in);
    if (!stn_bytes_ok(&in)) {
        out->group = out->type = 0;
        return false;
    }
    if (out->group >= STN_NAME_GROUPS)
        out->group = 0;
    put_name(text, n, out->text);
    return true;
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
