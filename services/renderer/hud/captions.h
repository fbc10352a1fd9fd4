/* captions.h - where the texts over heads go in the picture, so that they can be read. Pure.
 *
 * Each caption stands on a point over its head. Nearer ones have the first choice; one that would lie on
 * another moves up until it is free, and is left out when that would take it too far from its head. Speech is
 * never left out. Pixels, y down. Limit: STN_CAPTIONS; of more the nearest are taken, speech before names.
 */
#ifndef STN_RENDERER_HUD_CAPTIONS_H
#define STN_RENDERER_HUD_CAPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define STN_CAPTIONS 64

typedef struct stn_caption {
    float x, y; /* the middle of its lower edge, where it would like to be */
    float w, h;
    float depth; /* from the eye, whatever the unit */
    const char *name, *speech; /* borrowed; NULL: none of it */
    uint32_t colour; /* of the name, 0xRRGGBBAA */
    bool shown; /* set by stn_captions_place(), as is … */
    float top; /* … its upper edge */
} stn_caption;

typedef struct stn_captions {
    stn_caption at[STN_CAPTIONS];
    unsigned count;
} stn_captions;

/* One that is not finite, or without a size, is not taken. */
void stn_captions_add(stn_captions *all, const stn_caption *c);
/* lift: how far up one may move. They are in order then, the nearest first. */
void stn_captions_place(stn_captions *all, float lift);

#endif
