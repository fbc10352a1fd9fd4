#include "world/game.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/table.h"
#include "map/coords.h"
#include "res/values.h"
#include "session/wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64
#define ARENA_MAX (16u << 20)
#define NO_WIDGET (-1)

typedef struct widget {
    int32_t id, parent; /* NO_WIDGET: not attached */
    char type[32]; /* cut: only short built-in names are compared */
    bool asked; /* a character list that was answered */
} widget;

struct stn_game {
    stn_game_hooks on;
    char *character;
    stn_table *widgets; /* u32 id -> widget */
    stn_arena *arena; /* reset per message */
    int32_t gameui, mapview, party_at, menu_at, hand_at; /* widgets; NO_WIDGET: none */
    stn_game_place place;
    stn_globals globals;
    stn_party party;
    stn_menu menu;
    uint32_t menus; /* offered so far */
    stn_ghost ghost;
    uint32_t ghosts; /* as many */
    int64_t clicked; /* the object clicked last, -1 = none */
    stn_hand_over hand;
    uint64_t ignored;
};

stn_game *stn_game_new(const stn_game_hooks *hooks, const char *character)
{
    stn_game *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->on = *hooks;
    g->gameui = g->mapview = g->party_at = g->menu_at = g->hand_at = NO_WIDGET;
    g->clicked = -1;
    g->character = strdup(character ? character : "");
    g->widgets = stn_table_new();
    g->arena = stn_arena_new(16384, ARENA_MAX);
    stn_globals_init(&g->globals, 0);
    if (!g->character || !g->widgets || !g->arena) {
        stn_game_free(g);
        return NULL;
    }
    return g;
}

void stn_game_free(stn_game *g)
{
    size_t it = 0;
    uint64_t key;
    void *w;

    if (!g)
        return;
    while (g->widgets && stn_table_next(g->widgets, &it, &key, &w))
        free(w);
    stn_table_free(g->widgets);
    stn_arena_free(g->arena);
    stn_globals_fini(&g->globals);
    free(g->character);
    free(g);
}

const stn_game_place *stn_game_where(const stn_game *g)
{
    return &g->place;
}
stn_globals *stn_game_globals(stn_game *g)
{
    return &g->globals;
}
const stn_party *stn_game_party(const stn_game *g)
{
    return &g->party;
}
const stn_menu *stn_game_menu(const stn_game *g)
{
    return &g->menu;
}
const stn_ghost *stn_game_ghost(const stn_game *g)
{
    return &g->ghost;
}
uint64_t stn_game_ignored(const stn_game *g)
{
    return g->ignored;
}
size_t stn_game_widgets(const stn_game *g)
{
    return stn_table_count(g->widgets);
}

static widget *find(const stn_game *g, int32_t id)
{
    return stn_table_get(g->widgets, (uint32_t)id);
}

/* ---- what goes out */

static void send_message(stn_game *g, int32_t id, const char *name, const stn_values *args)
{
    stn_buf out = {.max = STN_REL_MESSAGE_MAX};
    stn_buf_u32(&out, (uint32_t)id);
    stn_buf_cstr(&out, name);
    if (stn_values_write(&out, args, false, NULL) == STN_OK && !out.failed)
        g->on.send(g->on.arg, STN_RMSG_WDGMSG, out.data, out.len);
    stn_buf_fini(&out);
}

static stn_value coord(int32_t x, int32_t y)
{
    return (stn_value){.kind = STN_VALUE_COORD, .u.coord = {x, y}};
}

static int32_t to_units(double v)
{
    v = floor(v / STN_POSITION_UNIT);
    return v >= 2147483647.0 ? INT32_MAX : v <= -2147483648.0 ? INT32_MIN : v == v ? (int32_t)v : 0;
}

stn_status stn_game_click(stn_game *g, const stn_click *c, stn_err *err)
{
    stn_value args[9] = {
        coord(c->screen_x, c->screen_y),
        coord(to_units(c->x), to_units(c->y)),
        stn_value_int(c->button),
        stn_value_int(c->modifiers),
    };
    stn_values list = {4, args};

    if (g->mapview == NO_WIDGET)
        return stn_fail(err, STN_AGAIN, "not in the world yet");
    if (c->has_object) {
        args[4] = stn_value_int(c->overlay != 0);
        args[5] = stn_value_int((int32_t)c->object);
        args[6] = coord(to_units(c->object_x), to_units(c->object_y));
        args[7] = stn_value_int(c->overlay);
        args[8] = stn_value_int(c->part);
        list.count = 9;
    }
    g->clicked = c->has_object ? (int64_t)c->object : -1;
    send_message(g, g->mapview, "click", &list);
    return STN_OK;
}

