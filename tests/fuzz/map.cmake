stn_fuzz(product stn_map)
stn_fuzz(tileset stn_map)
stn_fuzz(decoration stn_map)
