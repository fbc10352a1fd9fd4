#include "support/rig.h"

#include <string.h>

static void free_spent(void *arg, stn_job *job)
{
    (void)arg;
    stn_job_free(job);
}

stn_status rig_open(rig *r, stn_surface_kind kind, int width, int height, int shadow, stn_err *err)
{
    stn_surface_options so = {.kind = kind, .width = width, .height = height, .debug = true};
    stn_status st;

    memset(r, 0, sizeof *r);
    st = stn_surface_new(&so, &r->surface, err);
    if (st != STN_OK)
        return st;
    stn_glrec_invalidate(&r->rec);
    r->meshes = stn_meshes_new(&r->rec);
    r->textures = stn_textures_new(&r->rec, 1.0f);
    if (!r->meshes || !r->textures)
        return stn_fail(err, STN_NO_MEMORY, "rig");
    st = stn_programs_new(&r->rec, NULL, &r->programs, err);
    if (st == STN_OK)
        st = stn_view_new(&r->rec, r->programs, r->meshes, r->textures, shadow, &r->view, err);
    if (st != STN_OK)
        return st;
    r->around = stn_surroundings_new(&r->rec, r->textures);
    if (!r->around)
        return stn_fail(err, STN_NO_MEMORY, "rig");
    stn_view_surround(r->view, r->around);
    return stn_view_resize(r->view, width, height, true, false, err);
}

stn_status rig_stage(rig *r, void (*spent)(void *arg, stn_job *job), void *arg, bool defer, stn_err *err)
{
    r->stage = stn_stage_new(&(stn_stage_parts){.view = r->view,
                                                .meshes = r->meshes,
                                                .textures = r->textures,
                                                .around = r->around,
                                                .spent = spent ? spent : free_spent,
                                                .arg = arg,
                                                .defer = defer});
    return r->stage ? STN_OK : stn_fail(err, STN_NO_MEMORY, "rig");
}

void rig_close(rig *r)
{
    stn_stage_free(r->stage);
    stn_view_free(r->view);
    stn_surroundings_free(r->around);
    stn_programs_free(r->programs);
    if (r->meshes)
        stn_meshes_free(r->meshes);
    if (r->textures)
        stn_textures_free(r->textures);
    stn_surface_free(r->surface);
    memset(r, 0, sizeof *r);
}
