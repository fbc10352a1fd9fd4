/* pack.h - the whole resource pack of homestead: a list of names, and the bytes behind each.
 *
 * Every file is a pure function of its name: built twice it is the same to the byte. The names of homestead's
 * own resources begin with "homestead/"; beside them stand the few names that the field gives: the client's
 * water pictures (gfx/tiles/…) and the libraries whose behaviour clients have natively (lib/…, gfx/fx/…),
 * which here name their entries and carry empty classes, so that whoever asks for them finds them.
 */
#ifndef STN_HOMESTEAD_PACK_PACK_H
#define STN_HOMESTEAD_PACK_PACK_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

size_t stn_pack_count(void);
const char *stn_pack_name(size_t i); /* "homestead/trees/birch"; NULL out of range */
uint16_t stn_pack_version(size_t i);
/* Appends the file's bytes. */
stn_status stn_pack_build(size_t i, stn_buf *out, stn_err *err);

#endif
