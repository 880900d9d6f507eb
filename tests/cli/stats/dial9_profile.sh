# Stacks by group, what tasks cost and wait for; the heap, the process, its sockets, runtimes and
# metrics. Of a range only what is in it counts; a table that is not requested is not made.
cp "$GOLDEN"/dial9/stacks.trc "$GOLDEN"/dial9/memory.trc .
rastrum stats --all --table folded,task_cpu,waiting_on,long_polls stacks.trc
rastrum stats --all --table heap,heap_sites,heap_tasks,resource_usage,cpu_cores,process memory.trc
rastrum stats --table accept_queues,runtime_metrics,runtime_series,metrics memory.trc
rastrum stats --json --table metrics,heap memory.trc
rastrum stats --from 1000001050ns --to 1000001150ns --table heap,heap_sites memory.trc
rastrum stats --from 1000001450ns --to 1000001550ns --table folded,waiting_on stacks.trc
