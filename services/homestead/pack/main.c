/* homestead-pack - writes the resource pack of homestead into a folder, at build time. */
#include "base/clock.h"
#include "base/file.h"
#include "base/opts.h"
#include "homestead/pack/pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static stn_status write_one(const char *folder, size_t i, size_t *bytes, stn_err *err)
{
    char path[4096];
    stn_buf file = {0};
    stn_status st = stn_pack_build(i, &file, err);
    int n = snprintf(path, sizeof path, "%s/%s.res", folder, stn_pack_name(i));

    if (st == STN_OK && (n < 0 || (size_t)n >= sizeof path))
        st = stn_fail(err, STN_USAGE, "%s: the path is too long", folder);
    if (st == STN_OK) {
        char *slash = strrchr(path, '/');

        *slash = '\0';
        st = stn_file_mkdirs(path, 0755, err);
        *slash = '/';
    }
    if (st == STN_OK)
        st = stn_file_write(path, file.data, file.len, 0644, false, err);
    *bytes += file.len;
    stn_buf_fini(&file);
    return st;
}

int main(int argc, char **argv)
{
    static const stn_opt options[] = {
        {"only", STN_OPT_TEXT, NULL, 0, 0, "TEXT", "write only the resources whose name holds TEXT"},
    };
    static const stn_opts_spec spec = {.program = "homestead-pack",
                                       .summary = "writes homestead's resources, made by code, into a folder",
                                       .operands = "FOLDER",
                                       .opts = options,
                                       .count = 1};
    stn_opts *opts = NULL;
    stn_err err = {0};
    size_t bytes = 0, files = 0;
    int64_t begin = stn_clock_ns();

    switch (stn_opts_parse(&spec, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    if (stn_opts_operands(opts) != 1) {
        fprintf(stderr, "homestead-pack: one FOLDER is needed, see --help\n");
        stn_opts_free(opts);
        return EX_USAGE;
    }
    for (size_t i = 0; i < stn_pack_count(); i++) {
        if (stn_opts_given(opts, "only") && !strstr(stn_pack_name(i), stn_opts_text(opts, "only")))
            continue;
        if (write_one(stn_opts_operand(opts, 0), i, &bytes, &err) != STN_OK) {
            fprintf(stderr, "homestead-pack: %s\n", err.text);
            stn_opts_free(opts);
            return EXIT_FAILURE;
        }
        files++;
    }
    printf("homestead-pack: %zu resources, %.1f MB, %.1f s\n", files, (double)bytes / 1e6,
           (double)(stn_clock_ns() - begin) / 1e9);
    stn_opts_free(opts);
    return EXIT_SUCCESS;
}
