/* fuzz_cache_entry.c - what a disk cache folder and a server's answer headers may hold: entry names and
 * headers, resource names, URLs, content codings and ranges. */
#include "cache/cache_entry.h"
#include "loader/http_rules.h"
#include "loader/resname.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void entry(const uint8_t *data, size_t size)
{
    stn_buf identity = {0}, key = {0}, header = {0};
    size_t body = 0;
    stn_status st = stn_cache_header_read(data, size, &identity, &key, &body, NULL);
    if (st == STN_OK) {
        /* Well-formed texts make the same header again, unless they held forms that no writer makes. */
        if (stn_cache_header((char *)identity.data, identity.len - 1, (char *)key.data, key.len - 1, &header,
                             NULL) == STN_OK) {
            size_t at = 0;
            uint64_t hash =
                stn_cache_hash((char *)identity.data, identity.len - 1, (char *)key.data, key.len - 1);
            char file[STN_CACHE_FILE_MAX];
            uint32_t slot;
            uint64_t back;
            stn_cache_file_name(hash, 7, file);
            if (!stn_cache_file_parse(file, &back, &slot) || back != hash || slot != 7)
                abort();
            if (stn_cache_slot(header.data, header.len, header.data, header.len, &at) != STN_SLOT_OURS ||
                at != header.len)
                abort();
        }
        if (body > size)
            abort();
    }
    stn_cache_slot(data, size, (const uint8_t *)"\1\0\0\0\0", 5, &body);
    stn_buf_fini(&identity);
    stn_buf_fini(&key);
    stn_buf_fini(&header);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    stn_url_base base;
    stn_buf out = {0};
    uint64_t first;
    uint32_t slot;
    memcpy(text, data, size);
    text[size] = 0;
    entry(data, size);
    stn_cache_file_parse(text, &first, &slot);
    if (stn_resname_check(text, size, NULL) == STN_OK &&
        stn_url_base_init(&base, "http://h/", NULL) == STN_OK) {
        /* Whatever the name, the request goes to this host and below this path. */
        if (stn_url_of(&base, text, 1, true, &out, NULL) == STN_OK && memcmp(out.data, "http://h/", 9) != 0)
            abort();
        stn_url_base_fini(&base);
    }
    if (stn_url_base_init(&base, text, NULL) == STN_OK)
        stn_url_base_fini(&base);
    stn_http_content_range(text, size, &first);
    stn_buf_clear(&out);
    stn_http_decode(stn_http_coding_of(text, size < 8 ? size : 8), data, size, &out, NULL);
    stn_buf_clear(&out);
    stn_http_decode(size % 2 ? STN_CODING_GZIP : STN_CODING_DEFLATE, data, size, &out, NULL);
    stn_buf_fini(&out);
    free(text);
    return 0;
}
