if(TARGET stn_client_res)
  stn_unit_test(client_res stn_client_res)
  stn_unit_test(client_res_cache stn_client_res stn_cache)
endif()
