#include "client/commands.h"
#include "client/res/res_cmd.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

static const struct command {
    const char *name;
    int (*fn)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"run", cmd_run, "start all pieces of an instance and keep them running"},
    {"status", cmd_status, "say how each piece is"},
    {"shot", cmd_shot, "write a picture of the world to a PNG file"},
    {"res", cmd_res, "inspect, unpack, build and check .res resource files"},
    {"capture", cmd_capture, "record what the pieces say to each other"},
    {"replay", cmd_replay, "list a capture, or stand in for world and loader out of it"},
    {"keys", cmd_keys, "make and list the keys of second machines"},
    {"map", cmd_map, "write the recorded map to a file, or add one to it"},
    {"mesher", cmd_mesher, "attach this machine as a mesher to another one"},
};

static void usage(FILE *out)
{
    fputs("usage: stenness COMMAND [options]\n\n", out);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
    fputs("\n`stenness COMMAND --help` explains one. Without a command: run.\n", out);
}

int main(int argc, char **argv)
{
    static char run_name[] = "run";
    char *only_run[] = {run_name, NULL};

    stn_log_set_name("stenness");
    stn_log_level_from_env();
    if (argc < 2)
        return cmd_run(1, only_run);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("stenness " STN_RELEASE);
        return 0;
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].fn(argc - 1, argv + 1);
    fprintf(stderr, "stenness: no command \"%.40s\"\n", argv[1]);
    usage(stderr);
    return EX_USAGE;
}