stn_status stn_game_choose(stn_game *g, uint32_t number, int32_t option, int32_t modifiers, stn_err *err)
{
    stn_value args[2] = {stn_value_int(option < 0 ? -1 : option), stn_value_int(modifiers)};

    if (!number || number != g->menu.number)
        return stn_fail(err, STN_AGAIN, "that menu is not open any more");
    if (option >= 0 && (size_t)option >= g->menu.n)
        return stn_fail(err, STN_BAD_DATA, "option %d of a menu of %zu", option, g->menu.n);
    send_message(g, g->menu_at, "cl", &(stn_values){option < 0 ? 1 : 2, args});
    g->menu.number = 0; /* one answer a menu; the server takes the widget away */
    return STN_OK;
}

stn_status stn_game_put(stn_game *g, uint32_t number, const stn_putting *p, stn_err *err)
{
    const double turn = 2.0 * M_PI;
    stn_value args[4];

    if (!number || number != g->ghost.number)
        return stn_fail(err, STN_AGAIN, "that is not being placed any more");
    if (!isfinite(p->x) || !isfinite(p->y) || !(fabs(p->angle) <= turn))
        return stn_fail(err, STN_BAD_DATA,
                        "placed at %g,%g, turned by %g: finite numbers and at most a turn expected", p->x,
                        p->y, p->angle);
    args[0] = coord(to_units(p->x), to_units(p->y));
    /* The reference's rounding: halves go up. */
    args[1] = stn_value_int((int32_t)floor(p->angle * 32768.0 / M_PI + 0.5));
    args[2] = stn_value_int(p->button);
    args[3] = stn_value_int(p->modifiers);
    send_message(g, g->mapview, "place", &(stn_values){4, args});
    return STN_OK;
}

void stn_game_handed(stn_game *g, int32_t at, unsigned code)
{
    stn_value arg = stn_value_int((int32_t)code);

    if (g->hand_at != NO_WIDGET && g->hand_at == at)
        send_message(g, at, "res", &(stn_values){1, &arg});
}

stn_status stn_game_chat(stn_game *g, const char *text, stn_err *err)
{
    stn_value arg = stn_value_text(text);
    if (g->gameui == NO_WIDGET)
        return stn_fail(err, STN_AGAIN, "not in the world yet");
    send_message(g, g->gameui, "chat", &(stn_values){1, &arg});
    return STN_OK;
}

stn_status stn_game_widget_message(stn_game *g, uint32_t id, const char *name, const uint8_t *args,
                                   size_t len, stn_err *err)
{
    stn_buf out = {.max = STN_REL_MESSAGE_MAX};
    stn_status st = STN_OK;

    if (!find(g, (int32_t)id))
        return stn_fail(err, STN_NOT_FOUND, "there is no widget %u", id);
    stn_buf_u32(&out, id);
    stn_buf_cstr(&out, name);
    stn_buf_put(&out, args, len);
    if (out.failed)
        st = stn_fail(err, STN_TOO_BIG, "widget message \"%.32s\" of %zu bytes", name, len);
    else
        g->on.send(g->on.arg, STN_RMSG_WDGMSG, out.data, out.len);
    stn_buf_fini(&out);
    return st;
}

/* ---- what comes in */

static bool player_of(const stn_values *v, uint32_t i, uint32_t *out)
{
    int32_t id;
    if (i >= v->count || v->items[i].kind == STN_VALUE_NIL ||
        stn_value_as_int(&v->items[i], &id, NULL) != STN_OK)
        return false;
    *out = (uint32_t)id;
    return true;
}

static void set_player(stn_game *g, bool has, uint32_t id)
{
    g->place.has_player = has;
    g->place.player = has ? id : 0;
}

static void set_centre(stn_game *g, const stn_values *v, uint32_t i)
{
    int32_t c[2];
    if (i < v->count && stn_value_as_coord(&v->items[i], c, NULL) == STN_OK) {
        g->place.x = (double)c[0] * STN_POSITION_UNIT;
        g->place.y = (double)c[1] * STN_POSITION_UNIT;
    }
}

static stn_status offer_menu(stn_game *g, const widget *w, const stn_values *cargs, stn_err *err)
{
    stn_status st = stn_menu_read(cargs, &g->menu, err);

    g->menu_at = st == STN_OK ? w->id : NO_WIDGET;
    g->menu.number = st == STN_OK ? ++g->menus : 0;
    g->menu.object = g->clicked;
    return st;
}

static stn_status offer_hand_over(stn_game *g, const widget *w, const stn_values *cargs, stn_err *err)
{
    stn_status st;

    if (!g->on.hand_over)
        return STN_OK;
    if (g->hand_at != NO_WIDGET)
        g->on.hand_over(g->on.arg, NULL);
    g->hand_at = NO_WIDGET;
    if ((st = stn_hand_over_read(cargs, &g->hand, err)) != STN_OK)
        return st;
    g->hand_at = g->hand.widget = w->id;
    g->on.hand_over(g->on.arg, &g->hand);
    return STN_OK;
}

