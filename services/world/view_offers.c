/* The conversation `world`, telling the driver what the server offers: an object's menu, a thing to place. */
#include "world/world_impl.h"

/* The driver is shown the menu that is open; who was and is no longer the driver sees it go. */
static void tell_menu(stn_world *w, stn_view *v)
{
    const stn_menu *menu = stn_game_menu(w->game);
    uint32_t number = w->driver == v && w->running ? menu->number : 0;
    Stenness__Menu m = STENNESS__MENU__INIT;
    char *options[STN_MENU_OPTIONS];

    if (v->menu_told == number)
        return;
    m.number = number;
    m.object = number ? menu->object : -1;
    m.closed = number == 0;
    for (size_t i = 0; number && i < menu->n; i++)
        options[i] = (char *)(uintptr_t)menu->options[i];
    m.options = options;
    m.n_options = number ? menu->n : 0;
    if (stn_view_tell(w, v, STENNESS__VIEW_KIND__VIEW_MENU, &m.base))
        v->menu_told = number;
}

/* A part's resource by name; false: its number has no name yet. */
static bool name_part(stn_world *w, const stn_ghost_part *p, Stenness__ResourceRef *out)
{
    stenness__resource_ref__init(out);
    out->version = p->version;
    out->name = (char *)(uintptr_t)(p->name[0] ? p->name : stn_world_resid_name(w, p->resid, &out->version));
    out->sdt = (ProtobufCBinaryData){p->sdt_len, (uint8_t *)(uintptr_t)p->sdt};
    return out->name != NULL;
}

static void tell_ghost(stn_world *w, stn_view *v)
{
    const stn_ghost *ghost = stn_game_ghost(w->game);
    uint32_t number = w->driver == v && w->running ? ghost->number : 0;
    Stenness__Ghost m = STENNESS__GHOST__INIT;
    Stenness__ResourceRef body, overlays[STN_GHOST_OVERLAYS], *ptrs[STN_GHOST_OVERLAYS];

    if (v->ghost_told == number)
        return;
    m.number = number;
    m.closed = number == 0;
    if (number) {
        if (!name_part(w, &ghost->body, &body))
            return; /* it is told when the name has come */
        m.resource = &body;
        for (size_t i = 0; i < ghost->n_overlays; i++)
            if (name_part(w, &ghost->overlays[i], &overlays[m.n_overlays])) {
                ptrs[m.n_overlays] = &overlays[m.n_overlays];
                m.n_overlays++;
            }
        m.overlays = ptrs;
    }
    if (stn_view_tell(w, v, STENNESS__VIEW_KIND__VIEW_GHOST, &m.base))
        v->ghost_told = number;
}

void stn_view_offers(stn_world *w, stn_view *v)
{
    tell_menu(w, v);
    tell_ghost(w, v);
}
