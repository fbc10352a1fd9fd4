if(TARGET stn_client_res)
  stn_fuzz(res_text stn_client_res)
endif()
