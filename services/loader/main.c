#include "base/log.h"
#include "base/opts.h"
#include "bus/address.h"
#include "bus/bus.h"
#include "loader/decoder_wire.h"
#include "loader/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

static const stn_opt options[] = {
    {"resurl", STN_OPT_TEXT, "", 0, 0, "URL",
     "resource server (none = no network); without it this instance's homestead"},
    {"resdir", STN_OPT_TEXT, "", 0, 0, "DIR",
     "developer folder of NAME.res files, asked before everything else"},
    {"watch-resdir", STN_OPT_SWITCH, NULL, 0, 0, NULL,
     "read a resource again by itself when its file in the developer folder changes"},
    {"pack", STN_OPT_TEXT, "", 0, 0, "FILE,…", "resource packs (.jar, .zip), asked before the network"},
    {"packs", STN_OPT_TEXT, "", 0, 0, "DIR", "folder with builtin-res.jar, hafen-res.jar, brodgar-res.jar"},
    {"cache", STN_OPT_TEXT, "", 0, 0, "DIR",
     "disk cache (none = off, shared = the one of an installed reference client)"},
    {"cache-identity", STN_OPT_TEXT, "", 0, 0, "TEXT",
     "whose entries the disk cache holds (default: by the URL)"},
    {"cache-cap", STN_OPT_INT, "1024", 0, 1 << 20, "MIB", "size of the disk cache, 0 = no limit"},
    {"budget", STN_OPT_INT, "256", 16, 1 << 20, "MIB", "memory for decoded resources"},
    {"workers", STN_OPT_INT, "0", 0, 64, "N", "decoders, 0 = one a core"},
    {"transfers", STN_OPT_INT, "32", 1, 256, "N", "HTTP transfers at once"},
    {"idle", STN_OPT_SWITCH, NULL, 0, 0, NULL, "decode only when nobody else wants the processor"},
    {"no-sandbox", STN_OPT_SWITCH, NULL, 0, 0, NULL, "decode in this process (for debugging)"},
    {"pin", STN_OPT_TEXT, "", 0, 0, "FILE",
     "certificate (PEM) of the pinned hosts instead of the game server's own"},
    {"pin-hosts", STN_OPT_TEXT, "havenandhearth.com", 0, 0, "HOST,…",
     "hosts that only the pinned certificate vouches for"},
    {"pin-or-system", STN_OPT_SWITCH, NULL, 0, 0, NULL,
     "pinned hosts may also be good by the system's certificates"},
    {"redirect-to-https", STN_OPT_SWITCH, NULL, 0, 0, NULL, "follow redirects from http to https"},
};

static const stn_opts_spec spec = {.program = "stenness-loader",
                                   .summary = "Fetches, keeps and decodes resources for every other piece.",
                                   .opts = options,
                                   .count = sizeof options / sizeof *options};

static const char *text_or_null(const stn_opts *o, const char *name)
{
    const char *t = stn_opts_text(o, name);
    return *t ? t : NULL;
}

static void fill(const stn_opts *o, const char *watch_file, stn_loader_opts *out)
{
    *out = (stn_loader_opts){.watch_resdir = stn_opts_switch(o, "watch-resdir"),
                             .budget_bytes = (size_t)stn_opts_int(o, "budget") << 20,
                             .sources = {.resurl = stn_opts_text(o, "resurl"),
                                         .resdir = stn_opts_text(o, "resdir"),
                                         .pack = stn_opts_text(o, "pack"),
                                         .packs = stn_opts_text(o, "packs"),
                                         .cache = stn_opts_text(o, "cache"),
                                         .identity = stn_opts_text(o, "cache-identity"),
                                         .cache_cap = (uint64_t)stn_opts_int(o, "cache-cap") << 20,
                                         .watch_file = watch_file,
                                         .http = {.agent = "Haven/1.0 (stenness) Stenness/0.1",
                                                  .active_max = (unsigned)stn_opts_int(o, "transfers"),
                                                  .allow_upgrade = stn_opts_switch(o, "redirect-to-https"),
                                                  .pinned_file = text_or_null(o, "pin"),
                                                  .pinned_hosts = stn_opts_text(o, "pin-hosts"),
                                                  .pinned_fallback = stn_opts_switch(o, "pin-or-system")},
                                         .workers = {.count = (unsigned)stn_opts_int(o, "workers"),
                                                     .sandboxed = !stn_opts_switch(o, "no-sandbox"),
                                                     .program = "/proc/self/exe",
                                                     .idle = stn_opts_switch(o, "idle")}}};
}

int main(int argc, char **argv)
{
    stn_opts *opts = NULL;
    stn_err err = {0};
    stn_loop *loop = NULL;
    stn_bus *bus = NULL;
    stn_loader *loader = NULL;
    stn_loader_opts lo;
    char watch_file[512];
    int rc = EXIT_FAILURE;

    if (argc == 2 && strcmp(argv[1], "--decoder") == 0)
        return stn_decoder_child();
    switch (stn_opts_parse(&spec, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    stn_log_level_from_env();
    if (stn_address_folder(stn_opts_instance(opts), watch_file, sizeof watch_file - 16, &err) != STN_OK)
        goto out;
    strcat(watch_file, "/homestead.json");
    fill(opts, watch_file, &lo);
    if (stn_loop_new(&loop, &err) != STN_OK || stn_loop_stop_on_signals(loop, &err) != STN_OK ||
        stn_bus_new(loop,
                    &(stn_bus_spec){.kind = "loader", .instance = stn_opts_instance(opts), .software = "0.1"},
                    &bus, &err) != STN_OK ||
        stn_loader_new(bus, &lo, &loader, &err) != STN_OK)
        goto out;
    if (stn_loop_run(loop, &err) == STN_OK)
        rc = EXIT_SUCCESS;
out:
    if (err.code)
        fprintf(stderr, "stenness-loader: %s\n", err.text);
    stn_loader_free(loader);
    stn_bus_free(bus);
    stn_loop_free(loop);
    stn_opts_free(opts);
    return rc;
}
