#include "tape/stand_in.h"

#include "base/clock.h"
#include "base/log.h"
#include "bus/control.h"
#include "tape/play.h"

/* After the last line, so that it leaves our queues before we do. */
#define END_NS (1000 * STN_MS)

typedef struct stand_in {
    stn_loop *loop;
    stn_play *play;
    stn_timer *end;
    bool finished;
} stand_in;

static void report(void *ctx, stn_report *r)
{
    stand_in *s = ctx;

    if (s->finished)
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_OK, "all was told");
    else
        stn_report_health(r, STENNESS__HEALTH_STATE__HEALTH_WAITING, "telling a recorded session");
    if (s->play)
        stn_play_report(s->play, r);
}

static void on_finished(void *ctx)
{
    stand_in *s = ctx;

    s->finished = true;
    stn_log_info("all was told");
    if (s->end)
        stn_timer_in(s->end, END_NS);
}

static void on_end(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stand_in *s = ctx;
    (void)turn;
    (void)timer;
    stn_loop_stop(s->loop);
}

stn_status stn_stand_in_run(const stn_stand_in_spec *spec, stn_err *err)
{
    stand_in s = {0};
    stn_control_spec control_spec = {.ctx = &s, .report = report};
    stn_bus_spec bus_spec = {.kind = "tape", .instance = spec->instance};
    stn_tape_reader *tape = NULL;
    stn_script *script = NULL;
    stn_bus *bus = NULL;
    stn_control *control = NULL;
    stn_status st;

    if ((st = stn_tape_open(spec->file, &tape, err)) != STN_OK)
        return st;
    st = stn_script_new(tape, "renderer", spec->process, &script, err);
    if (st == STN_OK && (stn_tape_torn(tape) || stn_tape_damaged(tape) > 0))
        stn_log_warn("%s is %s: what is there is used", spec->file,
                     stn_tape_torn(tape) ? "cut short" : "damaged");
    stn_tape_reader_free(tape);
    if (st != STN_OK)
        return stn_fail_in(err, st, "%s", spec->file);
    if (stn_script_lost(script) > 0)
        stn_log_warn("%llu records of %s are missing in the capture",
                     (unsigned long long)stn_script_lost(script), stn_script_process(script));
    if ((st = stn_loop_new(&s.loop, err)) == STN_OK &&
        (st = stn_loop_stop_on_signals(s.loop, err)) == STN_OK &&
        (st = stn_bus_new(s.loop, &bus_spec, &bus, err)) == STN_OK &&
        (st = stn_control_new(bus, &control_spec, &control, err)) == STN_OK &&
        (st = stn_play_new(bus, script, spec->speed, on_finished, &s, &s.play, err)) == STN_OK) {
        if (spec->exit_at_end && !(s.end = stn_timer_new(s.loop, "tape.end", on_end, &s)))
            st = stn_fail(err, STN_NO_MEMORY, "replay");
        stn_log_info("in the place of world and loader for %s: %zu messages, %zu answers",
                     stn_script_process(script), stn_script_world_count(script),
                     stn_script_answer_count(script));
        if (st == STN_OK)
            st = stn_loop_run(s.loop, err);
    }
    stn_play_free(s.play);
    stn_control_free(control);
    stn_timer_free(s.end);
    stn_bus_free(bus);
    stn_loop_free(s.loop);
    stn_script_free(script);
    return st;
}
