if(TARGET stenness-renderer)
  stn_script_test(renderer_alone e2e 120 ${CMAKE_CURRENT_SOURCE_DIR}/e2e/renderer_alone.sh)
endif()
