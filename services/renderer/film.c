#include "renderer/renderer_impl.h"

#include "base/clock.h"
#include "base/log.h"

#include <stdio.h>
#include <string.h>

#define POLL_NS STN_MS
#define TRIES 4 /* to have all programs that a frame needs: the first time drawing asks for all of them */
#define STUCK_NS (60 * STN_S) /* for one picture, drawn in software on a busy machine */

stn_status renderer_film_open(stn_renderer *r, stn_err *err)
{
    stn_film *f = &r->film;

    if (!r->o.film[0])
        return STN_OK;
    f->on = true;
    f->step_ns = STN_S / r->o.film_rate;
    return r->o.film_of[0] ? stn_reel_new(r->o.film_of, r->o.film_process, &f->reel, err) : STN_OK;
}

void renderer_film_close(stn_renderer *r)
{
    for (int i = 0; i < STN_FILM_PLACES; i++)
        stn_readback_fini(&r->film.places[i].readback, r->rec);
}

/* --- what has come --- */

static uint32_t take_all(stn_renderer *r)
{
    stn_job *job;
    uint32_t n = 0;

    while ((job = stn_spsc_take(stn_build_jobs(r->build))) != NULL) {
        r->uploaded += job->bytes;
        n++;
        renderer_take(r, job);
    }
    return n;
}

/* For answers that are under way; false: that was long enough. A capture has all its answers at hand. */
static bool wait_for_answers(stn_film *f)
{
    if (f->reel || f->waited_ns >= STN_FILM_PATIENCE_S * STN_S)
        return false;
    f->waited_ns += POLL_NS;
    if (f->waited_ns >= STN_FILM_PATIENCE_S * STN_S)
        stn_log_warn("film: the loader owes answers for %d s: what lacks them is filmed without",
                     STN_FILM_PATIENCE_S);
    stn_sleep_ns(POLL_NS);
    return true;
}

uint32_t renderer_film_settle(stn_renderer *r, double seconds)
{
    stn_build_state state;
    uint32_t taken = 0;

    if (r->film.reel)
        stn_reel_until(r->film.reel, r->film.now_ns);
    do {
        state = stn_build_step(r->build, seconds);
        seconds = 0.0;
        taken += take_all(r);
    } while (!stn_net_ended(r->net) &&
             (state == STN_BUILD_FULL || (state == STN_BUILD_WAITS && wait_for_answers(&r->film))));
    return taken;
}

/* --- pictures --- */

static void next_step(stn_renderer *r, stn_film_place *p)
{
    if (p->state == STN_FILM_READING && stn_readback_step(&p->readback, r->rec)) {
        p->task.rows = p->readback.rows;
        if (!p->task.rows)
            snprintf(p->task.text, sizeof p->task.text, "the driver does not let the picture be read");
        p->state = STN_FILM_READ;
    }
    if (p->state == STN_FILM_READ && stn_scribe_give(r->pictures.scribe, &p->task))
        p->state = STN_FILM_WRITING;
}

static void go_on(stn_renderer *r)
{
    for (int i = 0; i < STN_FILM_PLACES; i++)
        next_step(r, &r->film.places[i]);
    renderer_pictures(r); /* which takes back what is written */
}

bool renderer_film_taken(stn_renderer *r, const stn_scribe_task *task)
{
    stn_film *f = &r->film;

    for (int i = 0; i < STN_FILM_PLACES; i++) {
        stn_film_place *p = &f->places[i];

        if (task != &p->task)
            continue;
        stn_readback_end(&p->readback);
        p->state = STN_FILM_FREE;
        if (p->task.text[0] && f->err.code == STN_OK)
            stn_fail(&f->err, STN_IO, "%s: %s", p->task.path, p->task.text);
        f->written += !p->task.text[0];
        return true;
    }
    return false;
}

static unsigned under_way(const stn_film *f)
{
    unsigned n = 0;

    for (int i = 0; i < STN_FILM_PLACES; i++)
        n += f->places[i].state != STN_FILM_FREE;
    return n;
}

/* Until no more than `most` pictures are under way. */
static stn_status wait_for_places(stn_renderer *r, unsigned most)
{
    stn_film *f = &r->film;
    int64_t since = stn_clock_ns();

    for (go_on(r); f->err.code == STN_OK && under_way(f) > most; go_on(r)) {
        if (stn_clock_ns() - since > STUCK_NS)
            return stn_fail(&f->err, STN_IO,
                            "film: no picture was written for %lld s: the driver or the disk hangs",
                            (long long)(STUCK_NS / STN_S));
        stn_sleep_ns(POLL_NS);
    }
    return f->err.code;
}

