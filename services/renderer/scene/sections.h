/* sections.h - the index sections of a mesh: how many primitives each has, and which vertices make one.
 *
 * Without lengths a mesh is one section of everything; else section i takes len[i] consecutive indices (or
 * vertices, without indices) and has the mode of its number, the last mode serving the rest. Source:
 * docs/spec/rendering.md 23.3.
 */
#ifndef STN_RENDERER_SCENE_SECTIONS_H
#define STN_RENDERER_SCENE_SECTIONS_H

#include "base/err.h"

#include <stdint.h>

typedef enum stn_prim_mode {
    STN_PRIM_TRIANGLES,
    STN_PRIM_TRIANGLE_STRIP,
    STN_PRIM_TRIANGLE_FAN,
    STN_PRIM_LINES,
    STN_PRIM_LINE_STRIP,
    STN_PRIM_LINE_LOOP,
    STN_PRIM_POINTS,
    STN_PRIM_LINES_ADJACENCY,
    STN_PRIM_TRIANGLES_ADJACENCY,
    STN_PRIM_TRIANGLE_STRIP_ADJACENCY,
    STN_PRIM_MODES
} stn_prim_mode;

typedef struct stn_sections {
    uint32_t vertex_count;
    const uint32_t *index; /* NULL: the vertices in order */
    uint32_t index_count;
    const uint32_t *len; /* NULL: one section */
    uint32_t len_count;
    const uint8_t *mode; /* stn_prim_mode; at least one */
    uint32_t mode_count;
} stn_sections;

/* STN_BAD_DATA: no or an unknown mode, lengths beyond the indices, an index beyond the vertices. */
stn_status stn_sections_check(const stn_sections *s, stn_err *err);
uint32_t stn_sections_count(const stn_sections *s);
stn_prim_mode stn_sections_mode(const stn_sections *s, uint32_t section);
uint32_t stn_sections_primitives(const stn_sections *s, uint32_t section);
/* The vertices of primitive p of a checked mesh; returns how many (0: out of range). */
uint32_t stn_sections_vertices(const stn_sections *s, uint32_t section, uint32_t p, uint32_t out[6]);

#endif
