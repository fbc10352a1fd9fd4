/* keys.h - CURVE keys: who may come from another machine.
 *
 * A key pair is two files in czmq's certificate format (ZPL): NAME.pub with the public key, safe to copy, and
 * NAME.pub_secret with both, mode 0600, refused when others can read it. `name` in the metadata is the key's
 * name: a peer's stable id over CURVE is KIND.N@NAME. A door's allow list is a folder of public key files
 * (any name not ending in
 * "_secret"); it is read again at each handshake, so a key can be added while everything runs.
 *
 * Secret bytes are wiped when freed and never logged. Source: docs/design.md 3 and 4 "Keys".
 */
#ifndef STN_BUS_KEYS_H
#define STN_BUS_KEYS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define STN_KEY_TEXT 41 /* Z85 with its NUL */
#define STN_KEY_NAME 33 /* 1 to 32 of a-z A-Z 0-9 . _ - with its NUL */
#define STN_KEY_LIST_MAX 1024 /* files read from an allow list */

typedef struct stn_keys {
    char name[STN_KEY_NAME];
    char public_key[STN_KEY_TEXT];
    char secret_key[STN_KEY_TEXT]; /* empty when only the public part is known */
} stn_keys;

bool stn_key_name_ok(const char *name);
bool stn_key_text_ok(const char *z85); /* 40 characters of Z85 */

stn_status stn_keys_generate(const char *name, stn_keys *out, stn_err *err);
/* FOLDER/NAME.pub and FOLDER/NAME.pub_secret; existing ones are not overwritten (STN_BUSY). */
stn_status stn_keys_save(const stn_keys *keys, const char *folder, stn_err *err);
/* A public or a secret file; for the latter mode and owner are checked. A file without a name in it takes its
 * own up to the first dot. */
stn_status stn_keys_load(const char *path, stn_keys *out, stn_err *err);
/* The same from text: pure. fallback_name may be NULL. */
stn_status stn_keys_parse(const char *text, size_t len, const char *fallback_name, stn_keys *out,
                          stn_err *err);
void stn_keys_wipe(stn_keys *keys);

/* Whether `public_key` is listed in the folder; its name goes to *name. Files that cannot be read are skipped
 * and said once by the log. A missing folder lists nobody. */
bool stn_keys_allowed(const char *folder, const char *public_key, char name[STN_KEY_NAME]);

#endif
