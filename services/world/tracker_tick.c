/* The phases of one tick. Source: docs/spec/object-cache.md B2, B3, B6. */
#include "world/tracker.h"

#include "world/tracker_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- sorting by 64-bit keys: short lists by insertion, others by the bytes that differ */

static void sort_short(sort_key *k, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        sort_key x = k[i];
        size_t j = i;
        for (; j > 0 && k[j - 1].key > x.key; j--)
            k[j] = k[j - 1];
        k[j] = x;
    }
}

void stn_tracker_sort(stn_tracker *t, size_t n)
{
    sort_key *a = t->keys, *b = t->keys_tmp;
    uint64_t any = 0, all = UINT64_MAX;

    if (n <= 32) {
        sort_short(a, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        any |= a[i].key;
        all &= a[i].key;
    }
    for (unsigned shift = 0; shift < 64; shift += 8) {
        uint32_t count[257] = {0};
        if (((any ^ all) >> shift & 0xff) == 0)
            continue;
        for (size_t i = 0; i < n; i++)
            count[(a[i].key >> shift & 0xff) + 1]++;
        for (int i = 1; i < 257; i++)
            count[i] += count[i - 1];
        for (size_t i = 0; i < n; i++)
            b[count[a[i].key >> shift & 0xff]++] = a[i];
        sort_key *swap = a;
        a = b;
        b = swap;
    }
    if (a != t->keys) {
        size_t cap = t->cap_keys;
        t->keys = a;
        t->keys_tmp = b;
        t->cap_keys = t->cap_keys_tmp;
        t->cap_keys_tmp = cap;
    }
}

/* ---- phases 1 to 3: who is found, and what the filters leave */

static bool viewer_place(const stn_tracker *t, viewer *v)
{
    uint32_t slot;

    if (!v->placed)
        return false;
    if (!v->attached)
        return true;
    slot = stn_tracker_slot(t, v->entity);
    if (slot == UINT32_MAX)
        return false;
    v->x = t->entities[slot].x;
    v->y = t->entities[slot].y;
    return true;
}

/* Registered finders narrow the query's result: one of them must want the entity, at the size that it gives.
 */
static size_t apply_finders(stn_tracker *t, const viewer *v, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t slot = t->found[i];
        const entity *c = &t->entities[slot];
        double dx = c->x - v->x, dy = c->y - v->y, d2 = dx * dx + dy * dy;
        for (size_t f = 0; f < t->n_finders; f++) {
            const finder *fi = &t->finders[f];
            if ((t->entities[slot].arch & fi->mask) == fi->mask &&
                (!fi->size_of || fi->size_of(fi->arg, stn_tracker_name(t, slot), c->size) >= v->lod * d2)) {
                t->found[kept++] = slot;
                break;
            }
        }
    }
    return kept;
}

static size_t drop_hidden(const stn_tracker *t, uint32_t *found, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!t->entities[found[i]].hidden)
            found[kept++] = found[i];
    return kept;
}

static size_t drop_listed(const stn_tracker *t, const viewer *v, uint32_t *found, size_t n)
{
    for (size_t h = 0; h < v->n_hidden; h++) {
        uint32_t slot = stn_tracker_slot(t, v->hidden[h]);
        for (size_t i = 0; slot != UINT32_MAX && i < n; i++)
            if (found[i] == slot) {
                found[i] = found[--n];
                break;
            }
    }
    return n;
}

/* Shows the filter those of found[] that contain its mask; they are gathered at the end of the list
 * meanwhile. */
static bool run_filter(stn_tracker *t, const filter *f, stn_viewer_id id, size_t *n)
{
    size_t shown = 0, kept = 0, at = 0;

    if (!stn_tracker_grow(&t->keep, &t->cap_keep, *n, sizeof *t->keep) ||
        !stn_tracker_grow(&t->names, &t->cap_names, *n, sizeof *t->names))
        return false;
    for (size_t i = 0; i < *n; i++)
        if ((t->entities[t->found[i]].arch & f->mask) == f->mask)
            t->names[shown++] = stn_tracker_name(t, t->found[i]);
    if (shown == 0)
        return true;
    memset(t->keep, 1, shown);
    f->fn(f->arg, id, t->names, shown, t->keep);
    for (size_t i = 0; i < *n; i++) {
        bool was_shown = (t->entities[t->found[i]].arch & f->mask) == f->mask;
        if (!was_shown || t->keep[at])
            t->found[kept++] = t->found[i];
        at += was_shown;
    }
    *n = kept;
    return true;
}