static stn_status made(stn_game *g, const widget *w, const stn_values *cargs, stn_err *err)
{
    uint32_t id = 0;

    if (!strcmp(w->type, "gameui")) {
        g->gameui = w->id;
        if (player_of(cargs, 1, &id))
            set_player(g, true, id);
    } else if (!strcmp(w->type, "mapview")) {
        g->mapview = w->id;
        g->place.in_world = true;
        set_centre(g, cargs, 1);
        if (player_of(cargs, 2, &id))
            set_player(g, true, id);
    } else if (!strcmp(w->type, "pv")) {
        bool has_own = player_of(cargs, 0, &id);
        g->party_at = w->id;
        stn_party_clear(&g->party, has_own, id);
    } else if (!strcmp(w->type, "sm")) {
        return offer_menu(g, w, cargs, err);
    } else if (!strcmp(w->type, "sess")) {
        return offer_hand_over(g, w, cargs, err);
    }
    return STN_OK;
}

/* What the widget stood for is gone. */
static void drop_roles(stn_game *g, int32_t id)
{
    if (id == g->mapview) {
        g->mapview = NO_WIDGET;
        g->place.in_world = false;
        g->ghost.number = 0;
    }
    if (id == g->gameui)
        g->gameui = NO_WIDGET;
    if (id == g->party_at) {
        g->party_at = NO_WIDGET;
        stn_party_clear(&g->party, false, 0);
    }
    if (id == g->menu_at) {
        g->menu_at = NO_WIDGET;
        g->menu.number = 0;
    }
    if (id == g->hand_at) {
        g->hand_at = NO_WIDGET;
        g->on.hand_over(g->on.arg, NULL);
    }
}

static stn_status on_new(stn_game *g, stn_bytes *in, stn_err *err)
{
    int32_t id = stn_bytes_i32(in), parent;
    const char *type = stn_bytes_cstr(in, NULL);
    stn_values pargs, cargs;
    widget *w;
    stn_status st;

    parent = stn_bytes_i32(in);
    if (!stn_bytes_ok(in) || !type)
        return stn_fail(err, STN_TRUNCATED, "NEWWDG ends early");
    if ((st = stn_values_read(in, g->arena, DEPTH_MAX, &pargs, NULL, NULL, err)) != STN_OK ||
        (st = stn_values_read(in, g->arena, DEPTH_MAX, &cargs, NULL, NULL, err)) != STN_OK)
        return stn_fail_in(err, st, "NEWWDG %d", id);
    if (!(w = find(g, id))) {
        if (stn_table_count(g->widgets) >= STN_GAME_WIDGETS)
            return stn_fail(err, STN_TOO_BIG, "more than %d widgets", STN_GAME_WIDGETS);
        if (!(w = calloc(1, sizeof *w)) || !stn_table_put(g->widgets, (uint32_t)id, w, NULL)) {
            free(w);
            return stn_fail(err, STN_NO_MEMORY, "widget %d", id);
        }
    } else {
        drop_roles(g, id);
    }
    *w = (widget){.id = id, .parent = parent};
    strncpy(w->type, type, sizeof w->type - 1);
    return made(g, w, &cargs, err);
}

static stn_status on_add(stn_game *g, stn_bytes *in, stn_err *err)
{
    int32_t id = stn_bytes_i32(in), parent = stn_bytes_i32(in);
    widget *w;

    if (!stn_bytes_ok(in))
        return stn_fail(err, STN_TRUNCATED, "ADDWDG ends early");
    if (!(w = find(g, id)))
        g->ignored++;
    else
        w->parent = parent;
    return STN_OK;
}

static void forget(stn_game *g, int32_t id)
{
    free(stn_table_remove(g->widgets, (uint32_t)id));
    drop_roles(g, id);
}

/* A widget and all below it. Links go upwards only, so this looks until a pass finds no orphan; each pass
 * removes a level at least. */
static stn_status on_destroy(stn_game *g, stn_bytes *in, stn_err *err)
{
    int32_t id = stn_bytes_i32(in);
    int32_t gone[256];
    size_t n;

    if (!stn_bytes_ok(in))
        return stn_fail(err, STN_TRUNCATED, "DSTWDG ends early");
    if (!find(g, id)) {
        g->ignored++;
        return STN_OK;
    }
    forget(g, id);
    do {
        size_t it = 0;
        uint64_t key;
        void *v;
        n = 0;
        while (n < 256 && stn_table_next(g->widgets, &it, &key, &v)) {
            const widget *w = v;
            if (w->parent != NO_WIDGET && w->parent != 0 && !find(g, w->parent))
                gone[n++] = w->id;
        }
        for (size_t i = 0; i < n; i++)
            forget(g, gone[i]);
    } while (n > 0);
    return STN_OK;
}

