# Which workers a runtime has is what the metadata of segments says, once or again.
/usr/bin/python3 -B - "$GOLDEN/dial9" <<'END' >run.trc
import sys
sys.path.insert(0, sys.argv[1])
from make import *
TYPES = (schema(0, "SegmentMetadataEvent", ("entries", STRING_MAP))
         + schema(1, "PollStartEvent", ("worker_id", VARINT), ("task_id", VARINT))
         + schema(2, "PollEndEvent", ("worker_id", VARINT))
         + schema(3, "WorkerParkEvent", ("worker_id", VARINT))
         + schema(4, "WorkerUnparkEvent", ("worker_id", VARINT)))
def polls(worker, *lengths):
    out = event(4, 10, varint(worker))
    for length in lengths:
        out += event(1, 5, varint(worker), varint(7)) + event(2, length, varint(worker))
    return out + event(3, 5, varint(worker)) + event(4, 100, varint(worker))
META = event(0, 1, pairs(("service", "x"), ("runtime.main", "0,1"), ("runtime.", "9"),
                         ("runtime.io", "2, x,,4"), ("runtimes", "3")))
out = HEADER + TYPES + reset(1000) + META + polls(0, 50, 60) + polls(1, 70)
out += HEADER + TYPES + reset(5000) + META + polls(2, 500) + polls(3, 1)
sys.stdout.buffer.write(out)
END
rastrum stats -t workers,runtimes run.trc
cp "$GOLDEN"/dial9/runtime.trc none.trc
rastrum stats --json -t runtimes none.trc
