/* res_cmd.h - `stenness res`: list, show, extract, build, check, preview, pack, unpack, natives, why, reload,
 * cache.
 */
#ifndef STN_CLIENT_RES_CMD_H
#define STN_CLIENT_RES_CMD_H

/* argv[0] is "res", argv[1] the subcommand. Returns the exit status: 0 fine, 1 the resource or a file was at
 * fault (told on standard error, or on standard output by `check`), EX_USAGE. */
int cmd_res(int argc, char **argv);

#endif
