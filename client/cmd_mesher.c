#include "client/commands.h"
#include "client/paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The same program as beside a world; the command is there so that a second machine needs to know one name.
 */
int cmd_mesher(int argc, char **argv)
{
    char bin[PATH_MAX], path[PATH_MAX + 32];
    char **words = calloc((size_t)argc + 1, sizeof *words);
    stn_err err = {0};

    if (!words || stn_client_bin(bin, sizeof bin, &err) != STN_OK) {
        fprintf(stderr, "stenness mesher: %s\n", words ? err.text : "out of memory");
        free(words);
        return EXIT_FAILURE;
    }
    snprintf(path, sizeof path, "%s/stenness-mesher", bin);
    words[0] = path;
    for (int i = 1; i < argc; i++)
        words[i] = argv[i];
    execv(path, words);
    fprintf(stderr, "stenness mesher: %s: %s\n", path, strerror(errno));
    free(words);
    return EXIT_FAILURE;
}
