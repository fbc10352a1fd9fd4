stn_unit_test(tape stn_tape)
