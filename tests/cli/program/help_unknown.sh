# Help for a verb there is not.
rastrum help frobnicate
