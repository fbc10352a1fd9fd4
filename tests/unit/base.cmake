stn_unit_test(base stn_base)
