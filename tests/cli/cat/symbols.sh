# Stacks print as the functions that the trace names, inlined ones first; JSON keeps addresses, and
# an address without a name stays one.
cp "$GOLDEN"/dial9/runtime.trc run.trc
rastrum cat -t CpuSampleEvent --fields callchain run.trc
rastrum cat -t CpuSampleEvent --fields callchain --no-symbols run.trc
rastrum cat -t CpuSampleEvent --fields callchain --json run.trc
rastrum cat -t CpuSampleEvent --fields callchain - <run.trc
rastrum cat -t SymbolTableEntry --fields addr,symbol_name run.trc
