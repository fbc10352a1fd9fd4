stn_unit_test(res_write stn_res stn_res_json)
stn_unit_test(res stn_res stn_res_json)
stn_pkg(png libpng)
stn_unit_test(res_picture stn_res PkgConfig::png)
