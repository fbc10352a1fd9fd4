stn_unit_test(land stn_land)
