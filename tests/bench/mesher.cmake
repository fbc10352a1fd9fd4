stn_bench(mesher stn_test_terrain)
stn_bench(meshers stn_test_terrain stn_bus stn_proto)
target_sources(bench_meshers PRIVATE ${PROJECT_SOURCE_DIR}/tests/bench/relay.c
                                     ${PROJECT_SOURCE_DIR}/tests/bench/usage.c)
