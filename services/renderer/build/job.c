#include "renderer/build/job.h"

#include <stdlib.h>

stn_job *stn_job_new(stn_job_kind kind, uint64_t frame)
{
    stn_job *job = calloc(1, sizeof *job);

    if (job) {
        job->kind = kind;
        job->frame = frame;
    }
    return job;
}

bool stn_job_adopt(stn_job *job, void *memory)
{
    for (size_t i = 0; i < sizeof job->memory / sizeof job->memory[0]; i++)
        if (!job->memory[i]) {
            job->memory[i] = memory;
            return true;
        }
    return false;
}

void *stn_job_memory(stn_job *job, size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);

    if (p && !stn_job_adopt(job, p)) {
        free(p);
        p = NULL;
    }
    return p;
}

void stn_job_free(stn_job *job)
{
    if (!job)
        return;
    if (job->release)
        job->release(job->arg);
    if (job->kind == STN_JOB_TEXTURE)
        free(job->u.texture.solid);
    for (size_t i = 0; i < sizeof job->memory / sizeof job->memory[0]; i++)
        free(job->memory[i]);
    free(job);
}
