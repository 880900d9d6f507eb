# Within a range of time polls are those that begin and end there; symbols, at time 0, stay.
cp "$GOLDEN"/dial9/runtime.trc run.trc
rastrum stats --from 1000001000 --to 1000003000 -t polls,spans,scheduling_delays run.trc
rastrum stats --from 1004000000 --to 1007000000 -t stacks run.trc
rastrum stats --axis seq --from 3 run.trc
