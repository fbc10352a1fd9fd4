stn_pkg(png libpng)
stn_bench(res stn_res PkgConfig::png)
