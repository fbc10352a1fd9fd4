stn_unit_test(homestead stn_homestead_core stn_world_session)
stn_pkg(crypto libcrypto)
stn_pkg(libzip libzip)
stn_unit_test(login stn_homestead_login stn_world_session PkgConfig::crypto PkgConfig::libzip)
