stn_fuzz(cache_entry stn_loader_core stn_cache)
stn_fuzz(res_wire stn_res_wire)
