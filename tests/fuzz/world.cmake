stn_fuzz(mapdata stn_world_core)
