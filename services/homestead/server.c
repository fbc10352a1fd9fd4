#include "homestead/server.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/table.h"
#include "homestead/client.h"
#include "session/crypt.h"
#include "session/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COPY_S 11.0 /* a client repeats its request for 10 s; later the same bytes are a new beginning */
#define PASSES 64 /* hand-overs under way at once */
#define PASS_S 30.0 /* how long one is good */
#define WORK_A_TICK 24000 /* deltas told in one tick; who is not reached is looked after in the next */
#define CATCH_UP 5 /* ticks made up for at once; what is older is skipped */

typedef struct guest {
    stn_server *server;
    stn_conn_addr addr;
    stn_client *client;
    char user[64];
    uint8_t *hello; /* the request that opened the session, to know its copies */
    size_t hello_len;
    double since;
} guest;

/* A cookie that opens one session for a user who is in session already. */
typedef struct pass {
    char user[64];
    uint8_t cookie[32];
    double until; /* 0 = not in use */
} pass;

struct stn_server {
    stn_server_settings set;
    guest **guests;
    size_t n;
    size_t look_at; /* whose turn it is to look */
    stn_table *by_addr; /* hash of the address -> guest */
    stn_grids *grids;
    double next_tick, last_tick;
    stn_arena *arena;
    stn_server_datagram *out;
    size_t n_out, cap_out;
    bool close_all;
    pass passes[PASSES];
    stn_server_stats stats;
};

stn_status stn_server_new(const stn_server_settings *settings, stn_server **out, stn_err *err)
{
    stn_server *s = calloc(1, sizeof *s);

    *out = NULL;
    if (s) {
        s->set = *settings;
        if (s->set.range <= 0.0)
            s->set.range = STN_SERVER_RANGE;
        if (!s->set.max_clients)
            s->set.max_clients = STN_SERVER_CLIENTS;
        s->guests = calloc(s->set.max_clients, sizeof(guest *));
        s->by_addr = stn_table_new();
        s->grids = stn_grids_new(s->set.land, s->set.sim);
        s->arena = stn_arena_new(65536, 0);
    }
    if (!s || !s->guests || !s->by_addr || !s->grids || !s->arena) {
        stn_server_free(s);
        return stn_fail(err, STN_NO_MEMORY, "server");
    }
    *out = s;
    return STN_OK;
}

static void free_guest(guest *g)
{
    if (!g)
        return;
    stn_client_free(g->client);
    free(g->hello);
    free(g);
}

void stn_server_free(stn_server *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        free_guest(s->guests[i]);
    free(s->guests);
    stn_table_free(s->by_addr);
    stn_grids_free(s->grids);
    stn_arena_free(s->arena);
    free(s->out);
    free(s);
}

/* ---- sending */

static void put_out(stn_server *s, const stn_conn_addr *addr, const uint8_t *data, size_t len)
{
    uint8_t *copy;

    if (s->n_out == s->cap_out) {
        size_t cap = s->cap_out ? s->cap_out * 2 : 64;
        stn_server_datagram *p = realloc(s->out, cap * sizeof *p);

        if (!p)
            return; /* like a datagram lost on the way */
        s->out = p;
        s->cap_out = cap;
    }
    copy = stn_arena_dup(s->arena, data, len);
    if (!copy)
        return;
    s->out[s->n_out++] = (stn_server_datagram){*addr, copy, len};
    s->stats.datagrams_out++;
    s->stats.bytes_out += len;
}

static void send_to_guest(void *user, const uint8_t *data, size_t len)
{
    guest *g = user;

    put_out(g->server, &g->addr, data, len);
}

/* ---- coming and going */

static uint64_t addr_key(const stn_conn_addr *a)
{
    return stn_hash_feed(STN_HASH_START, a->bytes, a->len <= sizeof a->bytes ? a->len : sizeof a->bytes);
}

static guest *find_guest(const stn_server *s, const stn_conn_addr *a)
{
    guest *g = stn_table_get(s->by_addr, addr_key(a));

    return g && g->addr.len == a->len && !memcmp(g->addr.bytes, a->bytes, a->len) ? g : NULL;
}

