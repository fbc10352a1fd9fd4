#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

stn_status stn_fail(stn_err *err, stn_status code, const char *fmt, ...)
{
    if (err) {
        va_list ap;
        err->code = code;
        va_start(ap, fmt);
        vsnprintf(err->text, sizeof err->text, fmt, ap);
        va_end(ap);
    }
    return code;
}

stn_status stn_fail_in(stn_err *err, stn_status code, const char *fmt, ...)
{
    char prefix[STN_ERR_TEXT];
    char whole[2 * STN_ERR_TEXT + 4];
    va_list ap;

    if (!err)
        return code;
    va_start(ap, fmt);
    vsnprintf(prefix, sizeof prefix, fmt, ap);
    va_end(ap);
    if (err->code == STN_OK)
        err->code = code;
    if (err->text[0])
        snprintf(whole, sizeof whole, "%s: %s", prefix, err->text);
    else
        snprintf(whole, sizeof whole, "%s", prefix);
    memcpy(err->text, whole, sizeof err->text - 1);
    err->text[sizeof err->text - 1] = 0;
    return err->code;
}

void stn_err_clear(stn_err *err)
{
    err->code = STN_OK;
    err->text[0] = 0;
}

const char *stn_status_name(stn_status code)
{
    static const char *const names[STN_STATUS_COUNT] = {
        "ok", "again",  "not-found", "truncated", "bad-data", "too-big",     "version",   "no-memory",
        "io", "denied", "timeout",   "busy",      "usage",    "unsupported", "cancelled",
    };
    if ((unsigned)code >= STN_STATUS_COUNT)
        return "unknown";
    return names[code];
}
