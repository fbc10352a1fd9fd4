stn_script_test(picture e2e 300 python3 ${PROJECT_SOURCE_DIR}/tests/e2e/picture.py)
