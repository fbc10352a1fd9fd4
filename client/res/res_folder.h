/* res_folder.h - a resource as a folder of files that people edit, and back.
 *
 *   resource.json        {"stenness-resource": 1, "version": N, "layers": [...]}: the layers in file order,
 * each
 *                        {"type": T, "text": FILE} or {"type": T, "raw": FILE, "why": …}
 *   NNN-TYPE.json        the fields of a layer (res_text.h); pictures, sound and code are files beside it
 *   NNN-TYPE.bin         a layer that has no text form, or none that would give back the same bytes
 *   NNN-mesh.obj         a mesh to look at; build does not read it
 *
 * extract proves each layer: its text is turned into bytes again, and a layer that does not come back byte
 * for byte is kept raw. So extract and build together never change a file.
 */
#ifndef STN_CLIENT_RES_FOLDER_H
#define STN_CLIENT_RES_FOLDER_H

#include "base/buf.h"
#include "base/err.h"

/* The folder is made; one that holds a resource.json already is refused unless `force`. *raw_layers (may be
 * NULL): how many layers of known type had to be kept raw. */
stn_status stn_rf_extract(const uint8_t *data, size_t len, const char *dir, bool force, unsigned *raw_layers,
                          stn_err *err);

/* The whole file into *out. */
stn_status stn_rf_build(const char *dir, stn_buf *out, stn_err *err);

#endif
