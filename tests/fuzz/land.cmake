# Recorded lands.
stn_fuzz(land stn_land)
