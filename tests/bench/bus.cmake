stn_bench(bus stn_bus)
