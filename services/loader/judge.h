/* judge.h - whether bytes are a good resource of the wanted version, in the words of the asking engine.
 *
 * The whole structure of every known layer is checked; pictures by their headers only. What only a full
 * decode finds is no verdict: the object stays, and the layer says what is wrong with it.
 * Source  docs/spec/resource-loading.md 1.1 (kinds), 3.
 */
#ifndef STN_LOADER_JUDGE_H
#define STN_LOADER_JUDGE_H

#include "loader/miss.h"
#include "res/res.h"

typedef struct stn_verdict {
    stn_miss_kind miss; /* STN_MISS_NONE: good */
    int version; /* of the resource, when good */
    char text[STN_MISS_TEXT];
} stn_verdict;

/* want: -1 or the only version accepted. *res (borrows data) is NULL unless good. */
void stn_judge(const uint8_t *data, size_t len, int want, stn_res **res, stn_verdict *out);

#endif
