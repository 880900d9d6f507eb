# A verb there is not.
rastrum frobnicate run.murk
