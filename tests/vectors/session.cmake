stn_vector_suite(session stn_world_session stn_session)
target_sources(vec-session PRIVATE ${CMAKE_CURRENT_LIST_DIR}/vec_session_conn.c)
target_include_directories(vec-session PRIVATE ${PROJECT_SOURCE_DIR}/services ${CMAKE_CURRENT_LIST_DIR})
