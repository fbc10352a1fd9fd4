/* world/space.h - who is where: a uniform hash grid of points with a size.
 *
 * Cells are 128 map units wide, a power of two, so that a point's cell is exact. A cell keeps copies of its
 * points as arrays of their own: a query reads them in a row. Moves within a cell write in place, others swap
 * and append. Points that are not finite are kept out until they become so. Source: docs/spec/object-cache.md
 * B6.
 */
#ifndef STN_WORLD_SPACE_H
#define STN_WORLD_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_space stn_space;

stn_space *stn_space_new(void); /* NULL: out of memory */
void stn_space_free(stn_space *s);
/* Sets or moves point `slot` (a small dense number). False: out of memory, the point is not there. */
bool stn_space_put(stn_space *s, uint32_t slot, double x, double y, double size);
void stn_space_remove(stn_space *s, uint32_t slot);
size_t stn_space_cells(const stn_space *s);

/* Appends to out[] the slots with dx^2 + dy^2 <= radius^2 and size >= lod * (dx^2 + dy^2), in no particular
 * order, and returns how many there are; cap is how many slots fit. Nothing with NaN anywhere is found. */
size_t stn_space_query(const stn_space *s, double x, double y, double radius, double lod, uint32_t *out,
                       size_t cap);

#endif
