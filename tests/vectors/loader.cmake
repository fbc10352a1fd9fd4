stn_pkg(libcrypto libcrypto)
stn_vector_suite(resource-loading stn_loader_shell stn_session stn_test_httpd PkgConfig::libcrypto)
target_sources(vec-resource-loading PRIVATE ${CMAKE_CURRENT_LIST_DIR}/ask_scenarios.c ${CMAKE_CURRENT_LIST_DIR}/ask_sources.c ${CMAKE_CURRENT_LIST_DIR}/http_cases.c)
