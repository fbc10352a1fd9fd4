#include "renderer/build/opened.h"

#include "res/res.h"

#include "proto/resource.pb-c.h"

#include <stdlib.h>

struct stn_opened {
    stn_res *res;
    stn_wire_plan *plan;
    uint8_t *frames[STN_WIRE_FRAMES];
    stn_opened *next;
};

stn_status stn_opened_add(stn_opened **list, const uint8_t *data, size_t len, stn_wire **wire, stn_err *err)
{
    stn_opened *o = calloc(1, sizeof *o);
    stn_wire_span spans[STN_WIRE_FRAMES];
    Stenness__Ready *ready;
    stn_status st;

    if (!o)
        return stn_fail(err, STN_NO_MEMORY, "resource");
    o->next = *list;
    *list = o;
    if ((st = stn_res_new(data, len, NULL, &o->res, NULL, err)) != STN_OK ||
        (st = stn_wire_plan_new(o->res, STN_WIRE_BULK_MAX, &o->plan, err)) != STN_OK)
        return st;
    for (unsigned i = 0; i < STN_WIRE_FRAMES; i++) {
        spans[i].len = stn_wire_plan_bytes(o->plan, i);
        spans[i].data = o->frames[i] = malloc(spans[i].len ? spans[i].len : 1);
        if (!o->frames[i])
            return stn_fail(err, STN_NO_MEMORY, "resource of %zu bytes", spans[i].len);
    }
    stn_wire_plan_fill(o->plan, o->frames, NULL);
    ready = stn_wire_plan_ready(o->plan);
    ready->want = STENNESS__RESOURCE_WANT__WANT_RAW | STENNESS__RESOURCE_WANT__WANT_MODELS |
                  STENNESS__RESOURCE_WANT__WANT_PIXELS;
    return stn_wire_open(ready, spans, STN_WIRE_FRAMES, wire, err);
}

void stn_opened_free(stn_opened *list)
{
    while (list) {
        stn_opened *o = list;

        list = o->next;
        stn_wire_plan_free(o->plan);
        for (unsigned i = 0; i < STN_WIRE_FRAMES; i++)
            free(o->frames[i]);
        stn_res_free(o->res);
        free(o);
    }
}