static void forget_guest(stn_server *s, guest *g, bool say_close)
{
    if (say_close)
        stn_client_say_close(g->client);
    stn_table_remove(s->by_addr, addr_key(&g->addr));
    for (size_t i = 0; i < s->n; i++) {
        if (s->guests[i] == g) {
            s->guests[i] = s->guests[--s->n];
            break;
        }
    }
    s->stats.left++;
    free_guest(g);
}

static void refuse(stn_server *s, const stn_conn_addr *addr, unsigned code, const char *text)
{
    stn_buf b = {0};

    stn_buf_u8(&b, STN_PACKET_SESS);
    stn_buf_u8(&b, (uint8_t)code);
    if (code == STN_SESS_TEXT)
        stn_buf_cstr(&b, text);
    if (!b.failed)
        put_out(s, addr, b.data, b.len);
    stn_buf_fini(&b);
    s->stats.refused++;
}

static bool is_hafen(const char *name)
{
    return !strncmp(name, "Hafen", 5);
}

/* Names of people are an attribute of published code: a client that cannot run or replace it would never see
 * the person move again (docs/spec/object-cache.md A8). */
static bool reads_names(const char *name)
{
    return !strncmp(name, STN_SESS_TWINS, strlen(STN_SESS_TWINS));
}

static pass *find_pass(stn_server *s, double now, const char *name)
{
    for (size_t i = 0; i < PASSES; i++)
        if (s->passes[i].until > now && !strcmp(s->passes[i].user, name))
            return &s->passes[i];
    return NULL;
}

static void hand_over(stn_server *s, double now, const guest *g)
{
    pass *p = find_pass(s, now, g->user);

    for (size_t i = 0; i < PASSES && !p; i++)
        if (s->passes[i].until <= now)
            p = &s->passes[i];
    if (!p || !s->set.chance)
        return;
    memcpy(p->user, g->user, sizeof p->user);
    s->set.chance(s->set.user, p->cookie, sizeof p->cookie);
    p->until = now + PASS_S;
    stn_client_hand_over(g->client, s->set.host, s->set.port, p->cookie, sizeof p->cookie);
}

/* Every byte is looked at, so that the time says nothing. */
static bool same_bytes(const uint8_t *a, const uint8_t *b, size_t n)
{
    uint8_t diff = 0;

    for (size_t i = 0; i < n; i++)
        diff |= a[i] ^ b[i];
    return diff == 0;
}

static bool open_sealed(const stn_sess_hello *hello, const uint8_t *cookie, size_t len, stn_buf *inner,
                        stn_crypt **crypt)
{
    stn_buf_clear(inner);
    if (stn_crypt_new(cookie, len, hello->salt, hello->salt_len, false, crypt, NULL) == STN_OK &&
        stn_crypt_open(*crypt, hello->rest, hello->rest_len, inner, NULL) == STN_OK)
        return true;
    stn_crypt_free(*crypt);
    *crypt = NULL;
    return false;
}

static bool admit_sealed(stn_server *s, double now, const stn_server_datagram *in,
                         const stn_sess_hello *hello, bool *names, stn_crypt **crypt, pass **handed)
{
    uint8_t cookie[STN_COOKIE_MAX];
    size_t len = sizeof cookie;
    stn_sess_hello sealed = {0};
    stn_buf inner = {0};
    pass *p = find_pass(s, now, hello->user);
    bool good = false;

    if (p && open_sealed(hello, p->cookie, sizeof p->cookie, &inner, crypt))
        *handed = p;
    if (!*handed && (!s->set.cookie || !s->set.cookie(s->set.user, hello->user, cookie, &len)))
        refuse(s, &in->addr, STN_SESS_TEXT,
               "no cookie is known for this user, so the session cannot be sealed");
    else if ((!*handed && !open_sealed(hello, cookie, len, &inner, crypt)) ||
             stn_sess_inner_read(inner.data, inner.len, &sealed, NULL) != STN_OK)
        refuse(s, &in->addr, STN_SESS_BAD_COOKIE, NULL);
    else if (!is_hafen(sealed.protocol) || sealed.version < 30)
        refuse(s, &in->addr, STN_SESS_TOO_OLD, NULL);
    else
        good = true;
    *names = good && reads_names(sealed.protocol);
    stn_buf_fini(&inner);
    return good;
}

