/* stenness-world: the game session, what it tells, and who sees it. */
#include "base/file.h"
#include "base/folders.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/opts.h"
#include "base/text.h"
#include "bus/control.h"
#include "session/wire.h"
#include "world/line_find.h"
#include "world/mapstore.h"
#include "world/world.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

static const stn_opt options[] = {
    {"server", STN_OPT_TEXT, NULL, 0, 0, "HOST[:PORT]",
     "game server; without it the embedded one (homestead)"},
    {"user", STN_OPT_TEXT, NULL, 0, 0, "NAME", "name to enter with"},
    {"character", STN_OPT_TEXT, NULL, 0, 0, "NAME", "character to play; without it the first one offered"},
    {"auth-ca", STN_OPT_TEXT, NULL, 0, 0, "FILE",
     "authority of the login service: a PEM file, or the official client's .jar"},
    {"auth-port", STN_OPT_INT, "1871", 1, 65535, "N", "port of the login service"},
    {"auth-dialect", STN_OPT_TEXT, "keyworded", 0, 0, "WORD", "keyworded or positional"},
    {"remember", STN_OPT_SWITCH, NULL, 0, 0, NULL, "keep a token, so that the password is not needed again"},
    {"session-version", STN_OPT_INT, "31", 30, 31, "N", "version of the game's protocol"},
    {"encrypt", STN_OPT_SWITCH, NULL, 0, 0, NULL, "seal the session's datagrams"},
    {"max-grids", STN_OPT_INT, "1024", 9, 65536, "N", "most grids that are held"},
    {"product-megabytes", STN_OPT_INT, "64", 1, 4096, "N", "most bytes of built cuts that are kept"},
    {"mesh-endpoint", STN_OPT_TEXT, NULL, 0, 0, "tcp://HOST:PORT",
     "one more endpoint for meshers of other machines"},
    {"mesh-keys", STN_OPT_TEXT, NULL, 0, 0, "FILE", "secret key file of that endpoint"},
    {"mesh-allow", STN_OPT_TEXT, NULL, 0, 0, "DIR", "folder with the public keys that may come"},
    {"map", STN_OPT_TEXT, NULL, 0, 0, "FILE", "where the recorded map is kept; \"none\" = nowhere"},
    {"map-export", STN_OPT_TEXT, NULL, 0, 0, "FILE", "write the recorded map to an exchange file, and end"},
    {"map-import", STN_OPT_TEXT, NULL, 0, 0, "FILE",
     "add what an exchange file holds to the recorded map, and end"},
    {"state", STN_OPT_TEXT, NULL, 0, 0, "FILE", "where ground settings are kept; \"none\" = nowhere"},
};

static const stn_opts_spec spec = {
    .program = "stenness-world",
    .summary = "Holds the game session and serves viewers and meshers.",
    .opts = options,
    .count = sizeof options / sizeof options[0],
};

/* Made when it is not there. */
static bool state_folder(char *out, size_t cap)
{
    return stn_folder(STN_FOLDER_STATE, NULL, out, cap, NULL) == STN_OK &&
           stn_file_mkdirs(out, 0700, NULL) == STN_OK;
}

/* INSTANCE.ground in the state folder. */
static bool state_path(const stn_opts *opts, char *out, size_t cap)
{
    const char *given = stn_opts_text(opts, "state");
    char folder[512];

    if (given[0]) {
        snprintf(out, cap, "%s", given);
        return strcmp(given, "none") != 0;
    }
    if (!state_folder(folder, sizeof folder))
        return false;
    snprintf(out, cap, "%s/%s.ground", folder, stn_opts_instance(opts));
    return true;
}

/* map-SERVER.sqlite in the state folder: all characters of a server share their record, as ground has one
 * identity there. The embedded server is another one in each instance. */
static bool map_path(const stn_opts *opts, char *out, size_t cap)
{
    const char *given = stn_opts_text(opts, "map"), *server = stn_opts_text(opts, "server");
    char folder[512], name[128];

    if (given[0]) {
        snprintf(out, cap, "%s", given);
        return strcmp(given, "none") != 0;
    }
    if (!state_folder(folder, sizeof folder))
        return false;
    if (server[0])
        snprintf(name, sizeof name, "%.100s", server);
    else
        snprintf(name, sizeof name, "homestead-%.100s", stn_opts_instance(opts));
    for (char *c = name; *c; c++) /* names of hosts know no case; what else stands in an address is plain */
        *c = (char)(isalnum((unsigned char)*c) ? tolower((unsigned char)*c) : strchr(".-", *c) ? *c : '_');
    snprintf(out, cap, "%s/map-%s.sqlite", folder, name);
    return true;
}

/* The tool's part: no world is needed, and one that runs is not disturbed. */
static stn_status exchange(const char *map, const char *to, const char *from, stn_err *err)
{
    stn_map_counts n;
    stn_mapstore *store;
    stn_status st;

    if (!map)
        return stn_fail(err, STN_USAGE, "there is no recorded map: neither XDG_STATE_HOME nor HOME is set");
    if (to[0] && access(map, F_OK) != 0)
        return stn_fail(err, STN_NOT_FOUND, "nothing is recorded yet: there is no %s", map);
    if ((st = stn_mapstore_open(map, 0, &store, err)) != STN_OK)
        return st;
    if (to[0] && (st = stn_mapstore_export(store, to, &n, err)) == STN_OK)
        printf("%s: %zu grids, %zu markers\n", to, n.grids, n.markers);
    if (st == STN_OK && from[0] && (st = stn_mapstore_import(store, from, &n, err)) == STN_OK) {
        printf("%s: %zu grids and %zu markers are new, %zu grids were known\n", from, n.grids, n.markers,
               n.known);
        if (n.refused)
            printf("%zu grids were left out: their places contradict what is recorded\n", n.refused);
    }
    stn_mapstore_free(store);
    return st;
}

