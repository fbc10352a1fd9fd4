stn_vector_suite(resources stn_res stn_res_json)
target_sources(vec-resources PRIVATE ${CMAKE_CURRENT_LIST_DIR}/vec_resources_prim.c)