static bool admit_plain(stn_server *s, double now, const stn_server_datagram *in, const stn_sess_hello *hello,
                        bool *names, pass **handed)
{
    pass *p = find_pass(s, now, hello->user);
    unsigned code = STN_SESS_OK;

    if (!is_hafen(hello->protocol)) {
        refuse(s, &in->addr, STN_SESS_TEXT, "this server speaks the Hafen protocol");
        return false;
    }
    if (hello->version != 30 && hello->version != 31) {
        refuse(s, &in->addr, hello->version < 30 ? STN_SESS_TOO_OLD : STN_SESS_TEXT,
               "this server speaks versions 30 and 31");
        return false;
    }
    if (p && hello->cookie_len == sizeof p->cookie && same_bytes(hello->cookie, p->cookie, sizeof p->cookie))
        *handed = p;
    else if (s->set.admit)
        code = s->set.admit(s->set.user, hello->user, hello->cookie, hello->cookie_len);
    if (code)
        refuse(s, &in->addr, code, "you may not enter");
    *names = reads_names(hello->protocol);
    return code == STN_SESS_OK;
}

/* Reads the request and says whether its sender may enter; *names when it reads those of people, *crypt is
 * set for a sealed session, *handed when it is one that this server handed over to itself. */
static bool admit(stn_server *s, double now, const stn_server_datagram *in, stn_sess_hello *hello,
                  bool *names, stn_crypt **crypt, pass **handed)
{
    bool good;

    *names = false;
    *crypt = NULL;
    *handed = NULL;
    if (stn_sess_read(in->data, in->len, hello, NULL) != STN_OK) {
        s->stats.dropped++;
        return false;
    }
    good = hello->encrypted ? admit_sealed(s, now, in, hello, names, crypt, handed)
                            : admit_plain(s, now, in, hello, names, handed);
    if (good && (!hello->user[0] || strlen(hello->user) >= sizeof((guest *)0)->user)) {
        refuse(s, &in->addr, STN_SESS_TEXT, "a user name has 1 to 63 bytes");
        good = false;
    }
    if (!good) {
        stn_crypt_free(*crypt);
        *crypt = NULL;
    }
    return good;
}

static guest *find_user(const stn_server *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (!strcmp(s->guests[i]->user, name))
            return s->guests[i];
    return NULL;
}

static void on_hello(stn_server *s, double now, const stn_server_datagram *in)
{
    guest *g = find_guest(s, &in->addr), *other;
    stn_sess_hello hello;
    stn_crypt *crypt;
    pass *handed;
    bool names;

    if (g && now - g->since < COPY_S && g->hello_len == in->len && !memcmp(g->hello, in->data, in->len)) {
        stn_client_accept(g->client); /* a copy: our answer may have been lost */
        return;
    }
    if (!admit(s, now, in, &hello, &names, &crypt, &handed))
        return;
    if (g)
        forget_guest(s, g, false); /* it began anew from the same address */
    other = handed ? NULL : find_user(s, hello.user);
    if (other && s->set.refuse_second) {
        refuse(s, &in->addr, STN_SESS_BUSY, NULL);
        stn_crypt_free(crypt);
        return;
    }
    if (other) {
        s->stats.displaced++;
        forget_guest(s, other, true);
    }
    if (s->n == s->set.max_clients) {
        refuse(s, &in->addr, STN_SESS_TEXT, "the server is full");
        stn_crypt_free(crypt);
        return;
    }
    g = calloc(1, sizeof *g);
    if (g) {
        g->server = s;
        g->addr = in->addr;
        g->since = now;
        snprintf(g->user, sizeof g->user, "%s", hello.user);
        g->hello = malloc(in->len);
        g->hello_len = in->len;
        if (g->hello) {
            memcpy(g->hello, in->data, in->len);
            g->client = stn_client_new(now, g->user, s->set.sim, s->set.range, s->set.map_side, names, crypt,
                                       send_to_guest, g);
            crypt = NULL; /* taken */
        }
    }
    if (!g || !g->client || !stn_table_put(s->by_addr, addr_key(&g->addr), g, NULL)) {
        refuse(s, &in->addr, STN_SESS_TEXT, "the server has no room");
        stn_crypt_free(crypt);
        free_guest(g);
        return;
    }
    s->guests[s->n++] = g;
    s->stats.entered++;
    if (handed) {
        s->stats.handed++;
        handed->until = 0;
    }
    stn_client_accept(g->client);
    stn_client_greet(g->client, s->set.land);
}