static bool find_visible(stn_tracker *t, viewer *v, stn_viewer_id id, size_t *out)
{
    size_t n = 0;
    /* With finders the size that counts is theirs, so the query itself must not cull. */
    double lod = t->n_finders ? 0.0 : v->lod;

    *out = 0;
    if (!viewer_place(t, v))
        return true;
    for (;;) {
        n = stn_space_query(t->space, v->x, v->y, v->radius, lod, t->found, t->cap_found);
        if (n <= t->cap_found)
            break;
        if (!stn_tracker_grow(&t->found, &t->cap_found, n, sizeof *t->found))
            return false;
    }
    if (t->n_finders)
        n = apply_finders(t, v, n);
    for (size_t i = 0; i < t->n_filters; i++) {
        if (!(v->filters >> i & 1))
            continue;
        if (t->filters[i].fn) {
            if (!run_filter(t, &t->filters[i], id, &n))
                return false;
        } else {
            n = i == FILTER_HIDDEN ? drop_hidden(t, t->found, n) : drop_listed(t, v, t->found, n);
        }
    }
    *out = n;
    return true;
}

/* ---- phases 4 to 7: against what was sent; marks */

/* The reverse sets are the viewers' own sets, turned round: nothing is kept per entity but the mark. Viewers'
 * sets are compared word by word, so that an entity that nothing happened to is not touched at all. */
static bool note_visible(stn_tracker *t, viewer *v, size_t n)
{
    if (!stn_bitset_room(&v->next, t->n_slots) || !stn_bitset_room(&t->marked, t->n_slots))
        return false;
    stn_bitset_clear(&v->next);
    for (size_t i = 0; i < n; i++)
        stn_bitset_add(&v->next, t->found[i]);
    for (size_t s = 0; s < v->next.n_words / 64; s++) {
        for (uint64_t in_use = v->next.summary[s]; in_use; in_use &= in_use - 1) {
            size_t w = s * 64 + (size_t)__builtin_ctzll(in_use);
            t->marked.words[w] |= v->next.words[w];
        }
        if (v->next.summary[s])
            t->marked.summary[s] |= v->next.summary[s];
    }
    t->stats.seen_pairs += n;
    return true;
}

static bool say_of(stn_tracker *t, viewer *v, size_t w, uint64_t fresh, uint64_t changed)
{
    uint64_t bits = fresh | changed;

    if (!stn_tracker_grow(&v->say, &v->cap_say, v->n_say + 64, sizeof *v->say))
        return false;
    for (; bits; bits &= bits - 1) {
        unsigned i = (unsigned)__builtin_ctzll(bits);
        uint32_t slot = (uint32_t)(w * 64) + i;
        const entity *e = &t->entities[slot];
        bool is_fresh = fresh >> i & 1;
        v->say[v->n_say++] = (say){e->id, is_fresh ? 0 : e->arch_sent & ~e->arch, slot, is_fresh};
    }
    return true;
}

static bool left_of(stn_tracker *t, viewer *v, size_t w, uint64_t bits, bool despawned)
{
    if (!stn_tracker_grow(&v->gone, &v->cap_gone, v->n_gone + 64, sizeof *v->gone))
        return false;
    for (; bits; bits &= bits - 1) {
        uint32_t slot = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(bits);
        const entity *e = &t->entities[slot];
        if (despawned)
            v->gone[v->n_gone++] = (leaver){e->gone_id, (uint64_t)e->gone_gen << 32 | slot};
        else
            v->gone[v->n_gone++] = (leaver){e->id, stn_tracker_name(t, slot)};
    }
    return true;
}

static bool compare_word(stn_tracker *t, viewer *v, size_t w)
{
    uint64_t was = v->sent ? stn_bitset_word(&v->shown, w) : 0, is = stn_bitset_word(&v->next, w);
    uint64_t despawned = was & stn_bitset_word(&t->gone, w), still = was & ~despawned;
    uint64_t fresh = is & ~still, left = still & ~is, changed = still & is & stn_bitset_word(&t->dirty, w);

    if ((fresh | changed) && !say_of(t, v, w, fresh, changed))
        return false;
    if (despawned && !left_of(t, v, w, despawned, true))
        return false;
    return !left || left_of(t, v, w, left, false);
}

