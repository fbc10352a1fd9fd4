stn_unit_test(land stn_land)
stn_unit_test(pack stn_pack_core stn_land)
