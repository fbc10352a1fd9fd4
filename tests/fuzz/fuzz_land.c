/* fuzz_land.c - recorded lands as unpacked JSON; what is accepted is then asked for grids and objects. */
#include "homestead/land_file.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static stn_land_object objects[STN_LAND_MAX_OBJECTS];
    static stn_land_grid_data grid;
    stn_land *land = NULL;
    stn_land_report report;
    stn_err err = {0};
    double x, y, angle;
    size_t n = 0;

    if (stn_land_parse((const char *)data, size, true, &land, &report, &err) != STN_OK)
        return 0;
    stn_land_spawn(land, &x, &y, &angle);
    (void)stn_land_z(land, x, y);
    for (int32_t gy = -2; gy <= 2; gy++)
        for (int32_t gx = -2; gx <= 2; gx++)
            if (stn_land_grid(land, gx, gy, &grid) != STN_OK ||
                stn_land_objects(land, gx, gy, objects, STN_LAND_MAX_OBJECTS, &n) != STN_OK)
                continue;
    stn_land_free(land);
    return 0;
}
