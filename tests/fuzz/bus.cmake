stn_fuzz(bus_message stn_bus)
stn_fuzz(bus_keys stn_bus)
