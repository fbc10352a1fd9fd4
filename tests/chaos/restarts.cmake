stn_script_test(restarts chaos 400 python3 ${PROJECT_SOURCE_DIR}/tests/chaos/restarts.py)
