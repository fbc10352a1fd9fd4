stn_fuzz(mapdata stn_world_core)
stn_fuzz(objects stn_world_core)
stn_fuzz(mapfile stn_world_core)
stn_fuzz(game stn_world_core)
