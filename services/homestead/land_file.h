/* land_file.h - a recorded land, read from a file.
 *
 * The file is gzip of one JSON object: `format` "land-1"; `tiles` [{`id` 0..65535, `name`, `version`}];
 * `grids`
 * [{`gc` [x, y], `id` int64, `tiles` 10000 tile ids, `z` 10000 heights in map units}], index x + 100 * y;
 * `objects` [{`pos` [x, y] map units, `angle`, `name` or null}].
 *
 * The recorded resources are not ours to serve: each name is mapped to the nearest kind of the pack. What has
 * no kind is said in the report: such ground becomes grass, such objects are left out.
 *
 * A count is checked against STN_LAND_FILE_MAX_* before anything is kept. A tile id that is not declared, a
 * wrong number of tiles or heights, a height that is not finite, two grids of one place: STN_BAD_DATA.
 */
#ifndef STN_HOMESTEAD_LAND_FILE_H
#define STN_HOMESTEAD_LAND_FILE_H

#include "homestead/land.h"

#define STN_LAND_FILE_MAX_BYTES (64u << 20) /* packed */
#define STN_LAND_FILE_MAX_JSON (256u << 20) /* unpacked */
#define STN_LAND_FILE_MAX_GRIDS 1024
#define STN_LAND_FILE_MAX_TILES 4096 /* declared tile ids */
#define STN_LAND_FILE_MAX_OBJECTS 100000
#define STN_LAND_FILE_MAX_UNMAPPED 32 /* names kept in the report */

typedef struct stn_land_report {
    size_t grids, tilesets, objects; /* read */
    size_t objects_placed;
    size_t objects_unnamed; /* recorded without a name: left out */
    size_t objects_unmapped; /* named, but nothing of ours is like it: left out */
    size_t tilesets_unmapped; /* drawn as grass */
    /* The names behind the two counts above, each once, in order of first appearance. */
    size_t n_unmapped;
    char unmapped[STN_LAND_FILE_MAX_UNMAPPED][96];
} stn_land_report;

/* dressed: trees, reeds and beasts grow on the recorded ground by the rules of generated land (a recording
 * holds few objects). *out is NULL on error; the caller owns it (stn_land_free()). `report` may be NULL. */
stn_status stn_land_load(const char *path, bool dressed, stn_land **out, stn_land_report *report,
                         stn_err *err);
/* The same from JSON text in memory, unpacked already. */
stn_status stn_land_parse(const char *json, size_t len, bool dressed, stn_land **out, stn_land_report *report,
                          stn_err *err);

#endif
