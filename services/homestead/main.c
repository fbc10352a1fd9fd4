#include "base/log.h"
#include "homestead/accounts.h"
#include "homestead/homestead.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

/* Reads one line, without its end. */
static int write_account(const char *name)
{
    char password[1024];
    stn_buf line = {0};
    stn_err err = {0};
    int rc = EXIT_FAILURE;

    fprintf(stderr, "password for %s: ", name);
    if (!fgets(password, sizeof password, stdin)) {
        fprintf(stderr, "stenness-homestead: no password on standard input\n");
        return EXIT_FAILURE;
    }
    password[strcspn(password, "\n")] = 0;
    if (stn_accounts_line(name, password, &line, &err) == STN_OK &&
        fwrite(line.data, 1, line.len, stdout) == line.len)
        rc = EXIT_SUCCESS;
    else
        fprintf(stderr, "stenness-homestead: %s\n", err.code ? err.text : "the line could not be written");
    explicit_bzero(password, sizeof password);
    stn_buf_fini(&line);
    return rc;
}

int main(int argc, char **argv)
{
    stn_opts *opts = NULL;
    stn_loop *loop = NULL;
    stn_homestead *homestead = NULL;
    stn_err err = {0};
    int rc = EXIT_FAILURE;

    switch (stn_opts_parse(&stn_homestead_options, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    stn_log_set_name("homestead");
    stn_log_level_from_env();
    if (stn_opts_given(opts, "hash-password")) {
        rc = write_account(stn_opts_text(opts, "hash-password"));
        stn_opts_free(opts);
        return rc;
    }
    if (stn_loop_new(&loop, &err) == STN_OK && stn_loop_stop_on_signals(loop, &err) == STN_OK &&
        stn_homestead_new(loop, opts, &homestead, &err) == STN_OK && stn_loop_run(loop, &err) == STN_OK)
        rc = EXIT_SUCCESS;
    if (err.code)
        stn_log_error("%s", err.text);
    stn_homestead_free(homestead);
    stn_loop_free(loop);
    stn_opts_free(opts);
    return rc;
}
