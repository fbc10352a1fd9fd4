stn_script_test(remote_mesher scenario 200 python3 ${PROJECT_SOURCE_DIR}/tests/scenario/remote_mesher.py)
set_tests_properties(scenario.remote_mesher PROPERTIES SKIP_RETURN_CODE 77)
