#include "session/reliable.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

/* An early message, held back until its turn. */
typedef struct held {
    uint8_t type;
    size_t len;
    uint8_t data[];
} held;

struct stn_rel_in {
    uint16_t next;
    bool began;
    bool assembling;
    uint8_t assembly_type;
    unsigned window;
    size_t held_bytes;
    uint64_t dropped;
    stn_table *waiting; /* sequence number -> held */
    stn_buf assembly;
};

stn_rel_in *stn_rel_in_new(unsigned window)
{
    stn_rel_in *in = calloc(1, sizeof *in);

    if (!in)
        return NULL;
    in->window = window ? window : STN_REL_WINDOW;
    in->assembly.max = STN_REL_ASSEMBLY_MAX;
    in->waiting = stn_table_new();
    if (!in->waiting) {
        free(in);
        return NULL;
    }
    return in;
}

void stn_rel_in_free(stn_rel_in *in)
{
    size_t it = 0;
    uint64_t key;
    void *value;

    if (!in)
        return;
    while (stn_table_next(in->waiting, &it, &key, &value))
        free(value);
    stn_table_free(in->waiting);
    stn_buf_fini(&in->assembly);
    free(in);
}

/* One piece; *done when the assembly is complete. */
static stn_status add_fragment(stn_rel_in *in, const uint8_t *data, size_t len, bool *done, stn_err *err)
{
    *done = false;
    if (!len)
        return stn_fail(err, STN_BAD_DATA, "fragment %u is empty", in->next);
    if (data[0] < 0x80) {
        if (in->assembling)
            return stn_fail(err, STN_BAD_DATA,
                            "fragment %u starts a message of type %u inside one of type %u", in->next,
                            data[0], in->assembly_type);
        in->assembling = true;
        in->assembly_type = data[0];
        stn_buf_clear(&in->assembly);
    } else if (data[0] > 0x81) {
        return stn_fail(err, STN_BAD_DATA, "fragment %u has head 0x%02x, known are below 0x82", in->next,
                        data[0]);
    } else if (!in->assembling) {
        return stn_fail(err, STN_BAD_DATA, "fragment %u goes on with a message that was never started",
                        in->next);
    }
    stn_buf_put(&in->assembly, data + 1, len - 1);
    if (in->assembly.failed)
        return stn_fail(err, STN_TOO_BIG, "fragment %u: the message of type %u is longer than %u bytes",
                        in->next, in->assembly_type, STN_REL_ASSEMBLY_MAX);
    if (data[0] == 0x81) {
        in->assembling = false;
        *done = true;
    }
    return STN_OK;
}

static stn_status deliver_one(stn_rel_in *in, uint8_t type, const uint8_t *data, size_t len,
                              stn_rel_deliver deliver, void *user, stn_err *err)
{
    uint8_t *whole = NULL;
    stn_status st = STN_OK;

    /* An assembled message may itself be a fragment, so this is a loop; each turn eats a finished assembly.
     */
    while (type == STN_RMSG_FRAGMENT) {
        bool done;
        size_t whole_len = 0;
        uint8_t *taken;

        st = add_fragment(in, data, len, &done, err);
        if (st || !done)
            goto out;
        type = in->assembly_type;
        taken = stn_buf_take(&in->assembly, &whole_len);
        free(whole);
        whole = taken;
        data = whole;
        len = whole_len;
    }
    st = deliver(user, type, data, len, err);
out:
    free(whole);
    return st;
}

static void hold(stn_rel_in *in, uint16_t seq, const stn_rel_message *m)
{
    held *h;
    void *old = NULL;

    if (in->held_bytes + sizeof *h + m->len > STN_REL_HELD_MAX) {
        in->dropped++;
        return;
    }
    h = malloc(sizeof *h + m->len);
    if (!h) {
        in->dropped++; /* the peer repeats it */
        return;
    }
    h->type = m->type;
    h->len = m->len;
    if (m->len)
        memcpy(h->data, m->data, m->len);
    if (!stn_table_put(in->waiting, seq, h, &old)) {
        free(h);
        in->dropped++;
        return;
    }
    in->held_bytes += sizeof *h + m->len;
    if (old) {
        in->held_bytes -= sizeof *h + ((held *)old)->len;
        free(old);
    }
}

stn_status stn_rel_in_take(stn_rel_in *in, uint16_t seq, stn_bytes messages, stn_rel_deliver deliver,
                           void *user, bool *advanced, bool *repeated, stn_err *err)
{
    stn_rel_message m;
    stn_status st = STN_OK;
    bool some = false, late = false;

    for (; st == STN_OK && stn_rel_next(&messages, &m); seq++) {
        int d = stn_seq_diff(seq, in->next);
        held *h;

        if (d < 0) {
            late = true;
            continue;
        }
        if (d > 0) {
            if ((unsigned)d > in->window)
                in->dropped++;
            else
                hold(in, seq, &m);
            continue;
        }
        some = in->began = true;
        st = deliver_one(in, m.type, m.data, m.len, deliver, user, err);
        in->next++;
        while (st == STN_OK && (h = stn_table_remove(in->waiting, in->next)) != NULL) {
            in->held_bytes -= sizeof *h + h->len;
            st = deliver_one(in, h->type, h->data, h->len, deliver, user, err);
            in->next++;
            free(h);
        }
    }
    if (advanced)
        *advanced = some;
    if (repeated)
        *repeated = late;
    return st;
}

uint16_t stn_rel_in_next(const stn_rel_in *in)
{
    return in->next;
}

bool stn_rel_in_began(const stn_rel_in *in)
{
    return in->began;
}

size_t stn_rel_in_held(const stn_rel_in *in)
{
    return in->held_bytes + in->assembly.cap;
}

uint64_t stn_rel_in_dropped(const stn_rel_in *in)
{
    return in->dropped;
}
