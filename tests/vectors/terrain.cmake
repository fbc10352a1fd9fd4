# A case of the terrain vectors as a job, for the vector program, the benchmark and unit tests.
stn_library(stn_test_terrain ${PROJECT_SOURCE_DIR}/tests/support/terrain_case.c)
target_include_directories(stn_test_terrain PUBLIC ${PROJECT_SOURCE_DIR}/services)
target_link_libraries(stn_test_terrain PUBLIC stn_test_support stn_mesher_core)

stn_pkg(libcrypto libcrypto)
stn_vector_suite(terrain stn_test_terrain PkgConfig::libcrypto)
