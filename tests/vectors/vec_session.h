/* vec_session.h - the parts of vec-session: each runs the cases of the files that it knows, found in `dir`.
 */
#ifndef STN_VEC_SESSION_H
#define STN_VEC_SESSION_H

#include "support/support.h"

/* conn_*.jsonl, hostile_conn.jsonl with required.json, loopback_*.jsonl (read, not compared). */
void vec_session_conn(vec_report *r, const char *dir);
/* tto, hostile_tto, rmsg, globlob. */
void vec_session_values(vec_report *r, const char *dir);
void vec_session_globlob(vec_report *r, const char *dir);
/* mapdata_frag, hostile_mapdata, mapgrid. */
void vec_session_map(vec_report *r, const char *dir);
/* auth, authframe_*. */
void vec_session_auth(vec_report *r, const char *dir);
/* recording.txt, recording.jsonl. */
void vec_session_recording(vec_report *r, const char *dir);

struct stn_values;
/* Whether typed values are what the file shows. */
bool vec_same_values(const json_t *list, const struct stn_values *have);

/* A text field, or a default. */
const char *vec_text(const json_t *o, const char *key, const char *fallback);
/* Hex of a field to bytes (free()); exits when it is no hex. NULL when the field is absent or null. */
uint8_t *vec_field_hex(const json_t *o, const char *key, size_t *len);
/* The double whose bits a field gives as 16 hex digits. */
double vec_field_bits(const json_t *o, const char *key);

#endif