static void on_datagram(stn_server *s, double now, const stn_server_datagram *in)
{
    guest *g;

    s->stats.datagrams_in++;
    s->stats.bytes_in += in->len;
    if (!in->len || in->addr.len > sizeof in->addr.bytes)
        return;
    if (in->data[0] == STN_PACKET_SESS) {
        on_hello(s, now, in);
        return;
    }
    g = find_guest(s, &in->addr);
    if (!g) {
        static const uint8_t bye[1] = {STN_PACKET_CLOSE};

        /* One that closed already, or that thinks it is still here: CLOSE is answered, the rest is not. */
        if (in->data[0] == STN_PACKET_CLOSE)
            put_out(s, &in->addr, bye, sizeof bye);
        s->stats.strangers++;
        return;
    }
    if (!stn_client_take(g->client, now, in->data, in->len))
        forget_guest(s, g, true);
}

/* ---- the step */

/* Many who enter at once see thousands of things for the first time: that is parted among ticks. */
static void look_around(stn_server *s, double now)
{
    size_t work = 0, done = 0;

    for (; done < s->n && work < WORK_A_TICK; done++)
        work += stn_client_look(s->guests[(s->look_at + done) % s->n]->client, now);
    s->look_at = s->n ? (s->look_at + done) % s->n : 0;
}

static void tick(stn_server *s, double now)
{
    unsigned made = 0;
    double between = now - s->last_tick;

    if (s->stats.ticks && between > s->stats.latest_tick)
        s->stats.latest_tick = between;
    if (s->stats.ticks && between > 2.0 * STN_SIM_TICK_S + 1e-9)
        s->stats.ticks_late++;
    for (; s->next_tick <= now; s->next_tick += STN_SIM_TICK_S) {
        if (made++ == CATCH_UP) {
            s->next_tick = now + STN_SIM_TICK_S;
            break;
        }
        stn_sim_tick(s->set.sim, s->next_tick);
        s->stats.ticks++;
    }
    s->last_tick = now;
    look_around(s, now);
}

size_t stn_server_step(stn_server *s, double now, const stn_server_datagram *in, size_t n,
                       const stn_server_datagram **send, double *wait)
{
    double next;

    stn_arena_reset(s->arena);
    s->n_out = 0;
    if (!s->stats.ticks)
        s->next_tick = fmin(s->next_tick > 0.0 ? s->next_tick : now, now);
    for (size_t i = 0; i < n; i++)
        on_datagram(s, now, &in[i]);
    if (now >= s->next_tick)
        tick(s, now);
    next = s->next_tick;
    stn_grids_step(s->grids);
    for (size_t i = s->n; i-- > 0;) {
        guest *g = s->guests[i];
        double due;

        if (stn_client_goes(g->client))
            hand_over(s, now, g);
        due = stn_client_run(g->client, now, s->grids);

        if (stn_client_over(g->client, now)) {
            if (stn_client_silent(g->client, now))
                s->stats.silent++;
            forget_guest(s, g, true);
        } else if (due < next) {
            next = due;
        }
    }
    if (s->close_all) {
        while (s->n)
            forget_guest(s, s->guests[s->n - 1], true);
        s->close_all = false;
    }
    *send = s->out;
    *wait = next > now ? next - now : 0.0;
    return s->n_out;
}

void stn_server_close_all(stn_server *s)
{
    s->close_all = true;
}

void stn_server_get_ticks(const stn_server *s, uint64_t *ticks, uint64_t *late)
{
    *ticks = s->stats.ticks;
    *late = s->stats.ticks_late;
}

void stn_server_get_stats(const stn_server *s, stn_server_stats *out)
{
    *out = s->stats;
    out->clients = s->n;
    out->grids_sent = stn_grids_sent(s->grids);
    for (size_t i = 0; i < s->n; i++)
        stn_client_add_stats(s->guests[i]->client, out);
}
