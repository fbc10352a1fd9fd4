foreach(target IN ITEMS container values vbuf layer image)
  stn_fuzz(res_${target} stn_res stn_res_json)
endforeach()
