/* support.h - what the vector programs and tests share.
 *
 * A vector program takes a folder, runs every case in it, prints a line for each failure and closes with
 * "N passed, M failed" (", K skipped" behind it when there are any). Exit status 1 on any failure or when
 * there was no case at all.
 */
#ifndef STN_TESTS_SUPPORT_H
#define STN_TESTS_SUPPORT_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vec_report {
    unsigned long passed, failed, skipped;
    unsigned long shown; /* failures printed so far; after 50 only counted */
} vec_report;

void vec_pass(vec_report *r);
void vec_fail(vec_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void vec_skip(vec_report *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prints the closing line; returns the exit status. */
int vec_done(const vec_report *r);

/* DIR/NAME, or NULL when it does not exist. Reads into fresh memory (free()); *.gz is unpacked. Exits with a
 * message when the file is there but cannot be read. A NUL stands behind the data. */
uint8_t *vec_read(const char *dir, const char *name, size_t *len);
/* The same as JSON (decref); NULL when the file does not exist. Exits on a parse error. */
json_t *vec_json(const char *dir, const char *name);
/* One JSON value per line: *it starts at 0; NULL at the end. `text` is the whole file. Exits on a parse
 * error. */
json_t *vec_jsonl_next(const char *text, size_t len, size_t *it);
/* Names in the folder that end in `suffix`, sorted, NULL-terminated; vec_list_free(). Empty when the folder
 * is absent. */
char **vec_list(const char *dir, const char *suffix);
void vec_list_free(char **names);

/* Hex text to bytes (free()); NULL on an odd or wrong digit. */
uint8_t *vec_unhex(const char *hex, size_t *len);
uint32_t vec_crc32(const void *data, size_t len);
/* Offset of the first difference of two pieces of n bytes, n when there is none. Differences inside a float
 * (at any alignment) that is a NaN on both sides do not count. */
size_t vec_first_difference(const uint8_t *a, const uint8_t *b, size_t n);

#endif
