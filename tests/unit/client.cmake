stn_unit_test(supervise stn_client)
stn_unit_test(procfile stn_client)
