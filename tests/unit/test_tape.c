/* Captures: written, read back, cut short, damaged. */
#include "base/file.h"
#include "bus/envelope.h"
#include "tape/kinds.h"
#include "tape/tape.h"

#include "proto/control.pb-c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { RECORDS = 300 };
static char path[64];
static uint8_t *file;
static size_t file_len;

static stn_frame *pattern(size_t len, unsigned seed)
{
    stn_frame *f = stn_frame_new(len);
    for (size_t i = 0; i < len; i++)
        stn_frame_writable(f)[i] = (uint8_t)((i * 2654435761u + seed) >> 16);
    return f;
}

/* The i-th record: messages with bulk, inputs, timers, a gap; from two processes. */
static size_t make_record(unsigned i, Stenness__TapRecord *r, stn_frame **frames)
{
    static stn_envelope env;
    uint8_t packed[STN_ENVELOPE_MAX];
    size_t n = 0;

    stenness__tap_record__init(r);
    r->turn = i;
    r->wall_ns = 1000 + (int64_t)i * 1000000;
    r->now_ns = 5 + (int64_t)i;
    r->order = i + 1;
    r->conversation = "world";
    r->peer = "world.0";
    if (i % 5 == 3) {
        r->type = STENNESS__TAP_TYPE__TAP_TIMER;
        r->name = "tick";
        return 0;
    }
    if (i % 5 == 4) {
        r->type = STENNESS__TAP_TYPE__TAP_INPUT;
        r->name = "datagram";
        r->kind = 2;
        frames[0] = pattern(i, i);
        return 1;
    }
    if (i == 100) {
        r->type = STENNESS__TAP_TYPE__TAP_GAP;
        r->lost = 17;
        return 0;
    }
    r->type = i % 2 ? STENNESS__TAP_TYPE__TAP_MESSAGE_IN : STENNESS__TAP_TYPE__TAP_MESSAGE_OUT;
    r->kind = STENNESS__CONTROL_KIND__CTL_TEXT;
    r->name = "text";
    env = (stn_envelope){.major = STN_PROTOCOL_MAJOR,
                         .peer = "world.0",
                         .sender_epoch = 9,
                         .kind = r->kind,
                         .stream = 20,
                         .sequence = i};
    frames[n] = stn_frame_new(stn_envelope_pack(&env, packed));
    memcpy(stn_frame_writable(frames[n]), packed, stn_frame_len(frames[n]));
    n++;
    {
        Stenness__Text t = STENNESS__TEXT__INIT;
        t.text = "a text";
        frames[n] = stn_frame_new(stenness__text__get_packed_size(&t));
        stenness__text__pack(&t, stn_frame_writable(frames[n++]));
    }
    for (unsigned k = 0; k < i % 3; k++)
        frames[n++] = pattern(i * 50, i + k);
    return n;
}

static const char *process_of(unsigned i)
{
    return i % 4 == 0 ? "loader.0" : "renderer.0";
}

static int write_capture(void **state)
{
    stn_tape_writer *w;
    (void)state;
    snprintf(path, sizeof path, "/tmp/stn-tape-%d.mcap", (int)getpid());
    assert_int_equal(stn_tape_create(path, &w, NULL), STN_OK);
    for (unsigned i = 0; i < RECORDS; i++) {
        stn_frame *frames[8];
        Stenness__TapRecord r;
        size_t n = make_record(i, &r, frames);
        assert_int_equal(stn_tape_write(w, process_of(i), &r, frames, n, NULL), STN_OK);
        while (n > 0)
            stn_frame_unref(frames[--n]);
        if (i % 40 == 39)
            assert_int_equal(stn_tape_flush(w, NULL), STN_OK);
    }
    assert_int_equal(stn_tape_close(w, NULL), STN_OK);
    assert_int_equal(stn_file_read(path, 1 << 28, &file, &file_len, NULL), STN_OK);
    return 0;
}

static int remove_capture(void **state)
{
    (void)state;
    free(file);
    return getenv("STN_KEEP") ? 0 : unlink(path);
}

static void check_item(unsigned i, const stn_tape_item *item)
{
    stn_frame *frames[8];
    Stenness__TapRecord r;
    size_t n = make_record(i, &r, frames), first;

    assert_string_equal(item->process, process_of(i));
    assert_int_equal(item->record->type, r.type);
    assert_int_equal(item->record->turn, r.turn);
    assert_int_equal(item->record->lost, r.lost);
    assert_string_equal(item->record->name, r.name);
    first = r.type == STENNESS__TAP_TYPE__TAP_MESSAGE_IN || r.type == STENNESS__TAP_TYPE__TAP_MESSAGE_OUT;
    if (first) {
        assert_int_equal(item->envelope.sequence, i);
        assert_int_equal(item->envelope.stream, 20);
    }
    assert_int_equal(item->n_bulk + (item->body != NULL), n - first);
    for (size_t k = first; k < n; k++) {
        const stn_frame *got = k == first ? item->body : item->bulk[k - first - 1];
        assert_int_equal(stn_frame_len(got), stn_frame_len(frames[k]));
        assert_memory_equal(stn_frame_data(got), stn_frame_data(frames[k]), stn_frame_len(frames[k]));
    }
    while (n > 0)
        stn_frame_unref(frames[--n]);
}

