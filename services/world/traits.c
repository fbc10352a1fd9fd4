#include "world/traits.h"

stn_res_traits stn_traits_bare(uint32_t number)
{
    return (stn_res_traits){
        .published = true, .published_slot = number, .published_kind = number, .published_deletes_any = true};
}

bool stn_traits_layer(stn_res_traits *t, stn_sprite_facts *facts, const char *type)
{
    stn_layer_kind kind = stn_layer_kind_of(type);

    t->skeleton |= kind == STN_LAYER_SKEL;
    stn_sprite_facts_layer(facts, type, NULL);
    return kind == STN_LAYER_CODEENTRY || kind == STN_LAYER_AUDIO;
}

void stn_traits_of_facts(stn_res_traits *t, const char *name, int32_t version, const stn_sprite_facts *facts)
{
    stn_sprite_traits s = stn_sprite_traits_of(name, version, facts);

    t->live_update = s.live_update;
    t->deferred_end = s.deferred_end;
}

void stn_traits_of_res(stn_res_traits *t, const char *name, int32_t version, const stn_res *res)
{
    stn_sprite_facts facts = stn_sprite_facts_of(res);

    stn_traits_of_facts(t, name, version, &facts);
}
