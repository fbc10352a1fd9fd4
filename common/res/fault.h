/* fault.h - why a resource was refused, finer than a status, and the limits that every decoder keeps.
 *
 * Every length and count in a resource comes from outside. The classes are those of the format: tests compare
 * them, the loader and the tool print them. E_TRUNCATED and E_LENGTH count as one class for whoever compares.
 * Source: docs/spec/resource-format.md 2.
 */
#ifndef STN_RES_FAULT_H
#define STN_RES_FAULT_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

typedef enum stn_res_fault_kind {
    STN_FAULT_NONE = 0,
    STN_FAULT_EMPTY, /* zero-length input: absent, not bad */
    STN_FAULT_SIGNATURE, /* the first 16 bytes differ */
    STN_FAULT_VERSION, /* not the wanted version */
    STN_FAULT_TRUNCATED, /* a read runs past the end of its stream; a string without NUL */
    STN_FAULT_LENGTH, /* an explicit length or count is negative, or a byte length exceeds what is left */
    STN_FAULT_FORMAT, /* unknown version, flag bit, part, opcode, tag, format name; a contradiction */
    STN_FAULT_RANGE, /* an index or enumerated byte outside its table, a run past its count */
    STN_FAULT_VALUE, /* a value of the wrong kind or outside its legal range */
    STN_FAULT_LINK, /* a reference inside the file cannot be resolved */
    STN_FAULT_IMAGE, /* the picture data was refused */
    STN_FAULT_LIMIT, /* over one of the limits below */
    STN_FAULT_MEMORY, /* the machine has no memory left: says nothing about the input */
    STN_FAULT_COUNT
} stn_res_fault_kind;

typedef struct stn_res_fault {
    stn_res_fault_kind kind;
    int32_t record; /* index of the record, -1 when outside any */
    size_t offset; /* of the record's name in the file; of the bad byte when outside any record */
} stn_res_fault;

/* "E_FORMAT" and so on; "OK" for none. Never NULL. */
const char *stn_res_fault_name(stn_res_fault_kind kind);
/* The status that a fault is reported as: EMPTY not found, TRUNCATED and LENGTH truncated, VERSION version,
 * LIMIT too big, MEMORY no memory, the rest bad data. */
stn_status stn_res_fault_status(stn_res_fault_kind kind);

typedef struct stn_res_limits {
    size_t max_input; /* bytes of the file */
    uint32_t max_records;
    uint32_t max_depth; /* lists and maps inside one typed value */
    uint32_t max_side; /* picture width and height */
    uint64_t max_pixels; /* width x height of one picture */
    size_t max_decoded; /* non-picture bytes of one resource */
    uint64_t max_samples; /* sum of width x height over all pictures and the packed tile image */
    uint32_t max_bone_attribs; /* in one vbuf2 layer */
    uint32_t max_bone_vertices; /* sum of vertices over all vbuf2 layers with a bone attribute */
} stn_res_limits;

extern const stn_res_limits stn_res_default_limits;

#endif
