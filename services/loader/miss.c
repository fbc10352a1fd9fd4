#include "loader/miss.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[STN_MISS_COUNT] = {
    [STN_MISS_NONE] = "none",
    [STN_MISS_NOT_FOUND] = "not_found",
    [STN_MISS_EMPTY] = "empty",
    [STN_MISS_IO] = "io_error",
    [STN_MISS_SIGNATURE] = "bad_signature",
    [STN_MISS_VERSION] = "wrong_version",
    [STN_MISS_TRUNCATED] = "truncated",
    [STN_MISS_LAYER] = "bad_layer",
    [STN_MISS_NAME] = "invalid_name",
    [STN_MISS_OVERLOAD] = "overload",
};

const char *stn_miss_name(stn_miss_kind kind)
{
    return (unsigned)kind < STN_MISS_COUNT ? names[kind] : names[STN_MISS_NONE];
}

void stn_miss_say(char out[STN_MISS_TEXT], const char *text)
{
    stn_text_show(text ? text : "", text ? strlen(text) : 0, out, STN_MISS_TEXT);
}

stn_miss *stn_miss_push(stn_miss *tail, const char *source, stn_miss_kind kind, const char *text)
{
    size_t len = text ? strlen(text) : 0;
    size_t cap = (len < STN_MISS_TEXT ? len : STN_MISS_TEXT) + 1;
    stn_miss *f = malloc(sizeof *f + cap);
    if (!f)
        return NULL;
    f->next = tail;
    f->source = source;
    f->kind = kind;
    f->refs = 1;
    f->depth = tail ? tail->depth + 1 : 1;
    stn_text_show(text ? text : "", len, f->text, cap);
    return f;
}

stn_miss *stn_miss_ref(stn_miss *chain)
{
    if (chain)
        chain->refs++;
    return chain;
}

/* A loop, not recursion: chains of superseded asks can be as long as an asker likes. */
void stn_miss_unref(stn_miss *chain)
{
    while (chain && --chain->refs == 0) {
        stn_miss *next = chain->next;
        free(chain);
        chain = next;
    }
}
