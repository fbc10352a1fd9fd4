#include "res/container.h"

#include "base/bytes.h"
#include "base/text.h"

#include <string.h>

static stn_status fail(stn_res_fault *fault, stn_res_fault_kind kind, int32_t record, size_t offset)
{
    if (fault)
        *fault = (stn_res_fault){kind, record, offset};
    return stn_res_fault_status(kind);
}

static stn_status read_head(stn_bytes *in, uint16_t *version, stn_res_fault *fault, stn_err *err)
{
    if (in->len == 0) {
        stn_fail(err, STN_NOT_FOUND, "empty: 0 bytes stand for an absent resource");
        return fail(fault, STN_FAULT_EMPTY, -1, 0);
    }
    const uint8_t *sig = stn_bytes_take(in, STN_RES_SIGNATURE_BYTES);
    if (sig && memcmp(sig, STN_RES_SIGNATURE, STN_RES_SIGNATURE_BYTES) != 0) {
        char shown[32];
        stn_text_show((const char *)sig, STN_RES_SIGNATURE_BYTES, shown, sizeof shown);
        stn_fail(err, STN_BAD_DATA, "not a resource: starts with \"%s\", expected \"%s\"", shown,
                 STN_RES_SIGNATURE);
        return fail(fault, STN_FAULT_SIGNATURE, -1, 0);
    }
    *version = stn_bytes_u16(in);
    if (in->bad) { /* too short to tell whether it was one */
        stn_fail(err, STN_TRUNCATED, "ends inside the signature or version: %zu bytes", in->len);
        return fail(fault, STN_FAULT_TRUNCATED, -1, in->len);
    }
    return STN_OK;
}

stn_status stn_res_peek_version(const uint8_t *data, size_t len, uint16_t *version, stn_res_fault *fault,
                                stn_err *err)
{
    stn_bytes in = stn_bytes_of(data, len);
    return read_head(&in, version, fault, err);
}

/* Reads one record; *rec is filled as far as it goes. */
static stn_status read_record(stn_bytes *in, uint32_t index, stn_res_record *rec, stn_res_fault *fault,
                              stn_err *err)
{
    char shown[48];
    size_t type_len = 0;

    rec->offset = in->pos;
    rec->type = stn_bytes_cstr(in, &type_len);
    if (!rec->type) {
        stn_fail(err, STN_TRUNCATED, "record %u at %zu: type name without its NUL, %zu bytes left", index,
                 rec->offset, in->len - rec->offset);
        return fail(fault, STN_FAULT_TRUNCATED, (int32_t)index, rec->offset);
    }
    stn_text_show(rec->type, type_len, shown, sizeof shown);
    if (stn_bytes_left(in) < 4) {
        stn_fail(err, STN_TRUNCATED, "record \"%s\" at %zu: ends inside the length", shown, rec->offset);
        return fail(fault, STN_FAULT_TRUNCATED, (int32_t)index, rec->offset);
    }
    int32_t len = stn_bytes_i32(in);
    if (len < 0 || (size_t)len > stn_bytes_left(in)) {
        stn_fail(err, STN_TRUNCATED, "record \"%s\" at %zu: payload of %d bytes, %zu left", shown,
                 rec->offset, len, stn_bytes_left(in));
        return fail(fault, STN_FAULT_LENGTH, (int32_t)index, rec->offset);
    }
    rec->len = (uint32_t)len;
    rec->data = stn_bytes_take(in, (size_t)len);
    return STN_OK;
}

stn_status stn_res_container_read(const uint8_t *data, size_t len, int want_version,
                                  const stn_res_limits *limits, stn_arena *arena, stn_res_container *out,
                                  stn_res_fault *fault, stn_err *err)
{
    stn_bytes in = stn_bytes_of(data, len);
    stn_res_record *records = NULL;
    uint32_t cap = 0;
    stn_status st;

    *out = (stn_res_container){0};
    if (fault)
        *fault = (stn_res_fault){STN_FAULT_NONE, -1, 0};
    if (!limits)
        limits = &stn_res_default_limits;
    if (len > limits->max_input) {
        stn_fail(err, STN_TOO_BIG, "file of %zu bytes, at most %zu are read", len, limits->max_input);
        return fail(fault, STN_FAULT_LIMIT, -1, 0);
    }
    if ((st = read_head(&in, &out->version, fault, err)) != STN_OK)
        return st;
    if (want_version != STN_RES_ANY_VERSION && want_version != out->version) {
        stn_fail(err, STN_VERSION, "version %u, wanted %d", out->version, want_version);
        return fail(fault, STN_FAULT_VERSION, -1, STN_RES_SIGNATURE_BYTES);
    }
    while (stn_bytes_left(&in) > 0) {
        if (out->count == limits->max_records) {
            stn_fail(err, STN_TOO_BIG, "more than %u records", limits->max_records);
            return fail(fault, STN_FAULT_LIMIT, (int32_t)out->count, in.pos);
        }
        if (out->count == cap) {
            cap = cap ? cap * 2 : 16;
            stn_res_record *grown = stn_arena_array(arena, cap, sizeof *grown);
            if (!grown) {
                stn_fail(err, STN_NO_MEMORY, "list of %u records", cap);
                return fail(fault, STN_FAULT_MEMORY, -1, in.pos);
            }
            if (out->count)
                memcpy(grown, records, out->count * sizeof *grown);
            records = grown;
            out->records = records;
        }
        if ((st = read_record(&in, out->count, &records[out->count], fault, err)) != STN_OK)
            return st;
        out->count++;
    }
    return STN_OK;
}

void stn_res_put_head(stn_buf *out, uint16_t version)
{
    stn_buf_put(out, STN_RES_SIGNATURE, STN_RES_SIGNATURE_BYTES);
    stn_buf_u16(out, version);
}

stn_status stn_res_put_record(stn_buf *out, const char *type, size_t type_len, const void *payload,
                              size_t len, stn_err *err)
{
    if (memchr(type, 0, type_len))
        return stn_fail(err, STN_USAGE, "a record's type name cannot hold a NUL");
    if (len > INT32_MAX)
        return stn_fail(err, STN_USAGE, "payload of %zu bytes, a record holds at most %d", len, INT32_MAX);
    stn_buf_put(out, type, type_len);
    stn_buf_u8(out, 0);
    stn_buf_u32(out, (uint32_t)len);
    if (len)
        stn_buf_put(out, payload, len);
    return out->failed ? stn_fail(err, STN_NO_MEMORY, "record of %zu bytes", len) : STN_OK;
}
