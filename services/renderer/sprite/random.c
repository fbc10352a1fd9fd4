#include "renderer/sprite/random.h"

#include "num/ln.h"

#include <math.h>

stn_obj_random stn_obj_random_of(int64_t object_id)
{
    return (stn_obj_random){.j48 = stn_j48_mixed(object_id)};
}

stn_obj_random stn_obj_random_seeded(int64_t seed)
{
    return (stn_obj_random){.j48 = stn_j48_of(seed)};
}

double stn_obj_random_gauss(stn_obj_random *r)
{
    double a, b, q, k;

    if (r->has_gauss) {
        r->has_gauss = false;
        return r->gauss;
    }
    do {
        a = 2 * stn_j48_double(&r->j48) - 1;
        b = 2 * stn_j48_double(&r->j48) - 1;
        q = a * a + b * b;
    } while (q >= 1 || q == 0);
    k = sqrt(-2 * stn_ln(q) / q);
    r->gauss = b * k;
    r->has_gauss = true;
    return a * k;
}

static float next_float(void *user)
{
    return stn_j48_float(user);
}

stn_rnd stn_obj_random_floats(stn_obj_random *r)
{
    return (stn_rnd){next_float, &r->j48};
}
