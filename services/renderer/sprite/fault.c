#include "renderer/sprite/fault.h"

#include <stdarg.h>
#include <stdio.h>

const char *stn_sprite_fault_name(stn_sprite_fault fault)
{
    static const char *const names[] = {"ok",
                                        "loading",
                                        "load-failed",
                                        "load-error",
                                        "no-such-layer",
                                        "sprite-resource",
                                        "eof",
                                        "locked-depends-on-unlocked",
                                        "malformed",
                                        "no-memory"};
    if ((unsigned)fault >= sizeof names / sizeof *names)
        return "unknown";
    return names[fault];
}

stn_sprite_fault stn_sprite_fail(stn_err *err, stn_sprite_fault fault, const char *fmt, ...)
{
    static const stn_status codes[] = {STN_OK,        STN_AGAIN,    STN_NOT_FOUND, STN_BAD_DATA,
                                       STN_NOT_FOUND, STN_BAD_DATA, STN_TRUNCATED, STN_BAD_DATA,
                                       STN_BAD_DATA,  STN_NO_MEMORY};
    va_list ap;

    if (!err)
        return fault;
    err->code = codes[fault];
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    return fault;
}
