stn_script_test(capture replay 240 python3 ${PROJECT_SOURCE_DIR}/tests/replay/capture.py)