/* The password that the supervisor hands over through a pipe; its length, or -1 when there is none. */
static ssize_t read_password(uint8_t *out, size_t cap)
{
    const char *text = getenv("STENNESS_PASSWORD_FD");
    int64_t fd;
    size_t n = 0;
    ssize_t got;

    if (!text || !stn_text_i64(text, 3, 1 << 20, &fd))
        return -1;
    while (n < cap && (got = read((int)fd, out + n, cap - n)) > 0)
        n += (size_t)got;
    close((int)fd);
    unsetenv("STENNESS_PASSWORD_FD");
    return (ssize_t)n;
}

int main(int argc, char **argv)
{
    stn_opts *opts = NULL;
    stn_loop *loop = NULL;
    stn_bus *bus = NULL;
    stn_world *world = NULL;
    stn_control *control = NULL;
    stn_control_spec control_spec = {.report = stn_world_report};
    stn_world_settings settings = {0};
    stn_keys keys;
    char runtime[STN_ADDRESS_MAX], state[600], tokens[600], map[700];
    uint8_t password[STN_FIND_PASSWORD];
    ssize_t password_len;
    stn_err err = {0};
    int rc = EXIT_FAILURE;

    switch (stn_opts_parse(&spec, argc, argv, &opts)) {
    case STN_OPTS_RUN:
        break;
    case STN_OPTS_DONE:
        return EXIT_SUCCESS;
    default:
        return EX_USAGE;
    }
    stn_log_set_name("world");
    stn_log_level_from_env();
    stn_heap_for_bulk();
    settings.map_file = map_path(opts, map, sizeof map) ? map : NULL;
    if (stn_opts_text(opts, "map-export")[0] || stn_opts_text(opts, "map-import")[0]) {
        if (exchange(settings.map_file, stn_opts_text(opts, "map-export"), stn_opts_text(opts, "map-import"),
                     &err) == STN_OK)
            rc = EXIT_SUCCESS;
        goto out;
    }
    settings.line.server = stn_opts_text(opts, "server");
    settings.line.user = stn_opts_text(opts, "user");
    settings.line.encrypt = stn_opts_switch(opts, "encrypt");
    settings.line.runtime = runtime;
    settings.line.auth_ca = stn_opts_text(opts, "auth-ca");
    settings.line.auth_port = (unsigned)stn_opts_int(opts, "auth-port");
    settings.line.positional = !strcmp(stn_opts_text(opts, "auth-dialect"), "positional");
    settings.line.remember = stn_opts_switch(opts, "remember");
    settings.line.version = (uint16_t)stn_opts_int(opts, "session-version");
    settings.line.token_folder =
        stn_folder(STN_FOLDER_STATE, "tokens", tokens, sizeof tokens, NULL) == STN_OK ? tokens : NULL;
    if ((password_len = read_password(password, sizeof password)) >= 0) {
        settings.line.password = password;
        settings.line.password_len = (size_t)password_len;
    }
    settings.character = stn_opts_text(opts, "character");
    settings.max_grids = (size_t)stn_opts_int(opts, "max-grids");
    settings.product_bytes = (size_t)stn_opts_int(opts, "product-megabytes") << 20;
    settings.mesh_endpoint = stn_opts_text(opts, "mesh-endpoint");
    settings.allow_folder = stn_opts_text(opts, "mesh-allow");
    settings.state_file = state_path(opts, state, sizeof state) ? state : NULL;
    if (stn_opts_text(opts, "mesh-keys")[0]) {
        if (stn_keys_load(stn_opts_text(opts, "mesh-keys"), &keys, &err) != STN_OK)
            goto out;
        settings.keys = &keys;
    }
    if (stn_address_folder(stn_opts_instance(opts), runtime, sizeof runtime, &err) != STN_OK ||
        stn_loop_new(&loop, &err) != STN_OK || stn_loop_stop_on_signals(loop, &err) != STN_OK ||
        stn_bus_new(loop, &(stn_bus_spec){.kind = "world", .instance = stn_opts_instance(opts)}, &bus,
                    &err) != STN_OK ||
        stn_world_new(bus, &settings, &world, &err) != STN_OK)
        goto out;
    explicit_bzero(password, sizeof password);
    control_spec.ctx = world;
    if (stn_control_new(bus, &control_spec, &control, &err) != STN_OK)
        goto out;
    if (stn_loop_run(loop, &err) == STN_OK)
        rc = EXIT_SUCCESS;
out:
    explicit_bzero(password, sizeof password);
    if (err.code)
        fprintf(stderr, "stenness-world: %s\n", err.text);
    stn_control_free(control);
    stn_world_free(world);
    stn_bus_free(bus);
    stn_loop_free(loop);
    stn_opts_free(opts);
    return rc;
}
