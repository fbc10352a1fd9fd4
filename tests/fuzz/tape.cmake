stn_fuzz(tape stn_tape)
