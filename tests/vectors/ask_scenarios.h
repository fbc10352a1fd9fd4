/* ask_scenarios.h - the scripted ask sequences of the resource-loading figures. */
#ifndef STN_TESTS_ASK_SCENARIOS_H
#define STN_TESTS_ASK_SCENARIOS_H

#include "support/support.h"

/* Runs every scenario of the file's JSON. scratch: a folder for the disk caches of the scenarios. */
void vec_ask_scenarios(const json_t *doc, const char *scratch, vec_report *report);
/* A fresh folder under TMPDIR, and its removal with all that is in it (no subfolders). */
char *vec_scratch_new(void);
void vec_scratch_empty(const char *dir);
void vec_scratch_free(char *dir);

#endif
