/* kinds.h - which message a kind is: name, type, and the file that defines it. For captures and for people.
 * Source: the enums of proto/; one number space (envelope.proto). */
#ifndef STN_TAPE_KINDS_H
#define STN_TAPE_KINDS_H

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>
#include <stdint.h>

typedef struct stn_kind {
    uint32_t kind;
    const char *name; /* "view-grid" */
    const ProtobufCMessageDescriptor *type;
    const char *file; /* "world": proto/world.proto */
} stn_kind;

/* NULL: not known to this build. */
const stn_kind *stn_kind_find(uint32_t kind);

typedef struct stn_descriptor_file {
    const char *name;
    const uint8_t *data; /* serialized FileDescriptorSet, imports included */
    size_t len;
} stn_descriptor_file;
extern const stn_descriptor_file stn_descriptor_files[]; /* ends with name NULL */
/* NULL: there is none of that name. */
const stn_descriptor_file *stn_descriptor_find(const char *file);

#endif
