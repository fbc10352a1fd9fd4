/* opts.h - a program's settings: flags over environment over $XDG_CONFIG_HOME/stenness/stenness.ini over
 * defaults.
 *
 * A program describes its options in one table. Each has a long flag (--name VALUE, --name=VALUE, --name for
 * switches), the environment variable STENNESS_NAME (upper case, '-' becomes '_') and, in the ini file, the
 * key `name` in the section of the program ([loader]) or in [all]. Every program has --help, --version and
 * --instance besides.
 */
#ifndef STN_BASE_OPTS_H
#define STN_BASE_OPTS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum stn_opt_type { STN_OPT_TEXT, STN_OPT_INT, STN_OPT_REAL, STN_OPT_SWITCH } stn_opt_type;

typedef struct stn_opt {
    const char *name; /* long flag without dashes */
    stn_opt_type type;
    const char *fallback; /* default as text; NULL = none ("", 0, off) */
    double min, max; /* for INT and REAL; both 0 = any */
    const char *value_name; /* for --help, e.g. "DIR" */
    const char *help;
} stn_opt;

typedef struct stn_opts_spec {
    const char *program; /* "stenness-loader": the log name and ini section are the part behind "stenness-" */
    const char *summary; /* one line for --help */
    const char *operands; /* for --help, e.g. "OUT.png"; NULL = no operands are taken */
    const stn_opt *opts;
    size_t count;
    const char *command; /* as a person types it ("stenness run"), for help and messages; NULL = program */
} stn_opts_spec;

typedef struct stn_opts stn_opts;

typedef enum stn_opts_result {
    STN_OPTS_RUN,
    STN_OPTS_DONE, /* --help or --version was answered on standard output */
    STN_OPTS_USAGE, /* a message was printed; exit with EX_USAGE */
} stn_opts_result;

/* *out is set for STN_OPTS_RUN only. */
stn_opts_result stn_opts_parse(const stn_opts_spec *spec, int argc, char **argv, stn_opts **out);
void stn_opts_free(stn_opts *opts);

/* Borrowed until free. Asking for a name that is not in the table is a programming error (asserted). */
const char *stn_opts_text(const stn_opts *opts, const char *name);
int64_t stn_opts_int(const stn_opts *opts, const char *name);
double stn_opts_real(const stn_opts *opts, const char *name);
bool stn_opts_switch(const stn_opts *opts, const char *name);
bool stn_opts_given(const stn_opts *opts, const char *name); /* set by flag, environment or file */
size_t stn_opts_operands(const stn_opts *opts);
const char *stn_opts_operand(const stn_opts *opts, size_t i); /* NULL out of range */
const char *stn_opts_instance(const stn_opts *opts); /* --instance, STENNESS_INSTANCE, "default" */

#endif
