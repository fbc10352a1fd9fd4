#include "renderer/gl/warm.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/table.h"
#include "renderer/gl/target.h"

#include <glad/gl.h>
#include <stdlib.h>

#define WAITING 256 /* more are asked for again by the frames that need them */

/* What a driver may compile anew for, besides the program. The format of the target is in the key. */
typedef struct state {
    stn_blendmode blend;
    uint8_t no_colour, no_normal;
} state;

typedef struct pair {
    uint64_t key, hash;
    state state;
} pair;

struct stn_warm {
    stn_glrec *rec;
    stn_programs *programs;
    stn_table *known; /* hash of a pair -> ASKED or DRAWN */
    pair waiting[WAITING];
    size_t first, count; /* of a ring */
    stn_target plain, lined; /* one pixel, without and with normals */
    stn_shadow_target shadow;
    uint64_t done;
    bool said;
};

static const char asked, drawn; /* marks in the table */

stn_warm *stn_warm_new(stn_glrec *rec, stn_programs *programs)
{
    stn_warm *w = calloc(1, sizeof *w);

    if (!w || !(w->known = stn_table_new())) {
        free(w);
        return NULL;
    }
    w->rec = rec;
    w->programs = programs;
    return w;
}

void stn_warm_free(stn_warm *w)
{
    if (!w)
        return;
    stn_target_fini(&w->plain, w->rec);
    stn_target_fini(&w->lined, w->rec);
    if (w->shadow.size)
        stn_shadow_target_fini(&w->shadow, w->rec);
    stn_table_free(w->known);
    free(w);
}

static pair pair_of(uint64_t key, const stn_matstate *m)
{
    pair p = {.key = key};

    if (stn_program_pass(key) == STN_PASS_COLOUR)
        p.state = (state){m->blend, m->no_colour, m->no_normal || m->no_depth_write};
    p.hash = stn_hash_feed(stn_hash_feed(STN_HASH_START, &key, sizeof key), &p.state, sizeof p.state);
    return p;
}

/* Whether it has been drawn; when not, it is asked for if it is wanted. */
static bool ready(stn_warm *w, uint64_t key, const stn_matstate *m, bool wanted)
{
    pair p = pair_of(key, m);
    const void *mark = stn_table_get(w->known, p.hash);

    if (mark || !wanted || w->count == WAITING)
        return mark == &drawn;
    if (stn_table_put(w->known, p.hash, (void *)(uintptr_t)&asked, NULL))
        w->waiting[(w->first + w->count++) % WAITING] = p;
    return false;
}

const stn_program *stn_warm_program(stn_warm *w, uint64_t key, const stn_matstate *m)
{
    if (ready(w, key, m, true))
        return stn_programs_get(w->programs, key);
    for (int i = 0; i < STN_STAND_INS; i++) {
        uint64_t other = stn_program_stand_in(key, i);

        if (other != key && ready(w, other, m, false))
            return stn_programs_get(w->programs, other);
    }
    return NULL;
}

/* False: the driver cannot make such a target; then the first real draw is the first. */
static bool aim(stn_warm *w, const pair *p)
{
    bool lined = stn_program_normals(p->key) != STN_NORMALS_NONE;
    stn_target *t = lined ? &w->lined : &w->plain;
    stn_err err = {0};

    if (stn_program_pass(p->key) == STN_PASS_SHADOW) {
        if (!w->shadow.size && stn_shadow_target_init(&w->shadow, w->rec, 1, &err) != STN_OK)
            return false;
        stn_glrec_fbo(w->rec, w->shadow.fbo);
    } else {
        if (!t->fbo && stn_target_init(t, w->rec, 1, 1, lined, &err) != STN_OK)
            return false;
        stn_glrec_fbo(w->rec, t->fbo);
        stn_glrec_blend(w->rec, true, &p->state.blend);
        stn_glrec_colour_mask(w->rec, 0, !p->state.no_colour);
        if (lined)
            stn_glrec_colour_mask(w->rec, 1, !p->state.no_normal);
    }
    return true;
}

static void draw(stn_warm *w, const pair *p, uint32_t vao)
{
    const stn_program *program = stn_programs_link(w->programs, p->key);

    if (program && aim(w, p)) {
        stn_glrec_viewport(w->rec, 0, 0, 1, 1);
        stn_glrec_depth(w->rec, true, GL_LEQUAL, true);
        stn_glrec_cull(w->rec, false, false);
        stn_glrec_program(w->rec, program->name);
        stn_glrec_vao(w->rec, vao);
        glUniform1i(program->instance_base, 0);
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    if (!stn_table_put(w->known, p->hash, (void *)(uintptr_t)&drawn, NULL) && !w->said) {
        w->said = true;
        stn_log_warn("no memory to note which programs are ready: some things are drawn plain");
    }
}

size_t stn_warm_pump(stn_warm *w, uint32_t vao, int64_t budget_ns)
{
    int64_t start = w->count ? stn_clock_ns() : 0;

    while (w->count > 0) {
        pair p = w->waiting[w->first];

        w->first = (w->first + 1) % WAITING;
        w->count--;
        draw(w, &p, vao);
        w->done++;
        if (stn_clock_ns() - start >= budget_ns)
            break;
    }
    return w->count;
}

uint64_t stn_warm_done(const stn_warm *w)
{
    return w->done;
}

size_t stn_warm_waiting(const stn_warm *w)
{
    return w->count;
}
