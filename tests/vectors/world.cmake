stn_vector_suite(mapcache stn_world_core)
target_sources(vec-mapcache PRIVATE ${PROJECT_SOURCE_DIR}/tests/vectors/vec_mapfile.c)
stn_vector_suite(ocache stn_world_core)
target_sources(vec-ocache PRIVATE ${PROJECT_SOURCE_DIR}/tests/vectors/vec_tracker.c)
