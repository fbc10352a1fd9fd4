#include "bus/array.h"

static const struct {
    const char *name;
    size_t bytes;
} formats[] = {{"nothing", 0}, {"u8", 1},  {"u16", 2}, {"u32", 4},   {"i32", 4},
               {"f32", 4},     {"f64", 8}, {"u64", 8}, {"rgba8", 4}, {"bytes", 1}};

static const char *format_name(Stenness__ElementFormat format)
{
    return (unsigned)format < sizeof formats / sizeof *formats ? formats[format].name : "unknown";
}

size_t stn_array_element_bytes(Stenness__ElementFormat format)
{
    return (unsigned)format < sizeof formats / sizeof *formats ? formats[format].bytes : 0;
}

stn_status stn_array_view(const Stenness__Array *a, stn_frame *const *frames, size_t n_frames,
                          const stn_array_rule *rule, stn_array *out, stn_err *err)
{
    size_t stride, len;

    *out = (stn_array){.data = stn_frame_data(NULL)};
    if (!a || (a->format == STENNESS__ELEMENT_FORMAT__ELEMENT_NONE && a->count == 0)) {
        if (rule->optional)
            return STN_OK;
        return stn_fail(err, STN_BAD_DATA, "array %s: absent", rule->name);
    }
    stride = stn_array_element_bytes(a->format);
    if (stride == 0)
        return stn_fail(err, STN_BAD_DATA, "array %s: element format %d is unknown", rule->name,
                        (int)a->format);
    if (rule->format != STENNESS__ELEMENT_FORMAT__ELEMENT_NONE && a->format != rule->format)
        return stn_fail(err, STN_BAD_DATA, "array %s: elements are %s, expected %s", rule->name,
                        format_name(a->format), format_name(rule->format));
    if (a->frame >= n_frames)
        return stn_fail(err, STN_BAD_DATA, "array %s: bulk frame %u of %zu", rule->name, a->frame, n_frames);
    if (a->offset % STN_ARRAY_ALIGN != 0)
        return stn_fail(err, STN_BAD_DATA, "array %s: offset %llu is not a multiple of %u", rule->name,
                        (unsigned long long)a->offset, STN_ARRAY_ALIGN);
    len = stn_frame_len(frames[a->frame]);
    if (a->offset > len)
        return stn_fail(err, STN_BAD_DATA, "array %s: offset %llu in a frame of %zu bytes", rule->name,
                        (unsigned long long)a->offset, len);
    if (a->count > (len - a->offset) / stride)
        return stn_fail(err, STN_BAD_DATA,
                        "array %s: %llu elements of %zu bytes at %llu, the frame has %zu bytes", rule->name,
                        (unsigned long long)a->count, stride, (unsigned long long)a->offset, len);
    if (a->count < rule->min || (rule->max != 0 && a->count > rule->max))
        return stn_fail(err, STN_BAD_DATA, "array %s: %llu elements, expected %zu to %zu", rule->name,
                        (unsigned long long)a->count, rule->min, rule->max != 0 ? rule->max : len / stride);
    out->data = stn_frame_data(frames[a->frame]) + a->offset;
    out->count = (size_t)a->count;
    out->stride = stride;
    out->format = a->format;
    return STN_OK;
}

void stn_array_copy(const stn_array *a, void *dst)
{
    if (a->count > 0)
        memcpy(dst, a->data, a->count * a->stride);
}

size_t stn_array_add(stn_array_plan *p, Stenness__Array *a, Stenness__ElementFormat format, size_t count)
{
    size_t at = (p->bytes + STN_ARRAY_ALIGN - 1) / STN_ARRAY_ALIGN * STN_ARRAY_ALIGN;

    a->frame = p->frame;
    a->offset = at;
    a->count = count;
    a->format = format;
    p->bytes = at + count * stn_array_element_bytes(format);
    return at;
}

stn_frame *stn_array_plan_frame(const stn_array_plan *p)
{
    stn_frame *f = stn_frame_new(p->bytes);
    if (f)
        memset(stn_frame_writable(f), 0, p->bytes);
    return f;
}
