#include "client/doors.h"

#include <string.h>

stn_status stn_door_open(const char *instance, const char *kind, int64_t timeout_ns, stn_ask **out,
                         stn_err *err)
{
    stn_door_name doors[64];
    size_t n = 0;
    stn_status st = stn_control_list(instance, doors, sizeof doors / sizeof *doors, &n, err);

    if (st != STN_OK)
        return st;
    for (size_t i = 0; i < n; i++)
        if (strcmp(doors[i].kind, kind) == 0)
            return stn_ask_open(instance, doors[i].name, timeout_ns, out, err);
    return stn_fail(err, STN_NOT_FOUND, "instance \"%s\": no %s is running", instance, kind);
}

stn_status stn_door_status(stn_ask *ask, int64_t timeout_ns, stn_msg **answer, const Stenness__Status **out,
                           stn_err *err)
{
    Stenness__StatusGet get = STENNESS__STATUS_GET__INIT;
    const void *body = NULL;
    stn_status st =
        stn_ask_for(ask, STENNESS__CONTROL_KIND__CTL_STATUS_GET, &get.base, timeout_ns, answer, err);

    if (st != STN_OK)
        return st;
    if (stn_msg_kind(*answer) != STENNESS__CONTROL_KIND__CTL_STATUS) {
        stn_msg_unref(*answer);
        *answer = NULL;
        return stn_fail(err, STN_BAD_DATA, "status: the door answered with another kind");
    }
    st = stn_ask_unpack(ask, *answer, &stenness__status__descriptor, &body, err);
    if (st != STN_OK) {
        stn_msg_unref(*answer);
        *answer = NULL;
        return st;
    }
    *out = body;
    return STN_OK;
}
