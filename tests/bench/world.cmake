stn_bench(tracker stn_world_core)
stn_bench(objects stn_world_core)
