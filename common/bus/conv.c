/* Doors and links: their sockets, made and remade, and what the monitors tell. */
#include "bus/bus_internal.h"

#include "base/clock.h"
#include "base/hash.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUE_BYTES (UINT64_C(64) << 20)
#define UNPACK_BYTES ((size_t)16 << 20)
#define RETRY_FIRST_NS (25 * STN_MS)
#define RETRY_MOST_NS (1000 * STN_MS)
#define REFUSAL_AGAIN_NS (10 * STN_S) /* the same refusal is logged again after so long */

/* --- ports --- */

static void on_monitor(void *ctx, const stn_turn *turn, int fd, unsigned ready);

static void close_port(stn_port *port, int linger_ms)
{
    stn_watch_free(port->watch);
    stn_watch_free(port->monitor_watch);
    port->watch = port->monitor_watch = NULL;
    stn_socket_close(port->socket, linger_ms);
    port->socket = NULL;
}

static stn_status open_port(stn_port *port, const stn_socket_spec *spec, stn_err *err)
{
    stn_bus *b = port->conv->bus;
    stn_status st = stn_socket_open(spec, &port->socket, err);

    if (st != STN_OK)
        return st;
    port->curve = spec->keys != NULL;
    port->tcp = stn_address_is_tcp(spec->endpoint);
    /* The monitor first: a peer whose connection ended is down before its successor's messages are read. */
    if ((st = stn_loop_watch_socket(b->loop, stn_socket_monitor(port->socket), on_monitor, port,
                                    &port->monitor_watch, err)) != STN_OK ||
        (st = stn_loop_watch_socket(b->loop, stn_socket_zmq(port->socket), stn_conv_on_readable, port,
                                    &port->watch, err)) != STN_OK)
        close_port(port, 0);
    return st;
}

static stn_status open_link(stn_conv *c, stn_err *err)
{
    stn_socket_spec spec = {.zctx = c->bus->zctx, .endpoint = c->endpoint, .routing_id = c->own_id};

    if (c->server_key[0]) {
        spec.keys = &c->keys;
        spec.server_key = c->server_key;
    }
    c->ready = false;
    c->n_ports = 1;
    c->ports[0].conv = c;
    return open_port(&c->ports[0], &spec, err);
}

/* --- refusals --- */

/* Texts that differ in numbers only (ports, error codes) tell a person the same. */
static bool same_but_digits(const char *a, const char *b)
{
    for (;;) {
        while (isdigit((unsigned char)*a))
            a++;
        while (isdigit((unsigned char)*b))
            b++;
        if (*a != *b)
            return false;
        if (*a == 0)
            return true;
        a++;
        b++;
    }
}

void stn_conv_refused(stn_conv *c, const char *text)
{
    int64_t now = stn_loop_now(c->bus->loop)->now_ns;

    c->refusals++;
    snprintf(c->diagnosis, sizeof c->diagnosis, "%s", text);
    if (same_but_digits(text, c->refused) && now - c->refused_ns < REFUSAL_AGAIN_NS)
        return;
    snprintf(c->refused, sizeof c->refused, "%s", text);
    c->refused_ns = now;
    stn_log_warn("%s: %s", c->name, text);
}

static void denied(void *ctx, const char *text)
{
    stn_conv_refused(ctx, text);
}

/* --- the monitor --- */

static void on_retry(void *ctx, const stn_turn *turn, stn_timer *timer)
{
    stn_conv *c = ctx;
    stn_err err = {0};

    (void)turn;
    if (open_link(c, &err) != STN_OK) {
        snprintf(c->diagnosis, sizeof c->diagnosis, "%s", err.text);
        stn_timer_in(timer, stn_backoff_ns(++c->attempts, RETRY_FIRST_NS, RETRY_MOST_NS, stn_random_u64()));
    }
}

