stn_unit_test(product stn_test_terrain)
if(EXISTS ${PROJECT_SOURCE_DIR}/common/bus/bus.c)
  stn_unit_test(mesher stn_test_terrain stn_mesher)
endif()
