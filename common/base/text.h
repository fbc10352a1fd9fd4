/* text.h - small text helpers: numbers, UTF-8, safe quoting. */
#ifndef STN_BASE_TEXT_H
#define STN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whole-string numbers: no sign but '-', no blanks, nothing after. False when out of [min, max] or malformed.
 */
bool stn_text_i64(const char *text, int64_t min, int64_t max, int64_t *out);
bool stn_text_u64(const char *text, uint64_t max, uint64_t *out);
bool stn_text_f64(const char *text, double min, double max, double *out);

/* True when the bytes are well-formed UTF-8 without NUL, overlong forms or surrogates. */
bool stn_text_is_utf8(const char *text, size_t len);

/* Length (1..4, at most `left`, which is not 0) of what stands at `text`: a character when *whole, else the
 * longest part that begins like one and is shown as a single U+FFFD. An encoded surrogate, or two bytes of
 * one, is one such part. Source: docs/spec/resource-format.md 3, session-protocol.md 1.1. */
size_t stn_text_utf8_part(const void *text, size_t left, bool *whole);

/* Copies for display: control characters and bytes that are not UTF-8 become '?', a cut ends in "...". Always
 * terminated when cap > 0. Returns out. */
char *stn_text_show(const char *text, size_t len, char *out, size_t cap);

bool stn_text_starts(const char *text, const char *prefix);
bool stn_text_ends(const char *text, const char *suffix);

#endif
