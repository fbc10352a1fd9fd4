/* uploads.h - what waits to go to the driver, and which of it goes next. Pure.
 *
 * First what has waited for STN_UPLOAD_PATIENCE_NS, the oldest before the others; then what is least far from
 * where it is looked for; of equally far things the oldest. Things of one place (`key`) go in the order in
 * which they came, so that an older one is never shown over a newer one. Source: docs/spec/rendering.md 22.3.
 */
#ifndef STN_RENDERER_GL_UPLOADS_H
#define STN_RENDERER_GL_UPLOADS_H

#include "base/clock.h"
#include "renderer/build/job.h"

#define STN_UPLOADS_MAX 4096
#define STN_UPLOAD_PATIENCE_NS (2 * STN_S)

typedef struct stn_upload {
    stn_job *job;
    int64_t came_ns;
    uint64_t key; /* 0 = it has no place */
    uint64_t turn; /* the how-manieth that came */
    float far; /* the owner's to set: map units, INFINITY when nobody looks for it */
} stn_upload;

typedef struct stn_uploads {
    stn_upload *items; /* in no order */
    size_t count;
    uint64_t turns;
} stn_uploads;

bool stn_uploads_init(stn_uploads *u); /* false: out of memory */
void stn_uploads_fini(stn_uploads *u); /* the jobs are the owner's */
/* False: no room. */
bool stn_uploads_put(stn_uploads *u, stn_job *job, uint64_t key, int64_t now_ns);
/* NULL: nothing waits. Good until the next put or remove. */
stn_upload *stn_uploads_next(stn_uploads *u, int64_t now_ns);
void stn_uploads_remove(stn_uploads *u, stn_upload *which);
/* Whether anything of this place waits. */
bool stn_uploads_waits(const stn_uploads *u, uint64_t key);

#endif
