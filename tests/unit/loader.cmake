find_package(ZLIB REQUIRED)
stn_unit_test(loader_core stn_loader_core ZLIB::ZLIB)
stn_pkg(zip libzip)
stn_unit_test(loader_files stn_loader_files PkgConfig::zip)