/* The socket is not mended: libzmq may or may not connect it again, depending on how it ended. */
static void remake_link(stn_conv *c)
{
    close_port(&c->ports[0], 0);
    c->ready = false;
    c->reconnects++;
    stn_peer_down(c->link, STN_DOWN_CLOSED);
    stn_timer_in(c->retry, stn_backoff_ns(c->attempts++, RETRY_FIRST_NS, RETRY_MOST_NS, stn_random_u64()));
}

static void link_event(stn_conv *c, const stn_socket_event *e)
{
    switch (e->type) {
    case STN_SOCKET_READY:
        c->ready = true;
        c->bare_closes = 0;
        stn_conv_say_hello(c, true);
        break;
    case STN_SOCKET_REFUSED:
        if (e->told)
            stn_conv_refused(c, e->text);
        else if (++c->bare_closes >= 2 && c->ports[0].tcp)
            /* A server whose key we have wrong cannot read our greeting and hangs up; it alone knows why. */
            stn_conv_refused(c, c->ports[0].curve
                                    ? "the server refused the handshake: check --server-key"
                                    : "the server hangs up at once; perhaps it wants keys: give --key and "
                                      "--server-key");
        remake_link(c);
        break;
    case STN_SOCKET_CLOSED:
        remake_link(c);
        break;
    }
}

static stn_peer *peer_at(stn_port *port, int fd)
{
    const char *id;
    void *value;

    for (size_t it = 0; stn_names_next(port->conv->peers, &it, &id, &value);) {
        stn_peer *p = value;
        if (p->port == port && p->fd == fd)
            return p;
    }
    return NULL;
}

static void door_event(stn_port *port, const stn_socket_event *e, bool last_words)
{
    stn_conv *c = port->conv;
    stn_peer *p;

    if (e->type == STN_SOCKET_REFUSED && e->text[0])
        stn_conv_refused(c, e->text);
    if (e->type != STN_SOCKET_CLOSED || !(p = peer_at(port, e->fd)))
        return;
    if (last_words) {
        /* The peer may leave, or be another that has come back on the same descriptor, while we read. */
        char id[STN_PEER_ID_MAX];
        uint64_t connection = p->connection;

        memcpy(id, p->id, sizeof id);
        stn_conv_read_all(port);
        p = stn_names_get(c->peers, id);
        if (!p || p->connection != connection)
            return;
    }
    stn_peer_down(p, STN_DOWN_CLOSED);
}

static void drain_monitor(stn_port *port, bool last_words)
{
    stn_socket_event e;

    stn_watch_used(port->monitor_watch);
    while (port->socket && stn_socket_next_event(port->socket, &e)) {
        if (port->conv->door) {
            door_event(port, &e, last_words);
        } else {
            if (last_words && e.type == STN_SOCKET_CLOSED)
                stn_conv_read_all(port);
            link_event(port->conv, &e);
        }
    }
}

void stn_conv_drain_monitor(stn_port *port)
{
    drain_monitor(port, false);
}

static void on_monitor(void *ctx, const stn_turn *turn, int fd, unsigned ready)
{
    (void)turn;
    (void)fd;
    (void)ready;
    /* What a peer sent before its connection ended is read before it counts as gone: an answer and a Bye. */
    drain_monitor(ctx, true);
}

/* --- making and freeing --- */