static void draw(stn_renderer *r, stn_film_place *p)
{
    stn_film *f = &r->film;
    bool full = r->o.preset[0] != 'l';
    bool shadows = r->o.shadows < 0 ? full : r->o.shadows > 0;
    bool outlines = r->o.outlines < 0 ? full : r->o.outlines > 0;
    bool smooth = r->o.smooth < 0 ? full : r->o.smooth > 0;
    stn_stage_facts facts;

    if (stn_view_fit(r->view, &p->readback.screen, r->width, r->height, outlines, smooth, &f->err) != STN_OK)
        return;
    stn_stage_get(r->stage, &facts);
    p->task = (stn_scribe_task){.kind = STN_SCRIBE_PICTURE,
                                .width = r->width,
                                .height = r->height,
                                .cuts = (uint32_t)facts.cuts,
                                .entities = (uint32_t)facts.gobs};
    if (snprintf(p->task.path, sizeof p->task.path, "%s/frame-%05u.png", r->o.film, f->drawn + 1) >=
        (int)sizeof p->task.path) {
        stn_fail(&f->err, STN_USAGE, "--film: the name of the folder is too long");
        return;
    }
    stn_view_aim(r->view, &p->readback.screen);
    renderer_draw_scene(r, shadows, outlines, full);
    /* A program that is new has been left out or drawn plain: the frame is drawn once more with it. */
    for (int i = 0; i < TRIES && stn_view_waiting(r->view) > 0; i++) {
        stn_view_warm(r->view, INT64_MAX);
        renderer_draw_scene(r, shadows, outlines, full);
    }
    stn_view_aim(r->view, NULL);
    stn_readback_drawn(&p->readback);
    p->state = STN_FILM_READING;
    f->drawn++;
}

/* Whether there is something to film by now. */
static bool begins(stn_renderer *r)
{
    stn_film *f = &r->film;
    stn_stage_facts facts;
    int64_t now = stn_clock_ns();

    stn_stage_get(r->stage, &facts);
    if (stn_stage_complete(r->stage) && facts.lit)
        return true;
    if (f->began_waiting_ns == 0)
        f->began_waiting_ns = now;
    if ((f->reel ? f->now_ns : now - f->began_waiting_ns) < STN_FILM_PATIENCE_S * STN_S &&
        !(f->reel && stn_reel_over(f->reel)))
        return false;
    stn_log_warn(
        "film: it begins although only %u of %u cuts are here and %u resources or objects still load",
        facts.world.cuts_ready, facts.world.cuts_wanted, facts.world.resources_waiting);
    return true;
}

void renderer_film_draw(stn_renderer *r)
{
    stn_film *f = &r->film;

    f->begun = f->begun || begins(r);
    if (!f->begun) {
        if (!f->reel)
            stn_sleep_ns(POLL_NS);
        return;
    }
    if (wait_for_places(r, STN_FILM_PLACES - 1) != STN_OK)
        return;
    for (int i = 0; i < STN_FILM_PLACES; i++)
        if (f->places[i].state == STN_FILM_FREE) {
            draw(r, &f->places[i]);
            return;
        }
}

bool renderer_film_next(stn_renderer *r)
{
    stn_film *f = &r->film;

    if (f->err.code != STN_OK || (r->o.film_frames > 0 && f->drawn >= (unsigned)r->o.film_frames) ||
        f->drawn >= STN_FILM_MOST)
        return false;
    if (f->reel && f->begun && stn_reel_over(f->reel)) {
        stn_log_info("film: the capture is over");
        return false;
    }
    f->now_ns += f->step_ns;
    return true;
}

stn_status renderer_film_end(stn_renderer *r, stn_err *err)
{
    stn_film *f = &r->film;

    wait_for_places(r, 0);
    if (f->err.code == STN_OK && f->drawn == 0)
        stn_fail(&f->err, STN_NOT_FOUND, "film: there was nothing to film");
    if (f->err.code != STN_OK)
        return stn_fail(err, f->err.code, "%s", f->err.text);
    stn_log_info("film: %u pictures in %s", f->written, r->o.film);
    return STN_OK;
}
