#include "client/commands.h"

#include "base/file.h"
#include "base/folders.h"
#include "base/opts.h"
#include "base/text.h"
#include "bus/keys.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

static const stn_opt options[] = {
    {"folder", STN_OPT_TEXT, NULL, 0, 0, "DIR",
     "where keys are kept; $XDG_CONFIG_HOME/stenness/keys by default"},
};

static const stn_opts_spec spec = {
    .program = "stenness-keys",
    .command = "stenness keys",
    .summary = "Keys for second machines. `keys new NAME` makes a pair; `keys show NAME` prints its public "
               "key; `keys allow\n"
               "FILE.pub` lets the machine with that key come; `keys deny NAME` takes that back; `keys list` "
               "lists all.",
    .operands = "new NAME | show NAME | allow FILE.pub | deny NAME | list",
    .opts = options,
    .count = sizeof options / sizeof *options,
};

static stn_status path_of(char *out, const char *folder, const char *name, const char *suffix, stn_err *err)
{
    int n;
    if (!stn_key_name_ok(name))
        return stn_fail(err, STN_USAGE, "key name \"%.40s\": 1 to 32 letters, digits, '.', '_' and '-'",
                        name);
    n = snprintf(out, PATH_MAX, "%s/%s%s", folder, name, suffix);
    return n < 0 || n >= PATH_MAX ? stn_fail(err, STN_TOO_BIG, "folder name too long") : STN_OK;
}

static stn_status make(const char *folder, const char *name, stn_err *err)
{
    stn_keys keys;
    stn_status st = stn_file_mkdirs(folder, 0700, err);

    if (st != STN_OK || (st = stn_keys_generate(name, &keys, err)) != STN_OK)
        return st;
    st = stn_keys_save(&keys, folder, err);
    if (st == STN_OK)
        printf("%s/%s.pub\t(copy this one to the other machine, then there: stenness keys allow %s.pub)\n"
               "%s/%s.pub_secret\t(keep this one)\npublic key: %s\n",
               folder, name, name, folder, name, keys.public_key);
    stn_keys_wipe(&keys);
    return st;
}

static stn_status show(const char *folder, const char *name, stn_err *err)
{
    char path[PATH_MAX];
    stn_keys keys;
    stn_status st = path_of(path, folder, name, ".pub", err);

    if (st != STN_OK || (st = stn_keys_load(path, &keys, err)) != STN_OK)
        return st;
    printf("%s\n", keys.public_key);
    stn_keys_wipe(&keys);
    return STN_OK;
}

static stn_status allow(const char *folder, const char *file, stn_err *err)
{
    char allowed[PATH_MAX], path[PATH_MAX];
    uint8_t *text;
    size_t len;
    stn_keys keys;
    stn_status st = stn_keys_load(file, &keys, err);

    if (st != STN_OK)
        return st;
    if (keys.secret_key[0]) {
        stn_keys_wipe(&keys);
        return stn_fail(err, STN_USAGE,
                        "%s holds a secret key: it must not leave its machine; use the .pub file", file);
    }
    snprintf(allowed, sizeof allowed, "%s/allowed", folder);
    if ((st = stn_file_mkdirs(allowed, 0700, err)) != STN_OK ||
        (st = path_of(path, allowed, keys.name, ".pub", err)) != STN_OK)
        return st;
    if ((st = stn_file_read(file, 64 << 10, &text, &len, err)) != STN_OK)
        return st;
    st = stn_file_write(path, text, len, 0600, true, err);
    free(text);
    if (st == STN_OK)
        printf("%s may come (%s)\n", keys.name, path);
    return st;
}

static stn_status deny(const char *folder, const char *name, stn_err *err)
{
    char allowed[PATH_MAX], path[PATH_MAX];
    stn_status st;

    snprintf(allowed, sizeof allowed, "%s/allowed", folder);
    if ((st = path_of(path, allowed, name, ".pub", err)) != STN_OK)
        return st;
    if (unlink(path) != 0)
        return stn_fail(err, errno == ENOENT ? STN_NOT_FOUND : STN_IO, "%s: %s", path, strerror(errno));
    printf("%s may not come any more\n", name);
    return STN_OK;
}

static void list_one(const char *folder, const char *title)
{
    DIR *d = opendir(folder);
    struct dirent *e;

    while (d && (e = readdir(d)) != NULL) {
        char path[PATH_MAX];
        stn_keys keys;
        stn_err err = {0};
        if (!stn_text_ends(e->d_name, ".pub") ||
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= PATH_MAX)
            continue;
        if (stn_keys_load(path, &keys, &err) == STN_OK)
            printf("%-8s %-32s %s\n", title, keys.name, keys.public_key);
        else
            printf("%-8s %-32s %s\n", "broken", e->d_name, err.text);
    }
    if (d)
        closedir(d);
}

static stn_status run(const stn_opts *opts, stn_err *err)
{
    char fallback[PATH_MAX], allowed[PATH_MAX + 16];
    const char *folder = stn_opts_text(opts, "folder"), *verb = stn_opts_operand(opts, 0),
               *what = stn_opts_operand(opts, 1);
    static const struct {
        const char *verb;
        stn_status (*fn)(const char *folder, const char *what, stn_err *err);
    } verbs[] = {{"new", make}, {"show", show}, {"allow", allow}, {"deny", deny}};

    if (!*folder) {
        if (stn_folder(STN_FOLDER_CONFIG, "keys", fallback, sizeof fallback, err) != STN_OK)
            return stn_fail_in(err, STN_USAGE, "name a folder with --folder");
        folder = fallback;
    }
    if (strlen(folder) > PATH_MAX - 64)
        return stn_fail(err, STN_USAGE, "--folder: the name is too long");
    if (verb && strcmp(verb, "list") == 0 && !what) {
        snprintf(allowed, sizeof allowed, "%s/allowed", folder);
        list_one(folder, "own");
        list_one(allowed, "allowed");
        return STN_OK;
    }
    for (size_t i = 0; verb && what && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(verb, verbs[i].verb) == 0)
            return verbs[i].fn(folder, what, err);
    return stn_fail(err, STN_USAGE,
                    "expected new NAME, show NAME, allow FILE.pub, deny NAME or list; see --help");
}

int cmd_keys(int argc, char **argv)
{
    stn_opts *opts;
    stn_err err = {0};

    switch (stn_opts_parse(&spec, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    if (run(opts, &err) != STN_OK)
        fprintf(stderr, "stenness keys: %s\n", err.text);
    stn_opts_free(opts);
    return err.code == STN_OK ? EXIT_SUCCESS : err.code == STN_USAGE ? EX_USAGE : EXIT_FAILURE;
}
