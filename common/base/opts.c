#include "base/opts.h"

#include "base/folders.h"

#include "base/text.h"

#include <assert.h>
#include <ctype.h>
#include <ini.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef STN_RELEASE
#define STN_RELEASE "0.1.0"
#endif

static const stn_opt instance_opt = {
    "instance", STN_OPT_TEXT, "default", 0, 0, "NAME", "which of several instances side by side"};

struct stn_opts {
    const stn_opts_spec *spec;
    const char *section;
    char **values; /* per option, the instance last; NULL = default */
    char **operands;
    size_t n_operands;
    bool failed;
};

static const stn_opt *opt_at(const stn_opts_spec *spec, size_t i)
{
    return i < spec->count ? &spec->opts[i] : &instance_opt;
}

static const char *shown_name(const stn_opts_spec *spec)
{
    return spec->command ? spec->command : spec->program;
}

static bool find_opt(const stn_opts_spec *spec, const char *name, size_t len, size_t *at)
{
    for (size_t i = 0; i <= spec->count; i++) {
        const char *n = opt_at(spec, i)->name;
        if (strlen(n) == len && memcmp(n, name, len) == 0) {
            *at = i;
            return true;
        }
    }
    return false;
}

static bool truth(const char *text, bool *out)
{
    static const char *const yes[] = {"1", "yes", "on", "true"}, *const no[] = {"0", "no", "off", "false",
                                                                                ""};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        if (strcmp(text, yes[i]) == 0)
            return *out = true, true;
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (strcmp(text, no[i]) == 0)
            return *out = false, true;
    return false;
}

static bool valid(const stn_opt *o, const char *value)
{
    double real;
    int64_t whole;
    bool on;
    bool bounded = o->min < o->max;

    switch (o->type) {
    case STN_OPT_TEXT:
        return true;
    case STN_OPT_INT:
        return stn_text_i64(value, bounded ? (int64_t)o->min : INT64_MIN,
                            bounded ? (int64_t)o->max : INT64_MAX, &whole);
    case STN_OPT_REAL:
        return stn_text_f64(value, bounded ? o->min : -1e300, bounded ? o->max : 1e300, &real);
    case STN_OPT_SWITCH:
        return truth(value, &on);
    }
    return false;
}

static bool set_value(stn_opts *opts, size_t at, const char *value, const char *where)
{
    const stn_opt *o = opt_at(opts->spec, at);
    if (!valid(o, value)) {
        static const char *const kinds[] = {"text", "a whole number", "a number", "on or off"};
        char shown[64];
        fprintf(stderr, "%s: %s %s: expected %s", shown_name(opts->spec), where, o->name, kinds[o->type]);
        if (o->min < o->max)
            fprintf(stderr, " from %g to %g", o->min, o->max);
        fprintf(stderr, ", got \"%s\"\n", stn_text_show(value, strlen(value), shown, sizeof shown));
        return false;
    }
    free(opts->values[at]);
    opts->values[at] = strdup(value);
    return opts->values[at] != NULL;
}

static int ini_line(void *user, const char *section, const char *name, const char *value)
{
    stn_opts *opts = user;
    size_t at;
    if (strcmp(section, "all") != 0 && strcmp(section, opts->section) != 0)
        return 1;
    /* Keys of other programs may stand in [all]: unknown ones are not this program's to judge. */
    if (find_opt(opts->spec, name, strlen(name), &at) && !set_value(opts, at, value, "stenness.ini:"))
        opts->failed = true;
    return 1;
}

static bool read_ini(stn_opts *opts)
{
    char path[PATH_MAX];
    int line;

    if (stn_folder(STN_FOLDER_CONFIG, "stenness.ini", path, sizeof path, NULL) != STN_OK)
        return true;
    line = ini_parse(path, ini_line, opts);
    if (line > 0) {
        fprintf(stderr, "%s: %s:%d: expected [section] or key = value\n", shown_name(opts->spec), path, line);
        return false;
    }
    return !opts->failed;
}

static bool read_env(stn_opts *opts)
{
    for (size_t i = 0; i <= opts->spec->count; i++) {
        char name[80] = "STENNESS_";
        size_t n = strlen(name);
        const char *value;
        for (const char *p = opt_at(opts->spec, i)->name; *p && n < sizeof name - 1; p++)
            name[n++] = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
        name[n] = 0;
        value = getenv(name);
        if (value && *value && !set_value(opts, i, value, "environment"))
            return false;
    }
    return true;
}

static bool read_flag(stn_opts *opts, int argc, char **argv, int *i)
{
    const char *flag = argv[*i] + 2, *equals = strchr(flag, '=');
    size_t len = equals ? (size_t)(equals - flag) : strlen(flag), at;
    const char *value = equals ? equals + 1 : NULL;

    if (!find_opt(opts->spec, flag, len, &at)) {
        fprintf(stderr, "%s: unknown option --%.*s; --help lists them\n", shown_name(opts->spec),
                (int)(len > 60 ? 60 : len), flag);
        return false;
    }
    if (!value && opt_at(opts->spec, at)->type == STN_OPT_SWITCH)
        value = "on";
    if (!value) {
        if (*i + 1 >= argc) {
            fprintf(stderr, "%s: --%s needs a value\n", shown_name(opts->spec), flag);
            return false;
        }
        value = argv[++*i];
    }
    return set_value(opts, at, value, "option");
}

