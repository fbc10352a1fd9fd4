#include "base/bytes.h"
#include "base/table.h"
#include "base/text.h"
#include "bus/unpack.h"
#include "tape/tape.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_MAX 65536u /* a TapRecord: names, an envelope, lengths */

struct stn_tape_reader {
    void *map;
    size_t map_len;
    stn_mcap_reader *mcap;
    stn_unpacker *unpacker;
    uint64_t damaged;
    char process[STN_PEER_ID_MAX];
    stn_frame *frames[STN_BULK_FRAMES_MAX];
    size_t n_frames;
    /* A message that was read as a frame and is a record of its own. */
    bool kept;
    stn_mcap_message next;
};

static void drop_frames(stn_tape_reader *r)
{
    for (size_t i = 0; i < r->n_frames; i++)
        stn_frame_unref(r->frames[i]);
    r->n_frames = 0;
}

void stn_tape_reader_free(stn_tape_reader *r)
{
    if (!r)
        return;
    drop_frames(r);
    stn_mcap_reader_free(r->mcap);
    stn_unpacker_free(r->unpacker);
    if (r->map)
        munmap(r->map, r->map_len);
    free(r);
}

stn_status stn_tape_open_memory(const void *data, size_t len, stn_tape_reader **out, stn_err *err)
{
    stn_tape_reader *r = calloc(1, sizeof *r);
    stn_status st;

    *out = NULL;
    if (!r || !(r->unpacker = stn_unpacker_new(4 * RECORD_MAX))) {
        stn_tape_reader_free(r);
        return stn_fail(err, STN_NO_MEMORY, "capture reader");
    }
    if ((st = stn_mcap_reader_new(data, len, &r->mcap, err)) != STN_OK) {
        stn_tape_reader_free(r);
        return st;
    }
    *out = r;
    return STN_OK;
}

stn_status stn_tape_open(const char *path, stn_tape_reader **out, stn_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat s;
    void *map;
    stn_status st;

    *out = NULL;
    if (fd < 0)
        return stn_fail(err, errno == ENOENT ? STN_NOT_FOUND : STN_IO, "%s: %s", path, strerror(errno));
    if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_size == 0) {
        close(fd);
        return stn_fail(err, STN_BAD_DATA, "%s: not a file, or an empty one", path);
    }
    map = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (map == MAP_FAILED)
        return stn_fail(err, STN_IO, "%s: %s", path, strerror(errno));
    st = stn_tape_open_memory(map, (size_t)s.st_size, out, err);
    if (st != STN_OK) {
        munmap(map, (size_t)s.st_size);
        return stn_fail_in(err, st, "%s", path);
    }
    (*out)->map = map;
    (*out)->map_len = (size_t)s.st_size;
    return STN_OK;
}

/* "/PROCESS/turns": the process; false for any other channel. */
static bool is_turns(const stn_mcap_channel *c, char process[STN_PEER_ID_MAX])
{
    static const char tail[] = "/turns";
    size_t n = sizeof tail - 1;

    if (c->topic.len <= n + 1 || c->topic.text[0] != '/' || c->topic.len - n - 1 >= STN_PEER_ID_MAX ||
        memcmp(c->topic.text + c->topic.len - n, tail, n) != 0)
        return false;
    memcpy(process, c->topic.text + 1, c->topic.len - n - 1);
    process[c->topic.len - n - 1] = 0;
    return stn_peer_id_ok(process);
}

static bool of_process(const stn_mcap_channel *c, const char *process)
{
    size_t n = strlen(process);
    return c->topic.len > n + 2 && memcmp(c->topic.text + 1, process, n) == 0 && c->topic.text[n + 1] == '/';
}

static stn_status next_message(stn_tape_reader *r, stn_mcap_message *m, stn_err *err)
{
    for (;;) {
        stn_status st = stn_mcap_next(r->mcap, m, err);
        if (st == STN_OK || st == STN_NOT_FOUND || st == STN_NO_MEMORY)
            return st; /* damaged records are counted by the container */
    }
}

/* The frames that must follow the record. False when they do not; what came instead is kept. */
static bool take_frames(stn_tape_reader *r, const Stenness__TapRecord *record)
{
    if (record->n_frame_bytes > STN_BULK_FRAMES_MAX)
        return false;
    for (size_t i = 0; i < record->n_frame_bytes; i++) {
        stn_mcap_message m;
        char other[STN_PEER_ID_MAX];

        if (next_message(r, &m, NULL) != STN_OK)
            return false;
        if (is_turns(m.channel, other)) {
            r->next = m;
            r->kept = true;
            return false;
        }
        if (!of_process(m.channel, r->process) || m.len != record->frame_bytes[i] ||
            m.sequence != (uint32_t)record->order)
            return false;
        r->frames[i] = stn_frame_copy(m.data, m.len);
        if (!r->frames[i])
            return false;
        r->n_frames = i + 1;
    }
    return true;
}

