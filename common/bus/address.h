/* address.h - from logical names to endpoints.
 *
 * A name ("world", "mesh", "ctl/loader.0") lives in an instance ("default") and becomes
 * ipc://$XDG_RUNTIME_DIR/stenness/INSTANCE/NAME. Without XDG_RUNTIME_DIR the folder is /tmp/stenness-UID; it
 * is made with mode 0700 and must be a real folder of this user without access for others. A path that does
 * not fit a socket address (107 bytes and a NUL) is an error that says how long it is. Where an endpoint is
 * configured it is used instead, after stn_address_check(): tcp outside loopback needs keys.
 *
 * Source: docs/design.md 4 "Addresses".
 */
#ifndef STN_BUS_ADDRESS_H
#define STN_BUS_ADDRESS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

#define STN_ADDRESS_MAX 512 /* an endpoint with its NUL */
#define STN_ADDRESS_PATH_MAX 107 /* bytes of a socket path without its NUL (sockaddr_un) */
#define STN_NAME_MAX 64 /* a logical name with its NUL */

/* Instance and name: 1 to 32 (63) of a-z A-Z 0-9 . _ - (and '/' in names), no part empty or starting with
 * '.'. */
bool stn_address_instance_ok(const char *instance);
bool stn_address_name_ok(const char *name);

/* The folder of an instance, without creating it. Reads XDG_RUNTIME_DIR. */
stn_status stn_address_folder(const char *instance, char *out, size_t cap, stn_err *err);
/* Creates the folder of the instance (and the parents that are ours) and checks mode and owner: STN_DENIED
 * when it is a link, another user's or open to others. */
stn_status stn_address_prepare(const char *instance, stn_err *err);
/* The file path of a name's socket and its endpoint; checks the name and the length. */
stn_status stn_address_path(const char *instance, const char *name, char *out, size_t cap, stn_err *err);
stn_status stn_address_local(const char *instance, const char *name, char *out, size_t cap, stn_err *err);

/* Whether an endpoint may be used: ipc:// with a path that fits, tcp://HOST:PORT with a port of 1 to 65535
 * (or '*', when `binding`). A tcp endpoint outside loopback (127.0.0.0/8, ::1, localhost) without keys is
 * STN_DENIED with a text that names the fix. Nothing is resolved. */
stn_status stn_address_check(const char *endpoint, bool has_keys, bool binding, stn_err *err);
bool stn_address_is_tcp(const char *endpoint);
bool stn_address_is_loopback(const char *endpoint); /* ipc, inproc and tcp on loopback */

#endif
