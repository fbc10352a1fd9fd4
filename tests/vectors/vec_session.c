/* vec-session DIR: the session protocol against the figures of the reference client. */
#include "vec_session.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>

const char *vec_text(const json_t *o, const char *key, const char *fallback)
{
    const json_t *v = json_object_get(o, key);

    return json_is_string(v) ? json_string_value(v) : fallback;
}

uint8_t *vec_field_hex(const json_t *o, const char *key, size_t *len)
{
    const char *text = vec_text(o, key, NULL);
    uint8_t *data;

    *len = 0;
    if (!text)
        return NULL;
    data = vec_unhex(text, len);
    if (!data) {
        fprintf(stderr, "vec-session: field %s is no hex text\n", key);
        exit(2);
    }
    return data;
}

double vec_field_bits(const json_t *o, const char *key)
{
    return stn_f64_of_bits(strtoull(vec_text(o, key, "0"), NULL, 16));
}

int main(int argc, char **argv)
{
    vec_report r = {0};

    if (argc != 2) {
        fprintf(stderr, "usage: vec-session DIR\n");
        return 2;
    }
    vec_session_conn(&r, argv[1]);
    vec_session_values(&r, argv[1]);
    vec_session_globlob(&r, argv[1]);
    vec_session_map(&r, argv[1]);
    vec_session_auth(&r, argv[1]);
    vec_session_recording(&r, argv[1]);
    return vec_done(&r);
}
