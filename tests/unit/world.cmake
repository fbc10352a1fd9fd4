stn_unit_test(tracker stn_world_core)
