# A directory that holds no trace.
mkdir empty
rastrum info empty
