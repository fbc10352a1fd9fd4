#include "client/res/res_natives.h"

#include "res/natives.h"

#include <string.h>

void stn_rn_seen_init(stn_rn_seen *seen)
{
    size_t n;
    const stn_native *rows = stn_natives(&n);

    *seen = (stn_rn_seen){0};
    for (size_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < seen->count && strcmp(seen->carriers[k].carrier, rows[i].carrier) != 0)
            k++;
        if (k == seen->count && seen->count < STN_RN_CARRIERS)
            seen->carriers[seen->count++].carrier = rows[i].carrier;
    }
}

static void note(stn_rn_seen *seen, const char *name, int32_t version)
{
    for (uint32_t i = 0; i < seen->count; i++) {
        uint16_t *v = seen->carriers[i].versions, one = (uint16_t)version;
        uint32_t *n = &seen->carriers[i].count, k = 0;
        if (strcmp(seen->carriers[i].carrier, name) != 0)
            continue;
        seen->carriers[i].uses++;
        if (version < 0 || version >= 65535)
            return;
        while (k < *n && v[k] < one)
            k++;
        if (k < *n && v[k] == one)
            return;
        if (*n == STN_RN_VERSIONS) { /* the oldest goes */
            if (k == 0)
                return;
            memmove(v, v + 1, (k - 1) * sizeof *v);
            v[k - 1] = one;
            return;
        }
        memmove(v + k + 1, v + k, (*n - k) * sizeof *v);
        v[k] = one;
        ++*n;
        return;
    }
}

void stn_rn_look(stn_rn_seen *seen, const char *name, const uint8_t *data, size_t len)
{
    const stn_res_opts opts = {.want_version = STN_RES_ANY_VERSION, .borrow = true};
    stn_res *res;

    seen->resources++;
    if (stn_res_new(data, len, &opts, &res, NULL, NULL) != STN_OK) {
        seen->unreadable++;
        return;
    }
    note(seen, name, stn_res_version(res));
    for (uint32_t i = 0; i < stn_res_count(res); i++) {
        const stn_res_layer *l = stn_res_layer_at(res, i);
        if (l->kind == STN_LAYER_CODEENTRY)
            for (uint32_t k = 0; k < l->as.codeentry->use_count; k++)
                note(seen, l->as.codeentry->uses[k].res.name, l->as.codeentry->uses[k].res.version);
        else if (l->kind == STN_LAYER_RLINK && l->as.rlink->type == STN_RLINK_PARAMS)
            note(seen, l->as.rlink->res.name, l->as.rlink->res.version);
    }
    stn_res_free(res);
}

static bool knows(const stn_native *n, uint16_t version)
{
    for (int i = 0; i < STN_NATIVE_VERSIONS && n->versions[i]; i++)
        if (n->versions[i] == version)
            return true;
    return n->versions[0] == 0;
}

static void list_versions(const stn_native *n, char *out, size_t cap)
{
    size_t at = 0;

    snprintf(out, cap, "any");
    for (int i = 0; i < STN_NATIVE_VERSIONS && n->versions[i] && at < cap; i++)
        at += (size_t)snprintf(out + at, cap - at, "%s%u", i ? "," : "", n->versions[i]);
}

/* What was seen of the twin's carrier. */
static bool print_seen(FILE *out, const stn_rn_seen *seen, const stn_native *n)
{
    bool moved = false;

    for (uint32_t i = 0; i < seen->count; i++) {
        if (strcmp(seen->carriers[i].carrier, n->carrier) != 0)
            continue;
        if (seen->carriers[i].uses == 0)
            fprintf(out, "  not seen");
        for (uint32_t k = 0; k < seen->carriers[i].count; k++) {
            uint16_t v = seen->carriers[i].versions[k];
            fprintf(out, "%s%u%s", k ? "," : "  ", v, knows(n, v) ? "" : "!");
            moved |= !knows(n, v);
        }
        if (seen->carriers[i].uses > 0)
            fprintf(out, "  in %u resource%s%s", seen->carriers[i].uses,
                    seen->carriers[i].uses == 1 ? "" : "s", moved ? "  MOVED" : "");
    }
    return moved;
}

bool stn_rn_print(FILE *out, const stn_rn_seen *seen)
{
    size_t n;
    const stn_native *rows = stn_natives(&n);
    bool moved = false;

    fprintf(out, "%-24s %-9s %-10s %-8s%s\n", "carrier", "entry", "class", "knows", seen ? "  seen" : "");
    for (size_t i = 0; i < n; i++) {
        char versions[64], word[32];
        list_versions(&rows[i], versions, sizeof versions);
        snprintf(word, sizeof word, rows[i].word ? "*%s*" : "any", rows[i].word);
        fprintf(out, "%-24s %-9s %-10s %-8s", rows[i].carrier, rows[i].entry, word, versions);
        if (seen)
            moved |= print_seen(out, seen, &rows[i]);
        fputc('\n', out);
    }
    if (seen)
        fprintf(out, "%u resources looked through, %u of them cannot be read\n", seen->resources,
                seen->unreadable);
    return moved;
}
