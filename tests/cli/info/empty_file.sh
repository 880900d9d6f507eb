# An empty file is no trace.
: >empty
rastrum info empty
