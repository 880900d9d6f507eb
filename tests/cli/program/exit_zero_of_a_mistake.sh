# A command line that is not understood collects nothing.
rastrum verify --exit-zero --bogus "$GOLDEN"/murk/cut_frame.murk
