#include "homestead/client.h"

#include "base/arena.h"
#include "homestead/client_party.h"
#include "session/mapdata.h"
#include "session/messages.h"
#include "session/objdata.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROOT 0
#define GAMEUI 1
#define MAPVIEW 2
#define PARTY 3
#define OFFERED_FIRST 100 /* widgets that come and go */
#define GLOBLOB_S 5.0 /* also heals acknowledgements that got lost: something reliable flows */
#define MAP_DATAGRAMS 96 /* of map data in one go, so that a socket's buffer is not flooded */
#define MAP_PAUSE_S 0.004 /* between two goes */
#define DEPTH 64

struct stn_client {
    stn_conn *conn;
    stn_view *view;
    stn_sim *sim;
    uint32_t person;
    unsigned map_side;
    char user[64];
    double next_globlob;
    struct {
        int32_t x, y;
    } grids[STN_CLIENT_GRIDS]; /* asked for and not yet sent */
    unsigned n_grids;
    size_t piece; /* of the first */
    double next_map;
    uint32_t next_packet;
    unsigned malformed;
    stn_arena *args;
    stn_client_party party;
    int32_t next_widget;
    struct {
        int32_t widget; /* 0 = none is open */
        uint32_t thing;
        stn_sim_offer offers[STN_SIM_OFFERS];
        size_t n;
    } menu;
    uint16_t placing; /* resource number of what it was asked to place, 0 = nothing */
    int32_t hand_widget; /* 0 = none */
    bool gone; /* was told to go on elsewhere … */
    double gone_at; /* … by then */
};

stn_client *stn_client_new(double now, const char *user, stn_sim *sim, double range, unsigned map_side,
                           bool names, stn_crypt *crypt, stn_conn_send send, void *send_user)
{
    stn_client *c = calloc(1, sizeof *c);

    if (!c) {
        stn_crypt_free(crypt);
        return NULL;
    }
    c->sim = sim;
    c->map_side = map_side;
    c->next_globlob = now + GLOBLOB_S;
    c->next_widget = OFFERED_FIRST;
    memcpy(c->user, user, strnlen(user, sizeof c->user - 1));
    c->conn = stn_conn_new(now, crypt, send, send_user);
    c->view = stn_view_new(range, names);
    c->args = stn_arena_new(4096, 1u << 20);
    if (c->conn && c->view && c->args)
        c->person = stn_sim_join(sim, user);
    if (!c->person) {
        stn_client_free(c);
        return NULL;
    }
    return c;
}

void stn_client_free(stn_client *c)
{
    if (!c)
        return;
    if (c->person)
        stn_sim_leave(c->sim, c->person);
    stn_conn_free(c->conn);
    stn_view_free(c->view);
    stn_arena_free(c->args);
    free(c);
}

void stn_client_accept(stn_client *c)
{
    static const uint8_t yes[2] = {STN_PACKET_SESS, STN_SESS_OK};

    stn_conn_datagram(c->conn, yes, sizeof yes);
}

void stn_client_say_close(stn_client *c)
{
    static const uint8_t bye[1] = {STN_PACKET_CLOSE};

    stn_conn_datagram(c->conn, bye, sizeof bye);
}

/* ---- what a new client is told */

static void send_globlob(stn_client *c, bool absolute)
{
    stn_buf b = {0};

    stn_sim_globlob(c->sim, absolute, &b);
    if (!b.failed)
        stn_conn_queue(c->conn, STN_RMSG_GLOBLOB, b.data, b.len);
    stn_buf_fini(&b);
}

static void put_int(stn_buf *b, uint32_t v)
{
    stn_buf_u8(b, STN_TAG_INT);
    stn_buf_u32(b, v);
}

static void put_text(stn_buf *b, const char *text)
{
    stn_buf_u8(b, STN_TAG_TEXT);
    stn_buf_cstr(b, text);
}

static void put_coord(stn_buf *b, int32_t x, int32_t y)
{
    stn_buf_u8(b, STN_TAG_COORD);
    stn_buf_u32(b, (uint32_t)x);
    stn_buf_u32(b, (uint32_t)y);
}

