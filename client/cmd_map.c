#include "client/commands.h"
#include "client/paths.h"

#include "base/opts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

static const stn_opt options[] = {
    {"server", STN_OPT_TEXT, NULL, 0, 0, "HOST", "the server whose record is meant; homestead's without it"},
    {"map", STN_OPT_TEXT, NULL, 0, 0, "FILE", "the recorded map itself, when it lies elsewhere"},
};

static const stn_opts_spec spec = {
    .program = "stenness-map",
    .command = "stenness map",
    .summary =
        "The recorded map: every grid of ground ever seen on a server. `map export FILE` writes all of it "
        "and its\n"
        "markers to a file that the reference client imports; `map import FILE` adds what such a file "
        "holds where\n"
        "nothing is recorded yet. Both may be done while the instance runs.",
    .operands = "export FILE | import FILE",
    .opts = options,
    .count = sizeof options / sizeof *options,
};

/* The record belongs to world: its program does it, and takes the same settings for where it lies. */
static int become_world(const stn_opts *opts, const char *flag, const char *file)
{
    char bin[PATH_MAX], path[PATH_MAX + 32];
    const char *words[10] = {path, "--instance", stn_opts_instance(opts), flag, file}, *text;
    size_t n = 5;
    stn_err err = {0};

    if (stn_client_bin(bin, sizeof bin, &err) != STN_OK) {
        fprintf(stderr, "stenness map: %s\n", err.text);
        return EXIT_FAILURE;
    }
    snprintf(path, sizeof path, "%s/stenness-world", bin);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (*(text = stn_opts_text(opts, options[i].name))) {
            words[n++] = i == 0 ? "--server" : "--map";
            words[n++] = text;
        }
    words[n] = NULL;
    execv(path, (char *const *)(uintptr_t)words);
    fprintf(stderr, "stenness map: %s: %s\n", path, strerror(errno));
    return EXIT_FAILURE;
}

int cmd_map(int argc, char **argv)
{
    stn_opts *opts;
    const char *verb, *file;
    int status = EX_USAGE;

    switch (stn_opts_parse(&spec, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    verb = stn_opts_operand(opts, 0);
    file = stn_opts_operand(opts, 1);
    if (verb && file && *file && stn_opts_operands(opts) == 2 && strcmp(verb, "export") == 0)
        status = become_world(opts, "--map-export", file);
    else if (verb && file && *file && stn_opts_operands(opts) == 2 && strcmp(verb, "import") == 0)
        status = become_world(opts, "--map-import", file);
    else
        fprintf(stderr, "stenness map: expected export FILE or import FILE; see --help\n");
    stn_opts_free(opts);
    return status;
}
