stn_script_test(launcher_killed chaos 60 python3 ${PROJECT_SOURCE_DIR}/tests/chaos/launcher_killed.py)
