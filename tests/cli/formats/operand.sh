# It takes no trace.
rastrum formats run.murk
