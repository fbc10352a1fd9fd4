#include "client/commands.h"
#include "client/paths.h"
#include "client/run.h"
#include "client/terminal.h"

#include "base/log.h"
#include "base/opts.h"
#include "bus/address.h"
#include "bus/lock.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static const stn_opt options[] = {
    {"procfile", STN_OPT_TEXT, NULL, 0, 0, "FILE", "the pieces to run; the installed one by default"},
    {"headless", STN_OPT_SWITCH, NULL, 0, 0, NULL, "no window; pictures by `stenness shot`"},
    {"size", STN_OPT_TEXT, NULL, 0, 0, "WxH", "size of the window or picture"},
    {"film", STN_OPT_TEXT, NULL, 0, 0, "DIR", "with --headless: write every frame there, numbered, and end"},
    {"film-frames", STN_OPT_TEXT, NULL, 0, 0, "N", "how many"},
    {"film-rate", STN_OPT_TEXT, NULL, 0, 0, "HZ", "for how many a second of the scene's clock"},
    {"land", STN_OPT_TEXT, NULL, 0, 0, "FILE", "homestead serves this recorded land"},
    {"seed", STN_OPT_TEXT, NULL, 0, 0, "N", "seed of homestead's generated land"},
    {"objects", STN_OPT_TEXT, NULL, 0, 0, "N", "how many objects homestead adds"},
    {"movers", STN_OPT_TEXT, NULL, 0, 0, "N", "how many of them move"},
    {"server", STN_OPT_TEXT, NULL, 0, 0, "HOST", "play on this server instead of homestead"},
    {"user", STN_OPT_TEXT, NULL, 0, 0, "NAME",
     "account on the server; its password is asked for on the terminal"},
    {"leader", STN_OPT_TEXT, "renderer", 0, 0, "NAME", "the piece whose wish to end ends all; empty: none"},
};

static const stn_opts_spec spec = {
    .program = "stenness-run",
    .command = "stenness run",
    .summary =
        "Starts the pieces of the Procfile, restarts what dies, and ends all when the window is closed.",
    .opts = options,
    .count = sizeof options / sizeof *options,
};

/* Pieces read their options from the environment too: what was given here reaches the piece that knows it. */
static bool pass_on(const stn_opts *opts)
{
    static const struct {
        const char *option, *variable;
    } passed[] = {
        {"headless", "STENNESS_HEADLESS"},   {"size", "STENNESS_SIZE"},
        {"land", "STENNESS_LAND"},           {"seed", "STENNESS_SEED"},
        {"objects", "STENNESS_OBJECTS"},     {"movers", "STENNESS_MOVERS"},
        {"server", "STENNESS_SERVER"},       {"user", "STENNESS_USER"},
        {"film", "STENNESS_FILM"},           {"film-frames", "STENNESS_FILM_FRAMES"},
        {"film-rate", "STENNESS_FILM_RATE"},
    };
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        if (stn_opts_given(opts, passed[i].option) &&
            setenv(passed[i].variable, stn_opts_text(opts, passed[i].option), 1) != 0)
            return false;
    return setenv("STENNESS_INSTANCE", stn_opts_instance(opts), 1) == 0;
}

static int run(const stn_opts *opts)
{
    char folder[STN_ADDRESS_MAX], state[STN_ADDRESS_MAX + 16], procfile[PATH_MAX], bin[PATH_MAX],
        password[256] = "";
    stn_run_config config = {
        .instance = stn_opts_instance(opts), .leader = stn_opts_text(opts, "leader"), .without = ""};
    stn_lock *lock = NULL;
    stn_err err = {0};
    int status = 1;

    if (stn_client_bin(bin, sizeof bin, &err) != STN_OK ||
        stn_client_procfile(opts, procfile, sizeof procfile, &err) ||
        stn_address_prepare(config.instance, &err) || stn_lock_take(config.instance, "run", &lock, &err) ||
        stn_address_folder(config.instance, folder, sizeof folder, &err))
        goto out;
    snprintf(state, sizeof state, "%s/run.json", folder);
    config.procfile_path = procfile;
    config.bin_dir = bin;
    config.state_path = state;
    if (stn_opts_given(opts, "server")) {
        config.without = "homestead";
        if (stn_opts_given(opts, "user")) {
            if (stn_terminal_password(stn_opts_text(opts, "user"), password, sizeof password, &err) != STN_OK)
                goto out;
            config.password = password;
        }
    }
    if (!pass_on(opts)) {
        stn_fail(&err, STN_NO_MEMORY, "environment");
        goto out;
    }
    stn_run(&config, &status, &err);
out:
    explicit_bzero(password, sizeof password);
    stn_lock_free(lock);
    if (err.code)
        fprintf(stderr, "stenness run: %s\n", err.text);
    return err.code ? EXIT_FAILURE : status;
}

int cmd_run(int argc, char **argv)
{
    stn_opts *opts;
    int status;

    switch (stn_opts_parse(&spec, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    stn_log_set_name("run");
    status = run(opts);
    stn_opts_free(opts);
    return status;
}