static bool compare_viewer(stn_tracker *t, viewer *v, size_t n)
{
    stn_bitset swap;

    v->n_say = v->n_gone = 0;
    if (!note_visible(t, v, n))
        return false;
    for (size_t s = 0; s < v->next.n_words / 64; s++)
        for (uint64_t in_use = v->next.summary[s] | stn_bitset_summary(&v->shown, s); in_use;
             in_use &= in_use - 1)
            if (!compare_word(t, v, s * 64 + (size_t)__builtin_ctzll(in_use)))
                return false;
    swap = v->shown;
    v->shown = v->next;
    v->next = swap;
    v->n_shown = n;
    v->sent = true;
    return true;
}

/* ---- phase 8: encodings */

static memo *memo_of(stn_tracker *t, uint32_t slot, unsigned type, uint64_t key)
{
    uint64_t h =
        ((uint64_t)slot << 8 | type) * UINT64_C(0x9e3779b97f4a7c15) ^ key * UINT64_C(0xc2b2ae3d27d4eb4f);

    if ((t->n_memos + 1) * 2 > t->cap_memos) {
        size_t cap = t->cap_memos ? t->cap_memos * 2 : 256;
        memo *old = t->memos, *bigger = calloc(cap, sizeof *bigger);
        size_t n = t->cap_memos;
        if (!bigger)
            return NULL;
        t->memos = bigger;
        t->cap_memos = cap;
        t->n_memos = 0;
        for (size_t i = 0; i < n; i++)
            if (old[i].tick == t->tick) {
                memo *m = memo_of(t, old[i].slot, old[i].type, old[i].key);
                *m = old[i];
            }
        free(old);
    }
    for (size_t i = (h >> 20) & (t->cap_memos - 1);; i = (i + 1) & (t->cap_memos - 1)) {
        memo *m = &t->memos[i];
        if (m->tick != t->tick) {
            *m = (memo){.tick = t->tick, .key = key, .slot = slot, .type = type};
            t->n_memos++;
            return m;
        }
        if (m->slot == slot && m->type == type && m->key == key)
            return m;
    }
}

/* One (entity, component) for one viewer; encoded when it is the first that needs it. */
static bool encode(stn_tracker *t, uint32_t slot, unsigned type, stn_viewer_id id, stn_tracker_update *out)
{
    entity *c = &t->entities[slot];
    const comp_value *v = stn_tracker_comp(t, slot, type);
    uint64_t bit = UINT64_C(1) << type, key;
    const stn_encoder *e = &t->encoders[type];
    memo *m;

    if (!(t->encoded_types & bit)) {
        if (c->encoded_tick != t->tick) {
            c->encoded_tick = t->tick;
            c->encoded = 0;
        }
        t->stats.encoded += !(c->encoded & bit);
        c->encoded |= bit;
        *out = (stn_tracker_update){(uint8_t)type, v->data, v->len};
        return true;
    }
    key = e->key ? e->key(e->arg, id) : 0;
    if (!(m = memo_of(t, slot, type, key)))
        return false;
    if (!m->u.data) {
        static const uint8_t nothing[1];
        e->encode(e->arg, stn_tracker_name(t, slot), key, v->data, v->len, &m->u);
        if (!m->u.data)
            m->u = (stn_tracker_update){.data = nothing};
        m->u.type = (uint8_t)type;
        t->stats.encoded++;
    }
    *out = m->u;
    return true;
}

bool stn_tracker_queue(stn_tracker *t, stn_viewer_id id, stn_incarnation e, unsigned type, const void *data,
                       uint32_t len)
{
    const viewer *v = stn_tracker_viewer(t, id);
    uint32_t slot = stn_tracker_slot(t, e);

    if (!t->in_queuers || !v || slot == UINT32_MAX || type > UINT8_MAX || !stn_bitset_has(&v->shown, slot) ||
        !stn_tracker_grow(&t->extras, &t->cap_extras, t->n_extras + 1, sizeof *t->extras))
        return false;
    t->extras[t->n_extras] = (extra){id - 1, slot, t->n_extras, {(uint8_t)type, (const uint8_t *)data, len}};
    t->n_extras++;
    return true;
}

