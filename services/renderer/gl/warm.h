/* warm.h - which programs have been drawn with in which state, and the first draw of those that have not.
 *
 * A driver compiles at the first draw of a program in a state (blend, masks, format of the target), not when
 * it is linked. So a pair that was never drawn is drawn once into a target of one pixel, behind a frame;
 * until then the caller takes a stand-in that has been. Pairs are asked for by key, so that a program which
 * is not linked yet waits in the same line. Source: docs/design.md 6; docs/spec/rendering.md 22.3.
 */
#ifndef STN_RENDERER_GL_WARM_H
#define STN_RENDERER_GL_WARM_H

#include "renderer/gl/program.h"
#include "renderer/scene/material.h"

typedef struct stn_warm stn_warm;

/* Both are borrowed. NULL: out of memory. */
stn_warm *stn_warm_new(stn_glrec *rec, stn_programs *programs);
void stn_warm_free(stn_warm *w); /* NULL is fine */
/* The program to draw this material with now: the one of `key` when it has been drawn in this state, else a
 * stand-in that happens to have been, else NULL; what is not ready is asked for. */
const stn_program *stn_warm_program(stn_warm *w, uint64_t key, const stn_matstate *m);
/* Links and draws what is asked for, as long as budget_ns lasts, at least one. `vao` has no attributes; what
 * programs read is bound. Returns how many wait still. */
size_t stn_warm_pump(stn_warm *w, uint32_t vao, int64_t budget_ns);
size_t stn_warm_waiting(const stn_warm *w);
uint64_t stn_warm_done(const stn_warm *w); /* pairs drawn since the start */

#endif
