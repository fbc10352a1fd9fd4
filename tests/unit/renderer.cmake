if(TARGET stn_renderer_parts)
  stn_unit_test(picture_compare m)
  stn_unit_test(renderer_scene stn_renderer_core)
  stn_unit_test(renderer_input stn_renderer_parts)
  stn_unit_test(renderer_settings stn_renderer_parts)
  stn_unit_test(renderer_queue stn_renderer_parts)
  stn_unit_test(renderer_stage stn_renderer_parts)
  stn_unit_test(renderer_cutline stn_renderer_parts)
  stn_unit_test(renderer_words stn_renderer_parts)
  stn_unit_test(renderer_progcache stn_renderer_gl)
  stn_unit_test(renderer_warm stn_renderer_gl)
  stn_threaded_tests(renderer_queue renderer_progcache)
  if(TARGET stn_test_scenery)
    stn_unit_test(picking stn_test_scenery)
    stn_unit_test(renderer_leak stn_test_scenery)
    set_tests_properties(unit.picking unit.renderer_leak PROPERTIES TIMEOUT 600) # ten thousand points, also under sanitizers
    if(STN_SANITIZE)
      # As for vectors.rendering: what is left when the driver is let go lies in a module without a name. That nothing of
      # ours is left in the driver is what renderer_leak counts.
      set_tests_properties(unit.picking unit.renderer_leak PROPERTIES ENVIRONMENT
                           "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1")
    endif()
  endif()
endif()
