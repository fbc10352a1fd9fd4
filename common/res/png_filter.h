/* png_filter.h - takes the row filters of a PNG off again.
 *
 * A row is `n` filtered bytes; `up` is the finished row above, NULL at the first one, which stands below a
 * row of zeros. `bpp`: bytes of a pixel, 1 to 8. `out` may be `in` itself, and overlaps with nothing else.
 * Source  the PNG specification, section 9 (filtering).
 */
#ifndef STN_RES_PNG_FILTER_H
#define STN_RES_PNG_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: there is no such filter. n is a multiple of bpp. */
bool stn_png_unfilter(uint8_t filter, unsigned bpp, uint8_t *out, const uint8_t *in, const uint8_t *up,
                      size_t n);
/* The same byte by byte on every machine: what the other is tested against. */
bool stn_png_unfilter_plain(uint8_t filter, unsigned bpp, uint8_t *out, const uint8_t *in, const uint8_t *up,
                            size_t n);

#endif