stn_status stn_tape_next(stn_tape_reader *r, stn_tape_item *out, stn_err *err)
{
    for (;;) {
        stn_mcap_message m = r->next;
        const ProtobufCMessage *body;
        const Stenness__TapRecord *record;

        drop_frames(r);
        if (!r->kept) {
            stn_status st = next_message(r, &m, err);
            if (st != STN_OK)
                return st;
        }
        r->kept = false;
        if (!is_turns(m.channel, r->process))
            continue; /* frames whose record was lost */
        if (m.len > RECORD_MAX ||
            stn_unpack(r->unpacker, &stenness__tap_record__descriptor, m.data, m.len, &body, NULL)) {
            r->damaged++;
            continue;
        }
        record = (const Stenness__TapRecord *)body;
        *out = (stn_tape_item){.process = r->process, .record = record};
        if (!take_frames(r, record) ||
            ((record->type == STENNESS__TAP_TYPE__TAP_MESSAGE_IN ||
              record->type == STENNESS__TAP_TYPE__TAP_MESSAGE_OUT) &&
             (r->n_frames == 0 ||
              stn_envelope_unpack(record->envelope.data, record->envelope.len, &out->envelope, NULL)))) {
            r->damaged++;
            continue;
        }
        if (r->n_frames > 0) {
            out->body = r->frames[0];
            out->bulk = r->frames + 1;
            out->n_bulk = r->n_frames - 1;
        }
        return STN_OK;
    }
}

bool stn_tape_torn(const stn_tape_reader *r)
{
    return stn_mcap_torn(r->mcap);
}

uint64_t stn_tape_damaged(const stn_tape_reader *r)
{
    return r->damaged + stn_mcap_damaged(r->mcap);
}

const stn_mcap_channel *stn_tape_channel(const stn_tape_reader *r, size_t i)
{
    return stn_mcap_channel_at(r->mcap, i);
}

/* --- list --- */

typedef struct process_sum {
    uint64_t records, lost, first_turn, last_turn;
    int64_t first_ns, last_ns;
} process_sum;

static stn_status sum_up(stn_tape_reader *r, stn_names *processes, stn_err *err)
{
    stn_tape_item item;
    stn_status st;

    while ((st = stn_tape_next(r, &item, err)) == STN_OK) {
        process_sum *p = stn_names_get(processes, item.process);
        if (!p) {
            p = calloc(1, sizeof *p);
            if (!p || !stn_names_put(processes, item.process, p, NULL)) {
                free(p);
                return stn_fail(err, STN_NO_MEMORY, "list of processes");
            }
            p->first_turn = item.record->turn;
            p->first_ns = item.record->wall_ns;
        }
        p->records++;
        p->lost += item.record->lost;
        p->last_turn = item.record->turn;
        p->last_ns = item.record->wall_ns;
    }
    return st == STN_NOT_FOUND ? STN_OK : st;
}

stn_status stn_tape_list(const char *path, FILE *out, stn_err *err)
{
    stn_tape_reader *r;
    stn_names *processes = stn_names_new();
    const stn_mcap_channel *c;
    const char *name;
    void *value;
    stn_status st =
        processes ? stn_tape_open(path, &r, err) : stn_fail(err, STN_NO_MEMORY, "list of processes");

    if (st != STN_OK) {
        stn_names_free(processes);
        return st;
    }
    st = sum_up(r, processes, err);
    fprintf(out, "%-16s %10s %12s %12s %10s %8s\n", "process", "seconds", "first turn", "last turn",
            "records", "lost");
    for (size_t it = 0; stn_names_next(processes, &it, &name, &value);) {
        const process_sum *p = value;
        fprintf(out, "%-16s %10.3f %12" PRIu64 " %12" PRIu64 " %10" PRIu64 " %8" PRIu64 "\n", name,
                (double)(p->last_ns - p->first_ns) / 1e9, p->first_turn, p->last_turn, p->records, p->lost);
        free(value);
    }
    fprintf(out, "\n%-48s %-24s %10s %14s\n", "channel", "schema", "messages", "bytes");
    for (size_t i = 0; (c = stn_tape_channel(r, i)) != NULL; i++) {
        const stn_mcap_schema *s = stn_mcap_schema_of(r->mcap, c);
        char topic[128], schema[64];
        fprintf(out, "%-48s %-24s %10" PRIu64 " %14" PRIu64 "\n",
                stn_text_show(c->topic.text, c->topic.len, topic, sizeof topic),
                s ? stn_text_show(s->name.text, s->name.len, schema, sizeof schema) : "-", c->messages,
                c->bytes);
    }
    if (stn_tape_torn(r))
        fprintf(out, "\nThe end of the file is missing: it was being written, or cut.\n");
    if (stn_tape_damaged(r) > 0)
        fprintf(out, "\n%" PRIu64 " damaged parts were left out.\n", stn_tape_damaged(r));
    stn_names_free(processes);
    stn_tape_reader_free(r);
    return st;
}
