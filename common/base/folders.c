#include "base/folders.h"

#include <stdio.h>
#include <stdlib.h>

stn_status stn_folder(stn_folder_kind kind, const char *below, char *out, size_t cap, stn_err *err)
{
    static const struct {
        const char *variable, *usual;
    } kinds[] = {[STN_FOLDER_CACHE] = {"XDG_CACHE_HOME", ".cache"},
                 [STN_FOLDER_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
                 [STN_FOLDER_DATA] = {"XDG_DATA_HOME", ".local/share"},
                 [STN_FOLDER_STATE] = {"XDG_STATE_HOME", ".local/state"}};
    const char *given = getenv(kinds[kind].variable), *home = getenv("HOME");
    const char *slash = below ? "/" : "", *rest = below ? below : "";
    int n;

    out[0] = 0;
    if (given && given[0] == '/')
        n = snprintf(out, cap, "%s/stenness%s%s", given, slash, rest);
    else if (home && home[0] == '/')
        n = snprintf(out, cap, "%s/%s/stenness%s%s", home, kinds[kind].usual, slash, rest);
    else
        return stn_fail(err, STN_NOT_FOUND, "neither %s nor HOME names a folder", kinds[kind].variable);
    if (n >= 0 && (size_t)n < cap)
        return STN_OK;
    out[0] = 0;
    return stn_fail(err, STN_TOO_BIG, "the folder in %s is too long a name", kinds[kind].variable);
}
