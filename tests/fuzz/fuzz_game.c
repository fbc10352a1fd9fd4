/* The widget tree under messages of a hostile server: u8 type, u16 length, payload, over and over. What is
 * then known is walked through, and whoever sits at the keys answers whatever menu is open and puts
 * down whatever is to be placed. */
#include "base/bytes.h"
#include "world/game.h"

#include <stdlib.h>
#include <string.h>

static void send(void *arg, uint8_t type, const uint8_t *data, size_t len)
{
    size_t *sum = arg;

    *sum += type + (len ? data[len - 1] : 0u);
}

static void hand_over(void *arg, const stn_hand_over *to)
{
    size_t *sum = arg;

    if (to)
        *sum += strlen(to->host) + to->cookie_len + to->args_len;
}

static void go(void *arg)
{
    ++*(size_t *)arg;
}

static void walk(stn_game *g, size_t *sum)
{
    const stn_party *p = stn_game_party(g);
    const stn_menu *m = stn_game_menu(g);

    const stn_ghost *ghost = stn_game_ghost(g);

    for (size_t i = 0; i < p->n; i++)
        *sum += p->members[i].id;
    if (p->n > STN_PARTY_MAX || m->n > STN_MENU_OPTIONS)
        abort();
    for (size_t i = 0; i < m->n; i++)
        *sum += strlen(m->options[i]);
    if (ghost->n_overlays > STN_GHOST_OVERLAYS)
        abort();
    *sum += strlen(ghost->body.name) + ghost->body.sdt_len;
    if (ghost->number &&
        stn_game_put(g, ghost->number, &(stn_putting){.x = 1.0, .button = 1}, NULL) != STN_OK)
        abort();
    if (m->number && stn_game_choose(g, m->number, m->n ? 0 : -1, 0, NULL) != STN_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t sum = 0;
    stn_game_hooks hooks = {.send = send, .hand_over = hand_over, .go = go, .arg = &sum};
    stn_game *g = stn_game_new(&hooks, "me");
    stn_bytes in = stn_bytes_of(data, size);

    while (g && stn_bytes_left(&in) >= 3) {
        uint8_t type = stn_bytes_u8(&in);
        size_t len = stn_bytes_u16(&in), left = stn_bytes_left(&in);
        stn_err err = {0};

        len = len < left ? len : left;
        stn_game_message(g, type, data + (size - left), len, 1.0, &err);
        stn_bytes_skip(&in, len);
        walk(g, &sum);
    }
    stn_game_free(g);
    return 0;
}
