/* fuzz_res_text.c - layers as text and back: the first byte chooses the type, the rest is a payload, and once
 * more the text itself. Each ends in an error or in bytes. */
#include "client/res/res_text.h"
#include "res/res.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static stn_status save(void *user, const char *name, const uint8_t *data, size_t len, stn_err *err)
{
    (void)user;
    (void)name;
    (void)data;
    (void)len;
    (void)err;
    return STN_OK;
}

static stn_status load(void *user, const char *name, uint8_t **data, size_t *len, stn_err *err)
{
    (void)user;
    *data = NULL;
    *len = 0;
    return stn_fail(err, STN_NOT_FOUND, "no file %s", name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const stn_rt_files files = {NULL, save, load};
    json_t *text = NULL;
    stn_buf b = {.max = 16 << 20};

    if (size == 0 || size > 1 << 16)
        return 0;
    const char *type = stn_layer_kind_name((stn_layer_kind)(data[0] % STN_LAYER_KINDS));
    if (stn_rt_to_text(type, data + 1, size - 1, "000", &files, &text, NULL) == STN_OK) {
        char *chars = json_dumps(text, JSON_REAL_PRECISION(17));
        json_t *again = chars ? json_loads(chars, JSON_ALLOW_NUL, NULL) : NULL;
        if (again) {
            const char *key;
            json_t *value;
            void *tmp;
            stn_rt_to_bytes(type, again, &files, &b, NULL);
            json_object_foreach_safe(again, tmp, key, value)
            {
                json_object_del(again, key); /* a field is missing */
                stn_buf_clear(&b);
                stn_rt_to_bytes(type, again, &files, &b, NULL);
                break;
            }
        }
        json_decref(again);
        free(chars);
    }
    json_decref(text);
    stn_buf_fini(&b);
    /* the input itself as the text of a layer */
    text = json_loadb((const char *)data + 1, size - 1, 0, NULL);
    if (text)
        stn_rt_to_bytes(type, text, &files, &b, NULL);
    json_decref(text);
    stn_buf_fini(&b);
    return 0;
}
