stn_unit_test(product stn_test_terrain)
stn_unit_test(build stn_test_terrain)
stn_unit_test(mesher stn_test_terrain stn_mesher)