static void print_help(const stn_opts_spec *spec)
{
    printf("usage: %s [options]%s%s\n%s\n\noptions:\n", shown_name(spec), spec->operands ? " " : "",
           spec->operands ? spec->operands : "", spec->summary);
    for (size_t i = 0; i <= spec->count; i++) {
        const stn_opt *o = opt_at(spec, i);
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", o->name, o->type == STN_OPT_SWITCH ? "" : " ",
                 o->type == STN_OPT_SWITCH ? ""
                 : o->value_name           ? o->value_name
                                           : "VALUE");
        printf("  %-30s %s", left, o->help);
        if (o->fallback && *o->fallback)
            printf(" (default %s)", o->fallback);
        putchar('\n');
    }
    printf("  %-30s %s\n  %-30s %s\n", "--help", "this text", "--version", "the version");
    printf("Each option is also read from STENNESS_NAME and from stenness.ini; see docs/guide.md.\n");
}

stn_opts_result stn_opts_parse(const stn_opts_spec *spec, int argc, char **argv, stn_opts **out)
{
    stn_opts *opts = calloc(1, sizeof *opts);
    bool flags_over = false;

    *out = NULL;
    if (!opts)
        return STN_OPTS_USAGE;
    opts->spec = spec;
    opts->section = stn_text_starts(spec->program, "stenness-") ? spec->program + 9 : spec->program;
    opts->values = calloc(spec->count + 1, sizeof *opts->values);
    opts->operands = calloc((size_t)argc + 1, sizeof *opts->operands);
    if (!opts->values || !opts->operands)
        goto usage;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            print_help(spec);
            stn_opts_free(opts);
            return STN_OPTS_DONE;
        }
        if (strcmp(argv[i], "--version") == 0) {
            printf("%s %s\n", shown_name(spec), STN_RELEASE);
            stn_opts_free(opts);
            return STN_OPTS_DONE;
        }
    }
    if (!read_ini(opts) || !read_env(opts))
        goto usage;
    for (int i = 1; i < argc; i++) {
        if (!flags_over && strcmp(argv[i], "--") == 0) {
            flags_over = true;
        } else if (!flags_over && argv[i][0] == '-' && argv[i][1] == '-') {
            if (!read_flag(opts, argc, argv, &i))
                goto usage;
        } else if (!flags_over && argv[i][0] == '-' && argv[i][1]) {
            fprintf(stderr, "%s: unknown option %s; --help lists them\n", spec->program, argv[i]);
            goto usage;
        } else if (!spec->operands) {
            fprintf(stderr, "%s: unexpected argument \"%s\"\n", spec->program, argv[i]);
            goto usage;
        } else {
            opts->operands[opts->n_operands++] = argv[i];
        }
    }
    *out = opts;
    return STN_OPTS_RUN;
usage:
    stn_opts_free(opts);
    return STN_OPTS_USAGE;
}

void stn_opts_free(stn_opts *opts)
{
    if (!opts)
        return;
    if (opts->values)
        for (size_t i = 0; i <= opts->spec->count; i++)
            free(opts->values[i]);
    free(opts->values);
    free(opts->operands);
    free(opts);
}

static size_t must_find(const stn_opts *opts, const char *name)
{
    size_t at = 0;
    bool known = find_opt(opts->spec, name, strlen(name), &at);
    assert(known && "option name not in the program's table");
    (void)known;
    return at;
}

const char *stn_opts_text(const stn_opts *opts, const char *name)
{
    size_t at = must_find(opts, name);
    const char *fallback = opt_at(opts->spec, at)->fallback;
    if (opts->values[at])
        return opts->values[at];
    return fallback ? fallback : "";
}

int64_t stn_opts_int(const stn_opts *opts, const char *name)
{
    int64_t v = 0;
    stn_text_i64(stn_opts_text(opts, name), INT64_MIN, INT64_MAX, &v);
    return v;
}

double stn_opts_real(const stn_opts *opts, const char *name)
{
    double v = 0;
    stn_text_f64(stn_opts_text(opts, name), -1e300, 1e300, &v);
    return v;
}

bool stn_opts_switch(const stn_opts *opts, const char *name)
{
    bool on = false;
    truth(stn_opts_text(opts, name), &on);
    return on;
}

bool stn_opts_given(const stn_opts *opts, const char *name)
{
    return opts->values[must_find(opts, name)] != NULL;
}

size_t stn_opts_operands(const stn_opts *opts)
{
    return opts->n_operands;
}

const char *stn_opts_operand(const stn_opts *opts, size_t i)
{
    return i < opts->n_operands ? opts->operands[i] : NULL;
}

const char *stn_opts_instance(const stn_opts *opts)
{
    return stn_opts_text(opts, "instance");
}
