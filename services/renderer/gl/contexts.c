#include "renderer/gl/contexts.h"

#include <glad/gl.h>
#include <stdlib.h>
#include <string.h>

typedef struct context {
    uint64_t key; /* 0: none is here */
    stn_glref unique, sharable;
    stn_glrec rec;
} context;

typedef struct queued {
    stn_glref ref;
    stn_glkind kind;
    uint32_t name;
} queued;

struct stn_contexts {
    context known[STN_CONTEXTS_MAX]; /* they stay where they are: records are borrowed */
    context *current;
    stn_glref last_ref;
    stn_globject *objects; /* those with names, newest first */
    queued queue[STN_CONTEXTS_QUEUED];
    size_t queued;
};

stn_contexts *stn_contexts_new(void)
{
    return calloc(1, sizeof(stn_contexts));
}

void stn_contexts_free(stn_contexts *c)
{
    free(c);
}

/* Key 0: a place for one more. */
static context *find(stn_contexts *c, uint64_t key)
{
    for (size_t i = 0; i < STN_CONTEXTS_MAX; i++)
        if (c->known[i].key == key)
            return &c->known[i];
    return NULL;
}

static stn_status unknown(uint64_t key, stn_err *err)
{
    return stn_fail(err, STN_NOT_FOUND, "no GL context is known by the key %llu", (unsigned long long)key);
}

stn_status stn_contexts_add(stn_contexts *c, uint64_t key, uint64_t shares_with, stn_err *err)
{
    const context *other = shares_with ? find(c, shares_with) : NULL;
    context *added = find(c, 0);

    if (key == 0 || find(c, key))
        return stn_fail(err, STN_USAGE, "a GL context by the key %llu: %s", (unsigned long long)key,
                        key ? "there is one already" : "0 is no key");
    if (shares_with && !other)
        return stn_fail(err, STN_USAGE, "a GL context that shares with %llu, which is not known",
                        (unsigned long long)shares_with);
    if (!added)
        return stn_fail(err, STN_TOO_BIG, "%d GL contexts are known already", STN_CONTEXTS_MAX);
    memset(added, 0, sizeof *added);
    added->key = key;
    added->unique = ++c->last_ref;
    added->sharable = other ? other->sharable : ++c->last_ref;
    stn_glrec_invalidate(&added->rec);
    return STN_OK;
}

stn_status stn_contexts_switch(stn_contexts *c, uint64_t key, stn_err *err)
{
    context *to = key ? find(c, key) : NULL;

    if (!to)
        return unknown(key, err);
    c->current = to;
    return STN_OK;
}

stn_glrec *stn_contexts_record(stn_contexts *c)
{
    return c->current ? &c->current->rec : NULL;
}

stn_glref stn_contexts_unique(const stn_contexts *c)
{
    return c->current ? c->current->unique : 0;
}

stn_glref stn_contexts_sharable(const stn_contexts *c)
{
    return c->current ? c->current->sharable : 0;
}

void stn_contexts_invalidate(stn_contexts *c)
{
    for (size_t i = 0; i < STN_CONTEXTS_MAX; i++)
        stn_glrec_invalidate(&c->known[i].rec);
}

/* --- names --- */

static void delete_name(stn_glrec *rec, stn_glkind kind, uint32_t name)
{
    switch (kind) {
    case STN_GL_TEXTURE:
        stn_glrec_forget_texture(rec, name);
        glDeleteTextures(1, &name);
        break;
    case STN_GL_BUFFER:
        stn_glrec_forget_buffer(rec, name);
        glDeleteBuffers(1, &name);
        break;
    case STN_GL_SAMPLER:
        glDeleteSamplers(1, &name);
        break;
    case STN_GL_PROGRAM:
        glDeleteProgram(name);
        break;
    case STN_GL_VERTEX_ARRAY:
        stn_glrec_forget_vao(rec, name);
        glDeleteVertexArrays(1, &name);
        break;
    case STN_GL_FRAMEBUFFER:
        stn_glrec_forget_fbo(rec, name);
        glDeleteFramebuffers(1, &name);
        break;
    }
}

