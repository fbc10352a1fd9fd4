#include "tape/kinds.h"

#include "proto/control.pb-c.h"
#include "proto/envelope.pb-c.h"
#include "proto/mesh.pb-c.h"
#include "proto/resource.pb-c.h"
#include "proto/tape.pb-c.h"
#include "proto/world.pb-c.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by kind. */
static const stn_kind kinds[] = {
#define R(name, text, type)                                                                                  \
    {                                                                                                        \
        STENNESS__RESOURCE_KIND__RESOURCE_##name, text, &stenness__##type##__descriptor, "resource"          \
    }
    R(GET, "get", get),
    R(PENDING, "pending", pending),
    R(READY, "ready", ready),
    R(FAILED, "failed", failed),
    R(REFUSED, "refused", refused),
    R(BOOST, "boost", boost),
    R(CANCEL, "cancel", cancel),
    R(HOLD, "hold", hold),
    R(RELEASE, "release", release),
    R(CHANGED, "changed", changed),
    R(RELOAD, "reload", reload),
    R(WHY, "why", why),
    R(WHY_ANSWER, "why-answer", why_answer),
    R(TOUCH, "touch", touch),
#undef R
#define V(name, text, type)                                                                                  \
    {                                                                                                        \
        STENNESS__VIEW_KIND__VIEW_##name, text, &stenness__##type##__descriptor, "world"                     \
    }
    V(SUBSCRIBE, "subscribe", subscribe),
    V(FOCUS, "focus", focus),
    V(CREDIT, "credit", view_credit),
    V(SETTINGS, "settings", ground_settings),
    V(ACT, "act", act),
    V(DRIVER, "driver", driver_request),
    V(OVERLAY_DONE, "overlay-done", overlay_done),
    V(FRAME_BEGIN, "frame-begin", frame_begin),
    V(GRID, "grid", grid),
    V(GRID_DROP, "grid-drop", grid_drop),
    V(GLOBAL, "global", global),
    V(ENTITIES, "entities", entities),
    V(CUT, "cut", cut),
    V(CUT_DROP, "cut-drop", cut_drop),
    V(SESSION, "session", session),
    V(GROUND, "ground", ground),
    V(TICK, "tick", tick),
    V(CHAT, "chat", chat),
    V(MENU, "menu", menu),
    V(GHOST, "ghost", ghost),
#undef V
#define M(name, text, type)                                                                                  \
    {                                                                                                        \
        STENNESS__MESH_KIND__MESH_##name, text, &stenness__##type##__descriptor, "mesh"                      \
    }
    M(MESHER_READY, "mesher-ready", mesher_ready),
    M(TILESET, "tileset", tileset),
    M(JOB, "job", job),
    M(CANCEL, "job-cancel", job_cancel),
    M(PRODUCT, "product", product),
    M(JOB_FAILED, "job-failed", job_failed),
    M(TILESET_DROP, "tileset-drop", tileset_drop),
#undef M
#define C(name, text, type)                                                                                  \
    {                                                                                                        \
        STENNESS__CONTROL_KIND__CTL_##name, text, &stenness__##type##__descriptor, "control"                 \
    }
    C(STATUS_GET, "status-get", status_get),
    C(STATUS, "status", status),
    C(TAP_SET, "tap-set", tap_set),
    C(HASH_GET, "hash-get", hash_get),
    C(HASH, "hash", hash),
    C(QUIT, "quit", quit),
    C(DONE, "done", done),
    C(PICTURE_GET, "picture-get", picture_get),
    C(PICTURE, "picture", picture),
    C(FRAMES_GET, "frames-get", frames_get),
    C(FRAMES, "frames", frames),
    C(TEXT_GET, "text-get", text_get),
    C(TEXT, "text", text),
#undef C
    {STENNESS__TAPE_KIND__TAPE_RECORD, "record", &stenness__tap_record__descriptor, "tape"},
};

static int by_kind(const void *a, const void *b)
{
    const stn_kind *x = a, *y = b;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

const stn_kind *stn_kind_find(uint32_t kind)
{
    stn_kind key = {.kind = kind};
    return bsearch(&key, kinds, sizeof kinds / sizeof *kinds, sizeof *kinds, by_kind);
}

const stn_descriptor_file *stn_descriptor_find(const char *file)
{
    for (const stn_descriptor_file *f = stn_descriptor_files; f->name; f++)
        if (strcmp(f->name, file) == 0)
            return f;
    return NULL;
}
