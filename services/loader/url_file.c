#include "loader/url_file.h"

#include "base/file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

stn_status stn_url_file_read(const char *path, char **url, char **identity, stn_err *err)
{
    uint8_t *data;
    size_t len;
    json_error_t why;
    *url = *identity = NULL;
    stn_status st = stn_file_read(path, 65536, &data, &len, err);
    if (st != STN_OK)
        return st;
    json_t *doc = json_loadb((const char *)data, len, 0, &why);
    free(data);
    const char *http = json_string_value(json_object_get(doc, "http"));
    const char *id = json_string_value(json_object_get(doc, "identity"));
    if (!doc)
        st = stn_fail(err, STN_BAD_DATA, "%s:%d: %s", path, why.line, why.text);
    else if (!http)
        st = stn_fail(err, STN_BAD_DATA, "%s: no \"http\" with the URL of the resources", path);
    else if (!(*url = strdup(http)) || (id && !(*identity = strdup(id))))
        st = stn_fail(err, STN_NO_MEMORY, "%s", path);
    json_decref(doc);
    return st;
}
