if(TARGET stn_test_shapes)
  stn_bench(simplify stn_test_shapes stn_res m)
endif()
