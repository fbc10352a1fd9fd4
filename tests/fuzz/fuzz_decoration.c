/* Decorations from outside: read whole, then every object's references are followed. */
#include "map/decoration.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Keeps the reading from being optimised away. */
static volatile double seen;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stn_decoration d;
    stn_err err = {0};
    double sum = 0;

    if (stn_decoration_open(data, size, &d, &err) != STN_OK)
        return 0;
    for (uint32_t i = 0; i < d.nobjects; i++) {
        const stn_product_name *n = &d.names[d.objects[i].name];
        const stn_decoration_group *g = &d.groups[d.objects[i].group];
        sum += d.objects[i].x + (n->len ? n->text[n->len - 1] : 0);
        if (g->material_name != STN_PRODUCT_NO_NAME)
            sum += d.names[g->material_name].len;
    }
    seen = sum;
    stn_decoration_close(&d);
    return 0;
}
