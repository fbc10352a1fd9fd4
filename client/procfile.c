#include "client/procfile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

static stn_status add_line(stn_procfile *out, const char *line, size_t len, unsigned number, stn_err *err)
{
    size_t n = 0;
    stn_piece *piece = &out->pieces[out->count];

    while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '\t' || line[len - 1] == '\r'))
        len--;
    if (len == 0 || line[0] == '#')
        return STN_OK;
    while (n < len && name_char(line[n]))
        n++;
    if (n == 0 || n > 31 || n == len || line[n] != ':')
        return stn_fail(err, STN_BAD_DATA,
                        "Procfile line %u: expected \"name: command\", name of 1 to 31 letters, digits, "
                        "- and _",
                        number);
    if (out->count == STN_PROCFILE_MAX)
        return stn_fail(err, STN_TOO_BIG, "Procfile line %u: more than %d pieces", number, STN_PROCFILE_MAX);
    for (size_t i = 0; i < out->count; i++)
        if (strlen(out->pieces[i].name) == n && memcmp(out->pieces[i].name, line, n) == 0)
            return stn_fail(err, STN_BAD_DATA, "Procfile line %u: a second piece named \"%.*s\"", number,
                            (int)n, line);
    piece->name = strndup(line, n);
    for (n++; n < len && (line[n] == ' ' || line[n] == '\t');)
        n++;
    if (n == len || len - n > 4095) {
        free(piece->name);
        piece->name = NULL;
        return stn_fail(err, STN_BAD_DATA, "Procfile line %u: expected a command of 1 to 4095 bytes, got %zu",
                        number, len - n);
    }
    piece->command = strndup(line + n, len - n);
    if (!piece->name || !piece->command) {
        free(piece->name);
        free(piece->command);
        return stn_fail(err, STN_NO_MEMORY, "Procfile line %u", number);
    }
    out->count++;
    return STN_OK;
}

stn_status stn_procfile_parse(const char *text, stn_procfile *out, stn_err *err)
{
    unsigned number = 0;

    *out = (stn_procfile){0};
    while (*text) {
        size_t len = strcspn(text, "\n");
        stn_status st = add_line(out, text, len, ++number, err);
        if (st != STN_OK) {
            stn_procfile_fini(out);
            return st;
        }
        text += len + (text[len] == '\n');
    }
    if (out->count == 0)
        return stn_fail(err, STN_BAD_DATA, "Procfile: no piece in it");
    return STN_OK;
}

void stn_procfile_fini(stn_procfile *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->pieces[i].name);
        free(p->pieces[i].command);
    }
    *p = (stn_procfile){0};
}
