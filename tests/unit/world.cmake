stn_unit_test(tracker stn_world_core)
stn_unit_test(cuts stn_world_core)
stn_unit_test(tiledef stn_world_core stn_res)