/* The reference under which things of this kind have their names in the current context. */
static stn_glref ref_of(const stn_contexts *c, stn_glkind kind)
{
    return kind < STN_GL_VERTEX_ARRAY ? c->current->sharable : c->current->unique;
}

static void unlist(stn_contexts *c, stn_globject *o)
{
    if (o->prev)
        o->prev->next = o->next;
    else
        c->objects = o->next;
    if (o->next)
        o->next->prev = o->prev;
    o->prev = o->next = NULL;
}

uint32_t stn_globject_name(stn_contexts *c, stn_globject *o)
{
    uint32_t name;

    if (!c->current)
        return 0;
    for (unsigned i = 0; i < o->count; i++)
        if (o->names[i].ref == ref_of(c, o->kind))
            return o->names[i].name;
    name = o->make(o->arg, &c->current->rec);
    if (name == 0)
        return 0;
    if (o->count == 0) {
        o->next = c->objects;
        if (o->next)
            o->next->prev = o;
        c->objects = o;
    }
    /* There is room: as many names as contexts can be known, and those of contexts that are gone are gone. */
    o->names[o->count].ref = ref_of(c, o->kind);
    o->names[o->count++].name = name;
    return name;
}

void stn_globject_drop(stn_contexts *c, stn_globject *o)
{
    if (o->count == 0)
        return;
    for (unsigned i = 0; i < o->count && c->queued < STN_CONTEXTS_QUEUED; i++)
        c->queue[c->queued++] = (queued){o->names[i].ref, o->kind, o->names[i].name};
    o->count = 0;
    unlist(c, o);
}

/* Names of one reference go from the queue and from the objects; deleted through `rec`, forgotten when it is
 * NULL. */
static size_t let_go(stn_contexts *c, stn_glref ref, stn_glrec *rec, bool objects_too)
{
    size_t kept = 0, gone = 0;
    stn_globject *next;

    for (size_t i = 0; i < c->queued; i++) {
        if (c->queue[i].ref != ref) {
            c->queue[kept++] = c->queue[i];
            continue;
        }
        if (rec)
            delete_name(rec, c->queue[i].kind, c->queue[i].name);
        gone++;
    }
    c->queued = kept;
    for (stn_globject *o = objects_too ? c->objects : NULL; o; o = next) {
        next = o->next;
        for (unsigned i = 0; i < o->count; i++) {
            if (o->names[i].ref != ref)
                continue;
            if (rec)
                delete_name(rec, o->kind, o->names[i].name);
            o->names[i] = o->names[--o->count];
            gone++;
            break; /* one name for each reference */
        }
        if (o->count == 0)
            unlist(c, o);
    }
    return gone;
}

size_t stn_contexts_flush(stn_contexts *c)
{
    context *is = c->current;

    return is ? let_go(c, is->unique, &is->rec, false) + let_go(c, is->sharable, &is->rec, false) : 0;
}

stn_status stn_contexts_lost(stn_contexts *c, uint64_t key, stn_err *err)
{
    const context *lost = key ? find(c, key) : NULL;
    stn_glref shared;

    if (!lost)
        return unknown(key, err);
    shared = lost->sharable;
    let_go(c, shared, NULL, true);
    for (size_t i = 0; i < STN_CONTEXTS_MAX; i++)
        if (c->known[i].key && c->known[i].sharable == shared) {
            let_go(c, c->known[i].unique, NULL, true);
            stn_glrec_invalidate(&c->known[i].rec);
        }
    return STN_OK;
}

void stn_contexts_remove(stn_contexts *c)
{
    context *is = c->current;
    bool alone = true;

    if (!is)
        return;
    for (size_t i = 0; i < STN_CONTEXTS_MAX; i++)
        alone = alone && (&c->known[i] == is || !c->known[i].key || c->known[i].sharable != is->sharable);
    let_go(c, is->unique, &is->rec, true);
    if (alone)
        let_go(c, is->sharable, &is->rec, true);
    c->current = NULL;
    is->key = 0;
}
