stn_pkg(png libpng)
stn_bench(loader stn_test_loader_client stn_loader_files PkgConfig::png)
add_dependencies(bench_loader stenness-loader)