void stn_client_greet(stn_client *c, const stn_land *land)
{
    stn_buf b = {0};
    size_t n;
    const stn_land_tileset *sets = stn_land_tilesets(land, &n);
    double x = 0.0, y = 0.0;

    for (size_t i = 0; i < n; i++)
        stn_view_announce(c->view, c->sim, stn_sim_tileset(c->sim, sets[i].id), c->conn);
    stn_view_announce(c->view, c->sim, stn_sim_claim(c->sim), c->conn);
    if (stn_sim_clouds(c->sim))
        stn_view_announce(c->view, c->sim, stn_sim_clouds(c->sim), c->conn);
    send_globlob(c, true);

    stn_buf_u32(&b, GAMEUI);
    stn_buf_cstr(&b, "gameui");
    stn_buf_u32(&b, 0);
    stn_buf_u8(&b, STN_TAG_END); /* no placement; arguments follow */
    put_text(&b, c->user);
    put_int(&b, c->person);
    put_text(&b, "0");
    if (!b.failed)
        stn_conn_queue(c->conn, STN_RMSG_NEWWDG, b.data, b.len);

    stn_buf_clear(&b);
    stn_sim_place(c->sim, c->person, &x, &y);
    stn_buf_u32(&b, MAPVIEW);
    stn_buf_cstr(&b, "mapview");
    stn_buf_u32(&b, GAMEUI);
    put_text(&b, "mapview");
    stn_buf_u8(&b, STN_TAG_END);
    put_coord(&b, 800, 600);
    put_coord(&b, (int32_t)floor(x / STN_SIM_UNIT), (int32_t)floor(y / STN_SIM_UNIT));
    put_int(&b, c->person);
    if (!b.failed)
        stn_conn_queue(c->conn, STN_RMSG_NEWWDG, b.data, b.len);

    stn_buf_clear(&b);
    stn_buf_u32(&b, PARTY);
    stn_buf_cstr(&b, "pv");
    stn_buf_u32(&b, GAMEUI);
    put_text(&b, "party");
    stn_buf_u8(&b, STN_TAG_END);
    put_int(&b, c->person);
    if (!b.failed)
        stn_conn_queue(c->conn, STN_RMSG_NEWWDG, b.data, b.len);
    stn_buf_fini(&b);
}

/* ---- what it is offered */

static void destroy(stn_client *c, int32_t widget)
{
    stn_buf b = {0};

    stn_buf_u32(&b, (uint32_t)widget);
    if (!b.failed)
        stn_conn_queue(c->conn, STN_RMSG_DSTWDG, b.data, b.len);
    stn_buf_fini(&b);
}

static void close_menu(stn_client *c)
{
    if (!c->menu.widget)
        return;
    stn_conn_say(c->conn, c->menu.widget, "cancel", NULL, 0);
    destroy(c, c->menu.widget);
    c->menu.widget = 0;
}

static void open_menu(stn_client *c, uint32_t thing)
{
    stn_buf b = {0};

    close_menu(c);
    c->menu.thing = thing;
    c->menu.n = stn_sim_offers(c->sim, c->person, thing, c->menu.offers);
    if (!c->menu.n)
        return;
    c->menu.widget = c->next_widget++;
    stn_buf_u32(&b, (uint32_t)c->menu.widget);
    stn_buf_cstr(&b, "sm");
    stn_buf_u32(&b, 0);
    put_coord(&b, -1, -1); /* where the pointer is */
    stn_buf_u8(&b, STN_TAG_END);
    for (size_t i = 0; i < c->menu.n; i++)
        put_text(&b, c->menu.offers[i].text);
    if (!b.failed)
        stn_conn_queue(c->conn, STN_RMSG_NEWWDG, b.data, b.len);
    stn_buf_fini(&b);
}

/* The map view shows what is to be placed, or no more. */
static void show_placing(stn_client *c)
{
    uint16_t res = stn_sim_in_hand(c->sim, c->person);
    const stn_value v = {.kind = STN_VALUE_RESID, .u.i = res};

    if (res == c->placing)
        return;
    c->placing = res;
    if (!res) {
        stn_conn_say(c->conn, MAPVIEW, "unplace", NULL, 0);
        return;
    }
    stn_view_announce(c->view, c->sim, res, c->conn);
    stn_conn_say(c->conn, MAPVIEW, "place", &v, 1);
}

bool stn_client_goes(stn_client *c)
{
    return stn_sim_takes_leave(c->sim, c->person);
}

void stn_client_hand_over(stn_client *c, const char *host, unsigned port, const uint8_t *cookie, size_t len)
{
    const stn_value v[3] = {stn_value_text(host),
                            stn_value_int((int32_t)port),
                            {.kind = STN_VALUE_BYTES, .len = (uint32_t)len, .u.bytes = cookie}};
    stn_buf b = {0};

    if (c->hand_widget)
        destroy(c, c->hand_widget);
    c->hand_widget = c->next_widget++;
    stn_buf_u32(&b, (uint32_t)c->hand_widget);
    stn_buf_cstr(&b, "sess");
    stn_buf_u32(&b, 0);
    stn_buf_u8(&b, STN_TAG_END);
    if (stn_args_write(&b, &(stn_values){3, v}, NULL) == STN_OK && !b.failed)
        stn_conn_queue(c->conn, STN_RMSG_NEWWDG, b.data, b.len);
    stn_buf_fini(&b);
}

/* ---- what a client says */

