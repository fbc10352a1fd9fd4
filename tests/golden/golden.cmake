# Pictures of homestead's world against those that are kept here. To renew them after a change of the look, once they
# have been looked at: cmake --build BUILD --target renew-golden
if(TARGET stn_test_scenery)
  add_executable(golden ${PROJECT_SOURCE_DIR}/tests/golden/golden.c)
  target_link_libraries(golden PRIVATE stn_test_scenery stn_test_support stn_flags)
  set_target_properties(golden PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/golden)
  add_test(NAME golden.pictures
    COMMAND golden ${PROJECT_SOURCE_DIR}/tests/golden ${PROJECT_BINARY_DIR}/tests/golden/different)
  set_tests_properties(golden.pictures PROPERTIES LABELS golden TIMEOUT 300 SKIP_RETURN_CODE 77)
  add_custom_target(renew-golden COMMAND golden --renew ${PROJECT_SOURCE_DIR}/tests/golden VERBATIM)
endif()
