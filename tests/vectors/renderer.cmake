if(TARGET stn_renderer_gl)
  stn_vector_suite(rendering stn_renderer_gl)
  target_sources(vec-rendering PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/vectors/vec_rendering_math.c ${CMAKE_CURRENT_SOURCE_DIR}/vectors/vec_rendering_camera.c
    ${CMAKE_CURRENT_SOURCE_DIR}/vectors/vec_rendering_graph.c
    ${CMAKE_CURRENT_SOURCE_DIR}/vectors/vec_rendering_image.c)
endif()
