/* A session recording: read, compared with what each line stands for, and written again to the byte. */
#include "vec_session.h"

#include "base/buf.h"
#include "session/recording.h"

#include <stdlib.h>
#include <string.h>

static bool bytes_are(const json_t *o, const uint8_t *data, size_t len)
{
    size_t n;
    uint8_t *want = vec_field_hex(o, "bytes", &n);
    bool same = want && n == len && !memcmp(want, data, len);

    free(want);
    return same;
}

static bool delta_is(const json_t *o, const stn_objdelta *d)
{
    const json_t *attrs = json_object_get(o, "attrs");
    size_t pos = 0, i = 0;
    stn_objattr a;

    if ((json_integer_value(json_object_get(o, "fl")) & 6) != d->flags ||
        json_integer_value(json_object_get(o, "id")) != d->id ||
        json_integer_value(json_object_get(o, "frame")) != d->frame ||
        json_is_true(json_object_get(o, "rem")) != d->removal)
        return false;
    /* Values that are not positive are not written. */
    if (json_integer_value(json_object_get(o, "initframe")) > 0
            ? json_integer_value(json_object_get(o, "initframe")) != d->initframe
            : d->initframe != 0)
        return false;
    while (stn_objdelta_attr_raw(d, &pos, &a)) {
        const json_t *pair = json_array_get(attrs, i++);
        size_t n;
        uint8_t *want = pair ? vec_unhex(json_string_value(json_array_get(pair, 1)), &n) : NULL;
        bool same = want && json_integer_value(json_array_get(pair, 0)) == a.type && n == a.len &&
                    !memcmp(want, a.data, n);

        free(want);
        if (!same)
            return false;
    }
    return i == json_array_size(attrs);
}

static bool record_is(const json_t *o, const stn_recorded *rec)
{
    static const char *const kinds[] = {"rmsg", "objd", "map", "close"};

    if (strcmp(vec_text(o, "kind", ""), kinds[rec->kind]))
        return false;
    switch (rec->kind) {
    case STN_RECORDED_RMSG:
        return json_integer_value(json_object_get(o, "type")) == rec->type &&
               bytes_are(o, rec->data, rec->len);
    case STN_RECORDED_MAP:
        return bytes_are(o, rec->data, rec->len);
    case STN_RECORDED_OBJD:
        return delta_is(o, &rec->obj);
    case STN_RECORDED_CLOSE:
        return true;
    }
    return false;
}

void vec_session_recording(vec_report *r, const char *dir)
{
    size_t text_len, len, it = 0;
    uint8_t *text = vec_read(dir, "recording.txt", &text_len), *json = vec_read(dir, "recording.jsonl", &len);
    stn_recording *rec = text ? stn_recording_new((const char *)text, text_len) : NULL;
    stn_recorded got;
    stn_buf again = {0};
    unsigned n = 0;
    json_t *o;

    while (rec && json && (o = vec_jsonl_next((const char *)json, len, &it)) != NULL) {
        stn_err err = {0};
        stn_status st = stn_recording_next(rec, &got, &err);

        n++;
        if (st != STN_OK) {
            vec_fail(r, "recording entry %u: %s", n,
                     st == STN_NOT_FOUND ? "the text ends before it" : err.text);
        } else {
            if (record_is(o, &got))
                vec_pass(r);
            else
                vec_fail(r, "recording entry %u differs", n);
            stn_recording_write(&again, &got);
        }
        json_decref(o);
    }
    if (rec && json) {
        if (stn_recording_next(rec, &got, NULL) != STN_NOT_FOUND)
            vec_fail(r, "the recording goes on behind entry %u", n);
        else if (again.failed || again.len != text_len || memcmp(again.data, text, text_len))
            vec_fail(r, "the recording is written differently");
        else
            vec_pass(r);
    }
    stn_buf_fini(&again);
    stn_recording_free(rec);
    free(json);
    free(text);
}
