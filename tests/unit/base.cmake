stn_unit_test(base stn_base)
stn_unit_test(large stn_base)
stn_threaded_tests(large)
