/* res_loader.h - the questions of `stenness res` that the loader of a running instance answers.
 *
 * instance: NULL = STENNESS_INSTANCE, else "default". All print, and return the exit status.
 */
#ifndef STN_CLIENT_RES_LOADER_H
#define STN_CLIENT_RES_LOADER_H

int stn_rl_why(const char *instance, const char *name, int version);
int stn_rl_reload(const char *instance, const char *name);
/* A question of the loader's control door (CTL_TEXT_GET); argument may be NULL. */
int stn_rl_words(const char *instance, const char *what, const char *argument);

#endif
