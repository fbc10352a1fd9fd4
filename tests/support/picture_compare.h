/* picture_compare.h - whether two pictures look the same. Pure.
 *
 * What is compared: the mean colour of each block of BLOCK x BLOCK pixels, and in it how much the picture's
 * fine lines weigh, as differences in CIELAB, where a step of 1 is about what an eye can just tell apart side
 * by side (delta E of 1976). Edges that move by a pixel, other rounding of a driver and another order of
 * equal draws change single pixels and leave the blocks as they are; a thing that is missing, a wrong
 * texture, light or place, lines that are gone or a part that is shifted change blocks by 5 to 60.
 *
 *   worst  the largest difference of a block; over STN_LOOKS_WORST the pictures differ
 *   mean   over all blocks; over STN_LOOKS_MEAN the whole has another tone
 */
#ifndef STN_TESTS_PICTURE_COMPARE_H
#define STN_TESTS_PICTURE_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#define STN_LOOKS_BLOCK 8
#define STN_LOOKS_WORST 6.0
#define STN_LOOKS_MEAN 0.6

typedef struct picture_difference {
    double worst, mean;
    int worst_x, worst_y; /* upper left pixel of the worst block */
} picture_difference;

/* Both are w x h RGBA; alpha is not looked at. `diff` (w * h * 4 bytes, or NULL) becomes a picture of the
 * difference: dark where they agree, red where a block is over the limit. */
picture_difference picture_compare(const uint8_t *a, const uint8_t *b, int w, int h, uint8_t *diff);
bool picture_looks_same(const picture_difference *d);

#endif
