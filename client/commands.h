/* commands.h - the subcommands of `stenness`. Each takes its own name as argv[0] and returns the exit status.
 */
#ifndef STN_CLIENT_COMMANDS_H
#define STN_CLIENT_COMMANDS_H

int cmd_run(int argc, char **argv);
int cmd_status(int argc, char **argv);
int cmd_shot(int argc, char **argv);
int cmd_capture(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_keys(int argc, char **argv);
int cmd_map(int argc, char **argv);
int cmd_mesher(int argc, char **argv);

#endif
