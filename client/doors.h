/* doors.h - finding and asking the control doors of an instance, for the subcommands. */
#ifndef STN_CLIENT_DOORS_H
#define STN_CLIENT_DOORS_H

#include "bus/control.h"

/* Opens the first door of a kind ("renderer"). STN_NOT_FOUND when the instance has none. */
stn_status stn_door_open(const char *instance, const char *kind, int64_t timeout_ns, stn_ask **out,
                         stn_err *err);
/* One Status of one door; *out is released with the ask. */
stn_status stn_door_status(stn_ask *ask, int64_t timeout_ns, stn_msg **answer, const Stenness__Status **out,
                           stn_err *err);

#endif
