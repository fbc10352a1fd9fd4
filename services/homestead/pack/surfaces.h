/* surfaces.h - textures of things: wood, bark, leaves, thatch, stone, iron, cloth, fur.
 *
 * All return a fresh canvas (NULL: out of memory), wrapping unless it is a cut-out, with heights where a bump
 * map is worth its bytes.
 */
#ifndef STN_HOMESTEAD_PACK_SURFACES_H
#define STN_HOMESTEAD_PACK_SURFACES_H

#include "homestead/pack/paint.h"

/* The five woods differ in hue, value and grain. */
typedef struct stn_wood {
    const char *name;
    uint32_t light, dark, streak;
    float rings; /* grain lines across the picture */
    float waver; /* how much they wander */
    float knots; /* per picture */
    float pores; /* short dark dashes */
} stn_wood;

#define STN_WOODS 5
const stn_wood *stn_woods(void);

stn_canvas *stn_wood_planks(const stn_wood *w); /* 256 x 128, grain along x */
stn_canvas *stn_wood_ends(const stn_wood *w); /* 128 x 128, rings */

stn_canvas *stn_bark_birch(void);
stn_canvas *stn_bark_spruce(void);
stn_canvas *stn_bark_pine(void);
stn_canvas *stn_bark_beech(void);

/* Cut-outs, 512 x 512 in four quarters of 256: four sprays of one tree, of varied colour. The stalk is in the
 * middle of each quarter's left side for spruce, in its centre for the others. */
stn_canvas *stn_spray_spruce(void);
stn_canvas *stn_spray_pine(void);
/* dark, light and tip tones; leaf length in pixels and shape (width over length). */
stn_canvas *stn_spray_leaves(uint32_t seed, uint32_t dark, uint32_t light, uint32_t tip, float length,
                             float wide, unsigned count);

stn_canvas *stn_thatch(void); /* 256 x 256, straws along y */
stn_canvas *stn_stone_face(uint32_t tone, bool mossy); /* 256 x 256 */
stn_canvas *stn_iron(void); /* 64 x 64 */
stn_canvas *stn_cloth(uint32_t tone, uint32_t thread, bool coarse); /* 128 x 128 */
stn_canvas *stn_fur(uint32_t dark, uint32_t light); /* 128 x 128, hair along x */
stn_canvas *stn_plain(uint32_t tone, float mottle); /* 64 x 64 */

#endif
