/* contexts.h - the GL contexts of a process: what each is set to, and whose names are whose.
 *
 * A context is known by a key that the caller chooses. It has a record (record.h) and two references: a
 * unique one, for what is never shared (vertex arrays, framebuffers), and a sharable one, equal among
 * contexts that share, for textures, buffers, samplers and programs. An object keeps one name for each
 * reference: asked for in a context that has none yet, it is made there from what the caller kept, so a
 * sharing context finds it made and a lost one makes it anew. A name that is let go waits in a queue until a
 * context of its reference is current.
 *
 * Threads   all of it belongs to one thread, on which the contexts are current in turn. A canvas on a thread
 * of its own takes its record and its names before the thread starts. Source
 * docs/spec/rendering.md 21.5, 23.7.
 */
#ifndef STN_RENDERER_GL_CONTEXTS_H
#define STN_RENDERER_GL_CONTEXTS_H

#include "base/err.h"
#include "renderer/gl/record.h"

#include <stddef.h>

#define STN_CONTEXTS_MAX 8
#define STN_CONTEXTS_QUEUED                                                                                  \
    1024 /* names that wait to be deleted; what is over it is left to the context's end */

typedef enum stn_glkind {
    STN_GL_TEXTURE,
    STN_GL_BUFFER,
    STN_GL_SAMPLER,
    STN_GL_PROGRAM,
    STN_GL_VERTEX_ARRAY, /* this and the next are of one context alone */
    STN_GL_FRAMEBUFFER
} stn_glkind;

typedef uint32_t stn_glref; /* 0 = none; never given twice */

typedef struct stn_contexts stn_contexts;

stn_contexts *stn_contexts_new(void); /* NULL: out of memory */
void stn_contexts_free(stn_contexts *c); /* makes no GL call; NULL is fine */

/* shares_with: the key of a known context, or 0. Its record knows nothing yet. STN_USAGE: key 0 or one that
 * is known, or shares_with is not; STN_TOO_BIG. */
stn_status stn_contexts_add(stn_contexts *c, uint64_t key, uint64_t shares_with, stn_err *err);
/* The caller has made that context current. STN_NOT_FOUND: the key is not known; the current one stays. */
stn_status stn_contexts_switch(stn_contexts *c, uint64_t key, stn_err *err);
/* Of the current context: NULL, 0 when there is none. */
stn_glrec *stn_contexts_record(stn_contexts *c);
stn_glref stn_contexts_unique(const stn_contexts *c);
stn_glref stn_contexts_sharable(const stn_contexts *c);

/* Something else has used the contexts: each setter of each record sets once more. */
void stn_contexts_invalidate(stn_contexts *c);
/* The driver has lost this context, and all that share with it: their names are forgotten without a GL call
 * and their records know nothing. STN_NOT_FOUND. */
stn_status stn_contexts_lost(stn_contexts *c, uint64_t key, stn_err *err);
/* Before the current context is destroyed: its own names are deleted, and those it shares when nobody else
 * has them; the names of others stay, also those that wait. There is no current context then. */
void stn_contexts_remove(stn_contexts *c);
/* Deletes what waits and belongs to the current context; how many. What it was drawn with must be drawn. */
size_t stn_contexts_flush(stn_contexts *c);

/* A thing with a name in each context that has used it. The storage is the caller's, zeroed before the first
 * use, and stays where it is until it is let go. */
typedef struct stn_globject {
    stn_glkind kind;
    /* Makes it in the current context out of what is kept, through the record; 0: that is not possible. */
    uint32_t (*make)(void *arg, stn_glrec *rec);
    void *arg;
    struct {
        stn_glref ref;
        uint32_t name;
    } names[STN_CONTEXTS_MAX];
    unsigned count;
    struct stn_globject *prev, *next; /* of those that have names */
} stn_globject;

/* In the current context; 0: there is none, or it cannot be made. */
uint32_t stn_globject_name(stn_contexts *c, stn_globject *o);
/* It is let go in all contexts: its names wait for stn_contexts_flush(). */
void stn_globject_drop(stn_contexts *c, stn_globject *o);

#endif
