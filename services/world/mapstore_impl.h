/* world/mapstore_impl.h - the inside of the map store, shared by mapstore.c and mapstore_exchange.c alone. */
#ifndef STN_WORLD_MAPSTORE_IMPL_H
#define STN_WORLD_MAPSTORE_IMPL_H

#include "world/mapstore.h"

#include <sqlite3.h>

struct stn_mapstore {
    char *path;
    sqlite3 *db;
    sqlite3_stmt *get, *put;
    int64_t data_version; /* at which `map` was read */
    stn_mapfile *map; /* NULL: to be read at the next transaction */
    stn_seen_grid *seen; /* of the update under way */
    stn_err fault; /* the first of the transaction */
};

stn_status stn_mapstore_begin(stn_mapstore *s, bool write, stn_err *err);
/* Commits when st is STN_OK and no fault was met, else takes all back; the status that counts. */
stn_status stn_mapstore_end(stn_mapstore *s, stn_status st, stn_err *err);

#endif
