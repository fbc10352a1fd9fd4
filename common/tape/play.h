/* play.h - standing in for a renderer's world and loader, out of a capture.
 *
 * Binds the names `world` and `loader` in an instance of its own, so that any renderer started there talks to
 * it as to the real ones. Whoever subscribes is told what the recorded renderer was told, in its order, with
 * the recorded times divided by `speed`; a second subscription begins again. A Get is answered with what was
 * recorded for that name, else Failed.
 */
#ifndef STN_TAPE_PLAY_H
#define STN_TAPE_PLAY_H

#include "bus/bus.h"
#include "tape/script.h"

typedef struct stn_play stn_play;

/* speed: 1 = as recorded, 0 = as fast as the other side takes it. The script is borrowed. finished() runs
 * when a viewer has been told the last line; NULL is fine. */
stn_status stn_play_new(stn_bus *bus, const stn_script *script, double speed, void (*finished)(void *ctx),
                        void *ctx, stn_play **out, stn_err *err);
void stn_play_free(stn_play *p);
void stn_play_report(const stn_play *p, stn_report *report);

#endif
