/* vec-water DIR: water and flat ground cuts. */
#include "vec_hxm.h"

int main(int argc, char **argv)
{
    return hxm_main(argc, argv);
}