static void capture_is_read_as_it_was_written(void **state)
{
    stn_tape_reader *r;
    stn_tape_item item;
    unsigned i = 0;
    bool found = false;
    (void)state;
    assert_int_equal(stn_tape_open(path, &r, NULL), STN_OK);
    while (stn_tape_next(r, &item, NULL) == STN_OK)
        check_item(i++, &item);
    assert_int_equal(i, RECORDS);
    assert_false(stn_tape_torn(r));
    assert_int_equal(stn_tape_damaged(r), 0);
    for (size_t c = 0; stn_tape_channel(r, c); c++) {
        const stn_mcap_channel *ch = stn_tape_channel(r, c);
        static const char want[] = "/renderer.0/in/world/text";
        found =
            found || (ch->topic.len == sizeof want - 1 && memcmp(ch->topic.text, want, ch->topic.len) == 0);
    }
    assert_true(found);
    stn_tape_reader_free(r);
}

/* How many records are read whole, in order; none may be wrong. */
static unsigned read_what_is_there(const uint8_t *data, size_t len, bool *torn, uint64_t *damaged)
{
    stn_tape_reader *r;
    stn_tape_item item;
    unsigned n = 0;

    if (stn_tape_open_memory(data, len, &r, NULL) != STN_OK)
        return 0;
    while (stn_tape_next(r, &item, NULL) == STN_OK) {
        check_item((unsigned)item.record->order - 1, &item);
        n++;
    }
    *torn = stn_tape_torn(r);
    *damaged = stn_tape_damaged(r);
    stn_tape_reader_free(r);
    return n;
}

static void torn_capture_is_read_as_far_as_it_goes(void **state)
{
    unsigned last = 0;
    (void)state;
    for (size_t cut = 8; cut < file_len; cut += 997) {
        bool torn = false;
        uint64_t damaged;
        uint8_t *part = malloc(cut); /* its own memory, so that a sanitizer sees one byte too many */
        unsigned n;

        memcpy(part, file, cut);
        n = read_what_is_there(part, cut, &torn, &damaged);
        assert_true(torn);
        assert_true(n >= last);
        last = n;
        free(part);
    }
    assert_true(last >= RECORDS - 40); /* all chunks but perhaps the last */
}

static void damaged_chunk_costs_its_records_alone(void **state)
{
    uint8_t *copy = malloc(file_len);
    (void)state;
    for (size_t at = 100; at < file_len; at += 4999) {
        bool torn;
        uint64_t damaged = 0;
        unsigned n;
        memcpy(copy, file, file_len);
        copy[at] ^= 0x55;
        n = read_what_is_there(copy, file_len, &torn, &damaged);
        assert_true(n == RECORDS || damaged > 0 || torn);
    }
    free(copy);
}

static void other_files_are_refused(void **state)
{
    stn_tape_reader *r;
    stn_err err = {0};
    (void)state;
    assert_int_equal(stn_tape_open("/nonexistent.mcap", &r, &err), STN_NOT_FOUND);
    assert_int_equal(stn_tape_open("/proc/self/exe", &r, &err), STN_BAD_DATA);
    assert_non_null(strstr(err.text, "not an MCAP file"));
    assert_int_equal(stn_tape_open_memory("", 0, &r, &err), STN_BAD_DATA);
}

static void every_kind_has_its_definition_in_the_program(void **state)
{
    unsigned n = 0;
    (void)state;
    for (uint32_t kind = 0; kind < 1000; kind++) {
        const stn_kind *k = stn_kind_find(kind);
        if (!k)
            continue;
        n++;
        assert_non_null(stn_descriptor_find(k->file));
        assert_true(stn_descriptor_find(k->file)->len > 100);
        assert_int_equal(strncmp(k->type->name, "stenness.", 9), 0);
    }
    assert_true(n > 50);
}

static void list_names_processes_losses_and_channels(void **state)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    (void)state;
    assert_int_equal(stn_tape_list(path, out, NULL), STN_OK);
    fclose(out);
    assert_non_null(strstr(text, "renderer.0"));
    assert_non_null(strstr(text, "loader.0"));
    assert_non_null(strstr(text, "      17\n"));
    assert_non_null(strstr(text, "/loader.0/out/world/text"));
    assert_non_null(strstr(text, "stenness.Text"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capture_is_read_as_it_was_written),
        cmocka_unit_test(torn_capture_is_read_as_far_as_it_goes),
        cmocka_unit_test(damaged_chunk_costs_its_records_alone),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(every_kind_has_its_definition_in_the_program),
        cmocka_unit_test(list_names_processes_losses_and_channels),
    };
    return cmocka_run_group_tests(tests, write_capture, remove_capture);
}
