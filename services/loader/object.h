/* object.h - the loaded resources, their holders and the byte budget.
 *
 * An object is one loaded resource: name, version, the source it came from, and a payload that this module
 * never looks into. It lives while a pool's memory cache names it or somebody holds it. Over the budget
 * the least recently asked or released objects that nobody holds are dropped from every pool; held ones
 * never are. Identity (the id) stays for the object's life, also over a reload, which swaps the payload as
 * a whole.
 * Source  docs/spec/resource-loading.md 6.
 */
#ifndef STN_LOADER_OBJECT_H
#define STN_LOADER_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_object stn_object;
typedef struct stn_objects stn_objects;

/* Frees a payload. */
typedef void stn_payload_drop(void *ctx, void *payload);

stn_objects *stn_objects_new(size_t budget_bytes, stn_payload_drop *drop,
                             void *ctx); /* NULL: out of memory */
void stn_objects_free(stn_objects *all); /* every object with it, held or not */

/* A new object that is held once. name is copied; source is the caller's number. The payload is taken,
 * also on failure (NULL: out of memory). bytes: what the payload occupies. */
stn_object *stn_object_new(stn_objects *all, const char *name, int version, unsigned source, void *payload,
                           size_t bytes);
void stn_object_hold(stn_objects *all, stn_object *o);
void stn_object_release(stn_objects *all, stn_object *o); /* the last one outside every cache frees it */

/* A cache names it (once per pool), or no longer does. */
void stn_object_cached(stn_objects *all, stn_object *o);
void stn_object_uncached(stn_objects *all, stn_object *o);

void stn_object_asked(stn_objects *all, stn_object *o); /* moves it to the young end of the order */
void stn_object_set_used(stn_object *o, bool used);
/* Swaps the payload; the old one is dropped. */
void stn_object_set_payload(stn_objects *all, stn_object *o, void *payload, size_t bytes);

/* The next object to give up while over the budget, or NULL. The caller takes it out of its caches. */
stn_object *stn_objects_over(const stn_objects *all);
stn_object *stn_objects_find(const stn_objects *all, uint64_t id); /* NULL: no such object */

uint64_t stn_object_id(const stn_object *o); /* never 0, never used twice */
const char *stn_object_name(const stn_object *o);
int stn_object_version(const stn_object *o);
unsigned stn_object_source(const stn_object *o);
bool stn_object_used(const stn_object *o);
void *stn_object_payload(const stn_object *o);
size_t stn_object_bytes(const stn_object *o);
unsigned stn_object_holds(const stn_object *o);

size_t stn_objects_count(const stn_objects *all);
size_t stn_objects_bytes(const stn_objects *all); /* of all objects */
size_t stn_objects_held_bytes(const stn_objects *all); /* of those that cannot be dropped */
size_t stn_objects_budget(const stn_objects *all);

#endif
