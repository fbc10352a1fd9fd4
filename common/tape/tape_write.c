#include "base/table.h"
#include "tape/kinds.h"
#include "tape/tape.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stn_tape_writer {
    int fd;
    char *path, *part;
    stn_mcap_writer *mcap;
    stn_names *channels; /* topic -> id */
    stn_names *schemas; /* type name -> id */
};

static stn_status put(void *ctx, const void *data, size_t len, stn_err *err)
{
    stn_tape_writer *w = ctx;
    const char *p = data;

    while (len > 0) {
        ssize_t n = write(w->fd, p, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return stn_fail(err, STN_IO, "%s: %s", w->part, strerror(errno));
        p += n;
        len -= (size_t)n;
    }
    return STN_OK;
}

void stn_tape_abandon(stn_tape_writer *w)
{
    if (!w)
        return;
    stn_mcap_writer_free(w->mcap);
    stn_names_free(w->channels);
    stn_names_free(w->schemas);
    if (w->fd >= 0)
        close(w->fd);
    free(w->path);
    free(w->part);
    free(w);
}

stn_status stn_tape_create(const char *path, stn_tape_writer **out, stn_err *err)
{
    stn_tape_writer *w = calloc(1, sizeof *w);
    stn_status st = STN_OK;

    *out = NULL;
    if (!w)
        return stn_fail(err, STN_NO_MEMORY, "%s", path);
    w->fd = -1;
    w->path = strdup(path);
    if (asprintf(&w->part, "%s.part", path) < 0)
        w->part = NULL;
    w->channels = stn_names_new();
    w->schemas = stn_names_new();
    if (!w->path || !w->part || !w->channels || !w->schemas)
        st = stn_fail(err, STN_NO_MEMORY, "%s", path);
    /* For the owner alone: a capture holds what was said and seen. */
    else if ((w->fd = open(w->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) < 0)
        st = stn_fail(err, STN_IO, "%s: %s", w->part, strerror(errno));
    else
        st = stn_mcap_writer_new(put, w, "stenness", "stenness", &w->mcap, err);
    if (st != STN_OK) {
        stn_tape_abandon(w);
        return st;
    }
    *out = w;
    return STN_OK;
}

static stn_status schema_of(stn_tape_writer *w, const ProtobufCMessageDescriptor *type, const char *file,
                            uint16_t *id, stn_err *err)
{
    uintptr_t known = (uintptr_t)stn_names_get(w->schemas, type->name);
    const stn_descriptor_file *d = stn_descriptor_find(file);
    stn_status st;

    *id = (uint16_t)known;
    if (known != 0 || !d)
        return STN_OK;
    st = stn_mcap_add_schema(w->mcap, type->name, "protobuf", d->data, d->len, id, err);
    if (st == STN_OK && !stn_names_put(w->schemas, type->name, (void *)(uintptr_t)*id, NULL))
        st = stn_fail(err, STN_NO_MEMORY, "capture");
    return st;
}

static stn_status channel_of(stn_tape_writer *w, const char *topic, const ProtobufCMessageDescriptor *type,
                             const char *file, uint16_t *id, stn_err *err)
{
    uintptr_t known = (uintptr_t)stn_names_get(w->channels, topic);
    uint16_t schema = 0;
    stn_status st = STN_OK;

    *id = (uint16_t)known;
    if (known != 0)
        return STN_OK;
    if (type)
        st = schema_of(w, type, file, &schema, err);
    if (st == STN_OK)
        st = stn_mcap_add_channel(w->mcap, schema, topic, schema != 0 ? "protobuf" : "", id, err);
    if (st == STN_OK && !stn_names_put(w->channels, topic, (void *)(uintptr_t)*id, NULL))
        st = stn_fail(err, STN_NO_MEMORY, "capture");
    return st;
}

/* The channel of the first frame that is no envelope. */
static stn_status body_channel(stn_tape_writer *w, const char *process, const Stenness__TapRecord *r,
                               uint16_t *id, stn_err *err)
{
    char topic[256];
    const stn_kind *kind = NULL;

    switch (r->type) {
    case STENNESS__TAP_TYPE__TAP_MESSAGE_IN:
    case STENNESS__TAP_TYPE__TAP_MESSAGE_OUT:
        kind = stn_kind_find(r->kind);
        snprintf(topic, sizeof topic, "/%s/%s/%.64s/%.64s", process,
                 r->type == STENNESS__TAP_TYPE__TAP_MESSAGE_IN ? "in" : "out", r->conversation,
                 kind ? kind->name : r->name);
        break;
    case STENNESS__TAP_TYPE__TAP_INPUT:
        snprintf(topic, sizeof topic, "/%s/input/%.64s", process, r->name);
        break;
    case STENNESS__TAP_TYPE__TAP_OUTPUT:
        snprintf(topic, sizeof topic, "/%s/output/%.64s", process, r->name);
        break;
    default:
        snprintf(topic, sizeof topic, "/%s/bulk", process);
        break;
    }
    return channel_of(w, topic, kind ? kind->type : NULL, kind ? kind->file : NULL, id, err);
}

stn_status stn_tape_write(stn_tape_writer *w, const char *process, const Stenness__TapRecord *record,
                          stn_frame *const *frames, size_t n, stn_err *err)
{
    Stenness__TapRecord r = *record;
    bool message =
        r.type == STENNESS__TAP_TYPE__TAP_MESSAGE_IN || r.type == STENNESS__TAP_TYPE__TAP_MESSAGE_OUT;
    uint64_t lengths[STN_BULK_FRAMES_MAX];
    uint64_t wall = (uint64_t)r.wall_ns;
    uint16_t turns, body = 0, bulk = 0;
    char topic[128];
    uint8_t *packed;
    size_t first = message ? 1 : 0, len;
    stn_status st;

    if (!stn_peer_id_ok(process) || n > STN_BULK_FRAMES_MAX || (message && n < 2))
        return stn_fail(err, STN_BAD_DATA, "record of %.90s with %zu frames", process, n);
    if (message) {
        r.envelope.data = (uint8_t *)(uintptr_t)stn_frame_data(frames[0]);
        r.envelope.len = stn_frame_len(frames[0]);
    }
    for (size_t i = first; i < n; i++)
        lengths[i - first] = stn_frame_len(frames[i]);
    r.frame_bytes = lengths;
    r.n_frame_bytes = n - first;
    snprintf(topic, sizeof topic, "/%s/turns", process);
    if ((st = channel_of(w, topic, &stenness__tap_record__descriptor, "tape", &turns, err)) != STN_OK ||
        (n > first && (st = body_channel(w, process, &r, &body, err)) != STN_OK))
        return st;
    if (n > first + 1) {
        snprintf(topic, sizeof topic, "/%s/bulk", process);
        if ((st = channel_of(w, topic, NULL, NULL, &bulk, err)) != STN_OK)
            return st;
    }
    len = stenness__tap_record__get_packed_size(&r);
    packed = malloc(len + 1);
    if (!packed)
        return stn_fail(err, STN_NO_MEMORY, "capture");
    stenness__tap_record__pack(&r, packed);
    st = stn_mcap_write(w->mcap, turns, (uint32_t)r.order, wall, wall, packed, len, err);
    free(packed);
    for (size_t i = first; i < n && st == STN_OK; i++)
        st = stn_mcap_write(w->mcap, i == first ? body : bulk, (uint32_t)r.order, wall, wall,
                            stn_frame_data(frames[i]), stn_frame_len(frames[i]), err);
    return st;
}

stn_status stn_tape_flush(stn_tape_writer *w, stn_err *err)
{
    return stn_mcap_flush(w->mcap, err);
}

uint64_t stn_tape_bytes(const stn_tape_writer *w)
{
    return stn_mcap_written(w->mcap);
}

stn_status stn_tape_close(stn_tape_writer *w, stn_err *err)
{
    stn_status st = stn_mcap_close(w->mcap, err);

    if (st == STN_OK && (fsync(w->fd) != 0 || rename(w->part, w->path) != 0))
        st = stn_fail(err, STN_IO, "%s: %s", w->path, strerror(errno));
    stn_tape_abandon(w);
    return st;
}
