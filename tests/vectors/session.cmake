stn_vector_suite(session stn_world_session stn_world_core stn_session)
target_sources(vec-session PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/vec_session_conn.c ${CMAKE_CURRENT_LIST_DIR}/vec_session_values.c
  ${CMAKE_CURRENT_LIST_DIR}/vec_session_globlob.c ${CMAKE_CURRENT_LIST_DIR}/vec_session_map.c
  ${CMAKE_CURRENT_LIST_DIR}/vec_session_auth.c ${CMAKE_CURRENT_LIST_DIR}/vec_session_recording.c)
target_include_directories(vec-session PRIVATE ${PROJECT_SOURCE_DIR}/services ${CMAKE_CURRENT_LIST_DIR})
stn_pkg(crypto libcrypto)
target_link_libraries(vec-session PRIVATE PkgConfig::crypto)