static bool as_int(const stn_values *a, unsigned i, int32_t *out)
{
    return i < a->count && stn_value_as_int(&a->items[i], out, NULL) == STN_OK;
}

/* click: pointer, ground, button, modifiers, and five more when an object was hit. */
static bool on_click(stn_client *c, const stn_values *a)
{
    int32_t ground[2], button, modifiers, id = 0;

    if (a->count < 4 || stn_value_as_coord(&a->items[1], ground, NULL) != STN_OK || !as_int(a, 2, &button) ||
        !as_int(a, 3, &modifiers))
        return false;
    if (a->count >= 9 && !as_int(a, 5, &id))
        return false;
    if (modifiers || (button != 1 && button != 3) || (button == 3 && !id))
        return true; /* no meaning here */
    if (button == 3) {
        open_menu(c, (uint32_t)id);
        return true;
    }
    close_menu(c);
    stn_sim_walk(c->sim, c->person, ground[0] * STN_SIM_UNIT, ground[1] * STN_SIM_UNIT, (uint32_t)id);
    return true;
}

/* place: ground, angle, button, modifiers. */
static bool on_place(stn_client *c, const stn_values *a)
{
    int32_t ground[2], angle, button, modifiers;
    const char *why = NULL;

    if (a->count < 4 || stn_value_as_coord(&a->items[0], ground, NULL) != STN_OK || !as_int(a, 1, &angle) ||
        !as_int(a, 2, &button) || !as_int(a, 3, &modifiers))
        return false;
    if (!stn_sim_in_hand(c->sim, c->person))
        return true; /* said before it heard that it is over */
    if (button == 3)
        stn_sim_leave_off(c->sim, c->person);
    else if (button == 1)
        why = stn_sim_put_down(c->sim, c->person, ground[0] * STN_SIM_UNIT, ground[1] * STN_SIM_UNIT,
                               angle / 32768.0 * M_PI);
    if (why) {
        const stn_value v = stn_value_text(why);

        stn_conn_say(c->conn, ROOT, "err", &v, 1);
    }
    show_placing(c);
    return true;
}

/* cl: the option, or -1 for none. */
static bool on_choice(stn_client *c, const stn_values *a)
{
    int32_t option;

    if (!as_int(a, 0, &option))
        return false;
    if (option < 0 || (size_t)option >= c->menu.n) {
        close_menu(c);
        return true;
    }
    stn_conn_say(c->conn, c->menu.widget, "act", a->items, 1);
    destroy(c, c->menu.widget);
    c->menu.widget = 0;
    stn_sim_do(c->sim, c->person, c->menu.thing, c->menu.offers[option].deed);
    return true;
}

/* res: how the opening of its second session went. */
static bool on_handed(stn_client *c, const stn_values *a)
{
    int32_t code;

    if (!as_int(a, 0, &code))
        return false;
    if (code == STN_SESS_OK) {
        stn_conn_say(c->conn, c->hand_widget, "exec", NULL, 0);
        c->gone = true;
    } else {
        destroy(c, c->hand_widget);
    }
    c->hand_widget = 0;
    return true;
}

static bool on_widget_message(stn_client *c, const uint8_t *data, size_t len)
{
    stn_bytes in = stn_bytes_of(data, len);
    int32_t widget = stn_bytes_i32(&in);
    const char *name = stn_bytes_cstr(&in, NULL);
    stn_values args;

    stn_arena_reset(c->args);
    if (!stn_bytes_ok(&in) || stn_values_read(&in, c->args, DEPTH, &args, NULL, NULL, NULL) != STN_OK)
        return false;
    if (widget == MAPVIEW && !strcmp(name, "click"))
        return on_click(c, &args);
    if (widget == MAPVIEW && !strcmp(name, "place"))
        return on_place(c, &args);
    if (c->menu.widget && widget == c->menu.widget && !strcmp(name, "cl"))
        return on_choice(c, &args);
    if (c->hand_widget && widget == c->hand_widget && !strcmp(name, "res"))
        return on_handed(c, &args);
    if (widget == GAMEUI && !strcmp(name, "chat")) {
        const char *text;

        if (!args.count || stn_value_as_text(&args.items[0], &text, NULL) != STN_OK)
            return false;
        stn_sim_say(c->sim, c->person, text);
    }
    return true; /* what else a client may say has no meaning here */
}

static stn_status on_message(void *user, uint8_t type, const uint8_t *data, size_t len, stn_err *err)
{
    stn_client *c = user;

    (void)err;
    /* SESSKEY and USERAGENT are the stock client's greetings; a server without web pages has no use for them.
     */
    if (type == STN_RMSG_WDGMSG ? !on_widget_message(c, data, len)
                                : type != STN_RMSG_SESSKEY && type != STN_RMSG_USERAGENT)
        c->malformed++;
    return STN_OK;
}

