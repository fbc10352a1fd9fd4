#include "mesher/lease.h"

#include "bus/array.h"

static stn_status check(const Stenness__Job *job, stn_err *err)
{
    if (job->margin < 1 || job->margin > STN_MARGIN_MAX)
        return stn_fail(err, STN_TOO_BIG, "job with a margin of %u tiles, expected 1 to %d", job->margin,
                        STN_MARGIN_MAX);
    if (job->n_tile_ids != job->n_tilesets || job->n_tile_ids > 49 * 49)
        return stn_fail(err, STN_BAD_DATA, "job with %zu tile ids and %zu tilesets, at most %d of each",
                        job->n_tile_ids, job->n_tilesets, 49 * 49);
    if (job->blend_passes > STN_BLEND_MAX)
        return stn_fail(err, STN_BAD_DATA, "job with %u blend passes, at most %d", job->blend_passes,
                        STN_BLEND_MAX);
    if (job->cut_x >= STN_GRID_CUTS || job->cut_y >= STN_GRID_CUTS)
        return stn_fail(err, STN_BAD_DATA, "job for cut %u,%u of a grid, expected 0 to 3", job->cut_x,
                        job->cut_y);
    if (job->half != STENNESS__CUT_HALF__CUT_GROUND && job->half != STENNESS__CUT_HALF__CUT_DECORATION)
        return stn_fail(err, STN_VERSION, "job for half %d of a cut", (int)job->half);
    return STN_OK;
}

static stn_status bind_sets(const Stenness__Job *job, stn_tileset *(*find)(void *arg, uint32_t handle),
                            void *arg, stn_task *t, stn_err *err)
{
    stn_job_set *sets = stn_task_sets(t);

    for (size_t i = 0; i < job->n_tile_ids; i++) {
        stn_tileset *set = find(arg, job->tilesets[i]);
        if (job->tile_ids[i] > 0xffff)
            return stn_fail(err, STN_BAD_DATA, "job with tile id %u", job->tile_ids[i]);
        if (!set)
            return stn_fail(err, STN_NOT_FOUND, "job names tileset %u, which was not sent", job->tilesets[i]);
        sets[i] = (stn_job_set){.id = (uint16_t)job->tile_ids[i], .set = stn_tileset_ref(set)};
        t->job.nsets = i + 1;
    }
    return STN_OK;
}

stn_status stn_mesher_read_job(const Stenness__Job *job, stn_frame *const *bulk, size_t nbulk,
                               stn_tileset *(*find)(void *arg, uint32_t handle), void *arg, stn_task **out,
                               stn_err *err)
{
    stn_array tiles, heights;
    stn_status st = check(job, err);

    *out = NULL;
    if (st != STN_OK)
        return st;
    uint16_t side = (uint16_t)(STN_CUT_TILES + 2 * job->margin);
    size_t ntiles = (size_t)side * side, nheights = (size_t)(side + 1) * (side + 1u);
    const stn_array_rule tile_rule = {
        .name = "tiles", .format = STENNESS__ELEMENT_FORMAT__ELEMENT_U16, .min = ntiles, .max = ntiles};
    const stn_array_rule height_rule = {
        .name = "heights", .format = STENNESS__ELEMENT_FORMAT__ELEMENT_F32, .min = nheights, .max = nheights};
    if ((st = stn_array_view(job->tiles, bulk, nbulk, &tile_rule, &tiles, err)) != STN_OK ||
        (st = stn_array_view(job->heights, bulk, nbulk, &height_rule, &heights, err)) != STN_OK)
        return st;
    stn_task *t = stn_task_new(ntiles, nheights, job->n_tile_ids);
    if (!t)
        return stn_fail(err, STN_NO_MEMORY, "job");
    /* The frame's base has no alignment, and a build reads at full speed: copied once. */
    stn_array_copy(&tiles, stn_task_tiles(t));
    stn_array_copy(&heights, stn_task_heights(t));
    int16_t first = (int16_t) - (int32_t)job->margin;
    t->kind = job->half == STENNESS__CUT_HALF__CUT_GROUND ? STN_TASK_GROUND : STN_TASK_DECORATION;
    t->ticket = job->ticket;
    t->priority = job->priority;
    t->job.grid_id = job->grid_id;
    t->job.grid = (stn_coord){job->grid_x, job->grid_y};
    t->job.cut = (stn_coord){(int32_t)job->cut_x, (int32_t)job->cut_y};
    t->job.blend = (uint8_t)job->blend_passes;
    t->job.transitions = job->transitions;
    t->job.flat = job->flat;
    t->job.density = job->flavor_density;
    t->job.tile_window = (stn_window){first, first, side, side};
    t->job.height_window = (stn_window){first, first, (uint16_t)(side + 1), (uint16_t)(side + 1)};
    if ((st = bind_sets(job, find, arg, t, err)) != STN_OK) {
        stn_task_free(t);
        return st;
    }
    *out = t;
    return STN_OK;
}
