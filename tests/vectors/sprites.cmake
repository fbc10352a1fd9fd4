stn_vector_suite(sprites stn_renderer_sprite stn_map)
target_sources(vec-sprites PRIVATE
  ${CMAKE_CURRENT_LIST_DIR}/sprites/parts.c ${CMAKE_CURRENT_LIST_DIR}/sprites/pose.c ${CMAKE_CURRENT_LIST_DIR}/sprites/scene.c)
