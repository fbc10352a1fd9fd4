#include "mesher/task.h"

#include "mesher/decor_pack.h"
#include "mesher/pack.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* The link is slow when this is asked for: the fastest level already takes most of it. */
#define ZSTD_LEVEL 1

stn_task *stn_task_new(size_t tiles, size_t heights, size_t nsets)
{
    stn_task *t = calloc(1, sizeof *t);
    uint16_t *ids = calloc(tiles ? tiles : 1, sizeof *ids);
    float *z = calloc(heights ? heights : 1, sizeof *z);
    stn_job_set *sets = calloc(nsets ? nsets : 1, sizeof *sets);

    if (!t || !ids || !z || !sets) {
        free(t);
        free(ids);
        free(z);
        free(sets);
        return NULL;
    }
    t->job.tiles = ids;
    t->job.heights = z;
    t->job.sets = sets;
    return t;
}

uint16_t *stn_task_tiles(stn_task *t)
{
    return (uint16_t *)t->job.tiles;
}

float *stn_task_heights(stn_task *t)
{
    return (float *)t->job.heights;
}

stn_job_set *stn_task_sets(stn_task *t)
{
    return (stn_job_set *)t->job.sets;
}

void stn_task_free(stn_task *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->job.nsets; i++)
        stn_tileset_unref((stn_tileset *)t->job.sets[i].set);
    free((void *)t->job.tiles);
    free((void *)t->job.heights);
    free((void *)t->job.sets);
    stn_frame_unref(t->product);
    free(t);
}

/* A slow link carries fewer bytes; one that does not get smaller goes as it is. */
static void squeeze(stn_task *t)
{
    size_t len = stn_frame_len(t->product), bound = ZSTD_compressBound(len);
    stn_frame *packed = stn_frame_new(bound);

    if (!packed)
        return;
    size_t n = ZSTD_compress(stn_frame_writable(packed), bound, stn_frame_data(t->product), len, ZSTD_LEVEL);
    if (!ZSTD_isError(n) && n < len) {
        stn_frame *part = stn_frame_slice(packed, 0, n);
        if (part) {
            stn_frame_unref(t->product);
            t->product = part;
            t->compression = 1;
        }
    }
    stn_frame_unref(packed);
}

/* Straight into the frame that is sent. */
static stn_status new_product(stn_task *t, size_t bytes)
{
    if (!(t->product = stn_frame_new(bytes)))
        return stn_fail(&t->err, STN_NO_MEMORY, "product of %zu bytes", bytes);
    t->unpacked_bytes = bytes;
    return STN_OK;
}

static stn_status make_ground(stn_task *t, stn_scratch *scratch, stn_blocks *blocks)
{
    stn_build *b;
    stn_pack *pack;
    size_t bytes;
    stn_status st = stn_build_run(scratch, blocks, NULL, &t->job, &b, &t->err);

    if (st == STN_OK && (st = stn_pack_new(b, &pack, &bytes)) == STN_OK &&
        (st = new_product(t, bytes)) == STN_OK)
        stn_pack_write(pack, stn_frame_writable(t->product));
    return st;
}

static stn_status make_decoration(stn_task *t, stn_scratch *scratch)
{
    stn_arena *arena = stn_scratch_arena(scratch);
    stn_decor d;
    stn_decor_pack *pack;
    size_t bytes;

    stn_arena_reset(arena);
    stn_status st = stn_decor_run(&t->job, arena, &d, &t->err);
    if (st == STN_OK && (st = stn_decor_pack_new(&d, arena, &pack, &bytes, &t->err)) == STN_OK &&
        (st = new_product(t, bytes)) == STN_OK)
        stn_decor_pack_write(pack, stn_frame_writable(t->product));
    return st;
}

/* What a neighbouring cut will read: first the rest of the blocks that this cut read in part, then the ring
 * behind. */
static void make_ahead(stn_task *t, stn_blocks *blocks, bool (*stop)(void *arg), void *arg)
{
    stn_coord ul = stn_job_ul(&t->job);
    stn_coord own = {stn_fdiv(ul.x, STN_BLOCK), stn_fdiv(ul.y, STN_BLOCK)};

    for (int ring = 1; ring <= 2; ring++)
        for (size_t i = 0; i < t->job.nsets; i++)
            for (int y = -ring; y <= ring; y++)
                for (int x = -ring; x <= ring; x += y == -ring || y == ring ? 1 : 2 * ring) {
                    const stn_tileset *set = t->job.sets[i].set;
                    if (stop(arg) || atomic_load(&t->cancelled))
                        return;
                    if (set->def.nvars && (t->status = stn_blocks_make(blocks, set, stn_coord_add(own, x, y),
                                                                       &t->err)) != STN_OK)
                        return;
                }
}

void stn_task_run(stn_task *t, stn_scratch *scratch, stn_blocks *blocks, bool (*stop)(void *arg), void *arg)
{
    switch (t->kind) {
    case STN_TASK_GROUND:
        t->status = make_ground(t, scratch, blocks);
        break;
    case STN_TASK_DECORATION:
        t->status = make_decoration(t, scratch);
        break;
    case STN_TASK_AHEAD:
        make_ahead(t, blocks, stop, arg);
        break;
    }
    if (t->product && t->compress)
        squeeze(t);
    t->peak_bytes = stn_scratch_peak(scratch);
}
