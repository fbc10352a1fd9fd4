stn_unit_test(tape stn_tape)
stn_unit_test(tape_play stn_tape)
stn_threaded_tests(tape_play)
