# A viewer without a picture, for scenarios with real processes.
add_executable(scenario-viewer ${PROJECT_SOURCE_DIR}/tests/scenario/viewer.c)
target_link_libraries(scenario-viewer PRIVATE stn_bus stn_map stn_proto stn_flags)
target_include_directories(scenario-viewer PRIVATE ${PROJECT_SOURCE_DIR}/common)
set_target_properties(scenario-viewer PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/scenario)
foreach(case IN ITEMS arrive walk mesher restart server)
  stn_script_test(world-${case} scenario 120 ${PROJECT_SOURCE_DIR}/tests/scenario/world.sh ${case})
endforeach()