static stn_status make(stn_bus *bus, const stn_conv_spec *spec, bool door, stn_conv **out, stn_err *err)
{
    stn_conv *c = calloc(1, sizeof *c);

    *out = NULL;
    if (!c)
        return stn_fail(err, STN_NO_MEMORY, "%s", spec->name);
    c->bus = bus;
    c->door = door;
    c->spec = *spec;
    if (c->spec.queue_bytes == 0)
        c->spec.queue_bytes = QUEUE_BYTES;
    if (c->spec.unpack_bytes == 0)
        c->spec.unpack_bytes = UNPACK_BYTES;
    snprintf(c->name, sizeof c->name, "%s", spec->name);
    snprintf(c->instance, sizeof c->instance, "%s", spec->instance ? spec->instance : bus->instance);
    memcpy(c->own_id, bus->id, sizeof c->own_id);
    c->handlers = stn_table_new();
    c->counts = calloc(spec->n_handlers + 1, sizeof *c->counts);
    c->unpacker = stn_unpacker_new(c->spec.unpack_bytes);
    c->peers = stn_names_new();
    c->link = calloc(1, sizeof *c->link);
    c->retry = stn_timer_new(bus->loop, "bus.retry", on_retry, c);
    if (!c->handlers || !c->counts || !c->unpacker || !c->peers || !c->link || !c->retry)
        goto no_memory;
    c->link->conv = c;
    for (size_t i = 0; i < spec->n_handlers; i++)
        if (!stn_table_put(c->handlers, spec->handlers[i].kind, (void *)(uintptr_t)&spec->handlers[i], NULL))
            goto no_memory;
    c->next = bus->convs;
    bus->convs = c;
    *out = c;
    return STN_OK;
no_memory:
    stn_conv_free(c);
    return stn_fail(err, STN_NO_MEMORY, "%s", spec->name);
}

stn_status stn_bus_bind(stn_bus *bus, const stn_conv_spec *spec, stn_conv **out, stn_err *err)
{
    char own_door[STN_PEER_ID_MAX + 8];
    stn_socket_spec s = {.zctx = bus->zctx};
    stn_conv *c;
    stn_status st = make(bus, spec, true, &c, err);

    *out = NULL;
    if (st != STN_OK)
        return st;
    /* The control door's lock is the process's number, which the bus holds already. */
    snprintf(own_door, sizeof own_door, "ctl/%s", bus->id);
    if ((strcmp(own_door, c->name) != 0 &&
         (st = stn_lock_take(c->instance, c->name, &c->lock, err)) != STN_OK) ||
        (st = stn_address_local(c->instance, c->name, c->endpoint, sizeof c->endpoint, err)) != STN_OK) {
        stn_conv_free(c);
        return st;
    }
    s.endpoint = c->endpoint;
    c->ports[0].conv = c;
    if ((st = open_port(&c->ports[0], &s, err)) != STN_OK) {
        stn_conv_free(c);
        return st;
    }
    c->n_ports = 1;
    *out = c;
    return STN_OK;
}

stn_status stn_conv_bind_also(stn_conv *c, const char *endpoint, const stn_keys *keys,
                              const char *allow_folder, stn_err *err)
{
    stn_socket_spec s = {.zctx = c->bus->zctx, .endpoint = endpoint, .keys = keys};
    stn_port *port = &c->ports[c->n_ports];
    stn_status st = stn_address_check(endpoint, keys != NULL, true, err);

    if (st != STN_OK)
        return st;
    if (!c->door || c->n_ports == STN_CONV_SOCKETS)
        return stn_fail(err, STN_USAGE, "%s: at most %u endpoints of a bound name", c->name,
                        STN_CONV_SOCKETS);
    if (keys && !keys->secret_key[0])
        return stn_fail(err, STN_USAGE, "%s: the key file for binding must hold the secret key", endpoint);
    if (keys && !allow_folder)
        return stn_fail(err, STN_USAGE, "%s: give the folder of the public keys that may come: --allow",
                        endpoint);
    if (keys && !c->bus->zap && (st = stn_zap_new(c->bus->zctx, c->bus->loop, &c->bus->zap, err)) != STN_OK)
        return st;
    if (keys && (st = stn_zap_add(c->bus->zap, allow_folder, denied, c, &port->zap_domain, err)) != STN_OK)
        return st;
    s.zap_domain = port->zap_domain;
    port->conv = c;
    if ((st = open_port(port, &s, err)) != STN_OK) {
        if (port->zap_domain)
            stn_zap_remove(c->bus->zap, port->zap_domain);
        port->zap_domain = NULL;
        return st;
    }
    c->n_ports++;
    stn_log_info("%s also at %s%s", c->name, stn_socket_endpoint(port->socket), keys ? " with keys" : "");
    return STN_OK;
}

