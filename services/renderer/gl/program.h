/* program.h - the shaders: one program for each (features, pass) in use, made off the critical moment.
 *
 * A program is asked for by key. One that is not linked yet is put on a list and made by stn_programs_pump(),
 * at most as long as the caller allows; until then the nearest ready one is given (same vertex path, plain
 * textured light). A program that the driver refuses is logged once and replaced by the fallback for good:
 * the frame goes on. Source: docs/spec/rendering.md 9, 21.4, 22.3.
 */
#ifndef STN_RENDERER_GL_PROGRAM_H
#define STN_RENDERER_GL_PROGRAM_H

#include "base/err.h"
#include "renderer/gl/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STN_PASS_COLOUR,
    STN_PASS_SHADOW,
    STN_PASS_ID /* numbers of things, and for ground the place in its cut */
};
enum { STN_SHADOWS_NONE, STN_SHADOWS_TAP16, STN_SHADOWS_PCF };
enum { STN_NORMALS_NONE, STN_NORMALS_SIGNED, STN_NORMALS_BYTES };

/* Texture units above those of the material. */
enum {
    STN_UNIT_SHADOW = 5,
    STN_UNIT_INSTANCES = 6,
    STN_UNIT_WAVES = 7,
    STN_UNIT_SOURCE = 8,
    STN_UNIT_SOURCE_2 = 9,
    STN_UNIT_MORPH = 10,
    STN_UNIT_FOAM = 11,
    STN_UNIT_CLOUDS = 12,
    STN_UNIT_SKY = 13 /* a cube */
};
enum { STN_BLOCK_FRAME, STN_BLOCK_MATERIAL };

typedef struct stn_program {
    uint32_t name; /* GL */
    int32_t instance_base; /* uniform location */
    uint16_t number; /* in order of creation, for draw keys */
} stn_program;

typedef struct stn_programs stn_programs;

/* `cache_folder`: where programs are kept between starts, NULL = nowhere; used when the driver gives them
 * out.
 */
stn_status stn_programs_new(stn_glrec *rec, const char *cache_folder, stn_programs **out, stn_err *err);
/* Lets what is new be written by a thread of its own; for a moment without new programs. */
void stn_programs_keep(stn_programs *p);
void stn_programs_free(stn_programs *p);

/* Features are STN_MAT_* bits; those that the pass has no use for are left out of the key. */
uint64_t stn_program_key(uint32_t features, int pass, int shadows, int normals);
/* Ready or the nearest ready one; NULL when none is. The pointer is good until stn_programs_free(). */
const stn_program *stn_programs_get(stn_programs *p, uint64_t key);
/* Of a key. */
int stn_program_pass(uint64_t key);
int stn_program_normals(uint64_t key);
/* What to draw with while a program is made: the i-th of STN_STAND_INS keys with the same geometry, plainer
 * from one to the next. May be `key` itself. */
#define STN_STAND_INS 2
uint64_t stn_program_stand_in(uint64_t key, int i);
/* Links one at once. One that the driver refuses is replaced by what is ready; NULL when nothing is. */
const stn_program *stn_programs_link(stn_programs *p, uint64_t key);
/* Links what is asked for, stopping when budget_ns is used up; INT64_MAX = all. Returns how many are still to
 * be made. */
size_t stn_programs_pump(stn_programs *p, int64_t budget_ns);
void stn_programs_counts(const stn_programs *p, unsigned *ready, unsigned *pending, unsigned *failed);
unsigned stn_programs_from_cache(const stn_programs *p); /* of those that are ready */

/* A full-screen pass, or flat drawing: vertex and fragment text, and defines ("#define X 1\n", may be "").
 * Linked at once. Samplers are bound: "source" or "depth_map" to STN_UNIT_SOURCE, "normal_map" to
 * STN_UNIT_SOURCE_2. 0 on failure. */
uint32_t stn_program_simple(const char *vertex, const char *fragment, const char *defines, stn_err *err);

#endif