/* A real server sends what lies near alone. */
static bool too_far(const stn_client *c, int32_t gx, int32_t gy)
{
    const double side = STN_LAND_GRID * STN_LAND_TILE;
    double x, y;

    return c->map_side > 0 && stn_sim_place(c->sim, c->person, &x, &y) &&
           (fabs(floor(x / side) - gx) >= c->map_side || fabs(floor(y / side) - gy) >= c->map_side);
}

static void on_mapreq(stn_client *c, const uint8_t *payload, size_t len)
{
    stn_bytes in = stn_bytes_of(payload, len);
    int32_t x = stn_bytes_i32(&in), y = stn_bytes_i32(&in);

    if (!stn_bytes_ok(&in)) {
        c->malformed++;
        return;
    }
    for (unsigned i = 0; i < c->n_grids; i++)
        if (c->grids[i].x == x && c->grids[i].y == y)
            return; /* on its way */
    if (too_far(c, x, y))
        return;
    if (c->n_grids == STN_CLIENT_GRIDS)
        return; /* the client asks again */
    c->grids[c->n_grids].x = x;
    c->grids[c->n_grids++].y = y;
}

bool stn_client_take(stn_client *c, double now, const uint8_t *data, size_t len)
{
    stn_conn_in in;

    if (stn_conn_take(c->conn, now, data, len, on_message, c, &in, NULL) != STN_OK)
        return false;
    switch (in.kind) {
    case STN_PACKET_MAPREQ:
        on_mapreq(c, in.payload, in.len);
        break;
    case STN_PACKET_OBJACK: {
        size_t n;

        if (stn_objack_check(in.payload, in.len, &n, NULL) != STN_OK) {
            c->malformed++;
            break;
        }
        for (size_t i = 0; i < n; i++) {
            stn_objack a = stn_objack_at(in.payload, i);

            stn_view_ack(c->view, a.id, a.frame);
        }
        break;
    }
    case STN_PACKET_CLOSE:
        return false;
    default:
        break;
    }
    return true;
}

/* ---- sending */

size_t stn_client_look(stn_client *c, double now)
{
    size_t work = stn_view_run(c->view, now, c->sim, c->person, c->conn);
    show_placing(c);
    stn_client_party_run(&c->party, now, PARTY, c->sim, c->person, c->conn);
    return work;
}

static void drop_first_grid(stn_client *c)
{
    memmove(c->grids, c->grids + 1, --c->n_grids * sizeof *c->grids);
    c->piece = 0;
}

static void send_map(stn_client *c, double now, stn_grids *grids)
{
    unsigned left = stn_grids_share(grids, MAP_DATAGRAMS);
    stn_buf d = {0};

    while (c->n_grids && left) {
        const stn_buf *blob;

        if (!stn_grids_get(grids, c->grids[0].x, c->grids[0].y, &blob))
            break;
        if (!blob) {
            drop_first_grid(c); /* ground that does not exist is not answered */
            continue;
        }
        if (!c->piece)
            c->next_packet++;
        for (; left && c->piece < stn_mapdata_pieces(blob->len); c->piece++, left--) {
            stn_buf_clear(&d);
            stn_mapdata_write(&d, c->next_packet, blob->data, blob->len, c->piece);
            if (!d.failed)
                stn_conn_datagram(c->conn, d.data, d.len);
        }
        if (c->piece == stn_mapdata_pieces(blob->len))
            drop_first_grid(c);
    }
    stn_grids_unused(grids, left);
    c->next_map = now + MAP_PAUSE_S;
    stn_buf_fini(&d);
}

double stn_client_run(stn_client *c, double now, stn_grids *grids)
{
    double next;

    if (c->gone && c->gone_at == 0.0)
        c->gone_at = now + STN_CLIENT_LEAVES_S;
    if (now >= c->next_globlob) {
        send_globlob(c, false);
        c->next_globlob = now + GLOBLOB_S;
    }
    if (c->n_grids && now >= c->next_map)
        send_map(c, now, grids);
    next = fmin(stn_conn_run(c->conn, now), c->next_globlob);
    return c->n_grids ? fmin(next, c->next_map) : next;
}

bool stn_client_silent(const stn_client *c, double now)
{
    return stn_conn_silent(c->conn, now);
}

bool stn_client_over(const stn_client *c, double now)
{
    return stn_conn_silent(c->conn, now) || stn_conn_overrun(c->conn) ||
           c->malformed > STN_CLIENT_MALFORMED || (c->gone_at > 0.0 && now > c->gone_at);
}

void stn_client_add_stats(const stn_client *c, stn_server_stats *out)
{
    out->objects_in_view += stn_view_count(c->view);
    out->messages_waiting += stn_conn_waiting(c->conn);
    out->dropped += stn_conn_dropped(c->conn);
    out->malformed += c->malformed;
}