static stn_status on_map_message(stn_game *g, const char *name, const stn_values *args, stn_err *err)
{
    uint32_t id = 0;
    stn_status st;

    if (!strcmp(name, "move")) {
        set_centre(g, args, 0);
    } else if (!strcmp(name, "plob")) {
        bool has = player_of(args, 0, &id);
        set_player(g, has, id);
    } else if (!strcmp(name, "place")) {
        /* Whatever was being placed is over. */
        st = stn_ghost_read(args, &g->ghost, err);
        g->ghost.number = st == STN_OK ? ++g->ghosts : 0;
        return st;
    } else if (!strcmp(name, "unplace")) {
        g->ghost.number = 0;
    } else {
        g->ignored++;
    }
    return STN_OK;
}

static stn_status on_party_message(stn_game *g, const char *name, const stn_values *args, stn_err *err)
{
    stn_status st = stn_party_message(&g->party, name, args, err);

    if (st != STN_UNSUPPORTED)
        return st;
    g->ignored++;
    return STN_OK;
}

/* Chosen or not, here or by the server's own mind: it is over. */
static void on_menu_message(stn_game *g, const char *name)
{
    if (!strcmp(name, "act") || !strcmp(name, "cancel"))
        g->menu.number = 0;
    else
        g->ignored++;
}

/* The list tells characters one by one: the wanted one is answered when it comes, the first at once when none
 * is named. */
static void on_charlist_message(stn_game *g, widget *w, const char *name, const stn_values *args)
{
    const char *who;

    if (strcmp(name, "add") != 0 || args->count < 1 ||
        stn_value_as_text(&args->items[0], &who, NULL) != STN_OK) {
        g->ignored++;
        return;
    }
    if (w->asked || (g->character[0] && strcmp(g->character, who) != 0))
        return;
    w->asked = true;
    send_message(g, w->id, "play", &(stn_values){1, &args->items[0]});
}

static void on_root_message(stn_game *g, const char *name, const stn_values *args)
{
    const char *text;
    if ((strcmp(name, "err") != 0 && strcmp(name, "msg") != 0) || args->count < 1 ||
        stn_value_as_text(&args->items[0], &text, NULL) != STN_OK) {
        g->ignored++;
        return;
    }
    if (g->on.say)
        g->on.say(g->on.arg, name, text);
}

static stn_status on_message(stn_game *g, stn_bytes *in, stn_err *err)
{
    int32_t id = stn_bytes_i32(in);
    const char *name = stn_bytes_cstr(in, NULL);
    stn_values args;
    widget *w;
    stn_status st;

    if (!name)
        return stn_fail(err, STN_TRUNCATED, "WDGMSG ends early");
    if ((st = stn_values_read(in, g->arena, DEPTH_MAX, &args, NULL, NULL, err)) != STN_OK)
        return stn_fail_in(err, st, "WDGMSG %d \"%.32s\"", id, name);
    if (id == 0)
        on_root_message(g, name, &args);
    else if (id == g->mapview)
        return on_map_message(g, name, &args, err);
    else if (id == g->party_at)
        return on_party_message(g, name, &args, err);
    else if (id == g->menu_at)
        on_menu_message(g, name);
    else if (id == g->hand_at && !strcmp(name, "exec"))
        g->on.go(g->on.arg);
    else if ((w = find(g, id)) != NULL && !strcmp(w->type, "charlist"))
        on_charlist_message(g, w, name, &args);
    else
        g->ignored++;
    return STN_OK;
}

stn_status stn_game_message(stn_game *g, uint8_t type, const uint8_t *data, size_t len, double now,
                            stn_err *err)
{
    stn_bytes in = stn_bytes_of(data, len);

    stn_arena_reset(g->arena);
    switch (type) {
    case STN_RMSG_NEWWDG:
        return on_new(g, &in, err);
    case STN_RMSG_ADDWDG:
        return on_add(g, &in, err);
    case STN_RMSG_DSTWDG:
        return on_destroy(g, &in, err);
    case STN_RMSG_WDGMSG:
        return on_message(g, &in, err);
    case STN_RMSG_GLOBLOB:
        return stn_globals_message(&g->globals, data, len, now, err);
    case STN_RMSG_WDGBAR:
    case STN_RMSG_SESSKEY:
        return STN_OK; /* order of arrival satisfies every barrier; no web requests are signed here */
    default:
        g->ignored++;
        return stn_fail(err, STN_UNSUPPORTED, "reliable message of unknown type %u", type);
    }
}
