stn_script_test(capture replay 900 python3 ${PROJECT_SOURCE_DIR}/tests/replay/capture.py)