static int by_place(const void *a, const void *b)
{
    const extra *p = a, *q = b;
    if (p->viewer != q->viewer)
        return p->viewer < q->viewer ? -1 : 1;
    if (p->slot != q->slot)
        return p->slot < q->slot ? -1 : 1;
    if (p->u.type != q->u.type)
        return p->u.type < q->u.type ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

/* First extra at or behind (viewer, slot). */
static size_t extras_from(const stn_tracker *t, uint32_t number, uint32_t slot)
{
    size_t lo = 0, hi = t->n_extras;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const extra *x = &t->extras[mid];
        if (x->viewer < number || (x->viewer == number && x->slot < slot))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Entities that only a queuer has something to say about. The viewer's spare set tells which are said
 * already. */
static bool add_extra_says(stn_tracker *t, viewer *v, uint32_t number)
{
    if (!stn_bitset_room(&v->next, t->n_slots))
        return false;
    stn_bitset_clear(&v->next);
    for (size_t i = 0; i < v->n_say; i++)
        stn_bitset_add(&v->next, v->say[i].slot);
    for (size_t i = extras_from(t, number, 0); i < t->n_extras && t->extras[i].viewer == number; i++) {
        uint32_t slot = t->extras[i].slot;
        if (stn_bitset_has(&v->next, slot))
            continue;
        stn_bitset_add(&v->next, slot);
        if (!stn_tracker_grow(&v->say, &v->cap_say, v->n_say + 1, sizeof *v->say))
            return false;
        v->say[v->n_say++] = (say){t->entities[slot].id, 0, slot, false};
    }
    return true;
}

/* ---- phase 9: packets */

static bool append_update(stn_tracker *t, size_t *n, stn_tracker_update u)
{
    if (!stn_tracker_grow(&t->updates, &t->cap_updates, *n + 1, sizeof *t->updates))
        return false;
    t->updates[(*n)++] = u;
    t->stats.bytes += u.len;
    return true;
}

/* Built-in and queued updates of one entity, ascending type; a queued one comes behind a built-in of its
 * type. */
static bool append_updates(stn_tracker *t, const say *s, uint32_t number, size_t *n)
{
    uint64_t types =
        s->fresh ? t->entities[s->slot].arch : t->entities[s->slot].changed & t->entities[s->slot].arch;
    size_t x = t->n_extras ? extras_from(t, number, s->slot) : 0;

    for (;;) {
        unsigned type = types ? (unsigned)__builtin_ctzll(types) : 256;
        const extra *q = x < t->n_extras && t->extras[x].viewer == number && t->extras[x].slot == s->slot
                             ? &t->extras[x]
                             : NULL;
        stn_tracker_update u;
        if (type == 256 && !q)
            return true;
        if (q && q->u.type < type) {
            u = q->u;
            x++;
        } else {
            if (!encode(t, s->slot, type, number + 1, &u))
                return false;
            types &= types - 1;
        }
        if (!append_update(t, n, u))
            return false;
    }
}

bool stn_tracker_sort_gone(stn_tracker *t, const viewer *v)
{
    if (!stn_tracker_grow(&t->keys, &t->cap_keys, v->n_gone, sizeof *t->keys) ||
        !stn_tracker_grow(&t->keys_tmp, &t->cap_keys_tmp, v->n_gone, sizeof *t->keys_tmp) ||
        !stn_tracker_grow(&t->gone_ids, &t->cap_gone_ids, v->n_gone, sizeof *t->gone_ids) ||
        !stn_tracker_grow(&t->gone_entities, &t->cap_gone_entities, v->n_gone, sizeof *t->gone_entities))
        return false;
    for (size_t i = 0; i < v->n_gone; i++)
        t->keys[i] = (sort_key){(uint64_t)v->gone[i].id ^ UINT64_C(1) << 63, (uint32_t)i};
    stn_tracker_sort(t, v->n_gone);
    for (size_t i = 0; i < v->n_gone; i++) {
        t->gone_ids[i] = v->gone[t->keys[i].at].id;
        t->gone_entities[i] = v->gone[t->keys[i].at].entity;
    }
    return true;
}

static bool emit(stn_tracker *t, viewer *v, uint32_t number, stn_tracker_sink sink, void *arg)
{
    size_t n_updates = 0, n_entries = 0;

    if (t->n_extras && !add_extra_says(t, v, number))
        return false;
    if (!stn_tracker_sort_gone(t, v) ||
        !stn_tracker_grow(&t->keys, &t->cap_keys, v->n_say, sizeof *t->keys) ||
        !stn_tracker_grow(&t->keys_tmp, &t->cap_keys_tmp, v->n_say, sizeof *t->keys_tmp) ||
        !stn_tracker_grow(&t->entries, &t->cap_entries, v->n_say, sizeof *t->entries))
        return false;
    for (size_t i = 0; i < v->n_say; i++)
        t->keys[i] = (sort_key){(uint64_t)v->say[i].id ^ UINT64_C(1) << 63, (uint32_t)i};
    stn_tracker_sort(t, v->n_say);
    for (size_t i = 0; i < v->n_say; i++) {
        const say *s = &v->say[t->keys[i].at];
        size_t first = n_updates;
        if (!append_updates(t, s, number, &n_updates))
            return false;
        if (!s->fresh && !s->removed && n_updates == first)
            continue;
        t->entries[n_entries++] = (stn_tracker_entry){.id = s->id,
                                                      .entity = stn_tracker_name(t, s->slot),
                                                      .fresh = s->fresh,
                                                      .removed = s->removed,
                                                      .first = (uint32_t)first,
                                                      .n = (uint32_t)(n_updates - first)};
        t->stats.fresh += s->fresh;
    }
    t->stats.updates += n_updates;
    t->stats.removed += v->n_gone;
    sink(arg, &(stn_tracker_packet){.tick = t->tick,
                                    .viewer = number + 1,
                                    .removed = t->gone_ids,
                                    .removed_entities = t->gone_entities,
                                    .n_removed = v->n_gone,
                                    .entries = t->entries,
                                    .n_entries = n_entries,
                                    .updates = t->updates,
                                    .n_updates = n_updates});
    return true;
}

/* The end of the tick: what every viewer of an entity now holds is what it has. Also for those nobody sees.
 */
static void clear_changes(stn_tracker *t)
{
    for (size_t s = 0; s < t->dirty.n_words / 64; s++)
        for (uint64_t in_use = t->dirty.summary[s]; in_use; in_use &= in_use - 1) {
            size_t w = s * 64 + (size_t)__builtin_ctzll(in_use);
            for (uint64_t bits = t->dirty.words[w]; bits; bits &= bits - 1) {
                entity *e = &t->entities[w * 64 + (size_t)__builtin_ctzll(bits)];
                e->changed = 0;
                e->arch_sent = e->arch;
            }
        }
    stn_bitset_clear(&t->dirty);
    stn_bitset_clear(&t->gone);
}

static bool run_phases(stn_tracker *t, stn_tracker_sink sink, void *arg)
{
    /* Without queuers nothing in phases 8 and 9 needs another viewer's set, so that each viewer's packet is
     * made while what was found for it is still in the cache. */
    bool at_once = t->n_queuers == 0;

    for (uint32_t k = 0; k < t->n_viewers; k++) {
        viewer *v = &t->viewers[k];
        size_t n;
        if (!v->used || v->detached)
            continue;
        if (!find_visible(t, v, k + 1, &n) || !compare_viewer(t, v, n) ||
            (at_once && !emit(t, v, k, sink, arg)))
            return false;
    }
    if (at_once)
        return true;
    t->in_queuers = true;
    for (size_t i = 0; i < t->n_queuers; i++)
        t->queuers[i].fn(t->queuers[i].arg, t);
    t->in_queuers = false;
    if (t->n_extras > 1)
        qsort(t->extras, t->n_extras, sizeof *t->extras, by_place);
    for (uint32_t k = 0; k < t->n_viewers; k++)
        if (t->viewers[k].used && !t->viewers[k].detached && !emit(t, &t->viewers[k], k, sink, arg))
            return false;
    return true;
}

stn_status stn_tracker_tick(stn_tracker *t, stn_tracker_sink sink, void *arg, stn_err *err)
{
    bool done;

    t->n_extras = 0;
    t->n_memos = 0;
    t->stats = (stn_tracker_stats){0};
    t->tick++;
    stn_bitset_clear(&t->marked);
    done = run_phases(t, sink, arg);
    for (uint32_t k = 0; k < t->n_viewers && !done; k++)
        stn_tracker_clear(t, k + 1);
    clear_changes(t);
    if (!done)
        return stn_fail(err, STN_NO_MEMORY, "tracker: tick %llu with %zu entities",
                        (unsigned long long)t->tick, t->n_alive);
    return STN_OK;
}
