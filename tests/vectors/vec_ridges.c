/* vec-ridges DIR: ridge and cave cuts. */
#include "vec_hxm.h"

int main(int argc, char **argv)
{
    return hxm_main(argc, argv);
}
