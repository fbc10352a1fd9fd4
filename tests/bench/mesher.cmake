stn_bench(mesher stn_test_terrain)