stn_status stn_bus_connect(stn_bus *bus, const stn_conv_spec *spec, stn_conv **out, stn_err *err)
{
    bool keys = spec->keys && spec->server_key;
    stn_conv *c;
    stn_status st = make(bus, spec, false, &c, err);

    *out = NULL;
    if (st != STN_OK)
        return st;
    if (!spec->endpoint)
        st = stn_address_local(c->instance, c->name, c->endpoint, sizeof c->endpoint, err);
    else if (spec->keys && !spec->server_key)
        st = stn_fail(err, STN_USAGE, "%s: --key needs --server-key", spec->endpoint);
    else if (keys && (!stn_key_text_ok(spec->server_key) || !spec->keys->secret_key[0]))
        st = stn_fail(err, STN_USAGE,
                      "%s: the server's key must be 40 Z85 characters, and ours a secret key file",
                      spec->endpoint);
    else if ((st = stn_address_check(spec->endpoint, keys, false, err)) == STN_OK)
        snprintf(c->endpoint, sizeof c->endpoint, "%s", spec->endpoint);
    if (st == STN_OK && keys && spec->endpoint) {
        c->keys = *spec->keys;
        memcpy(c->server_key, spec->server_key, STN_KEY_TEXT);
        snprintf(c->own_id, sizeof c->own_id, "%.60s@%s", bus->id, c->keys.name);
    }
    snprintf(c->diagnosis, sizeof c->diagnosis, "nobody answers at %.200s yet", c->endpoint);
    if (st == STN_OK)
        st = open_link(c, err);
    if (st != STN_OK) {
        stn_conv_free(c);
        return st;
    }
    *out = c;
    return STN_OK;
}

static void say_bye(stn_peer *p)
{
    Stenness__Bye bye = STENNESS__BYE__INIT;
    stn_send_bus_message(p->port, p->id, p->epoch, STENNESS__BUS_KIND__BUS_BYE, &bye.base);
}

void stn_conv_free(stn_conv *c)
{
    if (!c)
        return;
    for (stn_conv **at = &c->bus->convs; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    if (c->peers) {
        const char *id;
        void *value;
        for (size_t it = 0; stn_names_next(c->peers, &it, &id, &value); it = 0) {
            say_bye(value);
            stn_peer_down(value, STN_DOWN_STOP);
        }
    }
    if (c->link && c->link->up) {
        say_bye(c->link);
        stn_peer_down(c->link, STN_DOWN_STOP);
    }
    for (size_t i = 0; i < STN_CONV_SOCKETS; i++) {
        close_port(&c->ports[i], STN_LINGER_MS);
        if (c->ports[i].zap_domain)
            stn_zap_remove(c->bus->zap, c->ports[i].zap_domain);
    }
    stn_timer_free(c->retry);
    stn_table_free(c->handlers);
    stn_names_free(c->peers);
    stn_unpacker_free(c->unpacker);
    stn_lock_free(c->lock);
    stn_keys_wipe(&c->keys);
    free(c->counts);
    free(c->link);
    free(c);
}

/* --- what services ask --- */

void stn_conv_set_untapped(stn_conv *c)
{
    c->untapped = true;
}

const char *stn_conv_name(const stn_conv *c)
{
    return c->name;
}

const char *stn_conv_endpoint(const stn_conv *c, size_t i)
{
    if (!c->door)
        return i == 0 ? c->endpoint : NULL;
    return i < c->n_ports ? stn_socket_endpoint(c->ports[i].socket) : NULL;
}

stn_peer *stn_conv_peer(const stn_conv *c)
{
    return c->link->up ? c->link : NULL;
}

stn_peer *stn_conv_next_peer(const stn_conv *c, size_t *it)
{
    const char *id;
    void *value;

    if (!c->door)
        return (*it)++ == 0 ? stn_conv_peer(c) : NULL;
    return stn_names_next(c->peers, it, &id, &value) ? value : NULL;
}

size_t stn_conv_peer_count(const stn_conv *c)
{
    return c->door ? stn_names_count(c->peers) : c->link->up;
}

const char *stn_conv_diagnosis(const stn_conv *c)
{
    return c->diagnosis;
}
