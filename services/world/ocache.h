/* world/ocache.h - the objects of one session: deltas in, object states out.
 *
 * Two layers. The record of an object id takes deltas by their frame rules and keeps attributes that were not
 * applied yet; the object is what others see. stn_ocache_pump() applies what can be applied, whole batches at
 * a time; an attribute that needs a resource which is not there yet parks its object until
 * stn_ocache_resolved(). Pure: time comes as dt, resources and heights are asked through hooks. One owner,
 * not thread-safe. Limits  65536 records; 4096 attributes waiting for one object, beyond that its record is
 * dropped and counted. Malformed attributes are dropped without effect and counted; their batch goes on.
 * Source  docs/spec/object-cache.md A1, A4, A6, A8; vectors ocache.
 */
#ifndef STN_WORLD_OCACHE_H
#define STN_WORLD_OCACHE_H

#include "session/objdata.h"
#include "world/gob.h"

#define STN_OCACHE_RECORDS 65536
#define STN_OCACHE_PENDING 4096

typedef struct stn_ocache_hooks {
    /* As in stn_gob_env. */
    stn_status (*traits)(void *arg, uint16_t resid, stn_res_traits *out);
    void (*disposed)(void *arg, const stn_gob *g, const stn_published *old); /* may be NULL */
    /* The sprite of an overlay says that it is over. Asked after `age` grew by this tick. */
    bool (*overlay_done)(void *arg, const stn_gob *g, const stn_overlay *ol);
    /* Ground height, f64 map units: of the drawn surface for what has a drawable, else of the map's. */
    double (*height)(void *arg, bool drawn, double x, double y);
    void (*added)(void *arg,
                  stn_gob *g); /* once, after the first batch; also ends it, no `changed` follows */
    void (*changed)(void *arg,
                    stn_gob *g); /* a public object after a batch, or after what went before a parked one */
    void (*removed)(void *arg,
                    stn_gob *g); /* at most once; the object is freed afterwards or lives on unseen */
    void *arg;
} stn_ocache_hooks;

typedef struct stn_ocache_stats {
    size_t records, objects, parked;
    uint64_t dropped_attributes; /* malformed or impossible */
    uint64_t dropped_records; /* too many attributes waiting, or too many records */
    stn_err last; /* the latest of these, for status */
} stn_ocache_stats;

typedef struct stn_ocache stn_ocache;

stn_ocache *stn_ocache_new(const stn_ocache_hooks *hooks); /* copied; NULL: out of memory */
void stn_ocache_free(stn_ocache *c); /* without events */
const stn_ocache_hooks *stn_ocache_hooks_of(const stn_ocache *c); /* for motion.c */

void stn_ocache_receive(stn_ocache *c, const stn_objdelta *d);
void stn_ocache_resolved(stn_ocache *c, uint16_t resid); /* parked objects that wait for it may run again */
void stn_ocache_pump(stn_ocache *c);
void stn_ocache_tick(stn_ocache *c, double dt); /* dt >= 0, seconds */
/* Forgets records whose removal was finished before the previous call: call it every ten minutes. */
void stn_ocache_prune(stn_ocache *c);

stn_gob *stn_ocache_get(const stn_ocache *c, int64_t id); /* a public object or NULL */
size_t stn_ocache_count(const stn_ocache *c);
stn_gob *stn_ocache_at(const stn_ocache *c,
                       size_t i); /* any order; changes with every addition and removal */
void stn_ocache_get_stats(const stn_ocache *c, stn_ocache_stats *out);

/* The displayed position: motion, height and offset, in f32. */
void stn_ocache_position(const stn_ocache *c, const stn_gob *g, float out[3]);
/* Units per movement second. A following object remembers what it answered last. */
double stn_ocache_speed(const stn_ocache *c, stn_gob *g);

#endif
